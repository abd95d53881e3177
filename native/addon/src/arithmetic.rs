//! `arithmetic`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

/// Names the field arithmetic in use: `adx` or `portable`.
#[napi(catch_unwind)]
pub fn arithmetic() -> Result<String> {
    Ok(calls::arithmetic().to_owned())
}
