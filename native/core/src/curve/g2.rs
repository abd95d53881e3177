//! Points of the twist: the equation and the map ψ. The group law is in the steps of the pairing.

use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp2;

kernel! {
    // 3·(y² − x³) = 3·b′ spares a constant; 3 is invertible
    OnCurve<'a, F: BaseLanes>(point: &'a G2Affine<F>) -> LaneSet {
        let difference = (point.y.square() - point.x.square() * point.x).reduce();
        let equal = (difference.double() + difference).equal_lanes(&Fp2::twist_3b());
        equal | point.infinity_lanes()
    }
}

kernel! {
    Negate<'a, F: BaseLanes>(point: &'a G2Affine<F>) -> G2Affine<F> {
        G2Affine {
            x: point.x,
            y: point.y.negate(),
        }
    }
}

kernel! {
    Psi<'a, F: BaseLanes>(point: &'a G2Affine<F>) -> G2Affine<F> {
        G2Affine {
            x: point.x.conjugate().reduce().times(&Fp2::frobenius(1, 2)),
            y: point.y.conjugate().reduce().times(&Fp2::frobenius(1, 3)),
        }
    }
}

kernel! {
    NegatedPsiCubed<'a, F: BaseLanes>(point: &'a G2Affine<F>) -> G2Affine<F> {
        let y = point.y.conjugate().reduce().times(&Fp2::frobenius(3, 3));
        G2Affine {
            x: point.x.conjugate().reduce().times(&Fp2::frobenius(3, 2)),
            y: y.negate(),
        }
    }
}

/// A point of y² = x³ + 3/ξ or (0, 0) for infinity. The type guarantees neither the equation nor the
/// membership in the subgroup of order r: see [`G2Affine::is_on_curve`] and
/// [`subgroup_lanes`](crate::pairing::subgroup_lanes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G2Affine<F> {
    /// x.
    pub x: Fp2<F>,
    /// y; never 0 on the twist, since its order is odd.
    pub y: Fp2<F>,
}

impl<F: BaseLanes> G2Affine<F> {
    /// The point at infinity.
    pub const INFINITY: Self = Self {
        x: Fp2::ZERO,
        y: Fp2::ZERO,
    };

    /// The lanes that hold the point at infinity.
    #[inline]
    pub fn infinity_lanes(&self) -> LaneSet {
        self.x.zero_lanes() & self.y.zero_lanes()
    }

    /// Whether every lane holds the point at infinity.
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.infinity_lanes() == F::ALL
    }

    /// The lanes whose point satisfies the equation of the twist or is infinity. Parts are normal.
    pub fn on_curve_lanes(&self) -> LaneSet {
        F::enter(OnCurve(self))
    }

    /// Whether every lane's point satisfies the equation of the twist or is infinity.
    pub fn is_on_curve(&self) -> bool {
        self.on_curve_lanes() == F::ALL
    }

    /// The inverse in the group.
    #[inline(always)]
    pub fn negate(&self) -> Self {
        F::enter(Negate(self))
    }

    /// ψ = untwist, p-power Frobenius, twist; multiplication by p on G2.
    pub fn psi(&self) -> Self {
        F::enter(Psi(self))
    }

    /// −ψ²: the factor of y is −1, so y stays.
    pub fn negated_psi_squared(&self) -> Self {
        Self {
            x: self.x.scale(Fp2::frobenius_squared(2)),
            y: self.y,
        }
    }

    /// −ψ³.
    pub fn negated_psi_cubed(&self) -> Self {
        F::enter(NegatedPsiCubed(self))
    }
}
