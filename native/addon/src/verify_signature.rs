//! `verifySignature`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

/// Whether a signature of 64 bytes holds for a message under a compressed public key; malformed bytes do not.
#[napi(catch_unwind)]
pub fn verify_signature(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<bool> {
    Ok(calls::verify_signature(public_key, message, signature))
}
