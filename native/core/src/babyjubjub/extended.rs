//! Points as (U : V : T : Z) with u = U/Z, v = V/Z, u·v = T/Z on −u² + v² = 1 + k·u²·v², the form
//! that `curve.rs` explains (Hisil, Wong, Carter, Dawson, ePrint 2008/522, section 3).
//!
//! The additions and the doubling are complete and free of branches; the multiplications by public
//! scalars at the end of the file are not.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, Zeroizing};

use super::curve::Curve;
use super::windows::{odd_windows, ORDER_WINDOWS};
use super::Point;
use crate::field::{Backend, Bn254Scalar, Fl, Fr, PrimeLanes};

/// A point in extended coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Extended<B: Backend> {
    pub(super) u: Fr<B>,
    pub(super) v: Fr<B>,
    pub(super) t: Fr<B>,
    pub(super) z: Fr<B>,
}

/// A point with Z = 1, prepared for additions: (v + u, v − u, 2k·u·v).
#[derive(Clone, Copy, Debug)]
pub struct Addend<B: Backend> {
    pub(super) sum: Fr<B>,
    pub(super) difference: Fr<B>,
    pub(super) product: Fr<B>,
}

/// A point with any Z, prepared for additions.
#[derive(Clone, Copy)]
struct ProjectiveAddend<B: Backend> {
    addend: Addend<B>,
    twice_z: Fr<B>,
}

impl<B: Backend> Addend<B> {
    /// The neutral element.
    pub const IDENTITY: Self = Addend {
        sum: Fr::ONE,
        difference: Fr::ONE,
        product: Fr::ZERO,
    };

    /// Prepares an affine point of the isomorphic form.
    pub(super) fn from_uv(u: Fr<B>, v: Fr<B>) -> Self {
        Addend {
            sum: v + u,
            difference: v - u,
            product: Curve::<B>::TWICE_K * u * v,
        }
    }

    /// Converts to another back-end.
    #[inline(always)]
    pub fn cast<C: Backend>(&self) -> Addend<C> {
        Addend {
            sum: self.sum.cast(),
            difference: self.difference.cast(),
            product: self.product.cast(),
        }
    }

    /// Sum, difference and product as entries of a table for lanes.
    pub(super) fn entries<F: PrimeLanes<Modulus = Bn254Scalar>>(&self) -> [F::Entry; 3] {
        [self.sum, self.difference, self.product].map(|part| F::entry(&part.to_canonical()))
    }

    /// The negative where `choice` is set, without a branch.
    #[inline(always)]
    pub fn negate_if(&self, choice: Choice) -> Self {
        Addend {
            sum: Fr::conditional_select(&self.sum, &self.difference, choice),
            difference: Fr::conditional_select(&self.difference, &self.sum, choice),
            product: Fr::conditional_select(&self.product, &-self.product, choice),
        }
    }
}

impl<B: Backend> ConditionallySelectable for Addend<B> {
    #[inline(always)]
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        Addend {
            sum: Fr::conditional_select(&a.sum, &b.sum, choice),
            difference: Fr::conditional_select(&a.difference, &b.difference, choice),
            product: Fr::conditional_select(&a.product, &b.product, choice),
        }
    }
}

impl<B: Backend> Zeroize for Addend<B> {
    fn zeroize(&mut self) {
        self.sum.zeroize();
        self.difference.zeroize();
        self.product.zeroize();
    }
}

impl<B: Backend> Zeroize for Extended<B> {
    fn zeroize(&mut self) {
        self.u.zeroize();
        self.v.zeroize();
        self.t.zeroize();
        self.z.zeroize();
    }
}

impl<B: Backend> Extended<B> {
    /// The neutral element.
    pub const IDENTITY: Self = Extended {
        u: Fr::ZERO,
        v: Fr::ONE,
        t: Fr::ZERO,
        z: Fr::ONE,
    };

