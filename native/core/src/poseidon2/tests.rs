//! Digests, known answers and refusals of the permutation.

use super::constants::*;
use super::poseidon2;
use crate::field::{Adx, Backend, Fr, Portable};
use crate::hash_error::HashError;
use crate::test_vectors::{number, rows, sha256_hex, text, VECTORS};

fn digest<const T: usize>(constants: &Constants<T>) -> (usize, String) {
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
        let (partial_rounds, digest) = match row["t"].as_u64() {
            Some(2) => digest(&WIDTH_2),
            Some(3) => digest(&WIDTH_3),
            Some(4) => digest(&WIDTH_4),
            Some(8) => digest(&WIDTH_8),
            Some(12) => digest(&WIDTH_12),
            Some(16) => digest(&WIDTH_16),
            other => panic!("no width {other:?}"),
        };
        assert_eq!(digest, text(&row["constants_sha256"]));
        assert_eq!(Some(partial_rounds as u64), row["partial_rounds"].as_u64());
    }
}

fn known_answers_hold<B: Backend>() {
    for row in rows(&VECTORS["poseidon2"]["widths"]) {
        let width = row["t"].as_u64().expect("a width") as usize;
        let counting: Vec<u8> = (0..width as u64)
            .flat_map(|i| Fr::<B>::from_u64(i).to_be_bytes())
            .collect();
        let both = [counting, vec![0; width * 32]].concat();
        let permuted = super::permute_bytes_of_width::<B>(width, &both).expect("two whole states");
        let expected = rows(&row["output_of_counting_input"]);
        assert_eq!(expected.len(), width);
        for (i, value) in expected.iter().enumerate() {
            assert_eq!(
                permuted[i * 32..][..32],
                number(value),
                "width {width}, element {i}"
            );
        }
        for (i, value) in rows(&row["output_of_zeros_0_1"]).iter().enumerate() {
            assert_eq!(
                permuted[(width + i) * 32..][..32],
                number(value),
                "width {width}, zeros"
            );
        }
    }
}

#[test]
fn known_answers_hold_on_every_backend() {
    known_answers_hold::<Portable>();
    if crate::field::select_arithmetic("adx").is_ok() {
        known_answers_hold::<Adx>();
    }
}

#[test]
fn backends_agree_on_chains_of_permutations() {
    if crate::field::select_arithmetic("adx").is_err() {
        return;
    }
    for width in [2, 3, 4, 8, 12, 16] {
        let mut state = vec![1; width * 32];
        for _ in 0..50 {
            let next = super::permute_bytes_of_width::<Adx>(width, &state).expect("a whole state");
            assert_eq!(
                super::permute_bytes_of_width::<Portable>(width, &state),
                Ok(next.clone())
            );
            assert_ne!(next, state);
            state = next;
        }
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
fn no_state_permutes_to_nothing() {
    assert_eq!(poseidon2(16, &[]), Ok(Vec::new()));
}
