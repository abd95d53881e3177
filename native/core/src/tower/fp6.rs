//! Fp6 = Fp2[v] / (v³ − ξ).

use core::ops::{Add, Mul, Neg, Sub};

use super::Quadratic;

/// c0 + c1·v + c2·v².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp6<U> {
    /// The part in Fp2.
    pub c0: U,
    /// The factor of v.
    pub c1: U,
    /// The factor of v².
    pub c2: U,
}

impl<U: Quadratic> Fp6<U> {
    /// The number 0.
    pub const ZERO: Self = Self::new(U::ZERO, U::ZERO, U::ZERO);
    /// The number 1.
    pub const ONE: Self = Self::new(U::ONE, U::ZERO, U::ZERO);

    /// c0 + c1·v + c2·v².
    #[inline(always)]
    pub const fn new(c0: U, c1: U, c2: U) -> Self {
        Self { c0, c1, c2 }
    }

    /// Twice the element.
    #[inline(always)]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double(), self.c2.double())
    }

    /// v times the element.
    #[inline(always)]
    pub fn mul_by_v(&self) -> Self {
        Self::new(self.c2.mul_by_xi(), self.c0, self.c1)
    }

    /// The product by Karatsuba: 6 products in Fp2.
    #[inline]
    pub fn multiply(&self, other: &Self) -> Self {
        let t0 = self.c0 * other.c0;
        let t1 = self.c1 * other.c1;
        let t2 = self.c2 * other.c2;
        let s01 = (self.c0 + self.c1) * (other.c0 + other.c1) - t0 - t1;
        let s02 = (self.c0 + self.c2) * (other.c0 + other.c2) - t0 - t2;
        let s12 = (self.c1 + self.c2) * (other.c1 + other.c2) - t1 - t2;
        Self::new(t0 + s12.mul_by_xi(), s01 + t2.mul_by_xi(), s02 + t1)
    }

    /// The product with b0 + b1·v: 5 products in Fp2.
    #[inline]
    pub fn mul_by_01(&self, b0: &U, b1: &U) -> Self {
        let t0 = self.c0 * *b0;
        let t1 = self.c1 * *b1;
        let s12 = (self.c1 + self.c2) * *b1 - t1;
        let s01 = (self.c0 + self.c1) * (*b0 + *b1) - t0 - t1;
        let s02 = (self.c0 + self.c2) * *b0 - t0;
        Self::new(t0 + s12.mul_by_xi(), s01, s02 + t1)
    }

    /// The inverse, `None` for 0.
    pub fn inverse(&self) -> Option<Self> {
        // the adjoint of the multiplication by self, and the norm to Fp2
        let a0 = self.c0.square() - (self.c1 * self.c2).mul_by_xi();
        let a1 = self.c2.square().mul_by_xi() - self.c0 * self.c1;
        let a2 = self.c1.square() - self.c0 * self.c2;
        let norm = self.c0 * a0 + (self.c2 * a1 + self.c1 * a2).mul_by_xi();
        let inverse = norm.inverse()?;
        Some(Self::new(a0 * inverse, a1 * inverse, a2 * inverse))
    }
}

impl<U: Quadratic> Add for Fp6<U> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1, self.c2 + other.c2)
    }
}

impl<U: Quadratic> Sub for Fp6<U> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1, self.c2 - other.c2)
    }
}

impl<U: Quadratic> Neg for Fp6<U> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.c0, -self.c1, -self.c2)
    }
}

impl<U: Quadratic> Mul for Fp6<U> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.multiply(&other)
    }
}
