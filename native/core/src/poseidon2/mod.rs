//! Poseidon2 over the BN254 scalar field with widths 2, 3, 4, 8, 12 and 16 (src/docs/spec/credential.md#poseidon2).
//!
//! Belongs here: the permutation (`permutation.rs`), its two linear layers (`layers.rs`) and its
//! constants (`constants.rs`), all of them for one state and for states side by side in lanes. What
//! is hashed with it and which element is the output is up to the callers:
//! [`byte_hash`](crate::byte_hash), [`eddsa`](crate::eddsa) and the service.

mod constants;
mod layers;
mod permutation;
#[cfg(test)]
mod tests;

use crate::encoding::WORD_BYTES;
use crate::field::{self, with_backend, Bn254Scalar, Fr, Limbs, PrimeLanes};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::tables::{with_lanes, Tables};

pub(crate) use constants::Widths;
use permutation::permute_words;
pub(crate) use permutation::{permute, power_of_five};

/// Permutes k states of `width` elements each, side by side where there are lanes.
///
/// `states` are k × width × 32 bytes, each element big-endian; the answer has the same layout.
///
/// # Errors
/// `hash.width` for a width that does not exist, `input.count` for a length that is not a multiple
/// of width × 32, `input.range` for an element that is not below the modulus.
pub fn poseidon2(width: usize, states: &[u8]) -> Result<Vec<u8>, HashError> {
    if !matches!(width, 2 | 3 | 4 | 8 | 12 | 16) {
        return Err(HashError::Width { found: width });
    }
    if !states.len().is_multiple_of(width * WORD_BYTES) {
        return Err(HashError::InputCount {
            expected: "whole states of width × 32 bytes",
            found_bytes: states.len(),
        });
    }
    let mut words = hash_words::from_bytes(states)?;
    let share = field::arithmetic().lanes().share(words.len() / width);
    let (in_lanes, alone) = words.split_at_mut(share * width);
    with_lanes!(F, |width: usize, in_lanes: &mut [Limbs]| -> () {
        permute_width::<F>(width, in_lanes);
    });
    with_backend!(B, |width: usize, alone: &mut [Limbs]| -> () {
        permute_width::<Fr<B>>(width, alone);
    });
    Ok(hash_words::to_bytes(&words))
}

/// Permutes states of a width that exists.
fn permute_width<F>(width: usize, states: &mut [Limbs])
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let tables = F::Entry::poseidon2();
    match width {
        2 => permute_words::<F, 2>(&tables.width_2, states),
        3 => permute_words::<F, 3>(&tables.width_3, states),
        4 => permute_words::<F, 4>(&tables.width_4, states),
        8 => permute_words::<F, 8>(&tables.width_8, states),
        12 => permute_words::<F, 12>(&tables.width_12, states),
        _ => permute_words::<F, 16>(&tables.width_16, states),
    }
}
