//! Bounds that follow from the sequence of operations alone. With debug assertions every value carries its
//! bounds and every operation checks that its own are met, so that one run of an algorithm proves
//! them for all inputs. Without them the type is empty and the checks vanish.

use super::constants::Constants;
use crate::field::Modulus;

/// Bounds that hold in every lane.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    #[cfg(debug_assertions)]
    limb: f64,
    #[cfg(debug_assertions)]
    value: f64,
}

/// Limbs fit in a word up to this many times 2^28.
const LIMB_LIMIT: f64 = 7.99;
/// Products of limbs, times 2^56, of which a column holds eight: 8·13·2^56 and a tenth of it for
/// the folds and the carry stay below 2^63.
const PRODUCT_LIMIT: f64 = 13.0;
/// Top limbs stay below 2^26, so that their products do not count.
const VALUE_LIMIT: f64 = 16.0;

#[allow(
    unused_variables,
    reason = "without debug assertions there are no bounds"
)]
impl Bounds {
    /// Limbs 0 to 7 are at most `limb`·2^28 and the value is at most `value`·P, both in absolute
    /// value.
    pub const fn new(limb: f64, value: f64) -> Self {
        Self {
            #[cfg(debug_assertions)]
            limb,
            #[cfg(debug_assertions)]
            value,
        }
    }

    #[inline(always)]
    const fn limb(self) -> f64 {
        #[cfg(debug_assertions)]
        return self.limb;
        #[cfg(not(debug_assertions))]
        0.0
    }

    /// The bound of the value in units of P, 0 where bounds are not carried.
    #[inline(always)]
    pub const fn value(self) -> f64 {
        #[cfg(debug_assertions)]
        return self.value;
        #[cfg(not(debug_assertions))]
        0.0
    }

    /// Bounds of a sum or a difference.
    #[inline(always)]
    pub fn sum(self, other: Self) -> Self {
        let limb = self.limb() + other.limb();
        assert!(limb <= LIMB_LIMIT, "limbs of a sum: {limb}");
        Self::new(limb, self.value() + other.value())
    }

    /// Bounds of either of two values.
    #[inline(always)]
    pub fn either(self, other: Self) -> Self {
        Self::new(
            self.limb().max(other.limb()),
            self.value().max(other.value()),
        )
    }

    /// Bounds of a reduced sum of products.
    #[inline(always)]
    pub fn products<M: Modulus>(pairs: &[[Self; 2]]) -> Self {
        let (mut limbs, mut values) = (0.0, 0.0);
        for [a, b] in pairs {
            assert!(a.value().max(b.value()) <= VALUE_LIMIT, "values of factors");
            limbs += a.limb() * b.limb();
            values += a.value() * b.value();
        }
        assert!(limbs <= PRODUCT_LIMIT, "limbs of a product: {limbs}");
        // P/2^261; the last digits are at most 2^28, the one before weighs 2^−29
        let scale = Constants::<M>::TOP / (1u64 << 29) as f64;
        Self::new(
            1.0,
            scale * values + 0.5 + 0.501 * Constants::<M>::FOLD_VALUE,
        )
    }

    /// Bounds of a value less the nearest multiple of P, carried.
    #[inline(always)]
    pub fn fold<M: Modulus>(self) -> Self {
        // the quotient is off by the rounding of the reciprocal, and of the limbs below the top
        let error = self.value() * 0.012 + 0.001;
        let quotient = (self.value() + 0.5 + error).floor();
        let limb = self.limb() + quotient * Constants::<M>::DIGIT;
        assert!(limb <= LIMB_LIMIT, "limbs of a reduction: {limb}");
        Self::new(1.0, 0.5 + error)
    }

    /// Bounds of 9 times the value plus or minus the other, reduced: 8 times the limbs and the multiple
    /// of P enter as a digit and a carry each.
    #[inline(always)]
    pub fn fold_nine(self, other: Self) -> Self {
        assert!(self.limb() <= 1.0, "limbs that are multiplied by 8");
        let value = 9.0 * self.value() + other.value();
        assert!(value < 7.9, "values that are multiplied by 9: {value}");
        let limb = self.limb() + other.limb() + 4.01;
        assert!(limb <= LIMB_LIMIT, "limbs of a reduction: {limb}");
        Self::new(1.0, 0.5 + value * 0.012 + 0.001)
    }
}
