//! Fp6 = Fp2\[v\] / (v³ − ξ).

use core::ops::{Add, Mul, Neg, Sub};

use super::Fp2;
use crate::field::lanes::kernel;
use crate::field::{Backend, BaseLanes, Fp};

/// c0 + c1·v + c2·v². Products take and return normal elements, sums are lazy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp6<F> {
    /// The part in Fp2.
    pub c0: Fp2<F>,
    /// The factor of v.
    pub c1: Fp2<F>,
    /// The factor of v².
    pub c2: Fp2<F>,
}

kernel! {
    // Karatsuba: 6 products in Fp2; or 9 in 3 sums
    Multiply<'a, F: BaseLanes>(a: &'a Fp6<F>, b: &'a Fp6<F>) -> Fp6<F> {
        if let Some(product) = F::mul_cubic(a.parts(), b.parts()) {
            return Fp6::from_parts(product);
        }
        if F::LAZY_SUMS {
            let (xi1, xi2) = (&b.c1.mul_by_xi(), &b.c2.mul_by_xi());
            let a = [&a.c0, &a.c1, &a.c2];
            return Fp6::new(
                Fp2::sum_of_three(a, [&b.c0, xi2, xi1]),
                Fp2::sum_of_three(a, [&b.c1, &b.c0, xi2]),
                Fp2::sum_of_three(a, [&b.c2, &b.c1, &b.c0]),
            );
        }
        let t0 = a.c0.times(&b.c0);
        let t1 = a.c1.times(&b.c1);
        let t2 = a.c2.times(&b.c2);
        let s01 = (a.c0 + a.c1).mul_sums(&(b.c0 + b.c1)) - (t0 + t1);
        let s02 = (a.c0 + a.c2).mul_sums(&(b.c0 + b.c2)) - (t0 + t2);
        let s12 = (a.c1 + a.c2).mul_sums(&(b.c1 + b.c2)) - (t1 + t2);
        Fp6::new(
            (t0 + s12.reduce().mul_by_xi()).reduce(),
            (s01 + t2.mul_by_xi()).reduce(),
            (s02 + t1).reduce(),
        )
    }
}

kernel! {
    // 5 products in Fp2
    MultiplyBy01<'a, F: BaseLanes>(a: &'a Fp6<F>, b0: &'a Fp2<F>, b1: &'a Fp2<F>) -> Fp6<F> {
        if let Some(product) = F::mul_cubic_01(a.parts(), [b0.parts(), b1.parts()]) {
            return Fp6::from_parts(product);
        }
        let t0 = a.c0.times(b0);
        let t1 = a.c1.times(b1);
        let s01 = (a.c0 + a.c1).mul_sums(&(*b0 + *b1)) - (t0 + t1);
        Fp6::new(
            (t0 + a.c2.times(b1).mul_by_xi()).reduce(),
            s01.reduce(),
            (a.c2.times(b0) + t1).reduce(),
        )
    }
}

impl<F: BaseLanes> Fp6<F> {
    /// The number 0.
    pub const ZERO: Self = Self::new(Fp2::ZERO, Fp2::ZERO, Fp2::ZERO);
    /// The number 1.
    pub const ONE: Self = Self::new(Fp2::ONE, Fp2::ZERO, Fp2::ZERO);

    /// c0 + c1·v + c2·v².
    #[inline(always)]
    pub const fn new(c0: Fp2<F>, c1: Fp2<F>, c2: Fp2<F>) -> Self {
        Self { c0, c1, c2 }
    }

    #[inline(always)]
    pub(super) fn parts(&self) -> [[&F; 2]; 3] {
        [self.c0.parts(), self.c1.parts(), self.c2.parts()]
    }

    #[inline(always)]
    pub(super) fn from_parts([c0, c1, c2]: [[F; 2]; 3]) -> Self {
        Self::new(
            Fp2::from_parts(c0),
            Fp2::from_parts(c1),
            Fp2::from_parts(c2),
        )
    }

    /// Twice the element, lazily.
    #[inline(always)]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double(), self.c2.double())
    }

    /// Reduces to a normal element.
    #[inline(always)]
    pub fn reduce(&self) -> Self {
        Self::new(self.c0.reduce(), self.c1.reduce(), self.c2.reduce())
    }

    /// v times a normal element.
    #[inline(always)]
    pub fn mul_by_v(&self) -> Self {
        Self::new(self.c2.mul_by_xi(), self.c0, self.c1)
    }

    /// The product, without copies of the operands.
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        F::enter(Multiply(self, other))
    }

    /// The product with an element of Fp2: 3 products there.
    #[inline(always)]
    pub fn mul_by_0(&self, b0: &Fp2<F>) -> Self {
        Self::new(self.c0.times(b0), self.c1.times(b0), self.c2.times(b0))
    }

    /// The product with b0 + b1·v: 5 products in Fp2.
    #[inline(always)]
    pub fn mul_by_01(&self, b0: &Fp2<F>, b1: &Fp2<F>) -> Self {
        F::enter(MultiplyBy01(self, b0, b1))
    }
}

impl<B: Backend> Fp6<Fp<B>> {
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

impl<F: BaseLanes> Add for Fp6<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1, self.c2 + other.c2)
    }
}

impl<F: BaseLanes> Sub for Fp6<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1, self.c2 - other.c2)
    }
}

impl<F: BaseLanes> Neg for Fp6<F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.c0, -self.c1, -self.c2)
    }
}

impl<F: BaseLanes> Mul for Fp6<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}
