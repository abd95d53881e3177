//! The lines of two prepared points, multiplied with each other before the points of G1 are known.
//!
//! (1 + g₁x·w + g₃y·w³)(1 + d₁x′·w + d₃y′·w³) with x = P.x/P.y, y = 1/P.y, x′ and y′ of another
//! point is 1 + ξg₃d₃·yy′ + (g₁x + d₁x′)w + g₁d₁·xx′w² + (g₃y + d₃y′)w³ + (g₁d₃·xy′ + g₃d₁·yx′)w⁴.

use crate::field::{Backend, FourLanes, Fp};
use crate::tower::Fp2;

use super::{PreparedG2, Ratio};

/// Summands of the product of two lines, to be scaled.
#[derive(Clone, Copy, Debug)]
struct LinePair<F> {
    /// (g₁, g₁d₁, g₃, g₁d₃).
    first: Fp2<F>,
    /// (d₁, ξg₃d₃, d₃, g₃d₁); lane 1 goes with the line of the third point.
    second: Fp2<F>,
}

/// The lines of two fixed points, one after the other as the Miller loop uses them.
#[derive(Debug)]
pub struct PackedLines<F> {
    pairs: Vec<LinePair<F>>,
}

/// The factors of [`LinePair`].
#[derive(Clone, Copy, Debug)]
pub(super) struct PairFactors<F> {
    /// (x, xx′, y, xy′).
    first: Fp2<F>,
    /// (x′, 0, y′, yx′).
    second: Fp2<F>,
}

impl<F: FourLanes> PackedLines<F> {
    /// The lines of two points.
    pub fn new<B: Backend>(g: &PreparedG2<Fp<B>>, d: &PreparedG2<Fp<B>>) -> Self {
        let pair = |(g, d): (&super::UnitLine<Fp<B>>, &super::UnitLine<Fp<B>>)| LinePair {
            first: Fp2::gather([&g.l1, &(g.l1 * d.l1), &g.l3, &(g.l1 * d.l3)]),
            second: Fp2::gather([&d.l1, &(g.l3 * d.l3).mul_by_xi(), &d.l3, &(g.l3 * d.l1)]),
        };
        Self {
            pairs: g.lines.iter().zip(&d.lines).map(pair).collect(),
        }
    }

    /// The element with ξg₃d₃ of a step in lane 1.
    pub(super) fn wrapped(&self, step: usize) -> &Fp2<F> {
        &self.pairs[step].second
    }

    /// The coefficients of w to w⁴ at a step.
    pub(super) fn coefficients(&self, step: usize, factors: &PairFactors<F>) -> Fp2<F> {
        let LinePair { first, second } = &self.pairs[step];
        Fp2::sum_of_two([first, second], [&factors.first, &factors.second])
    }
}

impl<F: FourLanes> PairFactors<F> {
    /// The factors of two points, an absent one making its lines 1, and yy′.
    pub(super) fn new<B: Backend>(points: [Option<Ratio<Fp<B>>>; 2]) -> (Self, Fp<B>) {
        let [[x, y], [other_x, other_y]] = points.map(|point| match point {
            Some(point) => [point.x_over_y, point.one_over_y],
            None => [Fp::ZERO; 2],
        });
        let lanes = |factors: [Fp<B>; 4]| {
            let factors = F::from_words(&factors.map(|x| x.to_canonical()));
            Fp2::new(factors, F::ZERO)
        };
        let factors = Self {
            first: lanes([x, x * other_x, y, x * other_y]),
            second: lanes([other_x, Fp::ZERO, other_y, y * other_x]),
        };
        (factors, y * other_y)
    }
}
