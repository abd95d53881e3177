//! Constants of the assembly in the order in which it names them.

use super::biases::Biases;
use super::columns::{BOTH, HIGH, LOW, UNIT, UNIT_BITS};
use super::constants::Constants;
use crate::field::Modulus;

/// An integer or the pattern of a float in all lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Splat([u64; 4]);

const fn float(value: f64) -> Splat {
    Splat([value.to_bits(); 4])
}

/// Constants of a modulus.
#[repr(C)]
pub struct Table([Splat; 34]);

impl Table {
    /// In the order: mask, exponent, unit, LOW, 2^255/P and what it lacks, 2^216/P, HIGH, BOTH,
    /// then 9 + 4j + i: digit j of fold i, then 29 + j: digit j of P.
    pub const fn new<M: Modulus>() -> Self {
        let mut table = [float(0.0); 34];
        table[0] = Splat([(1 << 51) - 1; 4]);
        table[1] = Splat([UNIT_BITS; 4]);
        table[2] = float(UNIT);
        table[3] = float(LOW);
        table[4] = float(Constants::<M>::QUOTIENT_9[0]);
        table[5] = float(Constants::<M>::QUOTIENT_9[1]);
        table[6] = float(Constants::<M>::QUOTIENT_4 * 4096.0);
        table[7] = float(HIGH);
        table[8] = float(BOTH);
        let mut j = 0;
        while j < 5 {
            let mut i = 0;
            while i < 4 {
                table[9 + 4 * j + i] = float(Constants::<M>::FOLDS[i][j]);
                i += 1;
            }
            table[29 + j] = float(Constants::<M>::P[j]);
            j += 1;
        }
        Self(table)
    }
}

/// The biases of the two sets.
#[repr(C)]
pub struct BiasTable([[Splat; 11]; 2]);

impl BiasTable {
    /// For each set the low columns, T9, T8, then the limbs of the result.
    pub const fn new(patterns: [i64; 2]) -> Self {
        let mut table = [[Splat([0; 4]); 11]; 2];
        let mut set = 0;
        while set < 2 {
            let biases = Biases::new(patterns[set]);
            let mut i = 0;
            while i < 4 {
                table[set][i] = Splat([biases.low[i]; 4]);
                i += 1;
            }
            table[set][4] = Splat([biases.top; 4]);
            table[set][5] = Splat([biases.next; 4]);
            let mut j = 0;
            while j < 5 {
                table[set][6 + j] = Splat([biases.last[j]; 4]);
                j += 1;
            }
            set += 1;
        }
        Self(table)
    }
}
