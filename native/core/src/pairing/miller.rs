//! The Miller loop over one point that comes with the proof and several prepared ones, and the
//! membership check that falls out of it.

use crate::curve::G2Affine;
use crate::tower::{Fp12, Quadratic};

use super::ate::ATE_DIGITS;
use super::step::{Line, TwistProjective};
use super::{PreparedPair, Ratio};

/// Whether a point of the twist lies in the subgroup of order r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// In G2.
    Inside,
    /// On the twist, not in G2; a pairing with it means nothing.
    Outside,
}

/// Walks T = Q … [6x+2]Q + ψ(Q) − ψ²(Q), handing over each line, and compares the end with −ψ³(Q).
///
/// Equal exactly when Q is in G2 (engine.md section 2). `on_line` is told whether the accumulator
/// is to be squared before the line.
#[inline(always)]
fn walk<U: Quadratic>(q: &G2Affine<U>, mut on_line: impl FnMut(bool, Line<U>)) -> Membership {
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
    if t.equals_affine(&q.negated_psi_cubed()) {
        Membership::Inside
    } else {
        Membership::Outside
    }
}

/// Whether a finite point on the twist lies in the subgroup of order r.
pub fn is_in_subgroup<U: Quadratic>(q: &G2Affine<U>) -> bool {
    walk(q, |_, _| {}) == Membership::Inside
}

/// Multiplies the accumulator by the next line of every prepared point.
#[inline(always)]
fn prepared_lines<U: Quadratic>(
    f: &mut Fp12<U>,
    index: usize,
    prepared: &[Option<PreparedPair<'_, U>>],
) {
    for pair in prepared.iter().flatten() {
        let line = &pair.q.lines[index];
        *f = f.mul_by_unit_line(
            &line.l1.scale(&pair.p.x_over_y),
            &line.l3.scale(&pair.p.one_over_y),
        );
    }
}

/// The product of the Miller loops of (P, Q) and of the prepared pairs, and whether Q is in G2.
/// An absent pair counts as 1.
///
/// Q is finite and on the twist; when it is [`Membership::Outside`] the product means nothing.
pub fn miller_loop<U: Quadratic>(
    q: &G2Affine<U>,
    p: &Ratio<U::Base>,
    prepared: &[Option<PreparedPair<'_, U>>],
) -> (Fp12<U>, Membership) {
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
pub fn prepared_miller_loop<U: Quadratic>(prepared: &[Option<PreparedPair<'_, U>>]) -> Fp12<U> {
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
