//! Fp12 = Fp6\[w\] / (w² − v), the target of the pairing.

use core::ops::Mul;

use super::{Fp2, Fp6};
use crate::field::lanes::kernel;
use crate::field::{Backend, BaseLanes, Fp};

/// c0 + c1·w. Every operation takes and returns normal elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp12<F> {
    /// The part in Fp6.
    pub c0: Fp6<F>,
    /// The factor of w.
    pub c1: Fp6<F>,
}

kernel! {
    // 2 products in Fp6
    Square<'a, F: BaseLanes>(a: &'a Fp12<F>) -> Fp12<F> {
        let product = a.c0.times(&a.c1);
        let sum = (a.c0 + a.c1).reduce();
        let twisted = (a.c0 + a.c1.mul_by_v()).reduce();
        Fp12::new(
            (sum.times(&twisted) - (product + product.mul_by_v())).reduce(),
            product.double().reduce(),
        )
    }
}

kernel! {
    // Karatsuba: 3 products in Fp6
    Multiply<'a, F: BaseLanes>(a: &'a Fp12<F>, b: &'a Fp12<F>) -> Fp12<F> {
        let t0 = a.c0.times(&b.c0);
        let t1 = a.c1.times(&b.c1);
        let cross = (a.c0 + a.c1).reduce().times(&(b.c0 + b.c1).reduce());
        Fp12::new((t0 + t1.mul_by_v()).reduce(), (cross - (t0 + t1)).reduce())
    }
}

kernel! {
    // 13 products in Fp2, or 18 in 6 sums
    MultiplyByLine<'a, F: BaseLanes>(f: &'a Fp12<F>, l0: &'a Fp2<F>, l1: &'a Fp2<F>, l3: &'a Fp2<F>) -> Fp12<F> {
        if F::LAZY_SUMS {
            let (a, b) = (&f.c0, &f.c1);
            let (xi1, xi3) = (&l1.mul_by_xi(), &l3.mul_by_xi());
            return Fp12::new(
                Fp6::new(
                    Fp2::sum_of_three([&a.c0, &b.c2, &b.c1], [l0, xi1, xi3]),
                    Fp2::sum_of_three([&a.c1, &b.c0, &b.c2], [l0, l1, xi3]),
                    Fp2::sum_of_three([&a.c2, &b.c1, &b.c0], [l0, l1, l3]),
                ),
                Fp6::new(
                    Fp2::sum_of_three([&b.c0, &a.c0, &a.c2], [l0, l1, xi3]),
                    Fp2::sum_of_three([&b.c1, &a.c1, &a.c0], [l0, l1, l3]),
                    Fp2::sum_of_three([&b.c2, &a.c2, &a.c1], [l0, l1, l3]),
                ),
            );
        }
        let a = f.c0.mul_by_0(l0);
        let b = f.c1.mul_by_01(l1, l3);
        let e = (f.c0 + f.c1).reduce().mul_by_01(&(*l0 + *l1).reduce(), l3);
        Fp12::new((a + b.mul_by_v()).reduce(), (e - (a + b)).reduce())
    }
}

kernel! {
    // 10 products in Fp2, or 12 in 6 sums
    MultiplyByUnitLine<'a, F: BaseLanes>(f: &'a Fp12<F>, l1: &'a Fp2<F>, l3: &'a Fp2<F>) -> Fp12<F> {
        if F::LAZY_SUMS {
            let (a, b) = (&f.c0, &f.c1);
            let (xi1, xi3) = (&l1.mul_by_xi(), &l3.mul_by_xi());
            return Fp12::new(
                Fp6::new(
                    (a.c0 + Fp2::sum_of_two([&b.c2, &b.c1], [xi1, xi3])).reduce(),
                    (a.c1 + Fp2::sum_of_two([&b.c0, &b.c2], [l1, xi3])).reduce(),
                    (a.c2 + Fp2::sum_of_two([&b.c1, &b.c0], [l1, l3])).reduce(),
                ),
                Fp6::new(
                    (b.c0 + Fp2::sum_of_two([&a.c0, &a.c2], [l1, xi3])).reduce(),
                    (b.c1 + Fp2::sum_of_two([&a.c1, &a.c0], [l1, l3])).reduce(),
                    (b.c2 + Fp2::sum_of_two([&a.c2, &a.c1], [l1, l3])).reduce(),
                ),
            );
        }
        let b = f.c1.mul_by_01(l1, l3);
        let e = (f.c0 + f.c1).reduce().mul_by_01(&(Fp2::ONE + *l1).reduce(), l3);
        Fp12::new((f.c0 + b.mul_by_v()).reduce(), (e - (f.c0 + b)).reduce())
    }
}

kernel! {
    // 3 squares in Fp4
    CyclotomicSquare<'a, F: BaseLanes>(f: &'a Fp12<F>) -> Fp12<F> {
        let [x, y] = [f.c0.parts(), f.c1.parts()];
        if let Some(s) = F::square_cyclotomic([x[0], x[1], x[2], y[0], y[1], y[2]]) {
            let [x, y] = [[s[0], s[1], s[2]], [s[3], s[4], s[5]]];
            return Fp12::new(Fp6::from_parts(x), Fp6::from_parts(y));
        }
        let (a0, a1) = fp4_square(&f.c0.c0, &f.c1.c1);
        let (b0, b1) = fp4_square(&f.c1.c0, &f.c0.c2);
        let (c0, c1) = fp4_square(&f.c0.c1, &f.c1.c2);
        let c1 = c1.mul_by_xi();
        Fp12::new(
            Fp6::new(minus(a0, f.c0.c0), minus(b0, f.c0.c1), minus(c0, f.c0.c2)),
            Fp6::new(plus(c1, f.c1.c0), plus(a1, f.c1.c1), plus(b1, f.c1.c2)),
        )
    }
}

