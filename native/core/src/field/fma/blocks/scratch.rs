//! Memory through which the blocks of a product hand on their results.

use super::super::ops::Quad;
use super::ops::Pair;

/// Ten columns in memory.
pub type Columns = [Pair; 10];

/// Memory of one product.
pub struct Scratch {
    /// a₀ + a₁ and b₀ + b₁ of up to three products.
    pub sums: [[[Quad; 5]; 2]; 3],
    /// The product itself.
    pub product: Product,
}

/// Intermediate results of one product.
pub struct Product {
    /// Columns of three products.
    pub columns: [Columns; 3],
    /// The high half that a block of columns leaves to the next.
    pub above: Pair,
    /// Two reductions side by side.
    pub work: Work,
    /// The limbs of two results.
    pub out: [[Quad; 5]; 2],
}

/// Intermediate results of two reductions.
pub struct Work {
    /// Digits 0 to 3, which are folded.
    pub digits: [[Pair; 2]; 4],
    /// Columns 4 to 8 with the folds that were added.
    pub low: [[Pair; 2]; 5],
    /// High halves that belong one column up.
    pub high: [[Pair; 2]; 5],
    /// The multiples of P that are taken off.
    pub quotient: [Pair; 2],
}

impl Scratch {
    /// Zeros.
    pub const ZERO: Self = {
        const ZERO: [Pair; 2] = [Pair::ZERO; 2];
        const LIMBS: [Quad; 5] = [Quad::splat(0.0); 5];
        Self {
            sums: [[LIMBS; 2]; 3],
            product: Product {
                columns: [[Pair::ZERO; 10]; 3],
                above: Pair::ZERO,
                work: Work {
                    digits: [ZERO; 4],
                    low: [ZERO; 5],
                    high: [ZERO; 5],
                    quotient: ZERO,
                },
                out: [LIMBS; 2],
            },
        }
    };
}
