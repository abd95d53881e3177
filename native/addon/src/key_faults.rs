//! `keyFaults`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::value;

/// Finds relations between the points of a verifying key; one sentence in each line. Throws `key.*`.
#[napi(catch_unwind)]
pub fn key_faults(key: &[u8]) -> Result<String> {
    value(calls::key_faults(key))
}
