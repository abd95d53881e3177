//! The 72 proofs of other people's provers, under the public Semaphore keys.

mod support;

use proofgate_core::groth16::{verify, verify_batch, PreparedKey, Verdict};
use sha2::{Digest, Sha256};
use support::ark::{p, r};
use support::files::{real_proofs, semaphore_key, RealProof};
use support::word;

fn key(depth: &str) -> PreparedKey {
    PreparedKey::from_bytes(&semaphore_key(depth)).expect("a public key")
}

fn verdict(key: &PreparedKey, proof: &[u8; 256], inputs: &[u8]) -> Verdict {
    verify(key, proof, inputs).expect("as many inputs as the key has")
}

/// The entries of depth 30 that have a compressed form, with their key.
fn examples() -> (PreparedKey, Vec<RealProof>) {
    let proofs = real_proofs()
        .into_iter()
        .filter(|entry| entry.depth == "30" && entry.compressed.is_some())
        .take(3)
        .collect();
    (key("30"), proofs)
}

/// The proof with word `index` replaced by `change` of it.
fn with_word(
    proof: &[u8; 256],
    index: usize,
    change: impl Fn(num_bigint::BigUint) -> num_bigint::BigUint,
) -> [u8; 256] {
    let mut changed = *proof;
    let place = &mut changed[32 * index..][..32];
    let number = change(num_bigint::BigUint::from_bytes_be(place));
    place.copy_from_slice(&word(&number));
    changed
}

fn zeroed(proof: &[u8; 256], words: core::ops::Range<usize>) -> [u8; 256] {
    let mut changed = *proof;
    changed[32 * words.start..32 * words.end].fill(0);
    changed
}

#[test]
fn fingerprints_of_the_public_keys_are_the_published_ones() {
    let expected = [
        (
            "16",
            "d18d57f84c4f8da7e62220e6bb625c1de9a29b986782ab186fd1ea639a3e4c71",
        ),
        (
            "20",
            "8dc2dee78b3dbef19e242334788c662e959096724ede1de9865e5193dd2df840",
        ),
        (
            "30",
            "702fbe3a998883755424097376d42190d5a0fb0c93412580a4f036e9146b4b52",
        ),
    ];
    for (depth, fingerprint) in expected {
        let digest = Sha256::digest(semaphore_key(depth));
        assert_eq!(digest.as_slice(), support::hex(fingerprint));
    }
}

#[test]
fn every_proof_is_valid_and_false_with_any_input_changed() {
    let proofs = real_proofs();
    assert_eq!(proofs.len(), 72);
    for depth in ["16", "20", "30"] {
        let key = key(depth);
        for entry in proofs.iter().filter(|entry| entry.depth == depth) {
            assert_eq!(verdict(&key, &entry.proof, &entry.inputs), Verdict::Valid);
            if let Some(compressed) = &entry.compressed {
                assert_eq!(verdict(&key, compressed, &entry.inputs), Verdict::Valid);
            }
            for input in 0..4 {
                let mut inputs = entry.inputs.clone();
                inputs[32 * input + 31] ^= 1;
                assert_eq!(verdict(&key, &entry.proof, &inputs), Verdict::False);
            }
        }
    }
}

#[test]
fn a_batch_answers_each_member_by_itself() {
    let (key, proofs) = examples();
    let mut batch = Vec::new();
    for entry in &proofs {
        batch.extend_from_slice(&entry.proof);
        batch.extend_from_slice(&entry.inputs);
    }
    batch[384 + 255] ^= 1;
    let mut expected = vec![Verdict::Valid as u8; proofs.len()];
    expected[1] = Verdict::PointNotOnCurve as u8;
    assert_eq!(verify_batch(&key, &batch, &[1; 32]), Ok(expected));
    assert_eq!(verify_batch(&key, &[], &[1; 32]), Ok(Vec::new()));
    let error = verify_batch(&key, &batch[1..], &[1; 32]).expect_err("a byte is missing");
    assert_eq!(error.code(), "batch.length");
    let error = verify(&key, &proofs[0].proof, &[0; 96]).expect_err("three inputs");
    assert_eq!(error.code(), "input.count");
}

#[test]
fn negating_both_a_and_b_keeps_the_verdict() {
    let (key, proofs) = examples();
    let negate = |number: num_bigint::BigUint| p() - number;
    let flip = |number: num_bigint::BigUint| number ^ num_bigint::BigUint::from(1u32);
    for entry in &proofs {
        let a = with_word(&entry.proof, 1, negate);
        let both = with_word(&with_word(&a, 4, negate), 5, negate);
        assert_eq!(verdict(&key, &a, &entry.inputs), Verdict::False);
        assert_eq!(verdict(&key, &both, &entry.inputs), Verdict::Valid);
        let compressed = entry.compressed.expect("chosen so");
        let a = with_word(&compressed, 0, flip);
        let b = with_word(&compressed, 2, flip);
        let both = with_word(&a, 2, flip);
        assert_eq!(verdict(&key, &a, &entry.inputs), Verdict::False);
        assert_eq!(verdict(&key, &b, &entry.inputs), Verdict::False);
        assert_eq!(verdict(&key, &both, &entry.inputs), Verdict::Valid);
    }
}

