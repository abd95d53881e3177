//! The proofs of World ID 4.0, with 15 public inputs: others' under the ceremony's key and our own under the
//! known-trapdoor key, on every arithmetic and by arkworks.

mod support;

use ark_bn254::{Fq, Fq2, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use num_bigint::BigUint;
use proofgate_core::calls::{select_arithmetic, Arithmetic};
use proofgate_core::groth16::{verify, verify_batch, PreparedKey, Verdict};
use serde_json::Value;
use sha2::{Digest, Sha256};
use support::ark::{self, Key};
use support::{hex, word};

const INPUT_COUNT: usize = 15;

/// A proof in compressed form, its inputs, and its verdict.
struct Entry {
    proof: [u8; 256],
    inputs: Vec<u8>,
    expected: Verdict,
}

fn json(path: &str) -> Value {
    let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is part of the repository");
    serde_json::from_str(&text).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The built-in key of this name.
fn key(name: &str) -> Key {
    let key = json(&format!("circuits/{name}/verification-key.json"));
    let number = |value: &Value| text(value).parse::<Fq>().expect("a decimal number below p");
    let g1 = |point: &Value| G1Affine::new(number(&point[0]), number(&point[1]));
    let g2 = |name: &str| {
        let pair =
            |index: usize| Fq2::new(number(&key[name][index][0]), number(&key[name][index][1]));
        G2Affine::new(pair(0), pair(1))
    };
    Key {
        alpha: g1(&key["vk_alpha_1"]),
        beta: g2("vk_beta_2"),
        gamma: g2("vk_gamma_2"),
        delta: g2("vk_delta_2"),
        ic: key["IC"]
            .as_array()
            .expect("an array")
            .iter()
            .map(g1)
            .collect(),
    }
}

fn entries(list: &Value) -> Vec<Entry> {
    let words = |list: &Value, count: usize| -> Vec<u8> {
        let list = list.as_array().expect("an array");
        list[..count]
            .iter()
            .flat_map(|word| hex(text(word)))
            .collect()
    };
    let list = list.as_array().expect("an array");
    list.iter()
        .map(|entry| {
            let mut proof = words(&entry["proof"], 4);
            proof.resize(256, 0);
            Entry {
                proof: proof.try_into().expect("four words and zeros"),
                inputs: words(&entry["public_inputs"], INPUT_COUNT),
                expected: match text(&entry["verdict"]) {
                    "valid" => Verdict::Valid,
                    _ => Verdict::False,
                },
            }
        })
        .collect()
}

/// The entry with input `index` greater by one.
fn with_input_changed(entry: &Entry, index: usize) -> Entry {
    let mut inputs = entry.inputs.clone();
    let place = &mut inputs[32 * index..][..32];
    let number = BigUint::from_bytes_be(place) + 1u32;
    place.copy_from_slice(&word(&number));
    Entry {
        proof: entry.proof,
        inputs,
        expected: Verdict::False,
    }
}

#[test]
fn every_arithmetic_and_arkworks_agree_on_the_vectors() {
    let vectors = json("test/vectors/worldid4-proofs.json");
    for (name, list, count) in [
        ("worldid4", &vectors["real"], 3),
        ("trapdoor-15", &vectors["trapdoor"]["proofs"], 21),
    ] {
        let ark_key = key(name);
        assert!(ark_key.ic.iter().all(|point| !point.is_zero()));
        let fingerprint = Sha256::digest(ark_key.bytes());
        let expected = text(&vectors["keys"][name]["fingerprint"]);
        assert_eq!(fingerprint.as_slice(), hex(expected), "{name}");

        let mut all = entries(list);
        assert_eq!(all.len(), count, "{name}");
        let changed: Vec<_> = (0..INPUT_COUNT)
            .map(|index| with_input_changed(&all[0], index))
            .collect();
        all.extend(changed);
        for Entry {
            proof,
            inputs,
            expected,
        } in &all
        {
            assert_eq!(ark::verdict(&ark_key, proof, inputs), *expected, "{name}");
        }
        for arithmetic in Arithmetic::ALL.into_iter().filter(|one| one.is_supported()) {
            let name = arithmetic.name();
            select_arithmetic(name).expect("supported");
            let key = PreparedKey::from_bytes(&ark_key.bytes()).expect("a key");
            assert_eq!(key.input_count(), INPUT_COUNT);
            // the emulated ones are slow, and test/engine has all proofs on them
            let members = match name.ends_with("-emulated") {
                true => &all[..3],
                false => &all[..],
            };
            for one in &members[..2] {
                assert_eq!(
                    verify(&key, &one.proof, &one.inputs),
                    Ok(one.expected),
                    "{name}"
                );
            }
            let batch: Vec<_> = members
                .iter()
                .flat_map(|one| [&one.proof, &one.inputs[..]].concat())
                .collect();
            let verdicts = members.iter().map(|one| one.expected as u8).collect();
            assert_eq!(verify_batch(&key, &batch, &[1; 32]), Ok(verdicts), "{name}");
        }
    }
}
