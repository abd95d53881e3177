//! The original Poseidon with circomlib's parameters, for one or two inputs (src/docs/spec/credential.md#original-poseidon):
//! constants for every element in every round, a dense matrix, output s₀.
//!
//! Belongs here: the hash of one input and of many side by side in lanes (this file), and the
//! constants and matrices in the form that costs least (`parameters.rs`).
//!
//! Not to be mixed up with [`poseidon2`](mod@crate::poseidon2): the tables even begin with the same
//! constant. The tests compare the digests of constants and matrix.

mod parameters;
#[cfg(test)]
mod tests;

use crate::encoding::WORD_BYTES;
use crate::field::{self, with_backend, Bn254Scalar, Fr, Kernel, Limbs, PrimeLanes};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::poseidon2::power_of_five;
use crate::tables::{with_lanes, Tables};

pub(crate) use parameters::Arities;
use parameters::{FullRound, PartialRound, Rounds};

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
/// `input.count` for another arity or a length that is not a multiple of arity × 32, `input.range` for
/// an element that is not below the modulus.
pub fn poseidon_many(arity: usize, inputs: &[u8]) -> Result<Vec<u8>, HashError> {
    if !matches!(arity, 1 | 2) || !inputs.len().is_multiple_of(arity * WORD_BYTES) {
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

struct FullRounds<'a, F: PrimeLanes, const T: usize>(&'a [FullRound<F::Entry, T>], &'a mut [F; T]);

impl<F: PrimeLanes, const T: usize> Kernel for FullRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        for FullRound { constants, matrix } in rounds {
            for (element, constant) in state.iter_mut().zip(constants) {
                *element = power_of_five(&(*element + F::splat(constant)));
            }
            multiply(matrix, state);
        }
    }
}

struct PartialRounds<'a, F: PrimeLanes, const T: usize>(
    &'a [PartialRound<F::Entry, T>],
    &'a mut [F; T],
);

impl<F: PrimeLanes, const T: usize> Kernel for PartialRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        for round in rounds {
            let first = power_of_five(&(state[0] + F::splat(&round.constant)));
            let mut sum = first.mul_normal(&F::splat(&round.row[0]));
            let others = state.iter_mut().zip(&round.row).zip(&round.column);
            for ((element, row), column) in others.skip(1) {
                let normal = element.reduce();
                sum = sum + normal.mul_normal(&F::splat(row));
                *element = normal + first.mul_normal(&F::splat(column));
            }
            state[0] = sum;
        }
    }
}

/// The product of a matrix and a vector of normal values, as sums of `T` of them.
#[cfg_attr(not(debug_assertions), inline(always))]
fn multiply<F: PrimeLanes, const T: usize>(matrix: &[[F::Entry; T]; T], state: &mut [F; T]) {
    let before = *state;
    for (element, row) in state.iter_mut().zip(matrix) {
        let mut sum = before[0].mul_normal(&F::splat(&row[0]));
        for i in 1..T {
            sum = sum + before[i].mul_normal(&F::splat(&row[i]));
        }
        *element = sum;
    }
}

fn hash<F: PrimeLanes, const T: usize>(rounds: &Rounds<F::Entry, T>, mut state: [F; T]) -> F {
    F::enter(FullRounds(&rounds.before, &mut state));
    F::enter(PartialRounds(&rounds.partial, &mut state));
    F::enter(FullRounds(&rounds.after, &mut state));
    state[0]
}
