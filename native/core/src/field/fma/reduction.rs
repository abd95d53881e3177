//! The reduction of columns to limbs, by the operations of any back-end. The head of [`super`]
//! explains the steps and their bounds.

use super::biases::Biases;
use super::columns::{Columns, Limbs, BOTH, HIGH, LOW, UNIT, UNIT_BITS};
use super::constants::Constants;
use super::ops::FmaOps;
use crate::field::Modulus;

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

/// The signed digit of a biased column.
#[inline(always)]
fn digit<O: FmaOps>(column: O::Ints) -> O::Floats {
    let low = O::and(column, O::splat_int((1 << 51) - 1));
    let float = O::from_bits(O::or(low, O::splat_int(UNIT_BITS)));
    O::sub(float, O::splat(UNIT))
}

/// The limbs of t·2^−204 mod P for every set of columns. `patterns` is how many times the columns
/// hold the patterns of one product of values: 1 for a product, 0 for a difference of two.
#[inline(always)]
pub fn reduce_columns<M: Modulus, O: FmaOps, const N: usize>(
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
