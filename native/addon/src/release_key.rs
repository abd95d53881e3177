//! `releaseKey`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

/// Releases a verifying key; an unknown handle is ignored.
#[napi(catch_unwind)]
pub fn release_key(handle: u32) -> Result<()> {
    calls::release_key(handle);
    Ok(())
}
