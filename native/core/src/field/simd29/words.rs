//! Canonical words of lanes, in and out.

use super::bounds::Bounds;
use super::columns::{multiply, Limbs29};
use super::constants::{digits, raw, Constants, BITS, MASK};
use super::ops::{Four, LimbOps};
use super::Simd29Lanes;
use crate::field::limbs::{self, Limbs};
use crate::field::Modulus;

/// Lanes from canonical words.
pub fn from_words<M: Modulus, O: LimbOps>(words: &[Limbs]) -> Simd29Lanes<M, O> {
    let mut numbers = [Four::splat(0); 9];
    for (lane, words) in words.iter().take(4).enumerate() {
        for (limb, digit) in numbers.iter_mut().zip(digits(words, 1)) {
            limb.0[lane] = digit;
        }
    }
    let bounds = Bounds::products::<M>(&[[Bounds::new(1.0, 1.0), Bounds::new(1.0, 0.5)]]);
    Simd29Lanes::new(
        multiply::<M, O>(&numbers, &Constants::<M>::SQUARED_RADIX),
        bounds,
    )
}

/// Canonical words from lanes, one for every place.
pub fn to_words<M: Modulus, O: LimbOps>(value: &Simd29Lanes<M, O>, out: &mut [Limbs]) {
    let one = raw(&digits(&[1, 0, 0, 0], 1));
    let bounds = Bounds::products::<M>(&[[value.bounds, Bounds::new(1.0, 0.0)]]);
    assert!(bounds.value() < 1.0, "the product with 1 is below P");
    let numbers = multiply::<M, O>(&value.limbs, &one);
    for (lane, words) in out.iter_mut().take(4).enumerate() {
        *words = canonical(&numbers, lane, &M::P);
    }
}

/// Σ limbsᵢ·2^(29i), a number above −p and below p, as a number from 0 to p − 1.
fn canonical(limbs: &Limbs29, lane: usize, p: &Limbs) -> Limbs {
    let mut value = [0u64; 4];
    let mut carry = 0;
    for (i, limb) in limbs.iter().enumerate() {
        let sum = limb.0[lane] + carry;
        carry = sum >> BITS;
        // two's complement: the bits of the top limb above 2^256 fall off
        let part = if i < 8 { sum & MASK } else { sum } as i64 as u64;
        let at = BITS as usize * i;
        value[at / 64] |= part << (at % 64);
        if at % 64 > 64 - BITS as usize && at / 64 < 3 {
            value[at / 64 + 1] |= part >> (64 - at % 64);
        }
    }
    let wrapped = limbs::add(&value, p);
    limbs::select_secret(carry < 0, &wrapped, &value)
}
