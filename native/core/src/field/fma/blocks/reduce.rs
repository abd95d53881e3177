//! The reduction of columns: the steps of `reduce_columns`, each a block.

use super::super::constants::Constants;
use super::for_each;
use super::ops::BlockOps;
use super::scratch::{Columns, Work};
use super::tables::{Biases, BOTH_PAIR, HIGH_PAIR, LOW_PAIR, MASK_PAIR, UNIT_BITS_PAIR, UNIT_PAIR};
use crate::field::Modulus;

/// The digit of a biased column.
#[inline(always)]
fn digit<O: BlockOps>(column: O::Vector) -> O::Vector {
    let low = O::and(column, O::read(&MASK_PAIR));
    O::sub(O::or(low, O::read(&UNIT_BITS_PAIR)), O::read(&UNIT_PAIR))
}

/// One reduction of columns.
struct Reduction<'a> {
    columns: &'a Columns,
    biases: &'static Biases,
    work: &'a mut Work,
}

impl Reduction<'_> {
    #[inline(always)]
    fn column<O: BlockOps>(&self, k: usize) -> O::Vector {
        O::read(&self.columns[k])
    }

    /// Digits 0 to 3, and their carry on column 4.
    #[inline(always)]
    fn low_digits<O: BlockOps>(&mut self) {
        let mut sum = self.column::<O>(0);
        for_each!(I in [0 1 2 3] {
            if I != 0 {
                sum = O::add_int(sum, self.column::<O>(I));
            }
            sum = O::add_int(sum, O::read(&self.biases.low[I]));
            O::write(&mut self.work.digits[I], digit::<O>(sum));
            sum = O::shift_right::<51>(sum);
        });
        let sum = O::add_int(sum, self.column::<O>(4));
        O::write(&mut self.work.low[0], sum);
    }

    /// Adds Σ digits[i]·folds[i][j] to column 4 + j.
    #[inline(always)]
    fn fold<M: Modulus, O: BlockOps>(&mut self, j: usize) {
        let (high_unit, both) = (O::read(&HIGH_PAIR), O::read(&BOTH_PAIR));
        let digits = &self.work.digits;
        let folds = &Constants::<M>::TABLE.folds;
        let pair = |i: usize| {
            let (d0, m0) = (O::read(&digits[i]), O::read(&folds[i][j]));
            let (d1, m1) = (O::read(&digits[i + 1]), O::read(&folds[i + 1][j]));
            let first = O::mul_add(d0, m0, high_unit);
            let rest = O::mul_add(d0, m0, O::sub(both, first));
            let second = O::mul_add(d1, m1, first);
            let next = O::mul_add(d1, m1, O::sub(first, second));
            (O::add(rest, next), second)
        };
        let (low0, high0) = pair(0);
        let (low1, high1) = pair(2);
        let column = if j == 0 {
            O::read(&self.work.low[0])
        } else {
            self.column::<O>(4 + j)
        };
        let low = O::add_int(O::add_int(low0, low1), column);
        O::write(&mut self.work.low[j], low);
        O::write(&mut self.work.high[j], O::add_int(high0, high1));
    }

    /// The value over P, rounded, from columns 8 and 9.
    #[inline(always)]
    fn quotient<M: Modulus, O: BlockOps>(&mut self) {
        let table = Constants::<M>::TABLE;
        let ninth = O::add_int(self.column::<O>(9), O::read(&self.work.high[4]));
        let ninth = O::add_int(ninth, O::read(&self.biases.quotient[1]));
        // column 8 is now complete up to the multiple of P
        let eighth = O::add_int(O::read(&self.work.low[4]), O::read(&self.work.high[3]));
        O::write(&mut self.work.low[4], eighth);
        let eighth = O::add_int(eighth, O::read(&self.biases.quotient[0]));
        let eighth = O::or(O::shift_right::<12>(eighth), O::read(&UNIT_BITS_PAIR));
        let eighth = O::sub(eighth, O::read(&UNIT_PAIR));
        let ninth = O::sub(ninth, O::read(&LOW_PAIR));
        let rest = O::mul(eighth, O::read(&table.quotient_8));
        let rest = O::mul_add(ninth, O::read(&table.missing_9), rest);
        let quotient = O::round(O::mul_add(ninth, O::read(&table.quotient_9), rest));
        O::write(&mut self.work.quotient, quotient);
    }

    /// Digit j of the result.
    #[inline(always)]
    fn high_digit<M: Modulus, O: BlockOps>(
        &mut self,
        j: usize,
        carry: Option<O::Vector>,
    ) -> O::Vector {
        let quotient = O::read(&self.work.quotient);
        let minus_p = O::read(&Constants::<M>::TABLE.minus_p[j]);
        let mut high = O::mul_add(quotient, minus_p, O::read(&HIGH_PAIR));
        let low = O::mul_add(quotient, minus_p, O::sub(O::read(&BOTH_PAIR), high));
        let mut sum = O::add_int(low, O::read(&self.work.low[j]));
        sum = O::add_int(sum, O::read(&self.biases.high[j]));
        if j > 0 {
            sum = O::add_int(sum, O::read(&self.work.high[j - 1]));
        }
        if let Some(carry) = carry {
            sum = O::add_int(sum, carry);
        }
        if j < 4 {
            // column 8 has the high half of its fold already
            if j < 3 {
                high = O::add_int(high, O::read(&self.work.high[j]));
            }
            O::write(&mut self.work.high[j], high);
        }
        O::write(&mut self.work.out[j], digit::<O>(sum));
        O::shift_right::<51>(sum)
    }
}

/// Two reductions side by side: one alone is bound by its latency. The results are left in `out` of
/// their work.
#[inline(never)]
pub fn reduce<M: Modulus, O: BlockOps>(
    sets: &[Columns; 3],
    biases: [&'static Biases; 2],
    work: &mut [Work; 2],
) {
    let flags = O::flags();
    let [work0, work1] = work;
    let reduction = |columns, biases, work| Reduction {
        columns,
        biases,
        work,
    };
    let mut first = reduction(&sets[0], biases[0], work0);
    let mut second = reduction(&sets[1], biases[1], work1);
    first.low_digits::<O>();
    second.low_digits::<O>();
    O::cut(flags, 0);
    for_each!(BLOCK in [1 2 3 4 5] {
        // the top columns first: the quotient needs them
        first.fold::<M, O>(5 - BLOCK);
        second.fold::<M, O>(5 - BLOCK);
        O::cut(flags, BLOCK as u32);
        if BLOCK == 2 {
            first.quotient::<M, O>();
            second.quotient::<M, O>();
            O::cut(flags, 6);
        }
    });
    let mut carries = [None; 2];
    for_each!(J in [0 1 2 3 4] {
        carries = [
            Some(first.high_digit::<M, O>(J, carries[0])),
            Some(second.high_digit::<M, O>(J, carries[1])),
        ];
        O::cut(flags, 7 + J as u32);
    });
}
