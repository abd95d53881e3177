//! G1: affine points for storage, Jacobian ones for sums. Every formula handles every pair of
//! points by branches, so the time depends on the points: for public values only.

use crate::field::{Backend, Fp};

/// A point of y² = x³ + 3 or (0, 0) for infinity. The curve has prime order r, so a point on it is
/// in the group. The type does not guarantee the equation; see [`G1Affine::is_on_curve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct G1Affine<B: Backend> {
    /// x.
    pub x: Fp<B>,
    /// y; never 0 on the curve, since its order is odd.
    pub y: Fp<B>,
}

/// (X/Z², Y/Z³), infinity when Z = 0.
#[derive(Clone, Copy, Debug)]
pub struct G1Jacobian<B: Backend> {
    /// x·Z².
    pub x: Fp<B>,
    /// y·Z³.
    pub y: Fp<B>,
    /// Z.
    pub z: Fp<B>,
}

impl<B: Backend> G1Affine<B> {
    /// The point at infinity.
    pub const INFINITY: Self = Self {
        x: Fp::ZERO,
        y: Fp::ZERO,
    };

    const CURVE_B: Fp<B> = Fp::from_canonical([3, 0, 0, 0]);

    /// Whether this is the point at infinity.
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.x.is_zero() & self.y.is_zero()
    }

    /// Whether the point satisfies the curve equation or is infinity.
    pub fn is_on_curve(&self) -> bool {
        self.is_infinity() || self.y.square() == self.x.square() * self.x + Self::CURVE_B
    }

    /// The inverse in the group.
    #[inline]
    pub fn negate(&self) -> Self {
        Self {
            x: self.x,
            y: -self.y,
        }
    }
}

impl<B: Backend> From<G1Affine<B>> for G1Jacobian<B> {
    fn from(point: G1Affine<B>) -> Self {
        if point.is_infinity() {
            return Self::INFINITY;
        }
        Self {
            x: point.x,
            y: point.y,
            z: Fp::ONE,
        }
    }
}

impl<B: Backend> G1Jacobian<B> {
    /// The point at infinity.
    pub const INFINITY: Self = Self {
        x: Fp::ONE,
        y: Fp::ONE,
        z: Fp::ZERO,
    };

    /// Whether this is the point at infinity.
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.z.is_zero()
    }

    /// Twice the point.
    pub fn double(&self) -> Self {
        let a = self.x.square();
        let b = self.y.square();
        let c = b.square();
        let d = ((self.x + b).square() - a - c).double();
        let e = a.double() + a;
        let x = e.square() - d.double();
        Self {
            x,
            y: e * (d - x) - c.double().double().double(),
            z: (self.y * self.z).double(),
        }
    }

    /// The inverse in the group.
    pub fn negate(&self) -> Self {
        Self {
            y: -self.y,
            ..*self
        }
    }

    /// The sum with another point.
    pub fn add(&self, other: &Self) -> Self {
        if other.is_infinity() {
            return *self;
        }
        if self.is_infinity() {
            return *other;
        }
        let (zz, other_zz) = (self.z.square(), other.z.square());
        let x = self.x * other_zz;
        let y = self.y * other_zz * other.z;
        let h = other.x * zz - x;
        let r = other.y * zz * self.z - y;
        if h.is_zero() {
            return if r.is_zero() {
                self.double()
            } else {
                Self::INFINITY
            };
        }
        Self::chord(&x, &y, &(self.z * other.z), &h, &r)
    }

    /// The sum of a point (x/z², y/z³) and another point at distance (h/z², r/z³).
    #[inline(always)]
    fn chord(x: &Fp<B>, y: &Fp<B>, z: &Fp<B>, h: &Fp<B>, r: &Fp<B>) -> Self {
        let hh = h.square();
        let hhh = hh * *h;
        let v = *x * hh;
        let sum_x = r.square() - hhh - v.double();
        Self {
            x: sum_x,
            y: *r * (v - sum_x) - *y * hhh,
            z: *z * *h,
        }
    }

    /// The sum with an affine point.
    pub fn add_affine(&self, other: &G1Affine<B>) -> Self {
        if other.is_infinity() {
            return *self;
        }
        if self.is_infinity() {
            return (*other).into();
        }
        let zz = self.z.square();
        let h = other.x * zz - self.x;
        let r = other.y * zz * self.z - self.y;
        if h.is_zero() {
            return if r.is_zero() {
                self.double()
            } else {
                Self::INFINITY
            };
        }
        Self::chord(&self.x, &self.y, &self.z, &h, &r)
    }
}

/// The affine forms of many points with one inversion.
pub fn batch_to_affine<B: Backend>(points: &[G1Jacobian<B>]) -> Vec<G1Affine<B>> {
    // prefix products of the finite points' Z; infinity never enters, so no product is 0
    let mut prefixes = Vec::with_capacity(points.len());
    let mut product = Fp::ONE;
    for point in points {
        prefixes.push(product);
        if !point.is_infinity() {
            product *= point.z;
        }
    }
    let mut inverse = product.inverse().unwrap_or_default();
    let mut affine = vec![G1Affine::INFINITY; points.len()];
    for (i, point) in points.iter().enumerate().rev() {
        if point.is_infinity() {
            continue;
        }
        let z = inverse * prefixes[i];
        inverse *= point.z;
        let zz = z.square();
        affine[i] = G1Affine {
            x: point.x * zz,
            y: point.y * zz * z,
        };
    }
    affine
}
