//! Constants of the assembly. It reads them by the offsets of their fields.

use super::super::biases::Biases;
use super::super::columns::{BOTH, HIGH, LOW, UNIT, UNIT_BITS};
use super::super::constants::Constants;
use crate::field::Modulus;

/// An integer or the pattern of a float in all lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Splat([u64; 4]);

const fn float(value: f64) -> Splat {
    Splat([value.to_bits(); 4])
}

const fn integer(value: u64) -> Splat {
    Splat([value; 4])
}

/// Constants of a modulus.
#[repr(C)]
pub struct Table {
    /// The bits of a digit.
    pub mask: Splat,
    /// The exponent of a float with unit 1.
    pub exponent: Splat,
    /// The float of a biased digit 0.
    pub unit: Splat,
    /// The float of T9 where its value is 0.
    pub low: Splat,
    /// 2^255/P.
    pub quotient_9: Splat,
    /// 2^255/P less `quotient_9`.
    pub missing_9: Splat,
    /// 2^216/P.
    pub quotient_8: Splat,
    /// [`HIGH`].
    pub high: Splat,
    /// [`BOTH`].
    pub both: Splat,
    /// Digit j of fold i at `[j][i]`.
    pub folds: [[Splat; 4]; 5],
    /// The digits of P.
    pub p: [Splat; 5],
}

impl Table {
    /// The constants of `M`.
    pub const fn new<M: Modulus>() -> Self {
        let mut folds = [[integer(0); 4]; 5];
        let mut p = [integer(0); 5];
        let mut j = 0;
        while j < 5 {
            let mut i = 0;
            while i < 4 {
                folds[j][i] = float(Constants::<M>::FOLDS[i][j]);
                i += 1;
            }
            p[j] = float(Constants::<M>::P[j]);
            j += 1;
        }
        Self {
            mask: integer((1 << 51) - 1),
            exponent: integer(UNIT_BITS),
            unit: float(UNIT),
            low: float(LOW),
            quotient_9: float(Constants::<M>::QUOTIENT_9[0]),
            missing_9: float(Constants::<M>::QUOTIENT_9[1]),
            quotient_8: float(Constants::<M>::QUOTIENT_4 * 4096.0),
            high: float(HIGH),
            both: float(BOTH),
            folds,
            p,
        }
    }
}

/// The biases of one set of columns, see [`Biases`].
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SetBiases {
    /// For T0 … T3.
    pub low: [Splat; 4],
    /// For T9.
    pub top: Splat,
    /// For T8.
    pub next: Splat,
    /// For T4 … T8, the limbs of the result.
    pub last: [Splat; 5],
}

/// The biases of both sets.
#[repr(C)]
pub struct BiasTable([SetBiases; 2]);

impl BiasTable {
    /// The biases of sets whose columns hold so many patterns of one product.
    pub const fn new(patterns: [i64; 2]) -> Self {
        Self([SetBiases::new(patterns[0]), SetBiases::new(patterns[1])])
    }
}

impl SetBiases {
    const fn new(patterns: i64) -> Self {
        let biases = Biases::new(patterns);
        let mut out = Self {
            low: [integer(0); 4],
            top: integer(biases.top),
            next: integer(biases.next),
            last: [integer(0); 5],
        };
        let mut i = 0;
        while i < 4 {
            out.low[i] = integer(biases.low[i]);
            i += 1;
        }
        let mut j = 0;
        while j < 5 {
            out.last[j] = integer(biases.last[j]);
            j += 1;
        }
        out
    }
}
