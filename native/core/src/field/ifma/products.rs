//! Products of elements. A back-end may compile them in its own way.

use super::element::IfmaLanes;
use super::loose::{Loose, Operand};
use super::ops::IfmaOps;
use super::wide::Wide;
use crate::field::Modulus;

/// The field operations that are large enough to be functions of their own where code is not to grow.
pub trait IfmaProducts: IfmaOps {
    /// a² of a normal value.
    #[inline(always)]
    fn square<M: Modulus>(a: &IfmaLanes<M, Self>) -> IfmaLanes<M, Self> {
        square(a)
    }

    /// ab of normal values.
    #[inline(always)]
    fn product<M: Modulus>(factors: [&IfmaLanes<M, Self>; 2]) -> IfmaLanes<M, Self> {
        product(factors)
    }

    /// ab of sums.
    #[inline(always)]
    fn product_of_sums<M: Modulus>(factors: [&IfmaLanes<M, Self>; 2]) -> IfmaLanes<M, Self> {
        product_of_sums(factors)
    }

    /// A sum as a normal value.
    #[inline(always)]
    fn reduced<M: Modulus>(a: &IfmaLanes<M, Self>) -> IfmaLanes<M, Self> {
        reduced(a)
    }

    /// ab of normal values with u² = −1.
    #[inline(always)]
    fn complex_product<M: Modulus>(
        factors: [[&IfmaLanes<M, Self>; 2]; 2],
    ) -> [IfmaLanes<M, Self>; 2] {
        complex_product(factors)
    }

    /// ab of sums with u² = −1.
    #[inline(always)]
    fn complex_product_of_sums<M: Modulus>(
        factors: [[&IfmaLanes<M, Self>; 2]; 2],
    ) -> [IfmaLanes<M, Self>; 2] {
        complex_product_of_sums(factors)
    }

    /// a² of a normal value with u² = −1.
    #[inline(always)]
    fn complex_square<M: Modulus>(a: [&IfmaLanes<M, Self>; 2]) -> [IfmaLanes<M, Self>; 2] {
        complex_square(a)
    }

    /// a(9 + u) of a normal value.
    #[inline(always)]
    fn times_xi<M: Modulus>(a: [&IfmaLanes<M, Self>; 2]) -> [IfmaLanes<M, Self>; 2] {
        times_xi(a)
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn square<M: Modulus, O: IfmaOps>(a: &IfmaLanes<M, O>) -> IfmaLanes<M, O> {
    finish(Wide::square(&a.normal()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn product<M: Modulus, O: IfmaOps>([a, b]: [&IfmaLanes<M, O>; 2]) -> IfmaLanes<M, O> {
    finish(Wide::product(&a.normal(), &b.normal()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn product_of_sums<M: Modulus, O: IfmaOps>([a, b]: [&IfmaLanes<M, O>; 2]) -> IfmaLanes<M, O> {
    finish(Wide::product(&a.loose().reduce(), &b.loose().reduce()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn reduced<M: Modulus, O: IfmaOps>(a: &IfmaLanes<M, O>) -> IfmaLanes<M, O> {
    a.loose().reduce().into()
}

/// Reduces a sum of products, which is not negative, to a normal value.
#[inline(always)]
pub(super) fn finish<M: Modulus, O: IfmaOps>(sum: Wide<M, O>) -> IfmaLanes<M, O> {
    sum.reduce().carry().into()
}

/// 9a of a normal value, below 7p.
#[cfg_attr(not(debug_assertions), inline(always))]
fn nine_times<M: Modulus, O: IfmaOps>(a: &Loose<M, O>) -> Loose<M, O> {
    let double = a.add(a);
    let four = double.add(&double).reduce().loose();
    four.add(&four).add(a)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn complex_product<M: Modulus, O: IfmaOps>(
    [a, b]: [[&IfmaLanes<M, O>; 2]; 2],
) -> [IfmaLanes<M, O>; 2] {
    complex(
        [a[0].normal(), a[1].normal()],
        [b[0].normal(), b[1].normal()],
    )
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn complex_product_of_sums<M: Modulus, O: IfmaOps>(
    [a, b]: [[&IfmaLanes<M, O>; 2]; 2],
) -> [IfmaLanes<M, O>; 2] {
    complex(
        [a[0].loose().reduce(), a[1].loose().reduce()],
        [b[0].loose().reduce(), b[1].loose().reduce()],
    )
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn complex_square<M: Modulus, O: IfmaOps>(a: [&IfmaLanes<M, O>; 2]) -> [IfmaLanes<M, O>; 2] {
    let [a0, a1] = [a[0].normal().loose(), a[1].normal().loose()];
    let real = Wide::product(&a0.add(&a1).carry(), &a0.sub(&a1).offset::<3>().carry());
    let half = Wide::product(&a[0].normal(), &a[1].normal());
    [finish(real), finish(half.add(&half))]
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub fn times_xi<M: Modulus, O: IfmaOps>(a: [&IfmaLanes<M, O>; 2]) -> [IfmaLanes<M, O>; 2] {
    let [a0, a1] = [a[0].normal().loose(), a[1].normal().loose()];
    [
        nine_times(&a0).sub(&a1).reduce().into(),
        nine_times(&a1).add(&a0).reduce().into(),
    ]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn complex<M: Modulus, O: IfmaOps>(
    a: [Operand<M, O>; 2],
    b: [Operand<M, O>; 2],
) -> [IfmaLanes<M, O>; 2] {
    let [real, imaginary] = Wide::complex_product([&a[0], &a[1]], [&b[0], &b[1]]);
    [finish(real.offset()), finish(imaginary)]
}
