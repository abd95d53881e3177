//! The original Poseidon with circomlib's parameters, for one or two inputs (credential.md 10):
//! constants for every element in every round, a dense matrix, output s₀.
//!
//! Not to be mixed up with [`poseidon2`](mod@crate::poseidon2): the tables even begin with the same
//! constant. The tests compare the digests of constants and matrix.

use std::sync::LazyLock;

use crate::encoding::WORD_BYTES;
use crate::field::{self, with_lanes, Bn254Scalar, Fr, Kernel, Limbs, Portable, PrimeLanes};
use crate::grain::Grain;
use crate::hash_error::HashError;
use crate::hash_words;
use crate::poseidon2::power_of_five;
use crate::tables::Tables;
use crate::with_backend;

/// Full rounds on each side of the partial ones.
const HALF_FULL_ROUNDS: usize = 4;

/// Hashes one or two field elements.
///
/// `inputs` are 32 bytes each, big-endian; the answer has the same form.
///
/// # Errors
/// `input.count` for any other length, `input.range` for an element that is not below the modulus.
pub fn poseidon(inputs: &[u8]) -> Result<[u8; 32], HashError> {
    let arity = inputs.len() / WORD_BYTES;
    let hash = poseidon_many(arity.max(1), inputs)?;
    hash.try_into().map_err(|_| wrong_count(inputs))
}

/// Hashes k times `arity` field elements, one or two, side by side where there are lanes.
///
/// `inputs` are k × arity × 32 bytes, each element big-endian; the answer is k × 32 bytes.
///
/// # Errors
/// `input.count` for another arity or a length that is no multiple of arity × 32, `input.range` for
/// an element that is not below the modulus.
pub fn poseidon_many(arity: usize, inputs: &[u8]) -> Result<Vec<u8>, HashError> {
    if !matches!(arity, 1 | 2) || !inputs.len().is_multiple_of(arity * WORD_BYTES) {
        return Err(wrong_count(inputs));
    }
    let words = hash_words::from_bytes(inputs)?;
    let share = field::arithmetic().lanes().share(words.len() / arity);
    let (in_lanes, alone) = words.split_at(share * arity);
    let mut hashes = with_lanes!(F => hash_all::<F>(arity, in_lanes), Vec::new());
    hashes.extend(with_backend!(B => hash_all::<Fr<B>>(arity, alone)));
    Ok(hash_words::to_bytes(&hashes))
}

fn wrong_count(inputs: &[u8]) -> HashError {
    HashError::InputCount {
        expected: "one or two elements of 32 bytes",
        found_bytes: inputs.len(),
    }
}

/// One hash for each `arity` elements; the arity exists.
fn hash_all<F>(arity: usize, inputs: &[Limbs]) -> Vec<Limbs>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let tables = F::Entry::poseidon();
    let mut hashes = vec![Limbs::default(); inputs.len() / arity];
    for (inputs, hashes) in inputs
        .chunks(arity * F::LANES)
        .zip(hashes.chunks_mut(F::LANES))
    {
        let element = |i: usize| {
            let words: Vec<Limbs> = inputs.iter().copied().skip(i).step_by(arity).collect();
            F::from_words(&words)
        };
        let output = match arity {
            1 => hash(&tables.one, [F::ZERO, element(0)]),
            _ => hash(&tables.two, [F::ZERO, element(0), element(1)]),
        };
        output.to_words(hashes);
    }
    hashes
}

/// The tables of both arities in one form.
pub(crate) struct Arities<C> {
    one: LazyLock<Parameters<C, 2>>,
    two: LazyLock<Parameters<C, 3>>,
}

impl<C> Arities<C> {
    /// For the lanes whose entries they are.
    pub const fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>() -> Self {
        Arities {
            one: LazyLock::new(|| Parameters::generate::<F>(56)),
            two: LazyLock::new(|| Parameters::generate::<F>(57)),
        }
    }
}

/// Constants and matrix of one width, as [entries](PrimeLanes::Entry) of a form.
struct Parameters<C, const T: usize> {
    rounds: Vec<[C; T]>,
    matrix: [[C; T]; T],
}

impl<C, const T: usize> Parameters<C, T> {
    fn generate<F>(partial_rounds: usize) -> Self
    where
        F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>,
    {
        let entry = |element: Fr<Portable>| F::entry(&element.to_canonical());
        let mut grain = Grain::new(T, partial_rounds);
        let rounds = (0..2 * HALF_FULL_ROUNDS + partial_rounds)
            .map(|_| [(); T].map(|()| entry(grain.field_element())))
            .collect();
        let x = [(); T].map(|()| grain.reduced_element());
        let y = [(); T].map(|()| grain.reduced_element());
        let cauchy = |sum: Fr<Portable>| sum.inverse().expect("a Cauchy matrix has no zero sum");
        let matrix = x.map(|x| y.map(|y| entry(cauchy(x + y))));
        Parameters { rounds, matrix }
    }
}

