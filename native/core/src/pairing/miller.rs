//! The Miller loop over one point of the proof and several prepared points, and the membership test
//! that is a by-product of it.

use crate::curve::G2Affine;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::Fp12;

use super::ate::ATE_DIGITS;
use super::step::{Line, TwistProjective};
use super::{PreparedPair, Ratio};

/// Walks T = Q … [6x+2]Q + ψ(Q) − ψ²(Q), passes each line to `on_line`, and compares the end with
/// −ψ³(Q). `on_line` also gets whether the accumulator is to be squared before the line.
///
/// Returns the lanes in which they are equal, which are those whose Q is in G2:
/// * They are equal exactly if f(ψ)(Q) = 0 for f(X) = X³ − X² + X + 6x + 2.
/// * If Q is in G2, ψ(Q) = \[p\]Q, and f(p) = 0 mod r.
/// * On the whole twist ψ² = tψ − p, so that f(ψ) = aψ + b with a = t² − t + 1 − p and
///   b = 6x + 2 + p − tp. Its product with the conjugate a(t − ψ) + b is the norm N = a²p + abt + b²,
///   so that f(ψ)(Q) = 0 makes \[N\]Q = 0.
/// * The order of the twist is r(2p − r), and N is coprime to 2p − r: \[N\]Q = 0 makes \[r\]Q = 0.
/// * If Q is in G2, no step adds equal or opposite points, which its formulas could not: Z ≠ 0.
///
/// Test: `membership_polynomial_vanishes_on_g2_alone`. The method is that of Dai, Lin, Zhao and Zhou
/// (<https://eprint.iacr.org/2022/348>, section 3); see also El Housni, Guillevic and Piellard
/// (<https://eprint.iacr.org/2022/352>, section 4).
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

/// Returns the lanes whose point, finite and on the twist, is in the subgroup of order r.
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
/// Q is finite and on the twist; outside of G2 the product is meaningless.
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

/// The product of the Miller loops of prepared pairs alone; an absent pair counts as 1.
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
