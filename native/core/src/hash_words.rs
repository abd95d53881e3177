//! Field elements of hashes between bytes and words.

use crate::encoding::{self, WORD_BYTES};
use crate::field::{Bn254Scalar, Limbs, Modulus};
use crate::hash_error::HashError;

/// The canonical words of whole elements of 32 bytes each, big-endian; a rest is dropped.
///
/// # Errors
/// `input.range` for the first element that is not below the modulus.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<Limbs>, HashError> {
    encoding::words(bytes)
        .enumerate()
        .map(|(index, word)| {
            let number = number(word);
            let is_below = number.iter().rev().lt(Bn254Scalar::P.iter().rev());
            is_below
                .then_some(number)
                .ok_or(HashError::InputRange { index })
        })
        .collect()
}

/// Elements as 32 bytes each, big-endian.
pub(crate) fn to_bytes(elements: &[Limbs]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(elements.len() * WORD_BYTES);
    for limb in elements.iter().flat_map(|element| element.iter().rev()) {
        bytes.extend_from_slice(&limb.to_be_bytes());
    }
    bytes
}

fn number(word: &[u8; WORD_BYTES]) -> Limbs {
    let mut number = Limbs::default();
    for (limb, bytes) in number.iter_mut().rev().zip(word.chunks_exact(8)) {
        *limb = u64::from_be_bytes(bytes.try_into().expect("eight bytes were cut"));
    }
    number
}
