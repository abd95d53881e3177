//! Digests, known answers and refusals of the permutation.

use super::constants::Constants;
use super::{permute_width, poseidon2};
use crate::field::dispatch::checks::{in_scalar_lanes, on_own_scalars};
use crate::field::tests::Sequence;
use crate::field::{Bn254Scalar, Fr, FrSimd29Emulated, Limbs, Portable, PrimeLanes};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::tables::Tables;
use crate::test_vectors::{number, rows, sha256_hex, text, VECTORS};

const WIDTHS: [usize; 6] = [2, 3, 4, 8, 12, 16];

fn digest<const T: usize>(constants: &Constants<Fr<Portable>, T>) -> (usize, String) {
    let (before, after) = constants.external.split_at(4);
    let order = before
        .as_flattened()
        .iter()
        .chain(&constants.internal)
        .chain(after.as_flattened())
        .chain(&constants.diagonal_minus_one);
    (
        constants.internal.len(),
        sha256_hex(order.map(|value| value.to_be_bytes())),
    )
}

#[test]
fn constants_have_the_published_digests() {
    for row in rows(&VECTORS["poseidon2"]["widths"]) {
        let tables = Fr::<Portable>::poseidon2();
        let (partial_rounds, digest) = match row["t"].as_u64() {
            Some(2) => digest(&tables.width_2),
            Some(3) => digest(&tables.width_3),
            Some(4) => digest(&tables.width_4),
            Some(8) => digest(&tables.width_8),
            Some(12) => digest(&tables.width_12),
            Some(16) => digest(&tables.width_16),
            other => panic!("no width {other:?}"),
        };
        assert_eq!(digest, text(&row["constants_sha256"]));
        assert_eq!(Some(partial_rounds as u64), row["partial_rounds"].as_u64());
    }
}

fn permuted<F>(width: usize, states: &[Limbs]) -> Vec<Limbs>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let mut states = states.to_vec();
    permute_width::<F>(width, &mut states);
    states
}

fn known_answers_hold<F>()
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    for row in rows(&VECTORS["poseidon2"]["widths"]) {
        let width = row["t"].as_u64().expect("a width") as usize;
        // a set of lanes that is not full, whatever their number
        let mut states = vec![[0; 4]; 11 * width];
        for (i, number) in states[10 * width..].iter_mut().enumerate() {
            number[0] = i as u64;
        }
        let permuted = hash_words::to_bytes(&permuted::<F>(width, &states));
        let expected = rows(&row["output_of_counting_input"]);
        assert_eq!(expected.len(), width);
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(
                permuted[(10 * width + i) * 32..][..32],
                number(value),
                "width {width}, element {i}"
            );
        }
        for zeros in 0..10 {
            for (i, value) in rows(&row["output_of_zeros_0_1"]).iter().enumerate() {
                assert_eq!(
                    permuted[(zeros * width + i) * 32..][..32],
                    number(value),
                    "width {width}, zeros"
                );
            }
        }
    }
}

/// Chains of permutations of different states, as many as there are in a call of some size.
fn agrees_with_scalars<F>()
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let mut sequence = Sequence::new(12);
    for width in WIDTHS {
        for count in [1, F::LANES, 2 * F::LANES + 1] {
            let mut states: Vec<Limbs> = (0..count * width)
                .map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_canonical())
                .collect();
            for _ in 0..3 {
                let next = permuted::<F>(width, &states);
                assert_eq!(permuted::<Fr<Portable>>(width, &states), next);
                assert_ne!(next, states);
                states = next;
            }
        }
    }
}

#[test]
fn known_answers_hold_on_scalars() {
    known_answers_hold::<Fr<Portable>>();
    on_own_scalars!(B => {
        known_answers_hold::<Fr<B>>();
        agrees_with_scalars::<Fr<B>>();
    });
}

#[test]
fn lanes_of_ifma_permute_as_scalars() {
    in_scalar_lanes!(IfmaEmulated, F => {
        known_answers_hold::<F>();
        agrees_with_scalars::<F>();
    });
    in_scalar_lanes!(Ifma, F => {
        known_answers_hold::<F>();
        agrees_with_scalars::<F>();
    });
}

#[test]
fn lanes_of_avx2_permute_as_scalars() {
    in_scalar_lanes!(Avx2Emulated, F => {
        known_answers_hold::<F>();
        agrees_with_scalars::<F>();
    });
    in_scalar_lanes!(Avx2, F => {
        known_answers_hold::<F>();
        agrees_with_scalars::<F>();
    });
}

#[test]
fn lanes_of_webassembly_permute_as_scalars() {
    known_answers_hold::<FrSimd29Emulated>();
    agrees_with_scalars::<FrSimd29Emulated>();
}

#[test]
fn a_call_of_any_size_gives_each_state_its_own_answer() {
    let mut sequence = Sequence::new(13);
    let states: Vec<u8> = (0..40 * 3)
        .flat_map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_be_bytes())
        .collect();
    let one_by_one: Vec<u8> = states
        .chunks(96)
        .flat_map(|state| poseidon2(3, state).expect("one state"))
        .collect();
    for count in 1..=40 {
        assert_eq!(
            poseidon2(3, &states[..count * 96]),
            Ok(one_by_one[..count * 96].to_vec())
        );
    }
}

#[test]
fn refuses_a_width_that_does_not_exist() {
    for found in [0, 1, 5, 6, 7, 9, 17, usize::MAX] {
        assert_eq!(poseidon2(found, &[0; 32]), Err(HashError::Width { found }));
    }
}

#[test]
fn refuses_a_cut_state_and_an_element_out_of_range() {
    let refused = poseidon2(3, &[0; 95]).expect_err("95 bytes are no state");
    assert_eq!(refused.code(), "input.count");
    let modulus = number(&VECTORS["field"]["P"]);
    let mut states = [0; 2 * 96];
    states[4 * 32..5 * 32].copy_from_slice(&modulus);
    assert_eq!(
        poseidon2(3, &states),
        Err(HashError::InputRange { index: 4 })
    );
    states[5 * 32 - 1] -= 1;
    assert!(poseidon2(3, &states).is_ok());
}

#[test]
fn no_states_permute_to_no_bytes() {
    assert_eq!(poseidon2(16, &[]), Ok(Vec::new()));
}
