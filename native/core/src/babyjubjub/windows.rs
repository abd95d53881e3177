//! Scalars cut into signed windows.

use std::sync::LazyLock;

use crate::field::{BabyJubSubgroup, Modulus};

/// Windows of four bits in a scalar below L < 2^251, the last one taking the carry.
pub const FIXED_WINDOWS: usize = 63;

/// The windows of L itself, for the subgroup check.
pub(super) static ORDER_WINDOWS: LazyLock<Vec<i8>> = LazyLock::new(|| {
    let mut bytes = [0; 32];
    for (word, chunk) in BabyJubSubgroup::P.iter().zip(bytes.chunks_exact_mut(8)) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    odd_windows(&bytes)
});

/// scalar = Σ 16^i·wᵢ, each window in −8..=8, for a little-endian scalar below 2^251. No branch or
/// memory access depends on the scalar.
pub fn fixed_windows(scalar: &[u8; 32]) -> [i8; FIXED_WINDOWS] {
    let mut windows = [0i8; FIXED_WINDOWS];
    let mut carry = 0i8;
    for (i, window) in windows.iter_mut().enumerate() {
        let nibble = (scalar[i / 2] >> (4 * (i % 2)) & 15) as i8 + carry;
        // the last window is at most 7 + 1 and keeps its carry to itself
        carry = if i + 1 < FIXED_WINDOWS {
            (nibble + 8) >> 4
        } else {
            0
        };
        *window = nibble - (carry << 4);
    }
    windows
}

/// scalar = Σ 2^i·wᵢ, each window zero or odd in −15..=15 and followed by four zeros; for
/// public scalars below 2^255, little-endian. Variable time.
pub fn odd_windows(scalar: &[u8; 32]) -> Vec<i8> {
    let mut words = [0u64; 4];
    for (word, chunk) in words.iter_mut().zip(scalar.chunks_exact(8)) {
        *word = u64::from_le_bytes(chunk.try_into().expect("a slice of 8 bytes"));
    }
    let mut windows = Vec::with_capacity(256);
    while words != [0; 4] {
        let mut window = 0;
        if words[0] & 1 == 1 {
            window = (words[0] & 31) as i8;
            if window > 15 {
                window -= 32;
                add_small(&mut words, window.unsigned_abs().into());
            } else {
                words[0] -= window as u64;
            }
        }
        windows.push(window);
        halve(&mut words);
    }
    windows
}

fn add_small(words: &mut [u64; 4], small: u64) {
    let mut carry = small;
    for word in words {
        let (sum, overflow) = word.overflowing_add(carry);
        *word = sum;
        carry = overflow.into();
    }
}

fn halve(words: &mut [u64; 4]) {
    for i in 0..4 {
        words[i] = words[i] >> 1 | words.get(i + 1).map_or(0, |next| next << 63);
    }
}
