//! Equations side by side: each lane has its own, and one product of pairings and one final
//! exponentiation serve them all.

use crate::curve::{G1Affine, G1Jacobian};
use crate::field::{Backend, BaseLanes, Fp, LaneSet, PrimeLanes};
use crate::pairing::{
    final_exponentiation_in_lanes, miller_loops, prepared_miller_loop, target_equal_lanes, Pair,
    PreparedPair,
};
use crate::tower::Fp12;

use super::super::Verdict;
use super::convert::{negated_ratios, ratio_lanes, target_lanes};
use super::inputs::combinations;
use super::section::{delta_lane, Batch, FixedPoints, Section};

/// Groups whose Miller loops run in step: more of them gain nothing (src/docs/engine.md#bad-proofs-in-a-batch).
const GROUPS_IN_STEP: usize = 8;

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
/// Does not decide members that are left over and so few that they are checked faster alone.
pub(super) fn check_each<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    positions: &[usize],
    mut decide: impl FnMut(usize, Verdict),
) {
    for part in positions.chunks(GROUPS_IN_STEP * F::LANES) {
        let mut groups: Vec<_> = part.chunks(F::LANES).collect();
        groups.retain(|group| group.len() >= batch.tables.least.side_by_side);
        let answers = equations(batch, &groups);
        for (group, (holding, in_subgroup)) in groups.iter().zip(answers) {
            for (lane, position) in group.iter().enumerate() {
                let verdict = if in_subgroup >> lane & 1 == 0 {
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
}

/// The lanes of each group whose equation holds, and those whose B is in G2.
fn equations<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    groups: &[&[usize]],
) -> Vec<(LaneSet, LaneSet)> {
    let point = |position: usize, at: usize, is_infinite: bool| -> G1Jacobian<B> {
        if is_infinite {
            return G1Jacobian::INFINITY;
        }
        let words = &batch.members[position].words;
        let [x, y] = [at, at + 1].map(|i| <Fp<B> as PrimeLanes>::from_words(&words[i..=i]));
        G1Affine { x, y }.into()
    };
    let infinite = |position: usize| batch.members[position].infinite;
    let mut points = Vec::new();
    for group in groups {
        let inputs: Vec<_> = group.iter().map(|at| batch.inputs[*at]).collect();
        let a = |at: &usize| point(*at, 0, infinite(*at).pair()).negate();
        points.extend(group.iter().map(a));
        let sums = combinations(&batch.key.inputs, &batch.tables.start, &inputs);
        points.extend(sums);
        points.extend(group.iter().map(|at| point(*at, 6, infinite(*at).c)));
    }
    let mut ratios = &negated_ratios(&points)[..];
    let [gamma, delta] = batch.tables.each(&batch.key.gamma, &batch.key.delta);
    let (pairs, fixed): (Vec<_>, Vec<_>) = groups
        .iter()
        .map(|group| {
            let [a, l, c] = [(); 3].map(|()| {
                let (first, rest) = ratios.split_at(group.len());
                ratios = rest;
                ratio_lanes(first)
            });
            let q = batch.load(group).b;
            let fixed = [(l, gamma), (c, delta)].map(|(p, q)| Some(PreparedPair { p, q }));
            (Pair { p: a, q }, fixed)
        })
        .unzip();
    let (products, members) = miller_loops(&pairs, &fixed);
    let expected = target_lanes(&vec![*batch.key.power.base(); F::LANES]);
    let holding = products.iter().map(|f| equal_lanes(f, &expected));
    holding.zip(members).collect()
}

/// The lanes in which a product of Miller loops has this value.
fn equal_lanes<F: BaseLanes>(f: &Fp12<F>, value: &Fp12<F>) -> LaneSet {
    let (power, zeros) = final_exponentiation_in_lanes(f);
    target_equal_lanes(&power, value) & !zeros
}
