//! The Miller loops of many pairs with one accumulator, so that they share its squarings.

use crate::curve::G2Affine;
use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp12;

use super::ate::ATE_DIGITS;
use super::miller::prepared_lines;
use super::step::{Line, TwistProjective};
use super::{PreparedPair, Ratio};

/// A pair (P, Q) in each lane. A lane whose P is (0, 0) counts as 1 if its Q is in G2: what is left
/// of its lines lies in Fp2, which the final exponentiation takes to 1.
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

/// The product of the Miller loops of all pairs and of the prepared ones, lane by lane, and of each
/// pair the lanes whose Q is in G2. A lane that has a Q outside of G2 in any pair means nothing.
pub fn shared_miller_loop<F: BaseLanes>(
    pairs: &[Pair<F>],
    prepared: &[Option<PreparedPair<'_, F>>],
) -> (Fp12<F>, Vec<LaneSet>) {
    let mut f = Fp12::ONE;
    let mut walks: Vec<_> = pairs
        .iter()
        .map(|pair| (TwistProjective::from(&pair.q), pair.q.negate(), pair))
        .collect();
    let mut index = 0;
    for digit in ATE_DIGITS {
        if index > 0 {
            f = f.square();
        }
        for (t, negated, pair) in &mut walks {
            f = F::enter(MultiplyByLineAt(&f, &t.double_step(), &pair.p));
            match digit {
                1 => f = F::enter(MultiplyByLineAt(&f, &t.add_step(&pair.q), &pair.p)),
                -1 => f = F::enter(MultiplyByLineAt(&f, &t.add_step(negated), &pair.p)),
                _ => {}
            }
        }
        for _ in 0..1 + digit.unsigned_abs() {
            prepared_lines(&mut f, index, prepared);
            index += 1;
        }
    }
    let mut members = Vec::with_capacity(pairs.len());
    for (t, _, pair) in &mut walks {
        for q in [pair.q.psi(), pair.q.negated_psi_squared()] {
            f = F::enter(MultiplyByLineAt(&f, &t.add_step(&q), &pair.p));
        }
        members.push(t.equal_lanes(&pair.q.negated_psi_cubed()));
    }
    prepared_lines(&mut f, index, prepared);
    prepared_lines(&mut f, index + 1, prepared);
    (f, members)
}
