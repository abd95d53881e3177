//! Constants in memory: V8 has no pool of them, and builds one in registers by three instructions.

use super::super::biases::{bias, counts, HALF, OFFSET};
use super::super::columns::{BOTH, HIGH, LOW, LOW_BITS, UNIT, UNIT_BITS};
use super::super::constants::Constants;
use super::ops::Pair;
use crate::field::Modulus;

/// Biases of columns that hold so many patterns of products: see `reduce_columns`.
pub struct Biases {
    /// For the digits of columns 0 to 3.
    pub low: [Pair; 4],
    /// For columns 8 and 9 as they enter the quotient.
    pub quotient: [Pair; 2],
    /// For the digits of columns 4 to 8.
    pub high: [Pair; 5],
}

impl Biases {
    /// `patterns` is how many times the columns hold the patterns of one product.
    const fn new(patterns: i64) -> Self {
        let (mut low, mut high) = ([Pair::ZERO; 4], [Pair::ZERO; 5]);
        let mut k = 0;
        while k < 4 {
            let (lows, highs) = counts(patterns, k, 0, 0);
            low[k] = Pair::bits(bias(lows, highs, k > 0));
            k += 1;
        }
        while k < 9 {
            let (lows, highs) = counts(patterns, k, 3, if k == 4 { 0 } else { 3 });
            high[k - 4] = Pair::bits(bias(lows, highs, true));
            k += 1;
        }
        let (lows, highs) = counts(patterns, 8, 2, 2);
        let eighth = bias(lows, highs, false).wrapping_sub(HALF);
        let (lows, highs) = counts(patterns, 9, 0, 2);
        let ninth = bias(lows, highs, false)
            .wrapping_sub(OFFSET + HALF)
            .wrapping_add(LOW_BITS);
        Self {
            low,
            quotient: [Pair::bits(eighth), Pair::bits(ninth)],
            high,
        }
    }
}

/// Biases of a product.
pub static PRODUCT: Biases = Biases::new(1);
/// Biases of a difference of equally many products.
pub static DIFFERENCE: Biases = Biases::new(0);
/// Biases of the imaginary part of a sum of one, two or three products.
pub static RESTS: [Biases; 3] = [Biases::new(-1), Biases::new(-2), Biases::new(-3)];

/// 1.5·2^103.
pub static HIGH_PAIR: Pair = Pair::splat(HIGH);
/// 1.5·2^103 + 1.5·2^52.
pub static BOTH_PAIR: Pair = Pair::splat(BOTH);
/// 1.5·2^52.
pub static LOW_PAIR: Pair = Pair::splat(LOW);
/// The float of a biased digit 0.
pub static UNIT_PAIR: Pair = Pair::splat(UNIT);
/// The exponent of a float with unit 1.
pub static UNIT_BITS_PAIR: Pair = Pair::bits(UNIT_BITS);
/// The low 51 bits.
pub static MASK_PAIR: Pair = Pair::bits((1 << 51) - 1);

/// The constants of a modulus in memory.
pub struct Table {
    /// 2^(51i − 204) mod P.
    pub folds: [[Pair; 5]; 4],
    /// −P.
    pub minus_p: [Pair; 5],
    /// 2^255/P, the weight of column 9 in a quotient.
    pub quotient_9: Pair,
    /// 2^255/P less `quotient_9`.
    pub missing_9: Pair,
    /// The weight of column 8 without its low 12 bits.
    pub quotient_8: Pair,
}

const fn pairs(limbs: [f64; 5], factor: f64) -> [Pair; 5] {
    let mut out = [Pair::splat(0.0); 5];
    let mut i = 0;
    while i < 5 {
        out[i] = Pair::splat(limbs[i] * factor);
        i += 1;
    }
    out
}

impl<M: Modulus> Constants<M> {
    /// Everything in memory, once for both lanes.
    pub const TABLE: &'static Table = &Table {
        folds: [
            pairs(Self::FOLDS[0], 1.0),
            pairs(Self::FOLDS[1], 1.0),
            pairs(Self::FOLDS[2], 1.0),
            pairs(Self::FOLDS[3], 1.0),
        ],
        minus_p: pairs(Self::P, -1.0),
        quotient_9: Pair::splat(Self::QUOTIENT_9[0]),
        missing_9: Pair::splat(Self::QUOTIENT_9[1]),
        quotient_8: Pair::splat(Self::QUOTIENT_4 * 4096.0),
    };
}
