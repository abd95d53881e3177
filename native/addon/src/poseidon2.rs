//! `poseidon2`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Permutes k states of `width` elements each, k × width × 32 bytes in and out.
#[napi(catch_unwind)]
pub fn poseidon2<'env>(env: &'env Env, width: u32, states: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::poseidon2(width, states))
}
