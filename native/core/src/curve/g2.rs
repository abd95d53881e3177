//! Points of the twist. The group law lives in the steps of the pairing; here are the equation and
//! the map ψ.

use crate::tower::Quadratic;

/// A point of y² = x³ + 3/ξ or (0, 0) for infinity. The type promises neither the equation nor the
/// membership in the subgroup of order r: see [`G2Affine::is_on_curve`] and
/// [`is_in_subgroup`](crate::pairing::is_in_subgroup).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G2Affine<U> {
    /// x.
    pub x: U,
    /// y; never 0 on the twist, since its order is odd.
    pub y: U,
}

impl<U: Quadratic> G2Affine<U> {
    /// The point at infinity.
    pub const INFINITY: Self = Self {
        x: U::ZERO,
        y: U::ZERO,
    };

    /// Whether this is the point at infinity.
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.x == U::ZERO && self.y == U::ZERO
    }

    /// Whether the point satisfies the equation of the twist or is infinity.
    pub fn is_on_curve(&self) -> bool {
        if self.is_infinity() {
            return true;
        }
        // 3·(y² − x³) = 3·b′ spares a constant; 3 is invertible
        let difference = self.y.square() - self.x.square() * self.x;
        difference.double() + difference == U::TWIST_3B
    }

    /// The inverse in the group.
    #[inline]
    pub fn negate(&self) -> Self {
        Self {
            x: self.x,
            y: -self.y,
        }
    }

    /// ψ = untwist, p-power Frobenius, twist; multiplication by p on G2.
    pub fn psi(&self) -> Self {
        Self {
            x: self.x.conjugate() * U::frobenius(1, 2),
            y: self.y.conjugate() * U::frobenius(1, 3),
        }
    }

    /// −ψ²: the factor of y is −1, so y stays.
    pub fn negated_psi_squared(&self) -> Self {
        Self {
            x: self.x.scale(&U::frobenius_squared(2)),
            y: self.y,
        }
    }

    /// −ψ³.
    pub fn negated_psi_cubed(&self) -> Self {
        Self {
            x: self.x.conjugate() * U::frobenius(3, 2),
            y: -(self.y.conjugate() * U::frobenius(3, 3)),
        }
    }
}
