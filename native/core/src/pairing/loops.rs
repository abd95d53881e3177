//! The Miller loops of many pairs with one accumulator, so that they share its squarings.

use crate::curve::G2Affine;
use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp12;

use super::ate::ATE_DIGITS;
use super::miller::prepared_lines;
use super::step::{Line, TwistProjective};
use super::{PreparedPair, Ratio};

/// A pair (P, Q) in each lane. A lane whose P is (0, 0) counts as 1 if its Q is in G2: the rest
/// of its lines is in Fp2, which the final exponentiation takes to 1.
#[derive(Clone, Copy, Debug)]
pub struct Pair<F> {
    /// P, finite.
    pub p: Ratio<F>,
    /// Q, finite and on the twist.
    pub q: G2Affine<F>,
}

kernel! {
    MultiplyByLineAt<'a, F: BaseLanes>(f: &'a Fp12<F>, line: &'a Line<F>, p: &'a Ratio<F>) -> Fp12<F> {
        f.mul_by_line(
            &line.l0,
            &line.l1.scale(&p.x_over_y),
            &line.l3.scale(&p.one_over_y),
        )
    }
}

/// A point on its way from Q along the loop.
struct Walk<'a, F> {
    t: TwistProjective<F>,
    negated: G2Affine<F>,
    pair: &'a Pair<F>,
}

/// Takes a step of every walk, then multiplies by all lines: a kernel of some ten thousand bytes runs
/// faster many times in a row than in turn with another, which puts it out of the cache of
/// instructions.
fn step_all<'a, F: BaseLanes>(
    f: &mut Fp12<F>,
    walks: &mut [Walk<'a, F>],
    lines: &mut Vec<Line<F>>,
    step: impl Fn(&mut Walk<'a, F>) -> Line<F>,
) {
    lines.clear();
    lines.extend(walks.iter_mut().map(step));
    for (line, walk) in lines.iter().zip(walks) {
        *f = F::enter(MultiplyByLineAt(f, line, &walk.pair.p));
    }
}

/// The product of the Miller loops of all pairs and of the prepared ones, lane by lane, and of each
/// pair the lanes whose Q is in G2. A lane that has a Q outside of G2 in any pair means nothing.
pub fn shared_miller_loop<F: BaseLanes>(
    pairs: &[Pair<F>],
    prepared: &[Option<PreparedPair<'_, F>>],
) -> (Fp12<F>, Vec<LaneSet>) {
    let mut f = Fp12::ONE;
    let mut walks: Vec<_> = pairs
        .iter()
        .map(|pair| Walk {
            t: TwistProjective::from(&pair.q),
            negated: pair.q.negate(),
            pair,
        })
        .collect();
    let mut lines = Vec::with_capacity(pairs.len());
    let mut index = 0;
    for digit in ATE_DIGITS {
        if index > 0 {
            f = f.square();
        }
        step_all(&mut f, &mut walks, &mut lines, |walk| walk.t.double_step());
        match digit {
            1 => step_all(&mut f, &mut walks, &mut lines, |walk| {
                walk.t.add_step(&walk.pair.q)
            }),
            -1 => step_all(&mut f, &mut walks, &mut lines, |walk| {
                walk.t.add_step(&walk.negated)
            }),
            _ => {}
        }
        for _ in 0..1 + digit.unsigned_abs() {
            prepared_lines(&mut f, index, prepared);
            index += 1;
        }
    }
    step_all(&mut f, &mut walks, &mut lines, |walk| {
        walk.t.add_step(&walk.pair.q.psi())
    });
    step_all(&mut f, &mut walks, &mut lines, |walk| {
        walk.t.add_step(&walk.pair.q.negated_psi_squared())
    });
    let members = walks
        .iter()
        .map(|walk| walk.t.equal_lanes(&walk.pair.q.negated_psi_cubed()))
        .collect();
    prepared_lines(&mut f, index, prepared);
    prepared_lines(&mut f, index + 1, prepared);
    (f, members)
}