/// Rounds of one kind.
struct Rounds<'a, F: PrimeLanes, const T: usize> {
    constants: &'a [[F::Entry; T]],
    matrix: &'a [[F::Entry; T]; T],
    are_full: bool,
    state: &'a mut [F; T],
}

impl<F: PrimeLanes, const T: usize> Kernel for Rounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let state = self.state;
        for constants in self.constants {
            state[0] = power_of_five(&(state[0] + F::spread(&constants[0])));
            for i in 1..T {
                let element = state[i] + F::spread(&constants[i]);
                state[i] = if self.are_full {
                    power_of_five(&element)
                } else {
                    element.reduce()
                };
            }
            multiply(self.matrix, state);
        }
    }
}

/// The product of a matrix and a vector of normal values, as sums of `T` of them.
#[cfg_attr(not(debug_assertions), inline(always))]
fn multiply<F: PrimeLanes, const T: usize>(matrix: &[[F::Entry; T]; T], state: &mut [F; T]) {
    let before = *state;
    for (element, row) in state.iter_mut().zip(matrix) {
        let mut sum = before[0].mul_normal(&F::spread(&row[0]));
        for i in 1..T {
            sum = sum + before[i].mul_normal(&F::spread(&row[i]));
        }
        *element = sum;
    }
}

fn hash<F: PrimeLanes, const T: usize>(
    parameters: &Parameters<F::Entry, T>,
    mut state: [F; T],
) -> F {
    let (first, rest) = parameters.rounds.split_at(HALF_FULL_ROUNDS);
    let (partial, last) = rest.split_at(rest.len() - HALF_FULL_ROUNDS);
    for (constants, are_full) in [(first, true), (partial, false), (last, true)] {
        F::enter(Rounds {
            constants,
            matrix: &parameters.matrix,
            are_full,
            state: &mut state,
        });
    }
    state[0]
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::field::tests::Sequence;
    use crate::field::{
        Adx, Arithmetic, FrAvx2, FrAvx2Portable, FrIfma, FrIfmaPortable, FrSimd29Portable,
    };
    use crate::test_vectors::{number, rows, sha256_hex, text, VECTORS};

    fn digest<const T: usize>(tables: &Parameters<Fr<Portable>, T>) -> String {
        let values = tables
            .rounds
            .as_flattened()
            .iter()
            .chain(tables.matrix.as_flattened());
        sha256_hex(values.map(|value| value.to_be_bytes()))
    }

    #[test]
    fn constants_and_matrices_have_the_published_digests() {
        let tables = Fr::<Portable>::poseidon();
        for row in rows(&VECTORS["poseidon_circomlib"]["widths"]) {
            let digest = match row["t"].as_u64() {
                Some(2) => digest(&tables.one),
                Some(3) => digest(&tables.two),
                other => panic!("no width {other:?}"),
            };
            assert_eq!(digest, text(&row["constants_sha256"]));
        }
    }

    fn known_answers_hold<F>()
    where
        F: PrimeLanes<Modulus = Bn254Scalar>,
        F::Entry: Tables,
    {
        let mut sequence = Sequence::new(14);
        for row in rows(&VECTORS["poseidon_circomlib"]["hashes"]) {
            let inputs: Vec<u8> = rows(&row["inputs"]).iter().flat_map(number).collect();
            let arity = inputs.len() / 32;
            let words = hash_words::from_bytes(&inputs).expect("below the modulus");
            // among others, in sets of lanes that are full and not
            for count in [1, F::LANES, 2 * F::LANES + 1] {
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
        known_answers_hold::<FrIfmaPortable>();
        known_answers_hold::<FrAvx2Portable>();
        known_answers_hold::<FrSimd29Portable>();
        if Arithmetic::Adx.is_supported() {
            known_answers_hold::<Fr<Adx>>();
        }
        if Arithmetic::Ifma.is_supported() {
            known_answers_hold::<FrIfma>();
        }
        if Arithmetic::Avx2.is_supported() {
            known_answers_hold::<FrAvx2>();
        }
    }

    #[test]
    fn many_hashes_are_those_of_one_call_each() {
        let mut sequence = Sequence::new(15);
        let inputs: Vec<u8> = (0..40)
            .flat_map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_be_bytes())
            .collect();
        for arity in [1, 2] {
            let size = arity * 32;
            let one_by_one: Vec<u8> = inputs
                .chunks(size)
                .flat_map(|inputs| poseidon(inputs).expect("one or two elements"))
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
        for (arity, bytes) in [(0, 64), (3, 96), (1, 33), (2, 96)] {
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
