//! The credential vectors for the tests of this crate; where each row comes from is in the file.

use std::sync::LazyLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

pub static VECTORS: LazyLock<Value> = LazyLock::new(|| {
    let text = include_str!("../../../test/vectors/credential-vectors.json");
    serde_json::from_str(text).expect("the vectors are JSON")
});

/// The rows of a list; a name that does not exist fails the test.
pub fn rows(value: &Value) -> &[Value] {
    let rows = value.as_array().expect("a list of vectors");
    assert!(!rows.is_empty(), "no vectors");
    rows
}

pub fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

/// Bytes from hex digits, with or without 0x.
pub fn hex(value: &Value) -> Vec<u8> {
    let digits = text(value).trim_start_matches("0x");
    assert_eq!(digits.len() % 2, 0);
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..][..2], 16).expect("hex digits"))
        .collect()
}

/// 32 bytes, big-endian, from 0x and hex digits or from decimal text.
pub fn number(value: &Value) -> [u8; 32] {
    if text(value).starts_with("0x") {
        return hex(value).try_into().expect("32 bytes");
    }
    let mut bytes = [0u8; 32];
    for digit in text(value).bytes() {
        let mut carry = u32::from(digit - b'0');
        assert!(carry < 10, "a decimal digit");
        for byte in bytes.iter_mut().rev() {
            carry += u32::from(*byte) * 10;
            *byte = carry as u8;
            carry >>= 8;
        }
        assert_eq!(carry, 0, "below 2^256");
    }
    bytes
}

pub fn reversed(mut bytes: [u8; 32]) -> [u8; 32] {
    bytes.reverse();
    bytes
}

pub fn sha256_hex(parts: impl IntoIterator<Item = [u8; 32]>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
