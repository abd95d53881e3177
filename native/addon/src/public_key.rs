//! `publicKey`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// The public key as x ‖ y ‖ compressed, 96 bytes. Throws `signing_key.unknown`.
#[napi(catch_unwind)]
pub fn public_key<'env>(env: &'env Env, handle: u32) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::public_key(handle))
}
