//! Fp12 = Fp6[w] / (w² − v), the target of the pairing.

use core::ops::Mul;

use super::{Fp6, Quadratic};

/// c0 + c1·w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp12<U> {
    /// The part in Fp6.
    pub c0: Fp6<U>,
    /// The factor of w.
    pub c1: Fp6<U>,
}

impl<U: Quadratic> Fp12<U> {
    /// The number 1.
    pub const ONE: Self = Self::new(Fp6::ONE, Fp6::ZERO);

    /// c0 + c1·w.
    #[inline(always)]
    pub const fn new(c0: Fp6<U>, c1: Fp6<U>) -> Self {
        Self { c0, c1 }
    }

    /// The square: 2 products in Fp6.
    pub fn square(&self) -> Self {
        let product = self.c0 * self.c1;
        let sum = self.c0 + self.c1;
        let twisted = self.c0 + self.c1.mul_by_v();
        Self::new(
            sum * twisted - product - product.mul_by_v(),
            product.double(),
        )
    }

    /// The product with l0 + l1·w + l3·w³, the shape of a line: 13 products in Fp2.
    pub fn mul_by_line(&self, l0: &U, l1: &U, l3: &U) -> Self {
        let a = Fp6::new(self.c0.c0 * *l0, self.c0.c1 * *l0, self.c0.c2 * *l0);
        let b = self.c1.mul_by_01(l1, l3);
        let e = (self.c0 + self.c1).mul_by_01(&(*l0 + *l1), l3);
        Self::new(a + b.mul_by_v(), e - a - b)
    }

    /// The product with 1 + l1·w + l3·w³, a line scaled to 1: 10 products in Fp2.
    pub fn mul_by_unit_line(&self, l1: &U, l3: &U) -> Self {
        let b = self.c1.mul_by_01(l1, l3);
        let e = (self.c0 + self.c1).mul_by_01(&(U::ONE + *l1), l3);
        Self::new(self.c0 + b.mul_by_v(), e - self.c0 - b)
    }

    /// c0 − c1·w: the p⁶-th power, and the inverse in the cyclotomic subgroup.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    /// The inverse, `None` for 0.
    pub fn inverse(&self) -> Option<Self> {
        let norm = self.c0 * self.c0 - (self.c1 * self.c1).mul_by_v();
        let inverse = norm.inverse()?;
        Some(Self::new(self.c0 * inverse, -(self.c1 * inverse)))
    }

    /// The p^`power`-th power for power 1, 2 or 3.
    pub fn frobenius(&self, power: usize) -> Self {
        if power == 2 {
            let scale = |a: &U, i: usize| a.scale(&U::frobenius_squared(i));
            return Self::new(
                Fp6::new(self.c0.c0, scale(&self.c0.c1, 2), scale(&self.c0.c2, 4)),
                Fp6::new(
                    scale(&self.c1.c0, 1),
                    scale(&self.c1.c1, 3),
                    scale(&self.c1.c2, 5),
                ),
            );
        }
        let twist = |a: &U, i: usize| a.conjugate() * U::frobenius(power, i);
        Self::new(
            Fp6::new(
                self.c0.c0.conjugate(),
                twist(&self.c0.c1, 2),
                twist(&self.c0.c2, 4),
            ),
            Fp6::new(
                twist(&self.c1.c0, 1),
                twist(&self.c1.c1, 3),
                twist(&self.c1.c2, 5),
            ),
        )
    }

    /// The square of an element of the cyclotomic subgroup (Granger and Scott,
    /// https://eprint.iacr.org/2009/565): 3 squares in Fp4. Wrong for other elements.
    pub fn cyclotomic_square(&self) -> Self {
        let (a0, a1) = fp4_square(&self.c0.c0, &self.c1.c1);
        let (b0, b1) = fp4_square(&self.c1.c0, &self.c0.c2);
        let (c0, c1) = fp4_square(&self.c0.c1, &self.c1.c2);
        let c1 = c1.mul_by_xi();
        // 3·square − 2·old for the first halves, 3·square + 2·old for the second
        let minus = |square: U, old: U| (square - old).double() + square;
        let plus = |square: U, old: U| (square + old).double() + square;
        Self::new(
            Fp6::new(
                minus(a0, self.c0.c0),
                minus(b0, self.c0.c1),
                minus(c0, self.c0.c2),
            ),
            Fp6::new(
                plus(c1, self.c1.c0),
                plus(a1, self.c1.c1),
                plus(b1, self.c1.c2),
            ),
        )
    }
}

/// (a + b·s)² in Fp2[s] / (s² − ξ) as (a² + ξb², 2ab): 2 products in Fp2.
#[inline(always)]
fn fp4_square<U: Quadratic>(a: &U, b: &U) -> (U, U) {
    let product = *a * *b;
    let first = (*a + *b) * (*a + b.mul_by_xi()) - product - product.mul_by_xi();
    (first, product.double())
}

impl<U: Quadratic> Mul for Fp12<U> {
    type Output = Self;
    /// The product by Karatsuba: 3 products in Fp6.
    fn mul(self, other: Self) -> Self {
        let t0 = self.c0 * other.c0;
        let t1 = self.c1 * other.c1;
        let cross = (self.c0 + self.c1) * (other.c0 + other.c1);
        Self::new(t0 + t1.mul_by_v(), cross - t0 - t1)
    }
}
