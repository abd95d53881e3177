//! What one block of a product leaves in memory to the next.

use super::ops::Pair;

/// Ten columns in memory.
pub type Columns = [Pair; 10];

/// Intermediate results of one product.
pub struct Scratch {
    /// Columns of three products.
    pub columns: [Columns; 3],
    /// The high half that a block of columns leaves to the next.
    pub above: Pair,
    /// Two reductions.
    pub work: [Work; 2],
    /// What half 0 of two reductions has given.
    pub first: [[Pair; 5]; 2],
}

/// Intermediate results of one reduction.
pub struct Work {
    /// Digits 0 to 3, which are folded.
    pub digits: [Pair; 4],
    /// Columns 4 to 8 with what was folded into them.
    pub low: [Pair; 5],
    /// High halves that belong one column up.
    pub high: [Pair; 5],
    /// The multiple of P that is taken off.
    pub quotient: Pair,
    /// The limbs of the result.
    pub out: [Pair; 5],
}

impl Scratch {
    /// All 0.
    pub const ZERO: Self = {
        const ZERO: Pair = Pair::ZERO;
        const WORK: Work = Work {
            digits: [ZERO; 4],
            low: [ZERO; 5],
            high: [ZERO; 5],
            quotient: ZERO,
            out: [ZERO; 5],
        };
        Self {
            columns: [[ZERO; 10]; 3],
            above: ZERO,
            work: [WORK; 2],
            first: [[ZERO; 5]; 2],
        }
    };
}
