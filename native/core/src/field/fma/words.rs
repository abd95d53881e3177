//! Canonical words of lanes, in and out.

use super::bounds::Bounds;
use super::constants::{digits, Constants};
use super::ops::Quad;
use super::products::FmaProducts;
use super::FmaLanes;
use crate::field::limbs::{self, Limbs};
use crate::field::{Kernel, Modulus};

/// Lanes from canonical words.
pub struct FromWords<'a, M: Modulus, O: FmaProducts>(
    pub &'a [Limbs],
    pub core::marker::PhantomData<(M, O)>,
);

impl<M: Modulus, O: FmaProducts> Kernel for FromWords<'_, M, O> {
    type Output = FmaLanes<M, O>;

    #[inline(always)]
    fn run(self) -> FmaLanes<M, O> {
        let mut limbs = [Quad::splat(0.0); 5];
        for (lane, words) in self.0.iter().take(4).enumerate() {
            for (limb, digit) in limbs.iter_mut().zip(digits(words, 1)) {
                limb.0[lane] = digit as f64;
            }
        }
        let factor = FmaLanes::new(Constants::<M>::SQUARED_RADIX, Bounds::new(1.0, 0.5));
        FmaLanes::new(limbs, Bounds::new(1.0, 1.0)) * factor
    }
}

/// Canonical words from lanes, one for every place.
pub struct ToWords<'a, M, O>(pub &'a FmaLanes<M, O>, pub &'a mut [Limbs]);

impl<M: Modulus, O: FmaProducts> Kernel for ToWords<'_, M, O> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self(value, out) = self;
        // the number is |x| < P: the product with 1 is small, its reduction centred
        let number = *value
            * FmaLanes::new(
                super::constants::raw(&[1, 0, 0, 0, 0]),
                Bounds::new(1.0, 1e-60),
            );
        assert!(number.bounds.value() < 1.0);
        for (lane, words) in out.iter_mut().take(4).enumerate() {
            *words = canonical(&[0, 1, 2, 3, 4].map(|i| number.limbs[i].0[lane]), &M::P);
        }
    }
}

/// Σ limbsᵢ·2^(51i), a number above −p and below p, as a number from 0 to p − 1.
fn canonical(limbs: &[f64; 5], p: &Limbs) -> Limbs {
    let mut carry = 0i64;
    let mut parts = [0u64; 5];
    for (part, limb) in parts.iter_mut().zip(limbs) {
        let sum = *limb as i64 + carry;
        carry = sum >> 51;
        *part = sum as u64 & ((1 << 51) - 1);
    }
    // two's complement in 255 bits, extended to 256
    let value = [
        parts[0] | parts[1] << 51,
        parts[1] >> 13 | parts[2] << 38,
        parts[2] >> 26 | parts[3] << 25,
        parts[3] >> 39 | parts[4] << 12 | ((carry as u64) << 63),
    ];
    let wrapped = limbs::add(&value, p);
    limbs::select_secret(carry < 0, &wrapped, &value)
}
