//! From accumulators to verdicts.

use crate::curve::G1Jacobian;
use crate::encoding;
use crate::field::{Backend, BaseLanes, LaneSet};
use crate::pairing::{
    final_exponentiation, final_exponentiation_in_lanes, prepared_miller_loop, shared_miller_loop,
    target_equal_lanes, Pair, PreparedPair,
};
use crate::tower::Fp12;

use super::super::Verdict;
use super::convert::{negated_ratios, ratio_lanes, target_lanes, target_scalars};
use super::section::{delta_lane, Batch, FixedPoints, Section, Sums};

/// Groups that share an accumulator where there is one lane only: so many members are done again
/// for one outside of G2, or checked singly for a false one.
const SCALAR_SECTION: usize = 16;

/// Decides every member.
pub(super) fn settle<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    verdicts: &mut [Option<Verdict>],
) {
    let mut decide = |position: usize, verdict| {
        verdicts[batch.members[position].index] = Some(verdict);
    };
    let Some(mut groups) = batch.groups() else {
        return;
    };
    let mut sections = Vec::new();
    let size = if F::LANES == 1 {
        SCALAR_SECTION
    } else {
        groups.len()
    };
    while !groups.is_empty() {
        let rest = groups.split_off(size.min(groups.len()));
        sections.push(batch.section(groups));
        groups = rest;
    }

    let mut fixed = Some(batch.fixed_points(&total(batch, &sections)));
    let mut outside = Vec::new();
    for section in &mut sections {
        outside.extend(batch.run(section, fixed.take()));
    }
    if !outside.is_empty() {
        for position in &outside {
            decide(*position, Verdict::PointNotInSubgroup);
        }
        sections.push(repair(batch, &sections, &outside));
    }

    let sums = total(batch, &sections);
    if sums.exponent == Default::default() {
        return; // every member was outside
    }
    let product = sections
        .iter()
        .flat_map(|section| {
            let lanes = target_scalars::<F, B>(&section.f).into_iter().enumerate();
            lanes.filter_map(|(lane, f)| (section.sound >> lane & 1 == 1).then_some(f))
        })
        .reduce(|product, f| product * f);
    let value = product.and_then(|product| final_exponentiation(&product));
    let expected = batch.key.power.power(sums.exponent.a, sums.exponent.b);
    let all_hold = value == Some(expected);

    let mut suspects = Vec::new();
    for section in &sections {
        let holding = if all_hold {
            section.sound
        } else {
            holding_lanes(batch, section)
        };
        for lane in (0..F::LANES).filter(|lane| section.sound >> lane & 1 == 1) {
            let members: Vec<_> = section
                .groups
                .iter()
                .filter_map(|group| group.position_in(lane))
                .collect();
            if holding >> lane & 1 == 1 {
                members
                    .iter()
                    .for_each(|member| decide(*member, Verdict::Valid));
            } else if let [member] = members[..] {
                decide(member, Verdict::False);
            } else {
                suspects.extend(members);
            }
        }
    }
    for group in suspects.chunks(F::LANES) {
        let holding = holding_members(batch, group);
        for (lane, member) in group.iter().enumerate() {
            let holds = holding >> lane & 1 == 1;
            decide(
                *member,
                if holds {
                    Verdict::Valid
                } else {
                    Verdict::False
                },
            );
        }
    }
}

/// The sums over all sound lanes.
fn total<B: Backend, F: BaseLanes>(batch: &Batch<B, F>, sections: &[Section<B, F>]) -> Sums<B> {
    let mut total = Sums::zero(batch.key.input_count);
    for section in sections {
        for (lane, sums) in section.sums.iter().enumerate() {
            if section.sound >> lane & 1 == 1 {
                total.add(sums);
            }
        }
    }
    total
}

/// The members of the lanes that are not sound, without those outside of G2, in a section of their
/// own; it corrects the pairs with γ and δ as well, which depend on all members.
fn repair<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    sections: &[Section<B, F>],
    outside: &[usize],
) -> Section<B, F> {
    let mut groups = Vec::new();
    for section in sections {
        let positions: Vec<_> = section
            .groups
            .iter()
            .flat_map(|group| {
                (0..F::LANES)
                    .filter(|lane| section.sound >> lane & 1 == 0)
                    .filter_map(|lane| group.position_in(lane))
            })
            .filter(|position| !outside.contains(position))
            .collect();
        groups.extend(batch.regroup(&section.groups, &positions));
    }
    let mut repaired = batch.section(groups);
    let mut sums = total(batch, sections);
    for lane in &repaired.sums {
        sums.add(lane);
    }
    let wanted = batch.fixed_points(&sums);
    let included = included(&sections[0]);
    let missing = FixedPoints {
        gamma: wanted.gamma.add(&included.gamma.negate()),
        delta: wanted.delta.add(&included.delta.negate()),
    };
    batch.run(&mut repaired, Some(missing));
    repaired
}

