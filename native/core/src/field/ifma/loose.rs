//! Numbers of five limbs: with slack, and ready for products.

use core::marker::PhantomData;

use super::bounds::{Bounds, Range};
use super::constants::{Constants, MASK};
use super::ops::IfmaOps;
use crate::field::Modulus;

/// An array of `f(0)`, `f(1)` and so on. Unlike `core::array::from_fn` and `map` it is certain
/// to be inlined into a kernel; as a function of its own it would be compiled without its
/// instructions.
#[inline(always)]
pub fn each<T: Copy, const N: usize>(f: impl Fn(usize) -> T) -> [T; N] {
    let mut out = [f(0); N];
    for (i, item) in out.iter_mut().enumerate().skip(1) {
        *item = f(i);
    }
    out
}

/// Five signed limbs of any size: sums need no carries.
pub struct Loose<M, O: IfmaOps> {
    pub limbs: [O::Vector; 5],
    pub bounds: Bounds,
    pub marker: PhantomData<M>,
}

/// Five limbs from 0 to 2^52 − 1: a factor of a product.
pub struct Operand<M, O: IfmaOps>(Loose<M, O>);

impl<M, O: IfmaOps> Clone for Loose<M, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, O: IfmaOps> Copy for Loose<M, O> {}

impl<M, O: IfmaOps> Clone for Operand<M, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, O: IfmaOps> Copy for Operand<M, O> {}

impl<M: Modulus, O: IfmaOps> Loose<M, O> {
    /// These limbs, of which the bounds are trusted.
    #[inline(always)]
    pub fn new(limbs: [O::Vector; 5], bounds: Bounds) -> Self {
        Self {
            limbs,
            bounds,
            marker: PhantomData,
        }
    }

    /// A small multiple of p in every lane.
    #[inline(always)]
    fn multiple_of_p(factor: u64) -> Self {
        Self::new(
            splat::<O>(Constants::<M>::multiple(factor)),
            Bounds::new(Range {
                low: factor as f64,
                high: factor as f64,
                least: 0,
                most: i128::from(MASK),
            }),
        )
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn add(&self, other: &Self) -> Self {
        Self::new(
            each(|i| O::add(self.limbs[i], other.limbs[i])),
            self.bounds.add(other.bounds),
        )
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn sub(&self, other: &Self) -> Self {
        Self::new(
            each(|i| O::sub(self.limbs[i], other.limbs[i])),
            self.bounds.sub(other.bounds),
        )
    }

    /// Adds FACTOR·p.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn offset<const FACTOR: u64>(&self) -> Self {
        self.add(&Self::multiple_of_p(FACTOR))
    }

    /// Carries through the limbs of a number that is not negative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn carry(&self) -> Operand<M, O> {
        self.bounds.require(|range| {
            let room = 1i128 << 12;
            range.low >= 0.0
                && range.high <= Constants::<M>::CAPACITY
                && range.least - room > i128::from(i64::MIN)
                && range.most + room < i128::from(i64::MAX)
        });
        let mask = O::splat(MASK);
        let mut limbs = self.limbs;
        for i in 0..4 {
            limbs[i + 1] = O::add(limbs[i + 1], O::shift_right::<52>(limbs[i]));
            limbs[i] = O::and(limbs[i], mask);
        }
        let bounds = self.bounds.map(|range| Range {
            least: 0,
            most: i128::from(MASK),
            ..range
        });
        Operand(Self::new(limbs, bounds))
    }

    /// Reduces to a number between 0 and [`Constants::REMAINDER`], for numbers from −8·2^254 to
    /// 8·2^254: a multiple of p is chosen by the bits from 2^254 on, and subtracted.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn reduce(&self) -> Operand<M, O> {
        self.bounds.require(|range| {
            let reach = Constants::<M>::CAPACITY / 8.0 - 1e-6;
            // the limbs below the fourth reach up to 2^13 into it, which the table has room for
            range.low >= -reach
                && range.high <= reach
                && range.least > -(1 << 62)
                && range.most < 1 << 62
        });
        let top = O::add(self.limbs[4], O::shift_right::<52>(self.limbs[3]));
        let index = O::shift_right::<46>(top);
        let limbs = each(|i| O::sub(self.limbs[i], O::look_up(const_table::<M>(i), index)));
        let bounds = self.bounds.map(|range| Range {
            low: 0.0,
            high: Constants::<M>::REMAINDER,
            least: range.least - i128::from(MASK),
            most: range.most + i128::from(MASK),
        });
        Self::new(limbs, bounds).carry()
    }
}

#[inline(always)]
fn splat<O: IfmaOps>(limbs: [u64; 5]) -> [O::Vector; 5] {
    each(|i| O::splat(limbs[i]))
}

#[inline(always)]
fn const_table<M: Modulus>(limb: usize) -> &'static [super::ops::Octet; 2] {
    let table: &'static [[super::ops::Octet; 2]; 5] = const { &Constants::<M>::TABLE };
    &table[limb]
}

impl<M: Modulus, O: IfmaOps> Operand<M, O> {
    /// Takes limbs that are carried already.
    #[inline(always)]
    pub fn trusted(number: Loose<M, O>) -> Self {
        number.bounds.require(|range| {
            range.low >= 0.0
                && range.high <= Constants::<M>::CAPACITY
                && range.least >= 0
                && range.most <= i128::from(MASK)
        });
        Self(number)
    }

    /// A constant.
    #[inline(always)]
    pub fn constant(limbs: [u64; 5]) -> Self {
        Self(Loose::new(splat::<O>(limbs), Bounds::carried(1.0)))
    }

    /// The number as a summand.
    #[inline(always)]
    pub fn loose(&self) -> Loose<M, O> {
        self.0
    }
}
