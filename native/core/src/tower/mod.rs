//! The tower of extensions under the pairing:
//!
//! ```text
//! Fp2  = Fp[u] / (u² + 1)          c0 + c1·u
//! Fp6  = Fp2[v] / (v³ − ξ)         c0 + c1·v + c2·v²,  ξ = 9 + u
//! Fp12 = Fp6[w] / (w² − v)         c0 + c1·w
//! ```
//!
//! Everything above Fp2 is generic over [`Quadratic`], whose unit is one element of Fp2: a scalar
//! [`Fp2`] now, several of them side by side in vector lanes where a back-end offers that.

mod fp12;
mod fp2;
mod fp6;
mod frobenius;
mod quadratic;
#[cfg(test)]
pub(crate) mod tests;

pub use fp12::Fp12;
pub use fp2::Fp2;
pub use fp6::Fp6;
pub use quadratic::Quadratic;
