//! `verifyBatch` and `verifyEach`.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Result};
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::bytes;

/// Checks count × (256 + 32·n) bytes under one key, combined by a random seed; one verdict byte each,
/// 1 for a valid proof. Throws `key.unknown`, `batch.length`, `batch.seed`.
#[napi(catch_unwind)]
pub fn verify_batch<'env>(
    env: &'env Env,
    handle: u32,
    batch: &[u8],
    seed: &[u8],
) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::verify_batch(handle, batch, seed))
}

/// Checks count × (256 + 32·n) bytes under one key, none combined; one verdict byte each, 1 for a valid
/// proof. Throws `key.unknown`, `batch.length`.
#[napi(catch_unwind)]
pub fn verify_each<'env>(
    env: &'env Env,
    handle: u32,
    batch: &[u8],
) -> Result<Uint8ArraySlice<'env>> {
    bytes(env, calls::verify_each(handle, batch))
}
