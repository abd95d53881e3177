//! G1 in lanes: the equation, multiples by randomisers, and sums of such multiples.
//!
//! # Digits
//! Let ω be a primitive cube root of 1. On G1 it acts as λ of [`GLV_LAMBDA`](crate::field::GLV_LAMBDA),
//! (x, y) ↦ (βx, y). The sixteen numbers
//!
//! ```text
//! 0,   ±1 ±ω ±ω²,   ±θ ±θω ±θω²,   2 2ω 2ω²       θ = 1 − ω
//! ```
//!
//! are the residues of ℤ\[ω\] modulo 4, one of each class (test: `digits_are_the_residues_modulo_4`).
//! Only the multiples of a point by 2 and θ have to be computed; the others follow by β and the sign.
//!
//! A multiplier is 4³² + Σ dᵢ·4ⁱ for 32 digits. Its parts are
//!
//! * different for different digits: the lowest digit is the residue modulo 4, and so on,
//! * never 0, nor is any leading part m of it: |m| ≥ 4ᵏ − 2·(4ᵏ − 1)/3 > 0,
//! * so small that their differences have norms far below r; since the norms of ℤ\[ω\]'s elements
//!   that vanish modulo r are multiples of r, all this holds modulo r too.
//!
//! Hence the incomplete addition of [`multiply`] never meets a case that it cannot handle: with
//! m ≠ 0, 4m = ±d is impossible, as |4m| ≥ 4 and |d| ≤ 2. Sums of several points have no
//! such guarantee; there Z = 0 marks such a case, and persists.

use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet, Limbs};

use super::shared_inverse::invert_all;

/// Digits of a multiplier, without the leading 1.
pub(crate) const DIGIT_COUNT: usize = 32;

/// A digit by its number 0 to 15: coordinates (a, b) of a + b·ω.
pub(crate) const DIGITS: [(i8, i8); 16] = [
    (0, 0),
    (1, 0),
    (0, 1),
    (-1, -1),
    (-1, 0),
    (0, -1),
    (1, 1),
    (1, -1),
    (1, 2),
    (-2, -1),
    (-1, 1),
    (-1, -2),
    (2, 1),
    (2, 0),
    (0, 2),
    (-2, -2),
];

/// One digit of each lane, as the lanes that take each multiple.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DigitLanes {
    /// The lanes that take ωᵏ, θωᵏ, 2ωᵏ times the point, k = 0, 1, 2.
    multiples: [LaneSet; 9],
    negative: LaneSet,
}

impl DigitLanes {
    /// 0 in every lane.
    pub(crate) const NONE: Self = Self {
        multiples: [0; 9],
        negative: 0,
    };

    /// 1 in the lanes of the set, 0 in the others.
    pub(crate) fn one(lanes: LaneSet) -> Self {
        let mut one = Self::NONE;
        one.multiples[0] = lanes;
        one
    }

    /// Sets the digit of a lane that has 0, by its number.
    #[inline]
    pub(crate) fn set(&mut self, lane: usize, number: usize) {
        // index into `multiples`, and the sign
        const PLACES: [(u8, u8); 16] = [
            (0, 0), // not read
            (0, 0),
            (1, 0),
            (2, 0),
            (0, 1),
            (1, 1),
            (2, 1),
            (3, 0),
            (4, 0),
            (5, 0),
            (3, 1),
            (4, 1),
            (5, 1),
            (6, 0),
            (7, 0),
            (8, 0),
        ];
        if number != 0 {
            let (place, negative) = PLACES[number];
            self.multiples[usize::from(place)] |= 1 << lane;
            self.negative |= LaneSet::from(negative) << lane;
        }
    }

    fn lanes(&self) -> LaneSet {
        self.multiples.iter().fold(0, |all, lanes| all | lanes)
    }
}

/// Digits of a group of lanes, the most significant first.
pub(crate) type MultiplierLanes = [DigitLanes; DIGIT_COUNT];

/// Finite points with normal coordinates. The type does not guarantee the equation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct G1Lanes<F> {
    /// x.
    pub x: F,
    /// y.
    pub y: F,
}

/// (X/Z², Y/Z³), normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JacobianLanes<F> {
    /// x·Z².
    pub x: F,
    /// y·Z³.
    pub y: F,
    /// Z.
    pub z: F,
}

