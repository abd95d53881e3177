//! The lanes in another order.

use super::{Four, LimbOps, Simd29Lanes};
use crate::field::four_lanes::{pick, FourLanes};
use crate::field::Bn254Base;

impl<O: LimbOps> FourLanes for Simd29Lanes<Bn254Base, O> {
    #[inline(always)]
    fn pick<const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
        a: &Self,
        b: &Self,
    ) -> Self {
        let mut limbs = a.limbs;
        for (limb, (x, y)) in limbs.iter_mut().zip(a.limbs.iter().zip(&b.limbs)) {
            *limb = Four(pick::<_, L0, L1, L2, L3>(&x.0, &y.0));
        }
        Self::new(limbs, a.bounds.either(b.bounds))
    }
}
