//! The original Poseidon with circomlib's parameters, for 1 to 16 inputs (src/docs/spec/credential.md#original-poseidon):
//! constants for every element in every round, a dense matrix, output s₀.
//!
//! Belongs here: the hash of one input and of many side by side in lanes (this file), the permutation of
//! one or two inputs (`fixed.rs`), compiled for its width, and of more (`wide.rs`), compiled once for all
//! of them, and the constants and matrices in the form that costs least (`parameters.rs`).
//!
//! Not to be mixed up with [`poseidon2`](mod@crate::poseidon2): the tables even begin with the same
//! constant. The tests compare the digests of constants and matrix.

mod fixed;
mod parameters;
#[cfg(test)]
mod tests;
mod wide;

use crate::encoding::WORD_BYTES;
use crate::field::{self, with_backend, Bn254Scalar, Fr, Limbs, PrimeLanes};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::tables::{with_lanes, Tables};

pub(crate) use parameters::Arities;

/// Inputs that circomlib has constants for.
const MAX_ARITY: usize = 16;
/// Elements of the widest state: the inputs and one more.
const MAX_WIDTH: usize = MAX_ARITY + 1;
/// Width of the widest state that the compiler knows.
const FIXED_WIDTHS: usize = 3;
/// Full rounds on each side of the partial ones.
const HALF_FULL_ROUNDS: usize = 4;

/// Hashes 1 to 16 field elements.
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

/// Hashes k times `arity` field elements, 1 to 16, side by side where there are lanes.
///
/// `inputs` are k × arity × 32 bytes, each element big-endian; the answer is k × 32 bytes.
///
/// # Errors
/// `input.count` for another arity or a length that is not a multiple of arity × 32, `input.range` for
/// an element that is not below the modulus.
pub fn poseidon_many(arity: usize, inputs: &[u8]) -> Result<Vec<u8>, HashError> {
    if !(1..=MAX_ARITY).contains(&arity) || !inputs.len().is_multiple_of(arity * WORD_BYTES) {
        return Err(wrong_count(inputs));
    }
    let words = hash_words::from_bytes(inputs)?;
    let share = field::arithmetic().lanes().share(words.len() / arity);
    let (in_lanes, alone) = words.split_at(share * arity);
    let mut hashes = with_lanes!(F, |arity: usize, in_lanes: &[Limbs]| -> Vec<Limbs> {
        hash_all::<F>(arity, in_lanes)
    })
    .unwrap_or_default();
    hashes.extend(with_backend!(B, |arity: usize,
                                    alone: &[Limbs]|
     -> Vec<Limbs> {
        hash_all::<Fr<B>>(arity, alone)
    }));
    Ok(hash_words::to_bytes(&hashes))
}

fn wrong_count(inputs: &[u8]) -> HashError {
    HashError::InputCount {
        expected: "1 to 16 elements of 32 bytes",
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
            1 => fixed::hash(&tables.one, [F::ZERO, element(0)]),
            2 => fixed::hash(&tables.two, [F::ZERO, element(0), element(1)]),
            _ => {
                let mut state = [F::ZERO; MAX_WIDTH];
                let state = &mut state[..=arity];
                for (i, input) in state[1..].iter_mut().enumerate() {
                    *input = element(i);
                }
                wide::hash(tables.wide::<F>(arity + 1), state)
            }
        };
        output.to_words(hashes);
    }
    hashes
}
