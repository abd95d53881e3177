//! Products of limbs as columns, and the reduction of columns to limbs. The method and its bounds
//! stand in the head of [`super`].

use super::constants::{Constants, RADIX};
use super::ops::{FmaOps, Quad};
use crate::field::Modulus;

/// Limbs in registers.
pub type Limbs<O> = [<O as FmaOps>::Floats; 5];
/// Ten columns: integers of weight 2^(51k) plus patterns of floats that are taken off later.
pub type Columns<O> = [<O as FmaOps>::Ints; 10];

/// 1.5·2^103: a sum with it is a multiple of 2^51.
pub const HIGH: f64 = 3.0 * RADIX * RADIX;
/// 1.5·2^52: a sum with it is a multiple of 1.
pub const LOW: f64 = 3.0 * RADIX;
/// Both, exact.
pub const BOTH: f64 = HIGH + LOW;
const HIGH_BITS: u64 = HIGH.to_bits();
pub const LOW_BITS: u64 = LOW.to_bits();
/// The exponent of a float between 2^52 and 2^53, whose unit is 1.
pub const UNIT_BITS: u64 = 0x433 << 52;
/// 2^52 + 2^50: what `UNIT_BITS` and the bias of a column make of 0.
pub const UNIT: f64 = 2.0 * RADIX + RADIX / 2.0;
/// Columns are kept positive by this much before their carry.
pub const OFFSET: u64 = 1 << 62;
pub const HALF: u64 = 1 << 50;

/// Products that add their low half to a column; the high halves go to the next one.
const LOWS: [u64; 11] = [1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0];

#[inline(always)]
pub fn load<O: FmaOps>(limbs: &[Quad; 5]) -> Limbs<O> {
    [
        O::load(&limbs[0]),
        O::load(&limbs[1]),
        O::load(&limbs[2]),
        O::load(&limbs[3]),
        O::load(&limbs[4]),
    ]
}

#[inline(always)]
pub fn store<O: FmaOps>(limbs: Limbs<O>) -> [Quad; 5] {
    [
        O::store(limbs[0]),
        O::store(limbs[1]),
        O::store(limbs[2]),
        O::store(limbs[3]),
        O::store(limbs[4]),
    ]
}

/// The patterns of the two halves of a·b.
#[inline(always)]
fn halves<O: FmaOps>(a: O::Floats, b: O::Floats) -> (O::Ints, O::Ints) {
    let high = O::mul_add(a, b, O::splat(HIGH));
    let low = O::mul_add(a, b, O::sub(O::splat(BOTH), high));
    (O::to_bits(low), O::to_bits(high))
}

/// The columns of a·b by the operations of `O`: what [`FmaOps::columns`] gives.
#[inline(always)]
pub fn generic_columns<O: FmaOps>(a: &[Quad; 5], b: &[Quad; 5]) -> Columns<O> {
    let (a, b) = (load::<O>(a), load::<O>(b));
    let mut t = [O::splat_int(0); 10];
    macro_rules! products {
        ($($i:literal $j:literal),*) => { $(
            let (low, high) = halves::<O>(a[$i], b[$j]);
            t[$i + $j] = O::add_int(t[$i + $j], low);
            t[$i + $j + 1] = O::add_int(t[$i + $j + 1], high);
        )* };
    }
    // column by column, so that few are open at a time
    products!(0 0);
    products!(0 1, 1 0);
    products!(0 2, 1 1, 2 0);
    products!(0 3, 1 2, 2 1, 3 0);
    products!(0 4, 1 3, 2 2, 3 1, 4 0);
    products!(1 4, 2 3, 3 2, 4 1);
    products!(2 4, 3 3, 4 2);
    products!(3 4, 4 3);
    products!(4 4);
    t
}

/// a + b, column by column.
#[inline(always)]
fn add_columns<O: FmaOps>(a: &Columns<O>, b: &Columns<O>) -> Columns<O> {
    let mut out = *a;
    for k in 0..10 {
        out[k] = O::add_int(a[k], b[k]);
    }
    out
}

/// a − b, column by column.
#[inline(always)]
fn subtract_columns<O: FmaOps>(a: &Columns<O>, b: &Columns<O>) -> Columns<O> {
    let mut out = *a;
    for k in 0..10 {
        out[k] = O::sub_int(a[k], b[k]);
    }
    out
}

