//! BabyJubJub: a·x² + y² = 1 + d·x²·y² over the BN254 scalar field, a = 168700, d = 168696
//! (EIP-2494, src/docs/spec/credential.md#babyjubjub). Cofactor 8, prime subgroup order L.
//!
//! Belongs here: affine points and their 32-byte form (this file), the arithmetic behind them in
//! extended coordinates ([`extended`]) and the multiplication of the generator by secret scalars
//! ([`fixed_base`], and `lanes` for several of them). The formulas are complete: a is a square and d is
//! not, so that no pair of points needs a case of its own.

mod curve;
pub mod extended;
pub mod fixed_base;
pub(crate) mod lanes;
#[cfg(test)]
mod tests;
pub mod windows;

use crate::field::{Backend, Fr};
pub(crate) use curve::Curve;
pub use extended::Extended;
pub(crate) use lanes::Comb;

/// A point of the curve in the coordinates of the specification, in no particular subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point<B: Backend> {
    /// Zero for the identity.
    pub x: Fr<B>,
    /// One for the identity.
    pub y: Fr<B>,
}

/// Reasons why 32 bytes are not a point of the prime subgroup, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointError {
    /// y, without the flag, is not below the modulus.
    CoordinateRange,
    /// No x belongs to this y.
    NotOnCurve,
    /// x is zero and the flag is set: a second encoding of the point.
    FlaggedZero,
    /// The point is outside the subgroup of order L.
    NotInSubgroup,
}

/// The flag in the last byte of a compressed point.
const SIGN_FLAG: u8 = 0x80;

impl<B: Backend> Point<B> {
    /// The neutral element (0, 1).
    pub const IDENTITY: Self = Point {
        x: Fr::ZERO,
        y: Fr::ONE,
    };

    /// Base8 of circomlib: generates the prime subgroup.
    pub const GENERATOR: Self = Curve::<B>::GENERATOR;

    /// Whether the coordinates satisfy the equation of the curve.
    #[cfg(test)]
    pub fn is_on_curve(&self) -> bool {
        let (xx, yy) = (self.x.square(), self.y.square());
        Curve::<B>::A * xx + yy == Fr::ONE + Curve::<B>::D * xx * yy
    }

    /// Whether L times the point is the identity. Variable time.
    pub fn is_in_subgroup(&self) -> bool {
        Extended::from_affine(self).times_order().is_identity()
    }

    /// y in 32 bytes, little-endian, the top bit set exactly when x > (P − 1) / 2.
    pub fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = self.y.to_le_bytes();
        bytes[31] |= upper_half(&self.x) << 7;
        bytes
    }

    /// Reads a point of the prime subgroup; every point has one encoding. Variable time.
    ///
    /// # Errors
    /// The first check that fails: range of y, curve, flag, subgroup.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, PointError> {
        let flag = bytes[31] & SIGN_FLAG != 0;
        let mut y = *bytes;
        y[31] &= !SIGN_FLAG;
        let y = Fr::<B>::from_le_bytes(&y).ok_or(PointError::CoordinateRange)?;
        let yy = y.square();
        // a/d is no square, so the denominator is never zero
        let denominator = (Curve::<B>::A - Curve::<B>::D * yy)
            .inverse()
            .ok_or(PointError::NotOnCurve)?;
        let root = ((Fr::ONE - yy) * denominator)
            .sqrt()
            .ok_or(PointError::NotOnCurve)?;
        if root.is_zero() && flag {
            return Err(PointError::FlaggedZero);
        }
        let x = if (upper_half(&root) == 1) == flag {
            root
        } else {
            -root
        };
        let point = Point { x, y };
        if point.is_in_subgroup() {
            Ok(point)
        } else {
            Err(PointError::NotInSubgroup)
        }
    }
}

/// 1 where x > (P − 1) / 2, else 0: 2x mod P is odd exactly then, as P is odd.
fn upper_half<B: Backend>(x: &Fr<B>) -> u8 {
    x.double().to_le_bytes()[0] & 1
}
