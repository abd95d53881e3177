//! `prepareKey`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::value;

/// Checks and prepares a verifying key; the answer is its handle. Throws `key.*`, naming the point.
#[napi(catch_unwind)]
pub fn prepare_key(key: &[u8]) -> Result<u32> {
    value(calls::prepare_key(key))
}
