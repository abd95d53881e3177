//! Reductions of limbs outside of products: the nearest multiple of P is subtracted, then carries
//! run through.

use super::columns::{collect, Limbs29};
use super::constants::{Constants, MASK};
use super::ops::{Four, LimbOps};
use crate::field::Modulus;

static LOW: Four = Four::splat(MASK);
static ONE: Four = Four::splat(1);
/// Half of the unit of a quotient.
static ROUND: Four = Four::splat(1 << 26);

/// The integer nearest to a value over P, from its top limb.
#[inline(always)]
fn quotient<M: Modulus, O: LimbOps>(top: O::Vector) -> O::Vector {
    let scaled = O::mul(top, O::load(Constants::<M>::RECIPROCAL));
    O::shift_right::<27>(O::add(scaled, O::load(&ROUND)))
}

/// Limbs 0 to 7 into −2^28 … 2^28 − 1, given one after the other. The carry is rounded in two steps,
/// since half a digit on top may not fit in the word.
#[inline(always)]
fn carry<O: LimbOps>(out: &mut Limbs29, limb: impl Fn(usize) -> O::Vector) {
    let one = O::load(&ONE);
    let mut sum = limb(0);
    for (i, out) in out.iter_mut().enumerate().take(8) {
        let carry = O::shift_right::<1>(O::add(O::shift_right::<28>(sum), one));
        O::store(out, O::sub(sum, O::shift_left::<29>(carry)));
        sum = O::add(carry, limb(i + 1));
    }
    O::store(&mut out[8], sum);
}

/// The representative of about the least absolute value.
#[inline(always)]
pub fn reduce<M: Modulus, O: LimbOps>(limbs: &Limbs29) -> Limbs29 {
    O::with_scratch(|scratch| {
        reduce_to::<M, O>(limbs, &mut scratch.out[0]);
        collect::<O>(&scratch.out[0])
    })
}

#[inline(never)]
fn reduce_to<M: Modulus, O: LimbOps>(limbs: &Limbs29, out: &mut Limbs29) {
    let quotient = quotient::<M, O>(O::load(&limbs[8]));
    carry::<O>(out, |i| {
        let multiple = O::mul(quotient, O::load(&Constants::<M>::P[i]));
        O::sub(O::load(&limbs[i]), multiple)
    });
}

/// 9a ± b reduced, for limbs of a up to 2^28 and 9a ± b below 8P.
#[inline(always)]
fn nine_times<M: Modulus, O: LimbOps>(
    a: &Limbs29,
    b: &Limbs29,
    out: &mut Limbs29,
    add: impl Fn(O::Vector, O::Vector) -> O::Vector,
) {
    let mask = O::load(&LOW);
    let top = O::load(&a[8]);
    let sum = add(top, O::load(&b[8]));
    let quotient = quotient::<M, O>(O::add(O::shift_left::<3>(top), sum));
    carry::<O>(out, |i| {
        let limb = O::load(&a[i]);
        let mut sum = add(limb, O::load(&b[i]));
        // 8a − qP, each split where a limb ends; the top limb has room
        let multiple = O::mul(quotient, O::load(&Constants::<M>::P[i]));
        let eight = O::shift_left::<3>(limb);
        if i < 8 {
            sum = O::add(sum, O::sub(O::and(eight, mask), O::and(multiple, mask)));
        } else {
            sum = O::add(sum, O::sub(eight, multiple));
        }
        if i > 0 {
            let below = O::mul(quotient, O::load(&Constants::<M>::P[i - 1]));
            let high = O::shift_right::<26>(O::load(&a[i - 1]));
            sum = O::add(sum, O::sub(high, O::shift_right::<29>(below)));
        }
        sum
    });
}

/// (9a₀ − a₁, 9a₁ + a₀): ξ times a₀ + a₁u.
#[inline(always)]
pub fn multiply_by_xi<M: Modulus, O: LimbOps>(a: [&Limbs29; 2]) -> [Limbs29; 2] {
    O::with_scratch(|scratch| {
        multiply_by_xi_to::<M, O>(a[0], a[1], &mut scratch.out);
        [collect::<O>(&scratch.out[0]), collect::<O>(&scratch.out[1])]
    })
}

#[inline(never)]
fn multiply_by_xi_to<M: Modulus, O: LimbOps>(a: &Limbs29, b: &Limbs29, out: &mut [Limbs29; 2]) {
    nine_times::<M, O>(a, b, &mut out[0], |x, y| O::sub(x, y));
    nine_times::<M, O>(b, a, &mut out[1], |x, y| O::add(x, y));
}
