//! `poseidonMany`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Hashes k times 1 to 16 field elements with circomlib's Poseidon, k × arity × 32 bytes to k × 32.
#[napi(catch_unwind)]
pub fn poseidon_many<'env>(
    env: &'env Env,
    arity: u32,
    inputs: &[u8],
) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::poseidon_many(arity, inputs))
}