    /// Converts to extended coordinates.
    pub fn from_affine(point: &Point<B>) -> Self {
        let u = point.x * Curve::<B>::SCALE;
        Extended {
            u,
            v: point.y,
            t: u * point.y,
            z: Fr::ONE,
        }
    }

    /// The coordinates of the specification; one inversion in constant time.
    pub fn to_affine(&self) -> Point<B> {
        let inverse = Zeroizing::new(self.z.invert_ct());
        Point {
            x: self.u * *inverse * Curve::<B>::INVERSE_SCALE,
            y: self.v * *inverse,
        }
    }

    /// Whether this is the neutral element.
    pub fn is_identity(&self) -> bool {
        self.u.is_zero() && self.v == self.z
    }

    /// 2·self: 4 multiplications, 4 squarings.
    #[inline]
    pub fn double(&self) -> Self {
        let uu = self.u.square();
        let vv = self.v.square();
        let zz = self.z.square().double();
        let e = (self.u + self.v).square() - uu - vv;
        let g = vv - uu;
        Self::from_factors(e, g - zz, g, -(uu + vv))
    }

    /// self + other: 7 multiplications.
    #[inline]
    pub fn add_addend(&self, other: &Addend<B>) -> Self {
        self.add_with_twice_z(other, self.z.double())
    }

    /// self + other: 9 multiplications.
    pub fn add(&self, other: &Self) -> Self {
        self.add_projective(&other.prepared())
    }

    /// −self.
    pub fn negate(&self) -> Self {
        Extended {
            u: -self.u,
            v: self.v,
            t: -self.t,
            z: self.z,
        }
    }

    #[inline]
    fn add_projective(&self, other: &ProjectiveAddend<B>) -> Self {
        self.add_with_twice_z(&other.addend, self.z * other.twice_z)
    }

    #[inline(always)]
    fn add_with_twice_z(&self, other: &Addend<B>, twice_zz: Fr<B>) -> Self {
        let a = (self.v - self.u) * other.difference;
        let b = (self.v + self.u) * other.sum;
        let c = self.t * other.product;
        Self::from_factors(b - a, twice_zz - c, twice_zz + c, b + a)
    }

    /// The point (e·f : g·h : e·h : f·g), in which all formulas end.
    #[inline(always)]
    fn from_factors(e: Fr<B>, f: Fr<B>, g: Fr<B>, h: Fr<B>) -> Self {
        Extended {
            u: e * f,
            v: g * h,
            t: e * h,
            z: f * g,
        }
    }

    fn prepared(&self) -> ProjectiveAddend<B> {
        ProjectiveAddend {
            addend: Addend {
                sum: self.v + self.u,
                difference: self.v - self.u,
                product: Curve::<B>::TWICE_K * self.t,
            },
            twice_z: self.z.double(),
        }
    }

    /// scalar·self for a public scalar. Variable time.
    pub fn times_public(&self, scalar: &Fl<B>) -> Self {
        self.times_windows(&odd_windows(&scalar.to_le_bytes()))
    }

    /// L·self: the identity exactly for points of the prime subgroup. Variable time.
    pub fn times_order(&self) -> Self {
        self.times_windows(&ORDER_WINDOWS)
    }

    /// Σ 2^i·wᵢ·self with odd or zero windows between −15 and 15.
    fn times_windows(&self, windows: &[i8]) -> Self {
        let twice = self.double().prepared();
        let mut odd = [*self; 8];
        for i in 1..odd.len() {
            odd[i] = odd[i - 1].add_projective(&twice);
        }
        let positive = odd.map(|point| point.prepared());
        let negative = odd.map(|point| point.negate().prepared());
        let mut sum = Self::IDENTITY;
        for &window in windows.iter().rev() {
            sum = sum.double();
            if window > 0 {
                sum = sum.add_projective(&positive[window as usize / 2]);
            } else if window < 0 {
                sum = sum.add_projective(&negative[window.unsigned_abs() as usize / 2]);
            }
        }
        sum
    }
}
