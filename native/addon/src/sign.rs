//! `sign`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Signs k messages of 32 bytes: k × 64 bytes. Throws `signing_key.unknown`, `input.count`, `input.range`.
#[napi(catch_unwind)]
pub fn sign<'env>(env: &'env Env, handle: u32, messages: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::sign(handle, messages))
}
