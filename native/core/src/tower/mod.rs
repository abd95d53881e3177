//! The tower of extensions under the pairing:
//!
//! ```text
//! Fp2  = Fp[u] / (u² + 1)          c0 + c1·u
//! Fp6  = Fp2[v] / (v³ − ξ)         c0 + c1·v + c2·v²,  ξ = 9 + u
//! Fp12 = Fp6[w] / (w² − v)         c0 + c1·w
//! ```
//!
//! Everything is generic over [`BaseLanes`](crate::field::BaseLanes): one scalar, or elements side
//! by side in vector lanes. Products are kernels, compiled for the instructions of the back-end.

pub(crate) mod constants;
mod fp12;
mod fp2;
mod fp6;
mod packed;
mod packed_cyclotomic;
#[cfg(test)]
pub(crate) mod tests;

pub use fp12::Fp12;
pub use fp2::Fp2;
pub use fp6::Fp6;
pub use packed::PackedFp12;
