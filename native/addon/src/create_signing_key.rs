//! `createSigningKey`.

use napi::bindgen_prelude::BufferSlice;
use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::value;

/// Takes a seed of 32 bytes (`Uint8Array`), wipes the caller's copy and returns the key's handle.
/// Throws `signing_key.length`.
#[napi(catch_unwind)]
pub fn create_signing_key(mut seed: BufferSlice) -> Result<u32> {
    value(calls::create_signing_key(&mut seed))
}