/// The multiples of a point by the digits, up to sign: in `x` those of [`DigitLanes`], in `y` those
/// of 1, θ and 2, since ω leaves y as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Multiples<F> {
    x: [F; 9],
    y: [F; 3],
}

kernel! {
    OnCurve<'a, F: BaseLanes>(point: &'a G1Lanes<F>) -> LaneSet {
        let cube = point.x.square() * point.x;
        point.y.square().equal_lanes(&(cube + F::CONSTANTS.curve_b))
    }
}

kernel! {
    // 2y·(x − βx): neither factor is 0 on the curve, as no point has order 2 and ω fixes none
    Denominator<'a, F: BaseLanes>(point: &'a G1Lanes<F>) -> F {
        let twist = (point.x - point.x * F::CONSTANTS.beta).reduce();
        point.y.double() * twist
    }
}

kernel! {
    // 2P by the tangent of slope 3x²/2y, θP = P − ωP by the chord of slope 2y/(x − βx)
    FillMultiples<'a, F: BaseLanes>(point: &'a G1Lanes<F>, inverse: &'a F) -> Multiples<F> {
        let (x, y) = (point.x, point.y);
        let beta = F::CONSTANTS.beta;
        let beta_x = x * beta;
        let twist = (x - beta_x).reduce();
        let tangent = x.square() * (twist * *inverse);
        let tangent = (tangent.double() + tangent).reduce();
        let double_y = y.double();
        let chord = double_y.mul_sums(&double_y) * *inverse;
        let x_2 = (tangent.square() - x.double()).reduce();
        let y_2 = (tangent * (x - x_2) - y).reduce();
        let x_theta = (chord.square() - x - beta_x).reduce();
        let y_theta = (chord * (x - x_theta) - y).reduce();
        let (beta_theta, beta_2) = (x_theta * beta, x_2 * beta);
        // 1 + β + β² = 0
        let third = |x: F, beta_x: F| (-(x + beta_x)).reduce();
        Multiples {
            x: [
                x,
                beta_x,
                third(x, beta_x),
                x_theta,
                beta_theta,
                third(x_theta, beta_theta),
                x_2,
                beta_2,
                third(x_2, beta_2),
            ],
            y: [y, y_theta, y_2],
        }
    }
}

kernel! {
    Double<'a, F: BaseLanes>(t: &'a mut JacobianLanes<F>) -> () {
        double(t);
    }
}

kernel! {
    Quadruple<'a, F: BaseLanes>(t: &'a mut JacobianLanes<F>) -> () {
        double(t);
        double(t);
    }
}

kernel! {
    AddMultiple<'a, F: BaseLanes>(t: &'a mut JacobianLanes<F>, table: &'a Multiples<F>, digit: &'a DigitLanes, lanes: LaneSet) -> () {
        let sets = &digit.multiples;
        let mut x = table.x[0];
        for (set, multiple) in sets.iter().zip(&table.x).skip(1) {
            x = F::select(*set, multiple, &x);
        }
        let y = F::select(sets[3] | sets[4] | sets[5], &table.y[1], &table.y[0]);
        let y = F::select(sets[6] | sets[7] | sets[8], &table.y[2], &y);
        let y = F::select(digit.negative, &(-y).reduce(), &y);
        add_in(t, &x, &y, lanes);
    }
}

kernel! {
    AddPoints<'a, F: BaseLanes>(t: &'a mut JacobianLanes<F>, points: &'a G1Lanes<F>, lanes: LaneSet) -> () {
        add_in(t, &points.x, &points.y, lanes);
    }
}

/// 3 products and 4 squares; Z = 0 persists.
#[inline(always)]
fn double<F: BaseLanes>(t: &mut JacobianLanes<F>) {
    let a = t.x.square();
    let b = t.y.square().double();
    let c = b.mul_sums(&b);
    let d = t.x.double().mul_sums(&b);
    let e = (a.double() + a).reduce();
    t.z = t.y.double() * t.z;
    t.x = (e.square() - d.double()).reduce();
    t.y = (e * (d - t.x) - c.double()).reduce();
}

