//! Node-API addon over `proofgate-core`.
//!
//! One file per exported function; each converts the JavaScript values, makes one call of
//! [`proofgate_core::calls`] and copies the answer out. No logic, no threads, no state of its own:
//! keys live in the core's registries, shared by all worker threads of the process. A panic becomes
//! a JavaScript error (`catch_unwind`), a refusal an `Error` whose message is `code: detail`.
//! The WASM package exports the same functions with the same byte layouts.

// In a test build, which clippy makes, the macro registers nothing.
#![cfg_attr(test, allow(dead_code))]

mod arithmetic;
mod create_signing_key;
mod error;
mod generator_multiples;
mod hash_bytes;
mod key_faults;
mod poseidon;
mod poseidon2;
mod poseidon_many;
mod prepare_key;
mod public_key;
mod release_key;
mod release_signing_key;
mod select_arithmetic;
mod sign;
mod verify_batch;
mod verify_signature;
