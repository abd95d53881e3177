//! Refusals of the core as JavaScript errors.

use napi::bindgen_prelude::Uint8ArraySlice;
use napi::{Env, Error, Result};
use proofgate_core::calls::Refusal;

/// Turns the core's answer bytes into a `Uint8Array` that JavaScript owns, and a refusal into an
/// `Error` with the message `code: detail`. The bytes are copied, so that no finalizer points into
/// this library.
pub fn bytes<'env, B: AsRef<[u8]>>(
    env: &'env Env,
    answer: core::result::Result<B, Refusal>,
) -> Result<Uint8ArraySlice<'env>> {
    Uint8ArraySlice::copy_from(env, value(answer)?)
}

/// Turns a refusal into an `Error` with the message `code: detail`.
pub fn value<T>(answer: core::result::Result<T, Refusal>) -> Result<T> {
    answer.map_err(|refusal| Error::from_reason(refusal.to_string()))
}
