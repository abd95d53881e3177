//! What the tower, the pairing steps and the line functions need of an element of Fp2.

use core::ops::{Add, Mul, Neg, Sub};

/// One element of Fp2, or the same position of several computations side by side.
pub trait Quadratic:
    Copy
    + Eq
    + core::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// The base field element that [`Quadratic::scale`] multiplies by.
    type Base: Copy;

    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// 3·b′ of the twist y² = x³ + b′, b′ = 3/ξ.
    const TWIST_3B: Self;

    /// Twice the element.
    fn double(&self) -> Self;
    /// The square.
    fn square(&self) -> Self;
    /// Both parts times a base field element.
    fn scale(&self, factor: &Self::Base) -> Self;
    /// ξ = 9 + u times the element.
    fn mul_by_xi(&self) -> Self;
    /// c0 − c1·u, which is the p-th power.
    fn conjugate(&self) -> Self;
    /// The inverse, `None` for 0 (in any lane). Time depends on the value.
    fn inverse(&self) -> Option<Self>;
    /// ξ^(i·(p^power − 1)/6) for power 1, 2, 3 and i 1 to 5.
    fn frobenius(power: usize, i: usize) -> Self;
    /// The same for power 2, where it lies in the base field.
    fn frobenius_squared(i: usize) -> Self::Base;
}
