//! Square roots.

use super::{Backend, Field, Modulus};

impl<M: Modulus, B: Backend> Field<M, B> {
    /// A square root, or `None` for a non-residue. Time depends on the value.
    ///
    /// For P ≡ 3 mod 4 it is a^((P+1)/4); otherwise the algorithm of Tonelli and Shanks, whose
    /// choice between the two roots is fixed but has no shorter description.
    pub fn sqrt(&self) -> Option<Self> {
        let power = self.pow(&M::ODD_PART_MINUS_1_HALVED);
        let mut root = *self * power;
        let mut residue = root * power;
        let mut generator = Self::from_montgomery_unchecked(M::ROOT_OF_UNITY);
        let mut order = M::TWO_ADICITY;
        // invariant: root² = self · residue, and residue has an order that divides 2^(order − 1)
        while residue != Self::ONE {
            if residue.is_zero() {
                return Some(Self::ZERO);
            }
            let mut exponent = 0;
            let mut square = residue;
            while square != Self::ONE {
                square = square.square();
                exponent += 1;
                if exponent == order {
                    return None;
                }
            }
            for _ in 0..order - exponent - 1 {
                generator = generator.square();
            }
            root *= generator;
            generator = generator.square();
            residue *= generator;
            order = exponent;
        }
        Some(root)
    }
}