/// 3·square − 2·old: a first half.
#[inline(always)]
fn minus<F: BaseLanes>(square: Fp2<F>, old: Fp2<F>) -> Fp2<F> {
    ((square - old).reduce().double() + square).reduce()
}

/// 3·square + 2·old: a second half.
#[inline(always)]
fn plus<F: BaseLanes>(square: Fp2<F>, old: Fp2<F>) -> Fp2<F> {
    ((square + old).reduce().double() + square).reduce()
}

kernel! {
    Conjugate<'a, F: BaseLanes>(f: &'a Fp12<F>) -> Fp12<F> {
        Fp12::new(f.c0, (-f.c1).reduce())
    }
}

kernel! {
    Frobenius<'a, F: BaseLanes>(f: &'a Fp12<F>, power: usize) -> Fp12<F> {
        let first = if power == 2 { f.c0.c0 } else { f.c0.c0.conjugate().reduce() };
        Fp12::new(
            Fp6::new(first, twist(&f.c0.c1, power, 2), twist(&f.c0.c2, power, 4)),
            Fp6::new(
                twist(&f.c1.c0, power, 1),
                twist(&f.c1.c1, power, 3),
                twist(&f.c1.c2, power, 5),
            ),
        )
    }
}

/// The p^`power`-th power of the coefficient of wⁱ, as a coefficient of wⁱ.
#[inline(always)]
fn twist<F: BaseLanes>(a: &Fp2<F>, power: usize, i: usize) -> Fp2<F> {
    if power == 2 {
        a.scale(Fp2::frobenius_squared(i))
    } else {
        a.conjugate().reduce().times(&Fp2::frobenius(power, i))
    }
}

/// (a + b·s)² in Fp2\[s\] / (s² − ξ) as (a² + ξb², 2ab): 2 products in Fp2.
#[inline(always)]
fn fp4_square<F: BaseLanes>(a: &Fp2<F>, b: &Fp2<F>) -> (Fp2<F>, Fp2<F>) {
    let product = a.times(b);
    let both = (*a + *b).mul_sums(&(*a + b.mul_by_xi()));
    let first = both - (product + product.mul_by_xi());
    (first.reduce(), product.double().reduce())
}

impl<F: BaseLanes> Fp12<F> {
    /// The number 1.
    pub const ONE: Self = Self::new(Fp6::ONE, Fp6::ZERO);

    /// c0 + c1·w.
    #[inline(always)]
    pub const fn new(c0: Fp6<F>, c1: Fp6<F>) -> Self {
        Self { c0, c1 }
    }

    /// The square: 2 products in Fp6.
    #[inline(always)]
    pub fn square(&self) -> Self {
        F::enter(Square(self))
    }

    /// The product with l0 + l1·w + l3·w³, the shape of a line: 13 products in Fp2.
    #[inline(always)]
    pub fn mul_by_line(&self, l0: &Fp2<F>, l1: &Fp2<F>, l3: &Fp2<F>) -> Self {
        F::enter(MultiplyByLine(self, l0, l1, l3))
    }

    /// The product with 1 + l1·w + l3·w³, a line scaled to 1: 10 products in Fp2.
    #[inline(always)]
    pub fn mul_by_unit_line(&self, l1: &Fp2<F>, l3: &Fp2<F>) -> Self {
        F::enter(MultiplyByUnitLine(self, l1, l3))
    }

    /// c0 − c1·w: the p⁶-th power, and the inverse in the cyclotomic subgroup.
    #[inline(always)]
    pub fn conjugate(&self) -> Self {
        F::enter(Conjugate(self))
    }

    /// The p^`power`-th power for power 1, 2 or 3.
    #[inline(always)]
    pub fn frobenius(&self, power: usize) -> Self {
        F::enter(Frobenius(self, power))
    }

    /// The square of an element of the cyclotomic subgroup (Granger and Scott,
    /// <https://eprint.iacr.org/2009/565>): 3 squares in Fp4. Wrong for other elements.
    #[inline(always)]
    pub fn cyclotomic_square(&self) -> Self {
        F::enter(CyclotomicSquare(self))
    }
}

impl<B: Backend> Fp12<Fp<B>> {
    /// The inverse, `None` for 0.
    pub fn inverse(&self) -> Option<Self> {
        let norm = self.c0 * self.c0 - (self.c1 * self.c1).mul_by_v();
        let inverse = norm.inverse()?;
        Some(Self::new(self.c0 * inverse, -(self.c1 * inverse)))
    }
}

impl<F: BaseLanes> Mul for Fp12<F> {
    type Output = Self;
    /// The product by Karatsuba: 3 products in Fp6.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        F::enter(Multiply(&self, &other))
    }
}
