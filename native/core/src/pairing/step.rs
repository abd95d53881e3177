//! Doubling and addition on the twist in homogeneous coordinates, each with its line, of normal
//! elements to normal elements
//! (Costello, Lange, Naehrig, <https://eprint.iacr.org/2009/615>; scaled by 4 to avoid halving).
//!
//! The formulas are incomplete: if one does not apply (a sum of equal or opposite points, a
//! point at infinity) they yield Z = 0, and every later step keeps Z = 0. A conclusion from the
//! final point requires Z ≠ 0.

use crate::curve::G2Affine;
use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp2;

/// (X/Z, Y/Z) on the twist.
#[derive(Clone, Copy, Debug)]
pub struct TwistProjective<F> {
    /// x·Z.
    pub x: Fp2<F>,
    /// y·Z.
    pub y: Fp2<F>,
    /// Z.
    pub z: Fp2<F>,
}

/// A line before it meets a point P: l0 + l1·(x/y)·w + l3·(1/y)·w³.
#[derive(Clone, Copy, Debug)]
pub struct Line<F> {
    /// The part without w.
    pub l0: Fp2<F>,
    /// The factor of w, to be scaled by x/y of P.
    pub l1: Fp2<F>,
    /// The factor of w³, to be scaled by 1/y of P.
    pub l3: Fp2<F>,
}

impl<F: BaseLanes> From<&G2Affine<F>> for TwistProjective<F> {
    fn from(point: &G2Affine<F>) -> Self {
        Self {
            x: point.x,
            y: point.y,
            z: Fp2::ONE,
        }
    }
}

kernel! {
    DoubleStep<'a, F: BaseLanes>(t: &'a mut TwistProjective<F>) -> Line<F> {
        let b = t.y.square();
        let c = t.z.square();
        let e = Fp2::twist_3b().times(&c);
        let f = (e.double() + e).reduce();
        let h = t.y.times(&t.z).double().reduce();
        let j = t.x.square();
        let xy = t.x.times(&t.y);
        let g = (b + f).reduce();
        t.x = xy.double().mul_sums(&(b - f));
        // g² − 12e²
        t.y = if F::LAZY_SUMS {
            let e4 = e.double().double().reduce();
            Fp2::sum_of_two([&g, &f.negate()], [&g, &e4])
        } else {
            let ee = e.square();
            let ee3 = (ee.double() + ee).reduce();
            (g.square() - ee3.double().double()).reduce()
        };
        t.z = b.times(&h).double().double().reduce();
        Line {
            l0: h.negate(),
            l1: (j.double() + j).reduce(),
            l3: (e - b).reduce(),
        }
    }
}

kernel! {
    AddStep<'a, F: BaseLanes>(t: &'a mut TwistProjective<F>, other: &'a G2Affine<F>) -> Line<F> {
        let theta = (t.y - other.y.times(&t.z)).reduce();
        let lambda = (t.x - other.x.times(&t.z)).reduce();
        let c = theta.square();
        let d = lambda.square();
        let e = lambda.times(&d);
        let f = t.z.times(&c);
        let g = t.x.times(&d);
        let h = (e + f - g.double()).reduce();
        t.x = lambda.times(&h);
        t.y = Fp2::sum_of_two([&theta, &e.negate()], [&(g - h).reduce(), &t.y]);
        t.z = t.z.times(&e);
        let l1 = theta.negate();
        Line {
            l0: lambda,
            l3: Fp2::sum_of_two([&theta, &lambda.negate()], [&other.x, &other.y]),
            l1,
        }
    }
}

impl<F: BaseLanes> TwistProjective<F> {
    /// Doubles the point and returns the tangent at the old one.
    #[inline(always)]
    pub fn double_step(&mut self) -> Line<F> {
        F::enter(DoubleStep(self))
    }

    /// Adds an affine point and returns the line through both.
    #[inline(always)]
    pub fn add_step(&mut self, other: &G2Affine<F>) -> Line<F> {
        F::enter(AddStep(self, other))
    }

    /// The lanes in which this is the given affine point, by cross-multiplication; none where Z = 0.
    #[inline(always)]
    pub fn equal_lanes(&self, other: &G2Affine<F>) -> LaneSet {
        F::enter(Equal(self, other))
    }
}

kernel! {
    Equal<'a, F: BaseLanes>(t: &'a TwistProjective<F>, other: &'a G2Affine<F>) -> LaneSet {
        let x = t.x.equal_lanes(&(other.x * t.z));
        let y = t.y.equal_lanes(&(other.y * t.z));
        x & y & !t.z.zero_lanes()
    }
}
