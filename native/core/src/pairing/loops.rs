//! The Miller loops of many pairs in step: with one accumulator, so that they share its squarings, or with one
//! each.

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
    products: &mut [Fp12<F>],
    walks: &mut [Walk<'a, F>],
    lines: &mut Vec<Line<F>>,
    step: impl Fn(&mut Walk<'a, F>) -> Line<F>,
) {
    lines.clear();
    lines.extend(walks.iter_mut().map(step));
    let count = products.len();
    for (i, (line, walk)) in lines.iter().zip(walks).enumerate() {
        let f = &mut products[i % count];
        *f = F::enter(MultiplyByLineAt(f, line, &walk.pair.p));
    }
}

/// One product of Miller loops for each element of `prepared`, lane by lane: that of its prepared pairs
/// and of every pair whose number is congruent to its own modulo their count. With one element this is the
/// product of all, with as many as pairs each pair has its own.
///
/// Also returns of each pair the lanes whose Q is in G2. A lane of a product that has a Q outside of G2 in
/// any pair means nothing.
pub fn miller_loops<F: BaseLanes>(
    pairs: &[Pair<F>],
    prepared: &[[Option<PreparedPair<'_, F>>; 2]],
) -> (Vec<Fp12<F>>, Vec<LaneSet>) {
    let mut products = vec![Fp12::ONE; prepared.len()];
    let mut walks: Vec<_> = pairs
        .iter()
        .map(|pair| Walk {
            t: TwistProjective::from(&pair.q),
            negated: pair.q.negate(),
            pair,
        })
        .collect();
    let mut lines = Vec::with_capacity(pairs.len());
    let multiply_prepared = |products: &mut [Fp12<F>], index| {
        for (f, prepared) in products.iter_mut().zip(prepared) {
            prepared_lines(f, index, prepared);
        }
    };
    let mut index = 0;
    for digit in ATE_DIGITS {
        if index > 0 {
            for f in &mut products {
                *f = f.square();
            }
        }
        step_all(&mut products, &mut walks, &mut lines, |walk| {
            walk.t.double_step()
        });
        match digit {
            1 => step_all(&mut products, &mut walks, &mut lines, |walk| {
                walk.t.add_step(&walk.pair.q)
            }),
            -1 => step_all(&mut products, &mut walks, &mut lines, |walk| {
                walk.t.add_step(&walk.negated)
            }),
            _ => {}
        }
        for _ in 0..1 + digit.unsigned_abs() {
            multiply_prepared(&mut products, index);
            index += 1;
        }
    }
    step_all(&mut products, &mut walks, &mut lines, |walk| {
        walk.t.add_step(&walk.pair.q.psi())
    });
    step_all(&mut products, &mut walks, &mut lines, |walk| {
        walk.t.add_step(&walk.pair.q.negated_psi_squared())
    });
    let members = walks
        .iter()
        .map(|walk| walk.t.equal_lanes(&walk.pair.q.negated_psi_cubed()))
        .collect();
    multiply_prepared(&mut products, index);
    multiply_prepared(&mut products, index + 1);
    (products, members)
}
