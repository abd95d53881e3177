//! Fp2 = Fp\[u\] / (u² + 1), of scalars or in lanes.

use core::ops::{Add, Mul, Neg, Sub};

use crate::field::lanes::kernel;
use crate::field::{Backend, BaseLanes, Fp, LaneSet};

/// c0 + c1·u with u² = −1. Sums are lazy as [`PrimeLanes`](crate::field::PrimeLanes) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp2<F> {
    /// The part in Fp.
    pub c0: F,
    /// The factor of u.
    pub c1: F,
}

kernel! {
    Multiply<'a, F: BaseLanes>(a: &'a Fp2<F>, b: &'a Fp2<F>) -> Fp2<F> {
        Fp2::from_parts(F::mul_complex(a.parts(), b.parts()))
    }
}

kernel! {
    MultiplySums<'a, F: BaseLanes>(a: &'a Fp2<F>, b: &'a Fp2<F>) -> Fp2<F> {
        Fp2::from_parts(F::mul_complex_sums(a.parts(), b.parts()))
    }
}

kernel! {
    SumOfTwo<'a, F: BaseLanes>(a: [&'a Fp2<F>; 2], b: [&'a Fp2<F>; 2]) -> Fp2<F> {
        Fp2::from_parts(F::sum_of_products(
            [a[0].parts(), a[1].parts()],
            [b[0].parts(), b[1].parts()],
        ))
    }
}

kernel! {
    SumOfThree<'a, F: BaseLanes>(a: [&'a Fp2<F>; 3], b: [&'a Fp2<F>; 3]) -> Fp2<F> {
        Fp2::from_parts(F::sum_of_products(
            [a[0].parts(), a[1].parts(), a[2].parts()],
            [b[0].parts(), b[1].parts(), b[2].parts()],
        ))
    }
}

kernel! {
    Square<'a, F: BaseLanes>(a: &'a Fp2<F>) -> Fp2<F> {
        Fp2::from_parts(F::square_complex(a.parts()))
    }
}

kernel! {
    Scale<'a, F: BaseLanes>(a: &'a Fp2<F>, k: &'a F) -> Fp2<F> {
        Fp2::from_parts(F::scale_complex(a.parts(), k))
    }
}

impl<F: BaseLanes> Fp2<F> {
    /// The number 0.
    pub const ZERO: Self = Self::new(F::ZERO, F::ZERO);
    /// The number 1.
    pub const ONE: Self = Self::new(F::ONE, F::ZERO);

    /// c0 + c1·u.
    #[inline(always)]
    pub const fn new(c0: F, c1: F) -> Self {
        Self { c0, c1 }
    }

    #[inline(always)]
    pub(super) fn from_parts([c0, c1]: [F; 2]) -> Self {
        Self::new(c0, c1)
    }

    #[inline(always)]
    pub(super) fn parts(&self) -> [&F; 2] {
        [&self.c0, &self.c1]
    }

    /// 3·b′ of the twist y² = x³ + b′, b′ = 3/ξ.
    #[inline(always)]
    pub fn twist_3b() -> Self {
        Self::from_parts(F::CONSTANTS.twist_3b)
    }

    /// ξ^(i·(p^power − 1)/6) for power 1, 2, 3 and i 1 to 5.
    #[inline(always)]
    pub fn frobenius(power: usize, i: usize) -> Self {
        match power {
            1 => Self::from_parts(F::CONSTANTS.frobenius_1[i - 1]),
            2 => Self::new(F::CONSTANTS.frobenius_2[i - 1], F::ZERO),
            _ => Self::from_parts(F::CONSTANTS.frobenius_3[i - 1]),
        }
    }

    /// [`Fp2::frobenius`] for power 2, which is in the base field.
    #[inline(always)]
    pub fn frobenius_squared(i: usize) -> &'static F {
        &F::CONSTANTS.frobenius_2[i - 1]
    }

    /// Twice the element, lazily.
    #[inline(always)]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double())
    }

    /// The square of a normal element.
    #[inline(always)]
    pub fn square(&self) -> Self {
        F::enter(Square(self))
    }

    /// The product of two sums of two normal elements each.
    #[inline(always)]
    pub fn mul_sums(&self, other: &Self) -> Self {
        F::enter(MultiplySums(self, other))
    }

    /// The product of two normal elements. Inside of kernels better than the operator, which copies
    /// its operands first.
    #[inline(always)]
    pub fn times(&self, other: &Self) -> Self {
        F::enter(Multiply(self, other))
    }

    /// a₀b₀ + a₁b₁ of normal elements.
    #[inline(always)]
    pub fn sum_of_two(a: [&Self; 2], b: [&Self; 2]) -> Self {
        F::enter(SumOfTwo(a, b))
    }

    /// a₀b₀ + a₁b₁ + a₂b₂ of normal elements.
    #[inline(always)]
    pub fn sum_of_three(a: [&Self; 3], b: [&Self; 3]) -> Self {
        F::enter(SumOfThree(a, b))
    }

    /// Both parts of a sum of two normal elements times a normal base field element.
    #[inline(always)]
    pub fn scale(&self, factor: &F) -> Self {
        F::enter(Scale(self, factor))
    }

    /// ξ = 9 + u times a normal element.
    #[inline(always)]
    pub fn mul_by_xi(&self) -> Self {
        Self::from_parts(F::mul_by_xi(self.parts()))
    }

    /// c0 − c1·u, which is the p-th power, of a normal element and normal.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        Self::new(self.c0, (-self.c1).reduce())
    }

    /// Reduces to a normal element.
    #[inline(always)]
    pub fn reduce(&self) -> Self {
        Self::new(self.c0.reduce(), self.c1.reduce())
    }

    /// The negative of a normal element as a normal one.
    #[inline(always)]
    pub fn negate(&self) -> Self {
        Self::new(self.c0.negate(), self.c1.negate())
    }

    /// The lanes that hold 0.
    #[inline(always)]
    pub fn zero_lanes(&self) -> LaneSet {
        self.c0.zero_lanes() & self.c1.zero_lanes()
    }

    /// The lanes in which two elements are equal.
    #[inline(always)]
    pub fn equal_lanes(&self, other: &Self) -> LaneSet {
        self.c0.equal_lanes(&other.c0) & self.c1.equal_lanes(&other.c1)
    }
}

impl<B: Backend> Fp2<Fp<B>> {
    /// The inverse, `None` for 0. Time depends on the value.
    pub fn inverse(&self) -> Option<Self> {
        let norm = self.c0.square() + self.c1.square();
        let inverse = norm.inverse()?;
        Some(Self::new(self.c0 * inverse, -(self.c1 * inverse)))
    }
}

impl<F: BaseLanes> Add for Fp2<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1)
    }
}

impl<F: BaseLanes> Sub for Fp2<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1)
    }
}

impl<F: BaseLanes> Neg for Fp2<F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.c0, -self.c1)
    }
}

impl<F: BaseLanes> Mul for Fp2<F> {
    type Output = Self;
    /// The product of two normal elements.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.times(&other)
    }
}
