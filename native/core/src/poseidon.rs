//! The original Poseidon with circomlib's parameters, for one or two inputs (credential.md 10):
//! constants for every element in every round, a dense matrix, output s₀.
//!
//! Not to be mixed up with [`poseidon2`](mod@crate::poseidon2): the tables even begin with the same
//! constant. The tests compare the digests of constants and matrix.

use std::sync::LazyLock;

use crate::field::{Backend, Fr, Portable};
use crate::grain::Grain;
use crate::hash_error::HashError;
use crate::with_backend;

/// Full rounds on each side of the partial ones.
const HALF_FULL_ROUNDS: usize = 4;

static TABLES_2: LazyLock<Tables<2>> = LazyLock::new(|| Tables::generate(56));
static TABLES_3: LazyLock<Tables<3>> = LazyLock::new(|| Tables::generate(57));

/// Hashes one or two field elements.
///
/// `inputs` are 32 bytes each, big-endian; the answer has the same form.
///
/// # Errors
/// `input.count` for any other length, `input.range` for an element that is not below the modulus.
pub fn poseidon(inputs: &[u8]) -> Result<[u8; 32], HashError> {
    with_backend!(B => hash_bytes_of_elements::<B>(inputs))
}

fn hash_bytes_of_elements<B: Backend>(inputs: &[u8]) -> Result<[u8; 32], HashError> {
    let element = |index: usize| {
        let bytes = inputs[index * 32..][..32]
            .try_into()
            .expect("32 bytes were cut");
        Fr::<B>::from_be_bytes(bytes).ok_or(HashError::InputRange { index })
    };
    let output = match inputs.len() {
        32 => hash(&TABLES_2, [Fr::ZERO, element(0)?]),
        64 => hash(&TABLES_3, [Fr::ZERO, element(0)?, element(1)?]),
        found_bytes => {
            return Err(HashError::InputCount {
                expected: "one or two elements of 32 bytes",
                found_bytes,
            })
        }
    };
    Ok(output.to_be_bytes())
}

struct Tables<const T: usize> {
    rounds: Vec<[Fr<Portable>; T]>,
    matrix: [[Fr<Portable>; T]; T],
}

impl<const T: usize> Tables<T> {
    fn generate(partial_rounds: usize) -> Self {
        let mut grain = Grain::new(T, partial_rounds);
        let rounds = (0..2 * HALF_FULL_ROUNDS + partial_rounds)
            .map(|_| core::array::from_fn(|_| grain.field_element()))
            .collect();
        let x: [_; T] = core::array::from_fn(|_| grain.reduced_element());
        let y: [_; T] = core::array::from_fn(|_| grain.reduced_element());
        let matrix =
            x.map(|x| y.map(|y| (x + y).inverse().expect("a Cauchy matrix has no zero sum")));
        Tables { rounds, matrix }
    }
}

fn hash<const T: usize, B: Backend>(tables: &Tables<T>, mut state: [Fr<B>; T]) -> Fr<B> {
    let last_full = tables.rounds.len() - HALF_FULL_ROUNDS;
    for (round, constants) in tables.rounds.iter().enumerate() {
        for (element, constant) in state.iter_mut().zip(constants) {
            *element += constant.cast();
        }
        if round < HALF_FULL_ROUNDS || round >= last_full {
            state = state.map(power_of_five);
        } else {
            state[0] = power_of_five(state[0]);
        }
        state = tables.matrix.map(|row| {
            let mut sum = state[0] * row[0].cast();
            for i in 1..T {
                sum += state[i] * row[i].cast();
            }
            sum
        });
    }
    state[0]
}

/// x⁵, the S-box of both families.
#[inline(always)]
pub(crate) fn power_of_five<B: Backend>(x: Fr<B>) -> Fr<B> {
    x.square().square() * x
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::field::Adx;
    use crate::test_vectors::{number, rows, sha256_hex, text, VECTORS};

    fn digest<const T: usize>(tables: &Tables<T>) -> String {
        let values = tables
            .rounds
            .as_flattened()
            .iter()
            .chain(tables.matrix.as_flattened());
        sha256_hex(values.map(|value| value.to_be_bytes()))
    }

    #[test]
    fn constants_and_matrices_have_the_published_digests() {
        for row in rows(&VECTORS["poseidon_circomlib"]["widths"]) {
            let digest = match row["t"].as_u64() {
                Some(2) => digest(&TABLES_2),
                Some(3) => digest(&TABLES_3),
                other => panic!("no width {other:?}"),
            };
            assert_eq!(digest, text(&row["constants_sha256"]));
        }
    }

    fn known_answers_hold<B: Backend>() {
        for row in rows(&VECTORS["poseidon_circomlib"]["hashes"]) {
            let inputs: Vec<u8> = rows(&row["inputs"]).iter().flat_map(number).collect();
            assert_eq!(
                hash_bytes_of_elements::<B>(&inputs),
                Ok(number(&row["output"]))
            );
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
    fn one_leaf_roots_of_semaphore_follow() {
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
    fn identity_commitments_of_semaphore_follow() {
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
        for found_bytes in [0, 31, 33, 63, 65, 96] {
            let refused = poseidon(&vec![0; found_bytes]).expect_err("no one or two elements");
            assert_eq!(refused.code(), "input.count");
        }
        let modulus = number(&VECTORS["field"]["P"]);
        assert_eq!(poseidon(&modulus), Err(HashError::InputRange { index: 0 }));
        let second = [[0; 32], modulus].concat();
        assert_eq!(poseidon(&second), Err(HashError::InputRange { index: 1 }));
    }
}
