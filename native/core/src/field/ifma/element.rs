//! The element type of the lanes.

use core::marker::PhantomData;

use super::bounds::Bounds;
use super::constants::{to_limbs, Constants};
use super::loose::{each, Loose, Operand};
use super::ops::{IfmaOps, Octet};
use crate::field::limbs::Limbs;
use crate::field::Modulus;

/// 8 elements of the prime field of `M`: five limbs of both signs whose number is the element
/// times 2^260 mod p, plus any multiple of p.
#[derive(Clone, Copy)]
pub struct IfmaLanes<M, O> {
    limbs: [Octet; 5],
    bounds: Bounds,
    marker: PhantomData<(M, O)>,
}

impl<M: Modulus, O: IfmaOps> IfmaLanes<M, O> {
    /// One element in every lane, from its canonical words.
    pub(super) const fn constant(words: Limbs) -> Self {
        let limbs = Constants::<M>::montgomery(&words);
        Self {
            limbs: [
                Octet::splat(limbs[0]),
                Octet::splat(limbs[1]),
                Octet::splat(limbs[2]),
                Octet::splat(limbs[3]),
                Octet::splat(limbs[4]),
            ],
            bounds: Bounds::carried(1.0),
            marker: PhantomData,
        }
    }

    /// Lane i from the canonical number `words[i]`, not in Montgomery form; 0 in the other lanes.
    pub(super) fn raw(words: &[Limbs]) -> Self {
        let mut limbs = [Octet::splat(0); 5];
        for (lane, number) in words.iter().enumerate().take(8) {
            for (octet, limb) in limbs.iter_mut().zip(to_limbs(number)) {
                octet.0[lane] = limb;
            }
        }
        Self {
            limbs,
            bounds: Bounds::carried(1.0),
            marker: PhantomData,
        }
    }

    /// The limbs of one lane.
    pub(super) fn lane(&self, lane: usize) -> [u64; 5] {
        self.limbs.map(|octet| octet.0[lane])
    }

    /// The number as a summand.
    #[inline(always)]
    pub(super) fn loose(&self) -> Loose<M, O> {
        Loose::new(each(|i| O::load(&self.limbs[i])), self.bounds)
    }

    /// A normal value as it is.
    #[inline(always)]
    pub(super) fn normal(&self) -> Operand<M, O> {
        Operand::trusted(self.loose())
    }
}

impl<M: Modulus, O: IfmaOps> From<Loose<M, O>> for IfmaLanes<M, O> {
    #[inline(always)]
    fn from(number: Loose<M, O>) -> Self {
        Self {
            limbs: each(|i| O::store(number.limbs[i])),
            bounds: number.bounds,
            marker: PhantomData,
        }
    }
}

impl<M: Modulus, O: IfmaOps> From<Operand<M, O>> for IfmaLanes<M, O> {
    #[inline(always)]
    fn from(number: Operand<M, O>) -> Self {
        number.loose().into()
    }
}
