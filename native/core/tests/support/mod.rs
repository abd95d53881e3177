//! Shared by the integration tests: files of the repository, hexadecimal text, the known-trapdoor
//! key, and an independent verdict by arkworks.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod ark;
pub mod classes;
pub mod files;
pub mod fixed_base;
pub mod small_order;
pub mod trapdoor;

/// xorshift64*: repeatable values, no claim of quality.
pub struct Sequence(u64);

impl Sequence {
    /// A sequence of its own for each non-zero seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// The next 32 bytes.
    pub fn bytes(&mut self) -> [u8; 32] {
        core::array::from_fn(|_| (self.word() >> 56) as u8)
    }

    /// The next scalar.
    pub fn fr(&mut self) -> ark_bn254::Fr {
        ark_ff::PrimeField::from_be_bytes_mod_order(&self.bytes())
    }
}

/// Bytes of a hexadecimal text with or without `0x`.
pub fn hex(text: &str) -> Vec<u8> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    assert!(digits.len().is_multiple_of(2), "odd number of digits");
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hex digits"))
        .collect()
}

/// A decimal number as 32 bytes, big-endian.
pub fn decimal(text: &str) -> [u8; 32] {
    let number: num_bigint::BigUint = text.parse().expect("decimal digits");
    word(&number)
}

/// A number below 2^256 as 32 bytes, big-endian.
pub fn word(number: &num_bigint::BigUint) -> [u8; 32] {
    let bytes = number.to_bytes_be();
    let mut out = [0; 32];
    out[32 - bytes.len()..].copy_from_slice(&bytes);
    out
}
