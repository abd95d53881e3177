//! Biases that take the patterns of floats off the columns, and keep their carries positive.

use super::columns::{HIGH_BITS, LOW_BITS};

/// Columns are kept positive by this much before their carry.
pub const OFFSET: u64 = 1 << 62;
pub const HALF: u64 = 1 << 50;

/// Products that add their low half to a column; the high halves go to the next one.
const LOWS: [u64; 11] = [1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 0];

/// The patterns of column k of a product, times `patterns`, and additional patterns.
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

/// Bias of a column that is a sum of so many patterns: it leaves the value of the column plus the
/// offset and half a digit, less the carry of the offset of the column below.
pub const fn bias(lows: u64, highs: u64, follows: bool) -> u64 {
    let patterns = lows
        .wrapping_mul(LOW_BITS)
        .wrapping_add(highs.wrapping_mul(HIGH_BITS));
    let carried = if follows { OFFSET >> 51 } else { 0 };
    (OFFSET + HALF - carried).wrapping_sub(patterns)
}

/// Biases of the columns of a reduction, by the number of patterns that they hold: see
/// [`reduce_columns`](super::reduction::reduce_columns).
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Biases {
    /// For T0 … T3 before their digits.
    pub low: [u64; 4],
    /// For T9 with its folds, leaving the float of its value plus [`LOW`](super::columns::LOW).
    pub top: u64,
    /// For T8 with its folds, leaving its value plus the offset.
    pub next: u64,
    /// For T4 … T8 with folds and quotient, before the digits of the result.
    pub last: [u64; 5],
}

impl Biases {
    /// Biases of columns that hold the patterns of one product `patterns` times.
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
