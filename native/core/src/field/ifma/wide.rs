//! Products before their reduction: ten columns, of which column i counts 2^(52·i).

use core::marker::PhantomData;

use super::bounds::{Bounds, Range};
use super::constants::{Constants, MASK};
use super::loose::{each, Loose, Operand};
use super::ops::IfmaOps;
use crate::field::Modulus;

/// A sum of products, with columns of both signs.
pub struct Wide<M, O: IfmaOps> {
    pub columns: [O::Vector; 10],
    pub bounds: Bounds,
    marker: PhantomData<M>,
}

impl<M, O: IfmaOps> Clone for Wide<M, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, O: IfmaOps> Copy for Wide<M, O> {}

/// Terms that a product adds to a column at most: 5 low halves and 4 high ones, or 4 and 5.
const TERMS: i128 = 9;
/// Terms that a reduction adds to a column at most.
const REDUCTION_TERMS: i128 = 10;

impl<M: Modulus, O: IfmaOps> Wide<M, O> {
    /// These columns, of which the bounds are trusted.
    #[inline(always)]
    pub fn new(columns: [O::Vector; 10], bounds: Bounds) -> Self {
        Self {
            columns,
            bounds,
            marker: PhantomData,
        }
    }

    /// 0.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::new(
            [O::splat(0); 10],
            Bounds::new(Range {
                low: 0.0,
                high: 0.0,
                least: 0,
                most: 0,
            }),
        )
    }

    /// a·b.
    #[inline(always)]
    pub fn product(a: &Operand<M, O>, b: &Operand<M, O>) -> Self {
        Self::zero().plus_product(a, b)
    }

    /// self + a·b.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn plus_product(mut self, a: &Operand<M, O>, b: &Operand<M, O>) -> Self {
        let (a, b) = (a.loose(), b.loose());
        for i in 0..5 {
            for j in 0..5 {
                let column = &mut self.columns[i + j];
                *column = O::madd_low(*column, a.limbs[i], b.limbs[j]);
            }
            for j in 0..5 {
                let column = &mut self.columns[i + j + 1];
                *column = O::madd_high(*column, a.limbs[i], b.limbs[j]);
            }
        }
        self.bounds = self.bounds.add(Self::product_bounds(&a, &b));
        self
    }

    /// a², the products of different limbs being made once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn square(a: &Operand<M, O>) -> Self {
        let a = a.loose();
        let mut columns = [O::splat(0); 10];
        for i in 0..4 {
            for j in i + 1..5 {
                columns[i + j] = O::madd_low(columns[i + j], a.limbs[i], a.limbs[j]);
                columns[i + j + 1] = O::madd_high(columns[i + j + 1], a.limbs[i], a.limbs[j]);
            }
        }
        for column in &mut columns[1..9] {
            *column = O::add(*column, *column);
        }
        for i in 0..5 {
            columns[2 * i] = O::madd_low(columns[2 * i], a.limbs[i], a.limbs[i]);
            columns[2 * i + 1] = O::madd_high(columns[2 * i + 1], a.limbs[i], a.limbs[i]);
        }
        Self::new(columns, Self::product_bounds(&a, &a))
    }

    #[inline(always)]
    fn product_bounds(a: &Loose<M, O>, b: &Loose<M, O>) -> Bounds {
        a.bounds.join(b.bounds, |a, b| Range {
            low: a.low * b.low / Constants::<M>::CAPACITY,
            high: a.high * b.high / Constants::<M>::CAPACITY,
            least: 0,
            most: TERMS * i128::from(MASK),
        })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn add(&self, other: &Self) -> Self {
        Self::new(
            each(|i| O::add(self.columns[i], other.columns[i])),
            self.bounds.add(other.bounds),
        )
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn sub(&self, other: &Self) -> Self {
        Self::new(
            each(|i| O::sub(self.columns[i], other.columns[i])),
            self.bounds.sub(other.bounds),
        )
    }

    /// Adds an eighth of 2^260·p, so that a difference does not become negative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn offset(&self) -> Self {
        let mut columns = self.columns;
        for i in 0..6 {
            columns[4 + i] = O::add(columns[4 + i], O::splat(Constants::<M>::EIGHTH[i]));
        }
        let offset = Bounds::new(Range {
            low: 0.125,
            high: 0.125,
            least: 0,
            most: i128::from(MASK),
        });
        Self::new(columns, self.bounds.add(offset))
    }

    /// (a₀ + a₁u)(b₀ + b₁u) with u² = −1: three products (Karatsuba).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn complex_product(a: [&Operand<M, O>; 2], b: [&Operand<M, O>; 2]) -> [Self; 2] {
        let w0 = Self::product(a[0], b[0]);
        let w1 = Self::product(a[1], b[1]);
        let a_sum = a[0].loose().add(&a[1].loose()).carry();
        let b_sum = b[0].loose().add(&b[1].loose()).carry();
        let imaginary = Self::zero().sub(&w0.add(&w1)).plus_product(&a_sum, &b_sum);
        // that leaves a₀b₁ + a₁b₀
        let [a0, a1] = [a[0].loose(), a[1].loose()];
        let [b0, b1] = [b[0].loose(), b[1].loose()];
        let value = Self::product_bounds(&a0, &b1).add(Self::product_bounds(&a1, &b0));
        let bounds = imaginary.bounds.join(value, |columns, value| {
            columns.with_value(value.low, value.high)
        });
        [
            w0.sub(&w1),
            Self {
                bounds,
                ..imaginary
            },
        ]
    }

    /// The value times 2^−260 mod p. See [`Self::round`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn reduce(self) -> Loose<M, O> {
        // written out, so that no index is left to the running program
        self.round::<0>()
            .round::<1>()
            .round::<2>()
            .round::<3>()
            .last_round()
    }

    /// Clears column `I`, the lowest one left: it is worth [`Constants::SHIFT`] times itself one
    /// column further. Products read its low 52 bits, the rest is carried.
    ///
    /// Compared with Montgomery's way this spares the multiplication that finds a multiple of p.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn round<const I: usize>(mut self) -> Self {
        let lowest = self.columns[I];
        self.columns[I + 1] = O::add(self.columns[I + 1], O::shift_right::<52>(lowest));
        for j in 0..5 {
            let factor = O::splat(Constants::<M>::SHIFT[j]);
            let column = &mut self.columns[I + 1 + j];
            *column = O::madd_low(*column, lowest, factor);
        }
        for j in 0..5 {
            let factor = O::splat(Constants::<M>::SHIFT[j]);
            let column = &mut self.columns[I + 2 + j];
            *column = O::madd_high(*column, lowest, factor);
        }
        self
    }

    /// Montgomery's round, because the other would leave 52 bits more: adds q·p so that the low 52
    /// bits of column 4 become 0. They carry 1 unless they were 0 already.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn last_round(self) -> Loose<M, O> {
        self.bounds.require(|range| {
            let room = (REDUCTION_TERMS << 52) + (1 << 13);
            range.least - room > i128::from(i64::MIN) && range.most + room < i128::from(i64::MAX)
        });
        let mut columns = self.columns;
        let quotient = O::madd_low(O::splat(0), columns[4], O::splat(Constants::<M>::INVERSE));
        let carried = O::shift_right::<52>(O::add(columns[4], O::splat(MASK)));
        columns[5] = O::add(columns[5], carried);
        for j in 1..5 {
            let factor = O::splat(Constants::<M>::P[j]);
            columns[4 + j] = O::madd_low(columns[4 + j], quotient, factor);
        }
        for j in 0..5 {
            let factor = O::splat(Constants::<M>::P[j]);
            columns[5 + j] = O::madd_high(columns[5 + j], quotient, factor);
        }
        let bounds = self.bounds.map(|range| Range {
            low: range.low,
            high: range.high + Constants::<M>::RESIDUE,
            least: range.least - (1 << 13),
            most: range.most + (REDUCTION_TERMS << 52) + (1 << 13),
        });
        Loose::new(each(|i| columns[5 + i]), bounds)
    }
}