/// What [`FmaOps::multiply`] gives.
#[inline(always)]
pub fn multiply<M: Modulus, O: FmaOps, const N: usize>(
    pairs: [[&[Quad; 5]; 2]; N],
) -> [[Quad; 5]; N] {
    let mut sets = [[O::splat_int(0); 10]; N];
    for i in 0..N {
        sets[i] = O::columns(pairs[i][0], pairs[i][1]);
    }
    let reduced = reduce_columns::<M, O, N>(sets, [1; N]);
    let mut out = [[Quad::splat(0.0); 5]; N];
    for i in 0..N {
        out[i] = store::<O>(reduced[i]);
    }
    out
}

/// What [`FmaOps::multiply_complex`] gives.
#[inline(always)]
pub fn multiply_complex<M: Modulus, O: FmaOps, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    let mut first = O::columns(a[0][0], b[0][0]);
    let mut second = O::columns(a[0][1], b[0][1]);
    let mut both = O::columns(a[0][2], b[0][2]);
    for i in 1..N {
        first = add_columns::<O>(&first, &O::columns(a[i][0], b[i][0]));
        second = add_columns::<O>(&second, &O::columns(a[i][1], b[i][1]));
        both = add_columns::<O>(&both, &O::columns(a[i][2], b[i][2]));
    }
    let real = subtract_columns::<O>(&first, &second);
    let imaginary = subtract_columns::<O>(&subtract_columns::<O>(&both, &first), &second);
    let [real, imaginary] = reduce_columns::<M, O, 2>([real, imaginary], [0, -(N as i64)]);
    [store::<O>(real), store::<O>(imaginary)]
}

/// Adds a₀b₀ + a₁b₁ with |a₀b₀| + |a₁b₁| ≤ 2^102 to two columns, as one pattern of each half.
#[inline(always)]
fn add_pair<O: FmaOps>(
    [low, high]: [&mut O::Ints; 2],
    [a0, b0]: [O::Floats; 2],
    [a1, b1]: [O::Floats; 2],
) {
    let first = O::mul_add(a0, b0, O::splat(HIGH));
    let rest = O::mul_add(a0, b0, O::sub(O::splat(BOTH), first));
    let second = O::mul_add(a1, b1, first);
    let rest = O::add(rest, O::mul_add(a1, b1, O::sub(first, second)));
    *low = O::add_int(*low, O::to_bits(rest));
    *high = O::add_int(*high, O::to_bits(second));
}

/// What is added to a column made of so many patterns to leave its value plus the offset and half
/// a digit, less what the carry of the offset column below brings along.
pub const fn bias(lows: u64, highs: u64, follows: bool) -> u64 {
    let patterns = lows
        .wrapping_mul(LOW_BITS)
        .wrapping_add(highs.wrapping_mul(HIGH_BITS));
    let carried = if follows { OFFSET >> 51 } else { 0 };
    (OFFSET + HALF - carried).wrapping_sub(patterns)
}

/// What is added to the columns of a reduction, by the number of patterns that they hold: see
/// [`reduce_columns`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Biases {
    /// To T0 … T3 before their digits.
    pub low: [u64; 4],
    /// To T9 with its folds, leaving the float of its value plus [`LOW`].
    pub top: u64,
    /// To T8 with its folds, leaving its value plus the offset.
    pub next: u64,
    /// To T4 … T8 with folds and quotient, before the digits of the result.
    pub last: [u64; 5],
}

impl Biases {
    /// For columns that hold the patterns of one product of values so many times.
    pub const fn new(patterns: i64) -> Self {
        let mut low = [0; 4];
        let mut last = [0; 5];
        let mut k = 0;
        while k < 4 {
            let (lows, highs) = counts(patterns, k, 0, 0);
            low[k] = bias(lows, highs, k > 0);
            k += 1;
        }
        // two patterns of the folds and one of the quotient
        let mut j = 0;
        while j < 5 {
            let (lows, highs) = counts(patterns, 4 + j, 3, if j == 0 { 0 } else { 3 });
            last[j] = bias(lows, highs, true);
            j += 1;
        }
        let (lows, highs) = counts(patterns, 9, 0, 2);
        let top = bias(lows, highs, false)
            .wrapping_sub(OFFSET + HALF)
            .wrapping_add(LOW_BITS);
        let (lows, highs) = counts(patterns, 8, 2, 2);
        let next = bias(lows, highs, false).wrapping_sub(HALF);
        Self {
            low,
            top,
            next,
            last,
        }
    }
}

/// The signed digit of a biased column.
#[inline(always)]
fn digit<O: FmaOps>(column: O::Ints) -> O::Floats {
    let low = O::and(column, O::splat_int((1 << 51) - 1));
    let float = O::from_bits(O::or(low, O::splat_int(UNIT_BITS)));
    O::sub(float, O::splat(UNIT))
}

