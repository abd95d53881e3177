//! Poseidon2 over the BN254 scalar field with widths 2, 3, 4, 8, 12 and 16 (credential.md 3).
//!
//! Belongs here: the permutation, its two linear layers (`layers.rs`) and its constants
//! (`constants.rs`). What is hashed with it and which element is the output is up to the callers:
//! [`byte_hash`](crate::byte_hash), [`eddsa`](crate::eddsa) and the service.

mod constants;
mod layers;
#[cfg(test)]
mod tests;

use crate::field::{Backend, Fr, Portable};
use crate::hash_error::HashError;
use crate::poseidon::power_of_five;
use crate::with_backend;

use constants::{Constants, WIDTH_12, WIDTH_2, WIDTH_3, WIDTH_4};
pub(crate) use constants::{WIDTH_16, WIDTH_8};

/// Permutes k states of `width` elements each.
///
/// `states` are k × width × 32 bytes, each element big-endian; the answer has the same layout.
///
/// # Errors
/// `hash.width` for a width that does not exist, `input.count` for a length that is not a multiple
/// of width × 32, `input.range` for an element that is not below the modulus.
pub fn poseidon2(width: usize, states: &[u8]) -> Result<Vec<u8>, HashError> {
    with_backend!(B => permute_bytes_of_width::<B>(width, states))
}

fn permute_bytes_of_width<B: Backend>(width: usize, states: &[u8]) -> Result<Vec<u8>, HashError> {
    match width {
        2 => permute_bytes::<2, B>(&WIDTH_2, states),
        3 => permute_bytes::<3, B>(&WIDTH_3, states),
        4 => permute_bytes::<4, B>(&WIDTH_4, states),
        8 => permute_bytes::<8, B>(&WIDTH_8, states),
        12 => permute_bytes::<12, B>(&WIDTH_12, states),
        16 => permute_bytes::<16, B>(&WIDTH_16, states),
        found => Err(HashError::Width { found }),
    }
}

fn permute_bytes<const T: usize, B: Backend>(
    constants: &Constants<T>,
    states: &[u8],
) -> Result<Vec<u8>, HashError> {
    if !states.len().is_multiple_of(T * 32) {
        return Err(HashError::InputCount {
            expected: "whole states of width × 32 bytes",
            found_bytes: states.len(),
        });
    }
    let mut permuted = Vec::with_capacity(states.len());
    for (number, bytes) in states.chunks_exact(T * 32).enumerate() {
        let mut state = [Fr::<B>::ZERO; T];
        for (i, element) in state.iter_mut().enumerate() {
            let word = bytes[i * 32..][..32].try_into().expect("32 bytes were cut");
            *element = Fr::from_be_bytes(word).ok_or(HashError::InputRange {
                index: number * T + i,
            })?;
        }
        permute(constants, &mut state);
        for element in &state {
            permuted.extend_from_slice(&element.to_be_bytes());
        }
    }
    Ok(permuted)
}

/// The permutation: the external layer once, four full rounds, the partial rounds, four full rounds.
pub(crate) fn permute<const T: usize, B: Backend>(
    constants: &Constants<T>,
    state: &mut [Fr<B>; T],
) {
    let (before, after) = constants.external.split_at(constants.external.len() / 2);
    layers::external(state);
    for round in before {
        full_round(round, state);
    }
    for constant in &constants.internal {
        state[0] = power_of_five(state[0] + constant.cast());
        layers::internal(&constants.diagonal_minus_one, state);
    }
    for round in after {
        full_round(round, state);
    }
}

#[inline(always)]
fn full_round<const T: usize, B: Backend>(constants: &[Fr<Portable>; T], state: &mut [Fr<B>; T]) {
    for (element, constant) in state.iter_mut().zip(constants) {
        *element = power_of_five(*element + constant.cast());
    }
    layers::external(state);
}
