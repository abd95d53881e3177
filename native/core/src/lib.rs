//! The arithmetic of Proofgate: fields, curves, pairing and Groth16 over BN254, Poseidon hashes
//! and EdDSA over BabyJubJub. No I/O and no randomness of its own; every function takes and
//! returns bytes, laid out as [`encoding`] says.
//!
//! # Unsafe code
//! Denied, except in `field/adx.rs` (inline assembly; the only way to MULX with two carry chains),
//! `field/aarch64.rs` (inline assembly; the compiler makes no long carry chains there),
//! `field/float_mode.rs` (inline assembly that reads and sets the rounding mode),
//! `field/fma/avx2/mod.rs`, `field/fma/avx2/columns.rs`, `field/fma/avx2/reduction.rs` (intrinsics of
//! AVX2 and FMA, and assembly where the compiler spills), `field/ifma/hardware.rs` (intrinsics of
//! AVX-512), and `field/wasm.rs`, `field/fma/wasm.rs` and `field/simd29/wasm.rs` (volatile accesses and
//! scratch memory of WebAssembly's lanes). Not in what ships, `constant-time/src/memcheck.rs` and
//! `constant-time/src/steps.rs` (requests to valgrind, and single steps). A test compares this list with all
//! sources.
//!
//! Instructions that a processor may lack are behind types that are private to these files; the only
//! ways to them ask the processor first.
//!
//! # Dependencies
//! | crate | reason |
//! |---|---|
//! | `blake3` | derives signing keys and nonces (src/docs/spec/credential.md#eddsa-poseidon2); Rust only, no C is compiled |
//! | `sha3` | SHA3-256 of the byte hash's shape (src/docs/spec/credential.md#byte-hash) |
//! | `subtle` | selection and comparison of secrets that the compiler does not turn into branches |
//! | `zeroize` | secrets are wiped by writes that the compiler does not remove |
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(
    all(target_arch = "wasm32", not(target_feature = "simd128")),
    allow(dead_code, reason = "WebAssembly without SIMD has no lanes")
)]

mod babyjubjub;
mod byte_hash;
pub mod calls;
mod curve;
pub mod decompress;
mod decompress_lanes;
mod eddsa;
pub mod encoding;
mod field;
mod grain;
pub mod groth16;
mod hash_error;
mod hash_words;
pub mod keys;
mod pairing;
mod poseidon;
mod poseidon2;
mod signing_keys;
mod tables;
#[cfg(test)]
extern crate self as proofgate_core;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod test_support;
#[cfg(test)]
mod test_vectors;
mod tower;
