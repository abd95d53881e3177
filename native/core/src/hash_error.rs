//! Why a hash was refused.

use core::fmt;

/// Refusals of the hash functions; [`HashError::code`] is stable, the text is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashError {
    /// The bytes are not a whole number of inputs, or that number is not taken.
    InputCount {
        /// The expected input.
        expected: &'static str,
        /// Length that arrived, in bytes.
        found_bytes: usize,
    },
    /// The element at this index is not below the modulus.
    InputRange {
        /// Index among the 32-byte elements.
        index: usize,
    },
    /// No Poseidon2 permutation of this width exists.
    Width {
        /// The width asked for.
        found: usize,
    },
    /// The byte hash is not defined for no bytes.
    Empty,
    /// The byte hash counts its bytes in 31 bits.
    TooLong {
        /// Length that arrived, in bytes.
        found_bytes: usize,
    },
}

impl HashError {
    /// The stable code of the refusal.
    pub fn code(&self) -> &'static str {
        match self {
            HashError::InputCount { .. } => "input.count",
            HashError::InputRange { .. } => "input.range",
            HashError::Width { .. } => "hash.width",
            HashError::Empty => "hash.empty",
            HashError::TooLong { .. } => "hash.too_long",
        }
    }
}

impl fmt::Display for HashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HashError::InputCount {
                expected,
                found_bytes,
            } => {
                write!(f, "expected {expected}, got {found_bytes} bytes")
            }
            HashError::InputRange { index } => {
                write!(f, "element {index} is not below the BN254 scalar order")
            }
            HashError::Width { found } => {
                write!(f, "expected a width of 2, 3, 4, 8, 12 or 16, got {found}")
            }
            HashError::Empty => write!(f, "expected at least one byte, got none"),
            HashError::TooLong { found_bytes } => {
                write!(f, "expected at most 2147483647 bytes, got {found_bytes}")
            }
        }
    }
}

impl std::error::Error for HashError {}
