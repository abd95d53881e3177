//! The arithmetic of Proofgate: fields, curves, pairing and Groth16 over BN254, Poseidon hashes
//! and EdDSA over BabyJubJub. No I/O and no randomness of its own; every function takes bytes and
//! gives bytes, laid out as `encoding` says.
//!
//! # Unsafe code
//! Denied, except in `field/adx.rs` (inline assembly; the only way to MULX with two carry chains),
//! `field/fma/avx2.rs`, `field/fma/avx2_columns.rs`, `field/fma/avx2_reduction.rs` (intrinsics of AVX2
//! and FMA, and assembly where the compiler spills), `field/ifma/hardware.rs` (intrinsics of AVX-512),
//! and `field/wasm.rs`, `field/fma/wasm.rs` and `field/simd29/wasm.rs` (volatile accesses and scratch
//! memory of WebAssembly's lanes). A test compares this list with all sources.
//!
//! # Dependencies
//! | crate | reason |
//! |---|---|
//! | `blake3` | derives signing keys and nonces (credential.md 7); Rust only, no C is compiled |
//! | `sha3` | SHA3-256 of the byte hash's shape (credential.md 4) |
//! | `subtle` | selection and comparison of secrets that the compiler does not turn into branches |
//! | `zeroize` | secrets are wiped by writes that the compiler does not remove |
#![deny(missing_docs, unsafe_code)]

pub mod babyjubjub;
pub mod byte_hash;
pub mod calls;
pub mod curve;
pub mod decompress;
mod decompress_lanes;
pub mod eddsa;
pub mod encoding;
pub mod field;
mod grain;
pub mod groth16;
pub mod hash_error;
mod hash_words;
pub mod keys;
pub mod pairing;
pub mod poseidon;
pub mod poseidon2;
pub mod signing_keys;
mod tables;
#[cfg(test)]
mod test_vectors;
pub mod tower;
