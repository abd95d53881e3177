//! `g1Multiples` and `g2Multiples`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Multiplies the generator of G1 by k public scalars of 32 bytes; k × 64 bytes. Throws `input.count`, `input.range`.
#[napi(catch_unwind)]
pub fn g1_multiples<'env>(env: &'env Env, scalars: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::g1_multiples(scalars))
}

/// Multiplies the generator of G2 by k public scalars of 32 bytes; k × 128 bytes. Throws `input.count`, `input.range`.
#[napi(catch_unwind)]
pub fn g2_multiples<'env>(env: &'env Env, scalars: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::g2_multiples(scalars))
}
