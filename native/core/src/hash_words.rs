//! Field elements of hashes between bytes and words.

use crate::encoding::{self, WORD_BYTES};
use crate::field::{is_below, words_be, Bn254Scalar, Limbs, Modulus};
use crate::hash_error::HashError;

/// The canonical words of whole elements of 32 bytes each, big-endian; a rest is dropped.
///
/// # Errors
/// `input.range` for the first element that is not below the modulus.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Vec<Limbs>, HashError> {
    encoding::words(bytes)
        .enumerate()
        .map(|(index, word)| {
            let number = words_be(word);
            is_below(&number, &Bn254Scalar::P)
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
