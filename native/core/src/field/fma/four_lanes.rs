//! The lanes in another order.

use super::ops::Quad;
use super::products::FmaProducts;
use super::FmaLanes;
use crate::field::four_lanes::{pick, FourLanes};
use crate::field::Bn254Base;

impl<O: FmaProducts> FourLanes for FmaLanes<Bn254Base, O> {
    #[inline(always)]
    fn pick<const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
        a: &Self,
        b: &Self,
    ) -> Self {
        let (x, y) = (&a.limbs, &b.limbs);
        // a loop over iterators is not always inlined
        let limbs = [
            Quad(pick::<_, L0, L1, L2, L3>(&x[0].0, &y[0].0)),
            Quad(pick::<_, L0, L1, L2, L3>(&x[1].0, &y[1].0)),
            Quad(pick::<_, L0, L1, L2, L3>(&x[2].0, &y[2].0)),
            Quad(pick::<_, L0, L1, L2, L3>(&x[3].0, &y[3].0)),
            Quad(pick::<_, L0, L1, L2, L3>(&x[4].0, &y[4].0)),
        ];
        Self::new(limbs, a.bounds.either(b.bounds))
    }
}
