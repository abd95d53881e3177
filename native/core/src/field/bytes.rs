//! Byte forms of field elements. Numbers of 32 bytes are canonical (below the modulus) or refused;
//! longer strings are reduced only by the functions whose name says so.

use super::limbs::{self, Limbs};
use super::{Backend, Field, Modulus};

/// The words of a big-endian number, least significant first.
pub(crate) fn words_be(bytes: &[u8; 32]) -> Limbs {
    let mut reversed = *bytes;
    reversed.reverse();
    words_le(&reversed)
}

fn words_le(bytes: &[u8; 32]) -> Limbs {
    let mut words = [0; 4];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        for (i, byte) in chunk.iter().enumerate() {
            *word |= u64::from(*byte) << (8 * i);
        }
    }
    words
}

impl<M: Modulus, B: Backend> Field<M, B> {
    fn from_words(words: &Limbs) -> Option<Self> {
        limbs::is_below(words, &M::P)
            .then(|| Self::from_montgomery_unchecked(B::mul::<M>(words, &M::R2)))
    }

    /// The element with this big-endian number, `None` when it is not below the modulus.
    pub fn from_be_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Self::from_words(&words_be(bytes))
    }

    /// The element with this little-endian number, `None` when it is not below the modulus.
    pub fn from_le_bytes(bytes: &[u8; 32]) -> Option<Self> {
        Self::from_words(&words_le(bytes))
    }

    /// A big-endian number of any length modulo P; time depends on the length only.
    pub fn from_be_bytes_mod_order(bytes: &[u8]) -> Self {
        Self::reduce_bytes(bytes.iter().copied())
    }

    /// A little-endian number of any length modulo P; time depends on the length only.
    pub fn from_le_bytes_mod_order(bytes: &[u8]) -> Self {
        Self::reduce_bytes(bytes.iter().rev().copied())
    }

    /// Horner's rule over the bytes, most significant first, eight at a time.
    fn reduce_bytes(bytes: impl ExactSizeIterator<Item = u8>) -> Self {
        let shift = Self::from_montgomery_unchecked(B::mul::<M>(&[0, 1, 0, 0], &M::R2));
        let mut result = Self::ZERO;
        let mut word = 0u64;
        let length = bytes.len();
        for (i, byte) in bytes.enumerate() {
            word = (word << 8) | u64::from(byte);
            if (length - i - 1).is_multiple_of(8) {
                result = result * shift + Self::from_u64(word);
                word = 0;
            }
        }
        result
    }

    /// The canonical number, 32 bytes big-endian.
    pub fn to_be_bytes(&self) -> [u8; 32] {
        let mut bytes = self.to_le_bytes();
        bytes.reverse();
        bytes
    }

    /// The canonical number, 32 bytes little-endian.
    pub fn to_le_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(self.to_canonical()) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}
