//! `selectArithmetic`.

use napi::Result;
use napi_derive::napi;
use proofgate_core::calls;

use crate::error::value;

/// Forces one field arithmetic; throws `arithmetic.unknown` or `arithmetic.unsupported`.
#[napi(catch_unwind)]
pub fn select_arithmetic(name: String) -> Result<()> {
    value(calls::select_arithmetic(&name))
}