/// The patterns of column k of a product, times `patterns`, and what came on top.
#[inline(always)]
pub const fn counts(patterns: i64, k: usize, more_lows: u64, more_highs: u64) -> (u64, u64) {
    let below = if k == 0 { 0 } else { LOWS[k - 1] };
    (
        (patterns as u64)
            .wrapping_mul(LOWS[k])
            .wrapping_add(more_lows),
        (patterns as u64)
            .wrapping_mul(below)
            .wrapping_add(more_highs),
    )
}

/// The limbs of t·2^−204 mod P for every set of columns. `patterns` is how many times the columns
/// hold the patterns of one product of values: 1 for a product, 0 for a difference of two.
#[inline(always)]
pub(super) fn reduce_columns<M: Modulus, O: FmaOps, const N: usize>(
    mut sets: [Columns<O>; N],
    patterns: [i64; N],
) -> [Limbs<O>; N] {
    let mut biases = [const { Biases::new(0) }; N];
    for n in 0..N {
        biases[n] = Biases::new(patterns[n]);
    }
    let zero = O::splat(0.0);
    let mut digits = [[zero; 4]; N];
    let mut quotients = [zero; N];
    let mut out = [[zero; 5]; N];

    // 1. digits of the four low columns
    for i in 0..4 {
        for (n, t) in sets.iter_mut().enumerate() {
            if i > 0 {
                t[i] = O::add_int(t[i], O::shift_right::<51>(t[i - 1]));
            }
            t[i] = O::add_int(t[i], O::splat_int(biases[n].low[i]));
            digits[n][i] = digit::<O>(t[i]);
        }
    }
    for t in &mut sets {
        t[4] = O::add_int(t[4], O::shift_right::<51>(t[3]));
    }

    // 2. their folds, the top columns first, 3. the quotient from these, while the others follow
    fold::<M, O, 3, 5, N>(&mut sets, &digits);
    for (n, t) in sets.iter().enumerate() {
        let top = O::from_bits(O::add_int(t[9], O::splat_int(biases[n].top)));
        let top = O::sub(top, O::splat(LOW));
        let next = O::add_int(t[8], O::splat_int(biases[n].next));
        let next = O::shift_right::<12>(next);
        let next = O::from_bits(O::or(next, O::splat_int(UNIT_BITS)));
        let next = O::sub(next, O::splat(UNIT));
        let next = O::mul(next, O::splat(Constants::<M>::QUOTIENT_4 * 4096.0));
        let [factor, missing] = Constants::<M>::QUOTIENT_9;
        let sum = O::mul_add(top, O::splat(missing), next);
        quotients[n] = O::round(O::mul_add(top, O::splat(factor), sum));
    }
    fold::<M, O, 0, 3, N>(&mut sets, &digits);

    // the quotient's multiple of P
    for (t, quotient) in sets.iter_mut().zip(quotients) {
        for j in 0..5 {
            let p = O::splat(Constants::<M>::P[j]);
            let high = O::neg_mul_add(quotient, p, O::splat(HIGH));
            let low = O::neg_mul_add(quotient, p, O::sub(O::splat(BOTH), high));
            t[4 + j] = O::add_int(t[4 + j], O::to_bits(low));
            if j < 4 {
                t[5 + j] = O::add_int(t[5 + j], O::to_bits(high));
            }
        }
    }

    // 4. digits of the result: 2 patterns of the folds and 1 of the quotient in every column
    for j in 0..5 {
        for (n, t) in sets.iter_mut().enumerate() {
            t[4 + j] = O::add_int(t[4 + j], O::splat_int(biases[n].last[j]));
            if j > 0 {
                t[4 + j] = O::add_int(t[4 + j], O::shift_right::<51>(t[3 + j]));
            }
            out[n][j] = digit::<O>(t[4 + j]);
        }
    }
    out
}

/// Adds digits `FROM`..`TO` of the folds.
#[inline(always)]
fn fold<M: Modulus, O: FmaOps, const FROM: usize, const TO: usize, const N: usize>(
    sets: &mut [Columns<O>; N],
    digits: &[[O::Floats; 4]; N],
) {
    for (t, digits) in sets.iter_mut().zip(digits) {
        for j in (FROM..TO).rev() {
            let (below, above) = t.split_at_mut(5 + j);
            for i in [0, 2] {
                add_pair::<O>(
                    [&mut below[4 + j], &mut above[0]],
                    [digits[i], O::splat(Constants::<M>::FOLDS[i][j])],
                    [digits[i + 1], O::splat(Constants::<M>::FOLDS[i + 1][j])],
                );
            }
        }
    }
}
