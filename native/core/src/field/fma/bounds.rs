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

/// Products of limbs are exact up to this many times 2^100.
const PRODUCT_LIMIT: f64 = 4.0;
/// Sums of limbs are exact up to this many times 2^50, with some slack for carries.
const LIMB_LIMIT: f64 = 7.99;

#[allow(
    unused_variables,
    reason = "without debug assertions there are no bounds"
)]
impl Bounds {
    /// Limbs 0 to 3 are at most `limb`·2^50 and the value is at most `value`·P, both in absolute
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
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn sum(self, other: Self) -> Self {
        let limb = self.limb() + other.limb();
        assert!(limb <= LIMB_LIMIT, "limbs of a sum: {limb}");
        Self::new(limb, self.value() + other.value())
    }

    /// Bounds of either of two values.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn either(self, other: Self) -> Self {
        Self::new(
            self.limb().max(other.limb()),
            self.value().max(other.value()),
        )
    }

    /// All limbs in units of 2^50, the top one from the value.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn width<M: Modulus>(self) -> f64 {
        self.limb().max(1.001 * Constants::<M>::TOP * self.value())
    }

    /// Checks that two factors may be multiplied, and returns |ab| in units of P².
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn product<M: Modulus>(self, other: Self) -> f64 {
        let product = self.width::<M>() * other.width::<M>();
        assert!(product <= PRODUCT_LIMIT, "limbs of a product: {product}");
        self.value() * other.value()
    }

    /// Bounds of a reduced sum of products, at most `products`·P² in absolute value; checks that its
    /// quotient is exact.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn reduced<M: Modulus>(products: f64) -> Self {
        // V in units of 2^50·P, see the head of the module
        let value = Constants::<M>::FOLD_SUM + Constants::<M>::TOP * products;
        let top = value * Constants::<M>::TOP;
        assert!(top <= 3.999, "value of a sum of products: {products}");
        // w is rounded to a multiple of 1/4 below 2^51, of 1/2 below 2^52, else of 1; then to an
        // integer, which it is already in the last case
        Self::new(1.0, if value < 2.0 { 0.626 } else { 0.751 })
    }

    /// Bounds of a value after the subtraction of the nearest multiple of P and a carry: `scale` is the
    /// dividend of that multiple, in units of P, and `limb` bounds the limbs before the subtraction.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn folded<M: Modulus>(limb: f64, scale: f64) -> Self {
        let limb = limb + Constants::<M>::DIGIT * (scale + 0.6);
        assert!(limb <= LIMB_LIMIT, "limbs of a reduction: {limb}");
        Self::new(1.0, 0.51)
    }

    /// Bounds of the reduced value.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fold<M: Modulus>(self) -> Self {
        Self::folded::<M>(self.limb(), self.value())
    }

    /// Bounds of 9 times the value plus the other, reduced: 9 times the limbs enter as a digit and a carry.
    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fold_nine<M: Modulus>(self, other: Self) -> Self {
        let value = 9.0 * self.value() + other.value();
        Self::folded::<M>(1.0 + other.limb(), value)
    }
}