#[test]
fn infinity_and_exchanged_points_are_false() {
    let (key, proofs) = examples();
    let other = real_proofs()
        .into_iter()
        .find(|entry| entry.depth == "20")
        .expect("one has depth 20");
    assert_eq!(verdict(&key, &other.proof, &other.inputs), Verdict::False);
    for entry in &proofs {
        let mut c_is_a = entry.proof;
        c_is_a.copy_within(0..64, 192);
        for proof in [
            c_is_a,
            zeroed(&entry.proof, 0..2),
            zeroed(&entry.proof, 2..6),
            zeroed(&entry.proof, 6..8),
            [0; 256],
        ] {
            assert_eq!(verdict(&key, &proof, &entry.inputs), Verdict::False);
        }
    }
}

#[test]
fn failed_decompression_is_refused_first() {
    let (key, proofs) = examples();
    for entry in &proofs {
        let compressed = entry.compressed.expect("chosen so");
        let two = num_bigint::BigUint::from(2u32);
        let cases = [
            zeroed(&entry.proof, 4..8),
            with_word(&compressed, 2, |number| number ^ two.clone()),
            with_word(&compressed, 0, |_| p() << 1),
            // x = 4 is on no point of the curve
            with_word(&compressed, 0, |_| num_bigint::BigUint::from(8u32)),
            with_word(&compressed, 3, |_| num_bigint::BigUint::from(8u32)),
            with_word(&compressed, 1, |_| p()),
        ];
        // an input out of range comes later in the order
        let mut inputs = entry.inputs.clone();
        inputs[..32].fill(0xff);
        for proof in cases {
            assert_eq!(verdict(&key, &proof, &entry.inputs), Verdict::Decompression);
            assert_eq!(verdict(&key, &proof, &inputs), Verdict::Decompression);
        }
    }
}

#[test]
fn coordinates_and_inputs_have_one_encoding() {
    let (key, proofs) = examples();
    for entry in &proofs {
        for index in 0..8 {
            let proof = with_word(&entry.proof, index, |number| number + p());
            assert_eq!(
                verdict(&key, &proof, &entry.inputs),
                Verdict::CoordinateRange
            );
        }
        for index in 0..4 {
            let mut inputs = entry.inputs.clone();
            let place = &mut inputs[32 * index..][..32];
            let number = num_bigint::BigUint::from_bytes_be(place) + r();
            place.copy_from_slice(&word(&number));
            assert_eq!(verdict(&key, &entry.proof, &inputs), Verdict::InputRange);
        }
    }
}

#[test]
fn points_off_their_curves_are_refused() {
    let (key, proofs) = examples();
    for entry in &proofs {
        let proof = &entry.proof;
        let mut exchanged = *proof;
        for pair in [2, 4] {
            exchanged[32 * pair..][..32].copy_from_slice(&proof[32 * (pair + 1)..][..32]);
            exchanged[32 * (pair + 1)..][..32].copy_from_slice(&proof[32 * pair..][..32]);
        }
        let b_first = [&proof[64..192], &proof[..64], &proof[192..]].concat();
        for case in [
            with_word(proof, 7, |_| num_bigint::BigUint::from(123_456u32)),
            exchanged,
            b_first.try_into().expect("256 bytes"),
        ] {
            assert_eq!(
                verdict(&key, &case, &entry.inputs),
                Verdict::PointNotOnCurve
            );
        }
    }
}

#[test]
fn a_point_outside_the_subgroup_is_refused_before_the_inputs() {
    let (key, proofs) = examples();
    let entry = &proofs[0];
    let mut b = vec![0; 63];
    b.push(1);
    b.extend(support::hex(
        "0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4",
    ));
    b.extend(support::hex(
        "2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bb",
    ));
    let mut proof = entry.proof;
    proof[64..192].copy_from_slice(&b);
    let mut compressed = entry.compressed.expect("chosen so");
    compressed[32..96].fill(0);
    compressed[95] = 4;
    let mut out_of_range = entry.inputs.clone();
    out_of_range[..32].fill(0xff);
    for inputs in [&entry.inputs, &out_of_range] {
        for case in [&proof, &compressed, &zeroed(&proof, 0..2)] {
            assert_eq!(verdict(&key, case, inputs), Verdict::PointNotInSubgroup);
        }
    }
}