/// The sum with an affine point: 8 products and 3 squares. Z = 0 where the points are equal,
/// opposite, or the first is infinity.
#[inline(always)]
fn add<F: BaseLanes>(t: &JacobianLanes<F>, x: &F, y: &F) -> JacobianLanes<F> {
    let zz = t.z.square();
    let h = *x * zz - t.x;
    let r = *y * zz * t.z - t.y;
    let hh = h.mul_sums(&h);
    let hhh = hh * h;
    let v = t.x * hh;
    let x = (r.mul_sums(&r) - hhh - v.double()).reduce();
    JacobianLanes {
        x,
        y: (r.mul_sums(&(v - x)) - t.y * hhh).reduce(),
        z: t.z * h,
    }
}

/// [`add`] in the lanes of the set.
#[inline(always)]
fn add_in<F: BaseLanes>(t: &mut JacobianLanes<F>, x: &F, y: &F, lanes: LaneSet) {
    let sum = add(t, x, y);
    t.x = F::select(lanes, &sum.x, &t.x);
    t.y = F::select(lanes, &sum.y, &t.y);
    t.z = F::select(lanes, &sum.z, &t.z);
}

impl<F: BaseLanes> From<&G1Lanes<F>> for JacobianLanes<F> {
    fn from(point: &G1Lanes<F>) -> Self {
        Self {
            x: point.x,
            y: point.y,
            z: F::ONE,
        }
    }
}

impl<F: BaseLanes> JacobianLanes<F> {
    /// Doubles every point.
    pub(crate) fn double(&mut self) {
        F::enter(Double(self));
    }

    /// Adds points in the lanes of the set. Z = 0 marks a lane whose points were equal or opposite, and
    /// persists.
    pub(crate) fn add(&mut self, points: &G1Lanes<F>, lanes: LaneSet) {
        F::enter(AddPoints(self, points, lanes));
    }
}

impl<F: BaseLanes> G1Lanes<F> {
    /// Coordinates from canonical words, x and y of each lane.
    pub(crate) fn from_words(x: &[Limbs], y: &[Limbs]) -> Self {
        Self {
            x: F::from_words(x),
            y: F::from_words(y),
        }
    }

    /// The lanes whose point satisfies the equation.
    pub(crate) fn on_curve_lanes(&self) -> LaneSet {
        F::enter(OnCurve(self))
    }
}

/// The multiples of many points of the curve by the digits, with one inversion: 16 products each.
pub(crate) fn multiples<F: BaseLanes>(points: &[G1Lanes<F>]) -> Vec<Multiples<F>> {
    let mut inverses: Vec<F> = points
        .iter()
        .map(|point| F::enter(Denominator(point)))
        .collect();
    invert_all(&mut inverses);
    points
        .iter()
        .zip(&inverses)
        .map(|(point, inverse)| F::enter(FillMultiples(point, inverse)))
        .collect()
}

/// The points times the multipliers; exact for points of the curve, see the head of this file.
pub(crate) fn multiply<F: BaseLanes>(
    table: &Multiples<F>,
    multipliers: &MultiplierLanes,
) -> JacobianLanes<F> {
    let mut t = JacobianLanes {
        x: table.x[0],
        y: table.y[0],
        z: F::ONE,
    };
    for digit in multipliers {
        F::enter(Quadruple(&mut t));
        add_multiple(&mut t, table, digit);
    }
    t
}

fn add_multiple<F: BaseLanes>(t: &mut JacobianLanes<F>, table: &Multiples<F>, digit: &DigitLanes) {
    let lanes = digit.lanes();
    if lanes != 0 {
        F::enter(AddMultiple(t, table, digit, lanes));
    }
}

/// 4³²·V + Σ multiplier·point in each lane, over the lanes of each group that are present, for a
/// point V that is the same in all lanes; doublings are shared by the groups.
///
/// Z = 0 marks a lane whose sum was not computed: one of its additions was of equal or opposite
/// points. Without V a proof that is sent twice would often be such a case.
pub(crate) fn sum_of_multiples<F: BaseLanes>(
    start: &G1Lanes<F>,
    groups: &[(&Multiples<F>, &MultiplierLanes, LaneSet)],
) -> JacobianLanes<F> {
    let mut t = JacobianLanes::from(start);
    for (table, _, present) in groups {
        add_multiple(&mut t, table, &DigitLanes::one(*present));
    }
    for place in 0..DIGIT_COUNT {
        t.double();
        t.double();
        for (table, multipliers, _) in groups {
            add_multiple(&mut t, table, &multipliers[place]);
        }
    }
    t
}
