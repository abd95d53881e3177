//! `hashBytes`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Hashes bytes under a tag with the Poseidon2 sponge.
#[napi(catch_unwind)]
pub fn hash_bytes<'env>(env: &'env Env, tag: String, data: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::hash_bytes(&tag, data))
}
