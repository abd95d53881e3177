//! Doubling and addition on the twist in homogeneous coordinates, each with its line
//! (Costello, Lange, Naehrig, https://eprint.iacr.org/2009/615; scaled by 4 to avoid halving).
//!
//! The formulas are incomplete: where one does not apply (a sum of equal or opposite points, a
//! point at infinity) it gives Z = 0, and every later step keeps Z = 0. Whoever draws a conclusion
//! from the final point requires Z ≠ 0.

use crate::curve::G2Affine;
use crate::tower::Quadratic;

/// (X/Z, Y/Z) on the twist.
#[derive(Clone, Copy, Debug)]
pub struct TwistProjective<U> {
    /// x·Z.
    pub x: U,
    /// y·Z.
    pub y: U,
    /// Z.
    pub z: U,
}

/// A line before it meets a point P: l0 + l1·(x/y)·w + l3·(1/y)·w³.
#[derive(Clone, Copy, Debug)]
pub struct Line<U> {
    /// The part without w.
    pub l0: U,
    /// The factor of w, to be scaled by x/y of P.
    pub l1: U,
    /// The factor of w³, to be scaled by 1/y of P.
    pub l3: U,
}

impl<U: Quadratic> From<&G2Affine<U>> for TwistProjective<U> {
    fn from(point: &G2Affine<U>) -> Self {
        Self {
            x: point.x,
            y: point.y,
            z: U::ONE,
        }
    }
}

impl<U: Quadratic> TwistProjective<U> {
    /// Doubles the point and gives the tangent at the old one.
    pub fn double_step(&mut self) -> Line<U> {
        let b = self.y.square();
        let c = self.z.square();
        let e = U::TWIST_3B * c;
        let f = e.double() + e;
        let h = (self.y * self.z).double();
        let j = self.x.square();
        let xy = (self.x * self.y).double();
        let g = b + f;
        let ee = e.square();
        let ee3 = ee.double() + ee;
        self.x = xy * (b - f);
        self.y = g.square() - ee3.double().double();
        self.z = (b * h).double().double();
        Line {
            l0: -h,
            l1: j.double() + j,
            l3: e - b,
        }
    }

    /// Adds an affine point and gives the line through both.
    pub fn add_step(&mut self, other: &G2Affine<U>) -> Line<U> {
        let theta = self.y - other.y * self.z;
        let lambda = self.x - other.x * self.z;
        let c = theta.square();
        let d = lambda.square();
        let e = lambda * d;
        let f = self.z * c;
        let g = self.x * d;
        let h = e + f - g.double();
        self.x = lambda * h;
        self.y = theta * (g - h) - e * self.y;
        self.z = self.z * e;
        Line {
            l0: lambda,
            l1: -theta,
            l3: theta * other.x - lambda * other.y,
        }
    }

    /// Whether this is the given affine point, by cross-multiplication; false when Z = 0.
    pub fn equals_affine(&self, other: &G2Affine<U>) -> bool {
        self.z != U::ZERO && self.x == other.x * self.z && self.y == other.y * self.z
    }
}
