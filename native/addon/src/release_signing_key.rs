//! `releaseSigningKey`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

/// Wipes a signing key; an unknown handle is ignored.
#[napi(catch_unwind)]
pub fn release_signing_key(handle: u32) -> Result<()> {
    calls::release_signing_key(handle);
    Ok(())
}
