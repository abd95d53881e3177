//! Reductions of limbs outside of products: the nearest multiple of P is subtracted, then carries
//! run through. Exact while limbs stay below 2^53.

use super::columns::{Limbs, HIGH};
use super::constants::{Constants, RADIX};
use super::ops::FmaOps;
use crate::field::Modulus;

/// The multiple of 2^51 nearest to a float.
#[inline(always)]
fn high_part<O: FmaOps>(shifted: O::Floats) -> O::Floats {
    O::sub(shifted, O::splat(HIGH))
}

/// Limbs 0 to 3 into −2^50 … 2^50.
#[inline(always)]
fn carry<O: FmaOps>(mut limbs: Limbs<O>) -> Limbs<O> {
    for i in 0..4 {
        let high = high_part::<O>(O::add(limbs[i], O::splat(HIGH)));
        limbs[i] = O::sub(limbs[i], high);
        limbs[i + 1] = O::mul_add(high, O::splat(1.0 / RADIX), limbs[i + 1]);
    }
    limbs
}

/// limbs − q·P, q being the integer nearest to top·2^204/P.
#[inline(always)]
fn subtract_multiple<M: Modulus, O: FmaOps>(limbs: &Limbs<O>, top: O::Floats) -> Limbs<O> {
    let quotient = O::round(O::mul(top, O::splat(Constants::<M>::QUOTIENT_4)));
    let mut out = *limbs;
    for i in 0..5 {
        out[i] = O::neg_mul_add(quotient, O::splat(Constants::<M>::P[i]), limbs[i]);
    }
    out
}

/// The representative of least absolute value.
#[inline(always)]
pub fn reduce<M: Modulus, O: FmaOps>(limbs: &Limbs<O>) -> Limbs<O> {
    carry::<O>(subtract_multiple::<M, O>(limbs, limbs[4]))
}

/// 9a + b reduced: 9a is split at 2^51 before it is added.
#[inline(always)]
pub fn nine_times_plus<M: Modulus, O: FmaOps>(a: &Limbs<O>, b: &Limbs<O>) -> Limbs<O> {
    let nine = O::splat(9.0);
    let mut limbs = subtract_multiple::<M, O>(b, O::mul_add(a[4], nine, b[4]));
    for i in 0..4 {
        let high = high_part::<O>(O::mul_add(a[i], nine, O::splat(HIGH)));
        limbs[i] = O::sub(limbs[i], O::neg_mul_add(a[i], nine, high));
        limbs[i + 1] = O::mul_add(high, O::splat(1.0 / RADIX), limbs[i + 1]);
    }
    limbs[4] = O::mul_add(a[4], nine, limbs[4]);
    carry::<O>(limbs)
}
