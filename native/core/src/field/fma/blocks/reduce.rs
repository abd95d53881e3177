//! Two reductions of columns side by side, since one alone is bound by its latency: the steps of
//! `reduce_columns`, each a block. Operands of both are read once.

use super::super::constants::Constants;
use super::super::ops::Quad;
use super::for_each;
use super::ops::{BlockOps, Pair};
use super::scratch::{Columns, Work};
use super::tables::{Biases, BOTH_PAIR, HIGH_PAIR, LOW_PAIR, MASK_PAIR, UNIT_BITS_PAIR, UNIT_PAIR};
use crate::field::Modulus;

/// One vector of each reduction.
type Both<O> = [<O as BlockOps>::Vector; 2];

#[inline(always)]
fn read<O: BlockOps>(from: &[Pair; 2]) -> Both<O> {
    [O::read(&from[0]), O::read(&from[1])]
}

#[inline(always)]
fn write<O: BlockOps>(to: &mut [Pair; 2], [first, second]: Both<O>) {
    O::write(&mut to[0], first);
    O::write(&mut to[1], second);
}

#[inline(always)]
fn add<O: BlockOps>(a: Both<O>, b: Both<O>) -> Both<O> {
    [O::add_int(a[0], b[0]), O::add_int(a[1], b[1])]
}

/// Columns to be reduced.
pub trait Source {
    /// Column k of both.
    fn column<O: BlockOps>(&self, k: usize) -> Both<O>;
    /// Column k of one.
    fn column_of<O: BlockOps>(&self, k: usize, set: usize) -> O::Vector;
}

/// Two products.
pub struct Products<'a>(pub &'a [Columns; 3]);

impl Source for Products<'_> {
    #[inline(always)]
    fn column<O: BlockOps>(&self, k: usize) -> Both<O> {
        [O::read(&self.0[0][k]), O::read(&self.0[1][k])]
    }

    #[inline(always)]
    fn column_of<O: BlockOps>(&self, k: usize, set: usize) -> O::Vector {
        O::read(&self.0[set][k])
    }
}

/// x − y and z − x − y of the sets x, y, z.
pub struct Differences<'a>(pub &'a [Columns; 3]);

impl Source for Differences<'_> {
    #[inline(always)]
    fn column<O: BlockOps>(&self, k: usize) -> Both<O> {
        let (x, y) = (O::read(&self.0[0][k]), O::read(&self.0[1][k]));
        let z = O::read(&self.0[2][k]);
        [O::sub_int(x, y), O::sub_int(z, O::add_int(x, y))]
    }

    #[inline(always)]
    fn column_of<O: BlockOps>(&self, k: usize, set: usize) -> O::Vector {
        let (x, y) = (O::read(&self.0[0][k]), O::read(&self.0[1][k]));
        if set == 0 {
            O::sub_int(x, y)
        } else {
            O::sub_int(O::read(&self.0[2][k]), O::add_int(x, y))
        }
    }
}

/// Destination of half of the lanes of both results.
pub trait Sink {
    /// Puts limb i.
    fn put<O: BlockOps>(&mut self, i: usize, limbs: Both<O>);
}

/// One half of two results.
pub struct Halves<'a, const HALF: usize>(pub &'a mut [[Quad; 5]; 2]);

impl<const HALF: usize> Sink for Halves<'_, HALF> {
    #[inline(always)]
    fn put<O: BlockOps>(&mut self, i: usize, [first, second]: Both<O>) {
        O::put_half::<HALF>(&mut self.0[0][i], first);
        O::put_half::<HALF>(&mut self.0[1][i], second);
    }
}

/// Both halves of one result.
pub struct Whole<'a>(pub &'a mut [Quad; 5]);

impl Sink for Whole<'_> {
    #[inline(always)]
    fn put<O: BlockOps>(&mut self, i: usize, [first, second]: Both<O>) {
        O::put_half::<0>(&mut self.0[i], first);
        O::put_half::<1>(&mut self.0[i], second);
    }
}

/// The digits of biased columns.
#[inline(always)]
fn digits<O: BlockOps>(columns: Both<O>) -> Both<O> {
    let mask = O::read(&MASK_PAIR);
    let (unit_bits, unit) = (O::read(&UNIT_BITS_PAIR), O::read(&UNIT_PAIR));
    columns.map(|column| O::sub(O::or(O::and(column, mask), unit_bits), unit))
}

#[inline(always)]
fn carry<O: BlockOps>(columns: Both<O>) -> Both<O> {
    columns.map(|column| O::shift_right::<51>(column))
}

/// Digits 0 to 3, and their carry on column 4.
#[inline(always)]
fn low_digits<O: BlockOps>(source: &impl Source, biases: [&Biases; 2], work: &mut Work) {
    let mut sums = source.column::<O>(0);
    for_each!(I in [0 1 2 3] {
        if I != 0 {
            sums = add::<O>(sums, source.column::<O>(I));
        }
        sums = add::<O>(sums, biases.map(|biases| O::read(&biases.low[I])));
        write::<O>(&mut work.digits[I], digits::<O>(sums));
        sums = carry::<O>(sums);
    });
    write::<O>(&mut work.low[0], add::<O>(sums, source.column::<O>(4)));
}

