//! Four lanes whose elements change places, for one value packed in them.

use super::BaseLanes;

/// Elements of the base field in four lanes that can be put into another order.
pub trait FourLanes: BaseLanes {
    /// Lane i of the result is lane `[L0, L1, L2, L3][i]` of both, the lanes of `b` counting from 4.
    fn pick<const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
        a: &Self,
        b: &Self,
    ) -> Self;
}

/// The numbers at four places of eight.
#[inline(always)]
pub(super) fn pick<T: Copy, const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
    a: &[T; 4],
    b: &[T; 4],
) -> [T; 4] {
    const {
        assert!(
            L0 < 8 && L1 < 8 && L2 < 8 && L3 < 8,
            "there are eight lanes"
        )
    };
    let at = |lane: usize| if lane < 4 { a[lane] } else { b[lane - 4] };
    [at(L0), at(L1), at(L2), at(L3)]
}
