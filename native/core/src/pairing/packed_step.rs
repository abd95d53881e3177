//! The steps of [`TwistProjective`](super::step::TwistProjective) with the coordinates of one point in the
//! lanes, so that independent products run side by side. The formulas are those of that type; Z = 0 stays Z = 0.

use crate::curve::G2Affine;
use crate::field::lanes::kernel;
use crate::field::{Backend, FourLanes, Fp};
use crate::tower::Fp2;

use super::Ratio;

/// (X, Y, Z, any) of a point (X/Z, Y/Z) on the twist.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedPoint<F>(Fp2<F>);

/// (x, y, x, y) of a finite point on the twist.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackedAffine<F>(Fp2<F>);

/// A finite point P of G1 as it scales lines: factors of (l₀, l₁, l₃), and of the
/// fourth element of the same product.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineFactors<F> {
    /// (−2, 3x/y, 1/y, other).
    double: F,
    /// (1, −x/y, 1/y, other).
    add: F,
}

impl<F: FourLanes> LineFactors<F> {
    pub(super) fn new<B: Backend>(p: &Ratio<Fp<B>>, other: &Fp<B>) -> Self {
        let Ratio {
            x_over_y,
            one_over_y,
        } = *p;
        let lanes = |factors: [Fp<B>; 4]| F::from_words(&factors.map(|x| x.to_canonical()));
        Self {
            double: lanes([
                -Fp::ONE.double(),
                x_over_y.double() + x_over_y,
                one_over_y,
                *other,
            ]),
            add: lanes([Fp::ONE, -x_over_y, one_over_y, *other]),
        }
    }
}

impl<F: FourLanes, B: Backend> From<&G2Affine<Fp<B>>> for PackedAffine<F> {
    fn from(point: &G2Affine<Fp<B>>) -> Self {
        Self(Fp2::gather([&point.x, &point.y, &point.x, &point.y]))
    }
}

impl<F: FourLanes> From<&PackedAffine<F>> for PackedPoint<F> {
    fn from(point: &PackedAffine<F>) -> Self {
        Self(Fp2::pick::<0, 1, 4, 4>(&point.0, &Fp2::ONE))
    }
}

kernel! {
    // three rounds: b = Y², c = Z², X·Y, Y·Z; e = 3b′·c, j = X²; and with g = b + 3e
    // 2XY·(b − 3e), g² − 12e², 8b·YZ
    Double<'a, F: FourLanes>(t: &'a mut PackedPoint<F>, other: &'a Fp2<F>, factors: &'a F) -> Fp2<F> {
        let zero = &Fp2::ZERO;
        let first = t.0.order::<1, 2, 0, 1>().times(&t.0.order::<1, 2, 1, 2>());
        let second = Fp2::pick::<1, 4, 1, 4>(&first, &t.0)
            .times(&Fp2::pick::<0, 4, 0, 4>(&Fp2::twist_3b(), &t.0));
        let minus = -second;

        // (2XY, g, 3e, 2b)
        let x = Fp2::pick::<2, 0, 4, 0>(&first, zero);
        let y = Fp2::pick::<2, 4, 4, 0>(&first, &second);
        let e = Fp2::pick::<4, 0, 0, 4>(&second, zero);
        let left = (x + y + e.double()).reduce();
        // (b − 3e, g, 4e, 4YZ)
        let x = Fp2::pick::<0, 0, 4, 3>(&first, &second);
        let e = Fp2::pick::<0, 4, 4, 4>(&minus, &second);
        let y = Fp2::pick::<0, 1, 2, 7>(&e, &first);
        let right = (x + y + y.double()).reduce();

        let third = left.times(&right);
        t.0 = (third.order::<0, 1, 3, 3>() - Fp2::pick::<4, 2, 4, 4>(&third, zero)).reduce();

        // (−2YZ, 3j, e − b), the factors −2 and 3 being in those of P
        let line = Fp2::pick::<7, 1, 0, 0>(&second, &first);
        let line = Fp2::pick::<0, 1, 2, 5>(&line, other);
        (line - Fp2::pick::<4, 4, 0, 4>(&first, zero)).scale(factors)
    }
}

kernel! {
    // four rounds: (λ, θ) = (X, Y) − (x, y)·Z; d = λ², c = θ², λy, θx; e = λd, Zc, g = Xd; and with
    // h = e + Zc − 2g λh, θ(g − h) − eY, eZ
    Add<'a, F: FourLanes>(t: &'a mut PackedPoint<F>, point: &'a PackedAffine<F>, other: &'a Fp2<F>, factors: &'a F) -> Fp2<F> {
        let zero = &Fp2::ZERO;
        let products = point.0.times(&t.0.order::<2, 2, 2, 2>());
        let slope = (t.0.order::<0, 1, 0, 1>() - products).reduce();
        let second = slope.times(&Fp2::pick::<0, 1, 5, 4>(&slope, &point.0));
        let third = Fp2::pick::<0, 6, 4, 4>(&slope, &t.0).times(&second.order::<0, 1, 0, 0>());

        let g = third.order::<2, 2, 2, 2>();
        let h = (third.order::<0, 0, 0, 0>() + third.order::<1, 1, 1, 1>() - g.double()).reduce();
        let h = Fp2::pick::<0, 5, 0, 0>(&h, &-h);
        // (h, g − h, Y, Z)
        let right = Fp2::pick::<0, 1, 5, 6>(&h, &t.0) + Fp2::pick::<4, 0, 4, 4>(&g, zero);
        let left = Fp2::pick::<0, 1, 4, 4>(&slope, &third);
        let fourth = left.times(&right.reduce());
        t.0 = (fourth.order::<0, 1, 3, 3>() - Fp2::pick::<4, 2, 4, 4>(&fourth, zero)).reduce();

        // (λ, θ, θx − λy), the sign of θ being in the factors of P
        let line = Fp2::pick::<0, 1, 7, 7>(&slope, &second);
        let line = Fp2::pick::<0, 1, 2, 5>(&line, other);
        (line - Fp2::pick::<4, 4, 2, 4>(&second, zero)).scale(factors)
    }
}

kernel! {
    // by cross-multiplication; false where Z = 0
    Equal<'a, F: FourLanes>(t: &'a PackedPoint<F>, other: &'a PackedAffine<F>) -> bool {
        let products = other.0.times(&t.0.order::<2, 2, 2, 2>());
        let equal = t.0.order::<0, 1, 0, 1>().equal_lanes(&products) == F::ALL;
        equal && t.0.zero_lanes() & 0b100 == 0
    }
}

impl<F: FourLanes> PackedPoint<F> {
    /// Doubles the point and returns the tangent at the old one, scaled to P: lanes (l₀, l₁, l₃) and
    /// lane 1 of `other`, scaled.
    pub(super) fn double(&mut self, p: &LineFactors<F>, other: &Fp2<F>) -> Fp2<F> {
        F::enter(Double(self, other, &p.double))
    }

    /// Adds a point and returns the line through both, as for [`PackedPoint::double`].
    pub(super) fn add(
        &mut self,
        point: &PackedAffine<F>,
        p: &LineFactors<F>,
        other: &Fp2<F>,
    ) -> Fp2<F> {
        F::enter(Add(self, point, other, &p.add))
    }

    /// Whether this is the given point; never where Z = 0.
    pub(super) fn equals(&self, other: &PackedAffine<F>) -> bool {
        F::enter(Equal(self, other))
    }
}
