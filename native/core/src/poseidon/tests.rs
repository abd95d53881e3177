//! Digests, known answers, what Semaphore builds on the hash, and refusals.

use std::sync::LazyLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::parameters::Published;
use super::*;
use crate::field::dispatch::checks::{in_scalar_lanes, on_own_scalars};
use crate::field::tests::Sequence;
use crate::field::{FrSimd29Emulated, Portable};
use crate::test_vectors::{number, rows, sha256_hex, text, VECTORS};

/// Hashes of 1 to 16 inputs; where they come from is in the file.
static ARITIES: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../../test/vectors/poseidon-circomlib.json");
    serde_json::from_str(text).expect("the vectors are JSON")
});

fn digest(published: &Published) -> String {
    let values = published.rounds.iter().chain(&published.matrix).flatten();
    sha256_hex(values.map(|value| value.to_be_bytes()))
}

#[test]
fn constants_and_matrices_have_the_published_digests() {
    for row in rows(&VECTORS["poseidon_circomlib"]["widths"]) {
        let width = row["t"].as_u64().expect("a width") as usize;
        let published = Published::generate(width);
        let partial_rounds = published.rounds.len() - 2 * HALF_FULL_ROUNDS;
        assert_eq!(row["partial_rounds"], partial_rounds);
        assert_eq!(digest(&published), text(&row["constants_sha256"]));
    }
}

fn known_answers_hold<F>()
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let mut sequence = Sequence::new(14);
    let hashes = [&VECTORS["poseidon_circomlib"]["hashes"], &ARITIES["hashes"]];
    for row in hashes.into_iter().flat_map(rows) {
        let inputs: Vec<u8> = rows(&row["inputs"]).iter().flat_map(number).collect();
        let arity = inputs.len() / 32;
        let words = hash_words::from_bytes(&inputs).expect("below the modulus");
        // among others, in sets of lanes that are full and not
        for count in [1, F::LANES + 1] {
            let mut all: Vec<Limbs> = (0..count * arity)
                .map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()))
                .map(|element| element.to_canonical())
                .collect();
            all[(count - 1) * arity..].copy_from_slice(&words);
            let hashes = hash_all::<F>(arity, &all);
            assert_eq!(hashes, hash_all::<Fr<Portable>>(arity, &all));
            let last = hash_words::to_bytes(&hashes[count - 1..]);
            assert_eq!(last, number(&row["output"]));
        }
    }
}

#[test]
fn known_answers_hold_on_scalars_and_lanes() {
    known_answers_hold::<Fr<Portable>>();
    known_answers_hold::<FrSimd29Emulated>();
    on_own_scalars!(B => { known_answers_hold::<Fr<B>>() });
    in_scalar_lanes!(IfmaEmulated, F => { known_answers_hold::<F>() });
    in_scalar_lanes!(Avx2Emulated, F => { known_answers_hold::<F>() });
    in_scalar_lanes!(Ifma, F => { known_answers_hold::<F>() });
    in_scalar_lanes!(Avx2, F => { known_answers_hold::<F>() });
}

#[test]
fn many_hashes_are_those_of_one_call_each() {
    let mut sequence = Sequence::new(15);
    let inputs: Vec<u8> = (0..40)
        .flat_map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_be_bytes())
        .collect();
    for arity in 1..=MAX_ARITY {
        let size = arity * 32;
        let one_by_one: Vec<u8> = inputs
            .chunks(size)
            .flat_map(|inputs| poseidon(inputs).expect("1 to 16 elements"))
            .collect();
        for count in 0..=40 / arity {
            assert_eq!(
                poseidon_many(arity, &inputs[..count * size]),
                Ok(one_by_one[..count * 32].to_vec())
            );
        }
    }
}

#[test]
fn many_hashes_refuse_other_arities_cut_inputs_and_elements_out_of_range() {
    for (arity, bytes) in [(0, 64), (17, 544), (1, 33), (2, 96), (16, 480)] {
        let refused = poseidon_many(arity, &vec![0; bytes]).expect_err("no whole inputs");
        assert_eq!(refused.code(), "input.count");
    }
    let modulus = number(&VECTORS["field"]["P"]);
    let mut inputs = [0; 9 * 64];
    inputs[13 * 32..14 * 32].copy_from_slice(&modulus);
    assert_eq!(
        poseidon_many(2, &inputs),
        Err(HashError::InputRange { index: 13 })
    );
}

#[test]
fn semaphore_one_leaf_roots_hold() {
    let pair = |left: [u8; 32], right: [u8; 32]| {
        poseidon(&[left, right].concat()).expect("two elements below the modulus")
    };
    let empty_rows = &VECTORS["semaphore"]["empty_subtrees"];
    for row in rows(&VECTORS["semaphore"]["one_leaf_roots"]) {
        let mut root = number(&row["commitment"]);
        let mut empty = [0; 32];
        for level in 0..row["depth"].as_u64().expect("a depth") {
            if let Some(expected) = empty_rows.get(level.to_string()) {
                assert_eq!(empty, number(expected), "empty subtree {level}");
            }
            root = pair(root, empty);
            empty = pair(empty, empty);
        }
        assert_eq!(root, number(&row["root"]));
    }
}

#[test]
fn semaphore_identity_commitments_hold() {
    let element = |secret: &str, label: &Value| {
        let digest = Sha256::digest([secret, text(label)].concat());
        Fr::<Portable>::from_be_bytes_mod_order(&digest).to_be_bytes()
    };
    for row in rows(&VECTORS["semaphore"]["identities"]) {
        let digest = Sha256::digest(text(&row["secret_ascii"]));
        let secret: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let nullifier = element(&secret, &"identity_nullifier".into());
        let trapdoor = element(&secret, &row["label"]);
        let pair = [nullifier, trapdoor].concat();
        let hidden = poseidon(&pair).expect("two elements below the modulus");
        assert_eq!(poseidon(&hidden), Ok(number(&row["commitment"])));
    }
}

#[test]
fn refuses_other_counts_and_elements_out_of_range() {
    for found_bytes in [0, 31, 33, 63, 65, 95, 511, 513, 544] {
        let refused = poseidon(&vec![0; found_bytes]).expect_err("not 1 to 16 elements");
        assert_eq!(refused.code(), "input.count");
    }
    let modulus = number(&VECTORS["field"]["P"]);
    assert_eq!(poseidon(&modulus), Err(HashError::InputRange { index: 0 }));
    let second = [[0; 32], modulus].concat();
    assert_eq!(poseidon(&second), Err(HashError::InputRange { index: 1 }));
}
