//! Equations side by side: each lane has its own, and one product of pairings and one final
//! exponentiation serve them all.

use crate::curve::{G1Affine, G1Jacobian};
use crate::field::{Backend, BaseLanes, Fp, LaneSet, PrimeLanes};
use crate::pairing::{
    final_exponentiation_in_lanes, prepared_miller_loop, shared_miller_loop, target_equal_lanes,
    Pair, PreparedPair,
};
use crate::tower::Fp12;

use super::super::Verdict;
use super::convert::{negated_ratios, ratio_lanes, target_lanes};
use super::inputs::combinations;
use super::section::{delta_lane, Batch, FixedPoints, Section};

/// The valid lanes of a section whose own equation holds.
pub(super) fn holding_lanes<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    section: &Section<B, F>,
) -> LaneSet {
    let inputs: Vec<_> = section.sums.iter().map(|sums| sums.input_bytes()).collect();
    let inputs: Vec<_> = inputs.iter().map(Vec::as_slice).collect();
    let mut points: Vec<_> = combinations(&batch.key.inputs, &batch.tables.start, &inputs)
        .into_iter()
        .zip(&section.sums)
        .map(|(gamma, sums)| FixedPoints {
            gamma,
            delta: sums.c,
        })
        .collect();
    let included = section.included_in_valid_lanes();
    let gamma = &mut points[0].gamma;
    *gamma = gamma.add(&included.gamma.negate());
    let delta = &mut points[delta_lane::<F>()].delta;
    *delta = delta.add(&included.delta.negate());
    let ratios: Vec<_> = points.iter().flat_map(|at| [at.gamma, at.delta]).collect();
    let ratios = negated_ratios(&ratios);
    let [gamma, delta] = batch.tables.each(&batch.key.gamma, &batch.key.delta);
    let fixed = [(0, gamma), (1, delta)].map(|(first, q)| {
        let ratios: Vec<_> = ratios.iter().skip(first).step_by(2).copied().collect();
        let p = ratio_lanes(&ratios);
        Some(PreparedPair { p, q })
    });
    let f = section.f * prepared_miller_loop(&fixed);
    let powers: Vec<_> = section
        .sums
        .iter()
        .map(|sums| batch.key.power.power(sums.exponent.a, sums.exponent.b))
        .collect();
    equal_lanes(&f, &target_lanes(&powers)) & section.valid_lanes
}

/// Checks members by the equation of a single proof, one in each lane:
/// e(A,B) · e(−C,δ) · e(−Σ xⱼ·ICⱼ, γ) = e(α,β)·e(IC₀,γ).
///
/// Decides each member but a single one that is left over if there are many lanes: it is checked faster
/// alone.
pub(super) fn check_each<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    positions: &[usize],
    mut decide: impl FnMut(usize, Verdict),
) {
    let point = |position: usize, at: usize| -> G1Jacobian<B> {
        let words = &batch.members[position].words;
        let [x, y] = [at, at + 1].map(|i| <Fp<B> as PrimeLanes>::from_words(&words[i..=i]));
        G1Affine { x, y }.into()
    };
    let expected = target_lanes(&vec![*batch.key.power.base(); F::LANES]);
    let [gamma, delta] = batch.tables.each(&batch.key.gamma, &batch.key.delta);
    for group in positions.chunks(F::LANES) {
        if group.len() == 1 && F::LANES > 1 {
            continue;
        }
        let inputs: Vec<_> = group.iter().map(|at| batch.inputs[*at]).collect();
        let mut points: Vec<_> = group.iter().map(|at| point(*at, 0).negate()).collect();
        points.extend(combinations(
            &batch.key.inputs,
            &batch.tables.start,
            &inputs,
        ));
        points.extend(group.iter().map(|at| point(*at, 6)));
        let ratios = negated_ratios(&points);
        let [a, l, c] = [0, 1, 2].map(|i| ratio_lanes(&ratios[i * group.len()..][..group.len()]));
        let pair = Pair {
            p: a,
            q: batch.load(group).b,
        };
        let fixed = [(l, gamma), (c, delta)].map(|(p, q)| Some(PreparedPair { p, q }));
        let (f, in_subgroup) = shared_miller_loop(&[pair], &fixed);
        let holding = equal_lanes(&f, &expected);
        for (lane, position) in group.iter().enumerate() {
            let verdict = if in_subgroup[0] >> lane & 1 == 0 {
                Verdict::PointNotInSubgroup
            } else if holding >> lane & 1 == 1 {
                Verdict::Valid
            } else {
                Verdict::False
            };
            decide(*position, verdict);
        }
    }
}

/// The lanes in which a product of Miller loops has this value.
fn equal_lanes<F: BaseLanes>(f: &Fp12<F>, value: &Fp12<F>) -> LaneSet {
    let (power, zeros) = final_exponentiation_in_lanes(f);
    target_equal_lanes(&power, value) & !zeros
}
