//! The arithmetic of Proofgate: fields, curves, pairing and Groth16 over BN254, Poseidon hashes
//! and EdDSA over BabyJubJub. No I/O and no randomness of its own; every function takes bytes and
//! gives bytes, laid out as `encoding` says.
//!
//! # Unsafe code
//! Denied, except in `field/adx.rs` (inline assembly; the only way to MULX with two carry chains).
//!
//! # Dependencies
//! | crate | reason |
//! |---|---|
//! | `subtle` | selection and comparison of secrets that the compiler does not turn into branches |
//! | `zeroize` | secrets are wiped by writes that the compiler does not remove |
#![deny(missing_docs, unsafe_code)]

pub mod field;
