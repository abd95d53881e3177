//! The Miller loop over one point that comes with the proof and several prepared ones, and the
//! membership check that falls out of it.

use crate::curve::G2Affine;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp12;

use super::ate::ATE_DIGITS;
use super::step::{Line, TwistProjective};
use super::{PreparedPair, Ratio};

/// Walks T = Q … [6x+2]Q + ψ(Q) − ψ²(Q), handing over each line, and compares the end with −ψ³(Q).
///
/// Gives the lanes in which they are equal, which are those whose Q is in G2 (engine.md section 2). `on_line` is told whether the accumulator
/// is to be squared before the line.
#[inline(always)]
fn walk<F: BaseLanes>(q: &G2Affine<F>, mut on_line: impl FnMut(bool, Line<F>)) -> LaneSet {
    let negated = q.negate();
    let mut t = TwistProjective::from(q);
    for digit in ATE_DIGITS {
        on_line(true, t.double_step());
        match digit {
            1 => on_line(false, t.add_step(q)),
            -1 => on_line(false, t.add_step(&negated)),
            _ => {}
        }
    }
    on_line(false, t.add_step(&q.psi()));
    on_line(false, t.add_step(&q.negated_psi_squared()));
    t.equal_lanes(&q.negated_psi_cubed())
}

/// The lanes whose point, finite and on the twist, lies in the subgroup of order r.
pub fn subgroup_lanes<F: BaseLanes>(q: &G2Affine<F>) -> LaneSet {
    walk(q, |_, _| {})
}

/// Multiplies the accumulator by the next line of every prepared point.
#[inline(always)]
pub(super) fn prepared_lines<F: BaseLanes>(
    f: &mut Fp12<F>,
    index: usize,
    prepared: &[Option<PreparedPair<'_, F>>],
) {
    for pair in prepared.iter().flatten() {
        let line = &pair.q.lines[index];
        *f = f.mul_by_unit_line(
            &line.l1.scale(&pair.p.x_over_y),
            &line.l3.scale(&pair.p.one_over_y),
        );
    }
}

/// The product of the Miller loops of (P, Q) and of the prepared pairs, and the
/// lanes whose Q is in G2. An absent pair counts as 1.
///
/// Q is finite and on the twist; where it is outside of G2 the product means nothing.
pub fn miller_loop<F: BaseLanes>(
    q: &G2Affine<F>,
    p: &Ratio<F>,
    prepared: &[Option<PreparedPair<'_, F>>],
) -> (Fp12<F>, LaneSet) {
    let mut f = Fp12::ONE;
    let mut index = 0;
    let membership = walk(q, |square, line| {
        if square && index > 0 {
            f = f.square();
        }
        f = f.mul_by_line(
            &line.l0,
            &line.l1.scale(&p.x_over_y),
            &line.l3.scale(&p.one_over_y),
        );
        prepared_lines(&mut f, index, prepared);
        index += 1;
    });
    (f, membership)
}

/// The product of the Miller loops of prepared pairs alone; an absent one counts as 1.
pub fn prepared_miller_loop<F: BaseLanes>(prepared: &[Option<PreparedPair<'_, F>>]) -> Fp12<F> {
    let mut f = Fp12::ONE;
    let mut index = 0;
    for digit in ATE_DIGITS {
        if index > 0 {
            f = f.square();
        }
        prepared_lines(&mut f, index, prepared);
        index += 1;
        if digit != 0 {
            prepared_lines(&mut f, index, prepared);
            index += 1;
        }
    }
    prepared_lines(&mut f, index, prepared);
    prepared_lines(&mut f, index + 1, prepared);
    f
}
