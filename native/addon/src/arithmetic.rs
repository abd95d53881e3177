//! `arithmetic`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

/// Names the arithmetic in use, such as `ifma` or `adx`.
#[napi(catch_unwind)]
pub fn arithmetic() -> Result<String> {
    Ok(calls::arithmetic().to_owned())
}