/// The fixed points in the sound lanes of a section.
fn included<B: Backend, F: BaseLanes>(section: &Section<B, F>) -> FixedPoints<B> {
    let in_lane = |lane: usize, point: G1Jacobian<B>| {
        if section.sound >> lane & 1 == 1 {
            point
        } else {
            G1Jacobian::INFINITY
        }
    };
    FixedPoints {
        gamma: in_lane(0, section.included.gamma),
        delta: in_lane(delta_lane::<F>(), section.included.delta),
    }
}

/// The sound lanes whose own equation holds.
fn holding_lanes<B: Backend, F: BaseLanes>(
    batch: &Batch<B, F>,
    section: &Section<B, F>,
) -> LaneSet {
    let mut points: Vec<_> = section
        .sums
        .iter()
        .map(|sums| batch.fixed_points(sums))
        .collect();
    let included = included(section);
    let gamma = &mut points[0].gamma;
    *gamma = gamma.add(&included.gamma.negate());
    let delta = &mut points[delta_lane::<F>()].delta;
    *delta = delta.add(&included.delta.negate());
    let f = section.f * prepared_miller_loop(&fixed_pairs(batch, &points));
    let powers: Vec<_> = section
        .sums
        .iter()
        .map(|sums| batch.key.power.power(sums.exponent.a, sums.exponent.b))
        .collect();
    equal_lanes(&f, &target_lanes(&powers)) & section.sound
}

/// The members, one in each lane, whose equation holds by itself, without randomisers; all are
/// known to be in their groups.
fn holding_members<B: Backend, F: BaseLanes>(batch: &Batch<B, F>, positions: &[usize]) -> LaneSet {
    let scalars = |at: usize| {
        positions.iter().map(move |position| {
            <crate::field::Fp<B> as crate::field::PrimeLanes>::from_words(
                &batch.members[*position].words[at..=at],
            )
        })
    };
    let affine = |x: usize, y: usize| -> Vec<G1Jacobian<B>> {
        scalars(x)
            .zip(scalars(y))
            .map(|(x, y)| crate::curve::G1Affine { x, y }.into())
            .collect()
    };
    let points: Vec<_> = positions
        .iter()
        .zip(affine(6, 7))
        .map(|(position, c)| FixedPoints {
            gamma: batch
                .key
                .inputs
                .combination(encoding::words(batch.inputs[*position])),
            delta: c,
        })
        .collect();
    let a: Vec<_> = affine(0, 1).iter().map(G1Jacobian::negate).collect();
    let pair = Pair {
        p: ratio_lanes(&negated_ratios(&a)),
        q: batch.load(positions).b,
    };
    let (f, _) = shared_miller_loop(&[pair], &fixed_pairs(batch, &points));
    let expected = vec![*batch.key.power.base(); F::LANES];
    equal_lanes(&f, &target_lanes(&expected))
}

/// The inverses of each lane's points with γ and δ.
fn fixed_pairs<'a, B: Backend, F: BaseLanes>(
    batch: &Batch<'a, B, F>,
    points: &[FixedPoints<B>],
) -> [Option<PreparedPair<'a, F>>; 2] {
    let all: Vec<_> = points.iter().flat_map(|at| [at.gamma, at.delta]).collect();
    let ratios = negated_ratios(&all);
    let [gamma, delta] = batch.tables.each(&batch.key.gamma, &batch.key.delta);
    [(0, gamma), (1, delta)].map(|(first, q)| {
        let ratios: Vec<_> = ratios.iter().skip(first).step_by(2).copied().collect();
        Some(PreparedPair {
            p: ratio_lanes(&ratios),
            q,
        })
    })
}

/// The lanes in which a product of Miller loops has this value.
fn equal_lanes<F: BaseLanes>(f: &Fp12<F>, value: &Fp12<F>) -> LaneSet {
    let (power, zeros) = final_exponentiation_in_lanes(f);
    target_equal_lanes(&power, value) & !zeros
}