/// Adds Σ digits[i]·folds[i][j] to column 4 + j, one reduction after the other: the constants of both
/// at once are more than there are registers.
#[inline(always)]
fn fold<M: Modulus, O: BlockOps>(source: &impl Source, work: &mut Work, j: usize) {
    for set in 0..2 {
        let (high_unit, both) = (O::read(&HIGH_PAIR), O::read(&BOTH_PAIR));
        let digits = &work.digits;
        let folds = &Constants::<M>::TABLE.folds;
        let pair = |i: usize| {
            let (d0, m0) = (O::read(&digits[i][set]), O::read(&folds[i][j]));
            let (d1, m1) = (O::read(&digits[i + 1][set]), O::read(&folds[i + 1][j]));
            let first = O::mul_add(d0, m0, high_unit);
            let rest = O::mul_add(d0, m0, O::sub(both, first));
            let second = O::mul_add(d1, m1, first);
            let next = O::mul_add(d1, m1, O::sub(first, second));
            (O::add(rest, next), second)
        };
        let (low0, high0) = pair(0);
        let (low1, high1) = pair(2);
        let column = if j == 0 {
            O::read(&work.low[0][set])
        } else {
            source.column_of::<O>(4 + j, set)
        };
        let low = O::add_int(O::add_int(low0, low1), column);
        O::write(&mut work.low[j][set], low);
        O::write(&mut work.high[j][set], O::add_int(high0, high1));
    }
}

/// The values over P, rounded, from columns 8 and 9.
#[inline(always)]
fn quotients<M: Modulus, O: BlockOps>(source: &impl Source, biases: [&Biases; 2], work: &mut Work) {
    let table = Constants::<M>::TABLE;
    let ninth = add::<O>(source.column::<O>(9), read::<O>(&work.high[4]));
    let ninth = add::<O>(ninth, biases.map(|biases| O::read(&biases.quotient[1])));
    // column 8 is now complete up to the multiple of P
    let eighth = add::<O>(read::<O>(&work.low[4]), read::<O>(&work.high[3]));
    write::<O>(&mut work.low[4], eighth);
    let eighth = add::<O>(eighth, biases.map(|biases| O::read(&biases.quotient[0])));
    let (unit_bits, unit) = (O::read(&UNIT_BITS_PAIR), O::read(&UNIT_PAIR));
    let low_unit = O::read(&LOW_PAIR);
    let quotient_8 = O::read(&table.quotient_8);
    let (missing_9, quotient_9) = (O::read(&table.missing_9), O::read(&table.quotient_9));
    let quotients = [0, 1].map(|set| {
        let eighth = O::or(O::shift_right::<12>(eighth[set]), unit_bits);
        let rest = O::mul(O::sub(eighth, unit), quotient_8);
        let ninth = O::sub(ninth[set], low_unit);
        let rest = O::mul_add(ninth, missing_9, rest);
        O::round(O::mul_add(ninth, quotient_9, rest))
    });
    write::<O>(&mut work.quotient, quotients);
}

/// Digit j of the results, with the carry of the digits below.
#[inline(always)]
fn high_digits<M: Modulus, O: BlockOps>(
    biases: [&Biases; 2],
    work: &mut Work,
    out: &mut impl Sink,
    j: usize,
    below: Option<Both<O>>,
) -> Both<O> {
    let quotients = read::<O>(&work.quotient);
    let minus_p = O::read(&Constants::<M>::TABLE.minus_p[j]);
    let (high_unit, both) = (O::read(&HIGH_PAIR), O::read(&BOTH_PAIR));
    let mut high = quotients.map(|q| O::mul_add(q, minus_p, high_unit));
    let low = [0, 1].map(|set| O::mul_add(quotients[set], minus_p, O::sub(both, high[set])));
    let mut sums = add::<O>(low, read::<O>(&work.low[j]));
    sums = add::<O>(sums, biases.map(|biases| O::read(&biases.high[j])));
    if j > 0 {
        sums = add::<O>(sums, read::<O>(&work.high[j - 1]));
    }
    if let Some(below) = below {
        sums = add::<O>(sums, below);
    }
    if j < 4 {
        // column 8 has the high half of its fold already
        if j < 3 {
            high = add::<O>(high, read::<O>(&work.high[j]));
        }
        write::<O>(&mut work.high[j], high);
    }
    out.put::<O>(j, digits::<O>(sums));
    carry::<O>(sums)
}

/// Reduces two sets of columns.
#[inline(always)]
pub fn reduce<M: Modulus, O: BlockOps>(
    source: &impl Source,
    biases: [&'static Biases; 2],
    work: &mut Work,
    out: &mut impl Sink,
) {
    let flags = O::flags();
    low_digits::<O>(source, biases, work);
    O::cut(flags, 0);
    for_each!(BLOCK in [1 2 3 4 5] {
        // the top columns first: the quotient needs them
        fold::<M, O>(source, work, 5 - BLOCK);
        O::cut(flags, BLOCK as u32);
        if BLOCK == 2 {
            quotients::<M, O>(source, biases, work);
            O::cut(flags, 6);
        }
    });
    let mut carries = None;
    for_each!(J in [0 1 2 3 4] {
        carries = Some(high_digits::<M, O>(biases, work, out, J, carries));
        O::cut(flags, 7 + J as u32);
    });
}
