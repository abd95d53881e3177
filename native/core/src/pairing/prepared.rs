//! Lines of a fixed point of G2, computed once: affine, scaled so that l0 = 1.

use crate::curve::G2Affine;
use crate::field::{Backend, BaseLanes, Fp, Limbs};
use crate::tower::Fp2;

use super::ate::{ATE_DIGITS, LINE_COUNT};

/// A line 1 + l1·(x/y)·w + l3·(1/y)·w³.
#[derive(Clone, Copy, Debug)]
pub struct UnitLine<F> {
    /// −λ, λ the slope.
    pub l1: Fp2<F>,
    /// λ·x_T − y_T for a point T of the line.
    pub l3: Fp2<F>,
}

/// All lines of the Miller loop of one point, in the order of use.
#[derive(Clone, Debug)]
pub struct PreparedG2<F> {
    /// 88 lines.
    pub lines: Vec<UnitLine<F>>,
}

impl<B: Backend> PreparedG2<Fp<B>> {
    /// The lines of a finite point of order r; `None` when a step of the loop has no line, which
    /// happens for no such point.
    pub fn new(q: &G2Affine<Fp<B>>) -> Option<Self> {
        let mut lines = Vec::with_capacity(LINE_COUNT);
        let mut t = *q;
        for digit in ATE_DIGITS {
            lines.push(double(&mut t)?);
            match digit {
                1 => lines.push(add(&mut t, q)?),
                -1 => lines.push(add(&mut t, &q.negate())?),
                _ => {}
            }
        }
        lines.push(add(&mut t, &q.psi())?);
        lines.push(add(&mut t, &q.negated_psi_squared())?);
        Some(Self { lines })
    }
}

impl<F: BaseLanes> PreparedG2<F> {
    /// Lane i gets the lines of point i. In the lanes without a point every line is 1.
    pub fn in_lanes<B: Backend>(points: &[&PreparedG2<Fp<B>>]) -> Self {
        let gather = |values: Vec<Fp<B>>| {
            let words: Vec<Limbs> = values.iter().map(Fp::to_canonical).collect();
            F::from_words(&words)
        };
        let lines_at = |i: usize| {
            let [l1, l3] = [
                |line: &UnitLine<Fp<B>>| line.l1,
                |line: &UnitLine<Fp<B>>| line.l3,
            ]
            .map(|part| {
                let values = points.iter().map(move |point| part(&point.lines[i]));
                Fp2::new(
                    gather(values.clone().map(|value| value.c0).collect()),
                    gather(values.map(|value| value.c1).collect()),
                )
            });
            UnitLine { l1, l3 }
        };
        let lines = (0..LINE_COUNT).map(lines_at);
        Self {
            lines: lines.collect(),
        }
    }
}

fn double<B: Backend>(t: &mut G2Affine<Fp<B>>) -> Option<UnitLine<Fp<B>>> {
    let square = t.x.square();
    let (rise, run, x) = (square.double() + square, t.y.double(), t.x);
    advance(t, &rise, &run, &x)
}

fn add<B: Backend>(t: &mut G2Affine<Fp<B>>, other: &G2Affine<Fp<B>>) -> Option<UnitLine<Fp<B>>> {
    let (rise, run) = (t.y - other.y, t.x - other.x);
    advance(t, &rise, &run, &other.x)
}

/// Moves t along the line of slope rise/run to the sum of its points, the other one being at
/// `other_x`.
fn advance<B: Backend>(
    t: &mut G2Affine<Fp<B>>,
    rise: &Fp2<Fp<B>>,
    run: &Fp2<Fp<B>>,
    other_x: &Fp2<Fp<B>>,
) -> Option<UnitLine<Fp<B>>> {
    let slope = *rise * run.inverse()?;
    let line = UnitLine {
        l1: -slope,
        l3: slope * t.x - t.y,
    };
    let x = slope.square() - t.x - *other_x;
    *t = G2Affine {
        x,
        y: slope * (t.x - x) - t.y,
    };
    Some(line)
}
