//! `poseidon`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Hashes 1 to 16 field elements (32 bytes each, big-endian) with circomlib's Poseidon.
#[napi(catch_unwind)]
pub fn poseidon<'env>(env: &'env Env, inputs: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::poseidon(inputs))
}
