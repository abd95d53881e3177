//! From accumulators to verdicts.

use crate::field::{Backend, BaseLanes};

use super::super::Verdict;
use super::convert::target_scalars;
use super::equations::{check_each, holding_lanes};
use super::section::{Batch, FixedPoints, Section, Sums};

/// Groups that share an accumulator if there is one lane only: so many members are checked again for
/// one member outside of G2, or singly for one false member.
const SCALAR_SECTION: usize = 16;

/// Number of groups at which lanes hold two members at most: checking these singly costs as much as
/// the equations of their lanes, which would tell less.
const PAIRS: usize = 2;

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
            lanes.filter_map(|(lane, f)| (section.valid_lanes >> lane & 1 == 1).then_some(f))
        })
        .reduce(|product, f| product * f);
    let value = product.and_then(|product| batch.key.final_exponentiation(&product));
    let expected = batch.key.power.power(sums.exponent.a, sums.exponent.b);
    let all_hold = value == Some(expected);

    let mut suspects = Vec::new();
    for section in &sections {
        let asks_lanes = F::LANES == 1 || section.groups.len() != PAIRS;
        let holding = match asks_lanes {
            _ if all_hold => section.valid_lanes,
            true => holding_lanes(batch, section),
            false => 0,
        };
        for lane in (0..F::LANES).filter(|lane| section.valid_lanes >> lane & 1 == 1) {
            let members: Vec<_> = section
                .groups
                .iter()
                .filter_map(|group| group.position_in(lane))
                .collect();
            let holds = holding >> lane & 1 == 1;
            match members[..] {
                _ if holds => members
                    .iter()
                    .for_each(|member| decide(*member, Verdict::Valid)),
                [member] if asks_lanes => decide(member, Verdict::False),
                _ => suspects.extend(members),
            }
        }
    }
    check_each(batch, &suspects, decide);
}

/// The sums over all valid lanes.
fn total<B: Backend, F: BaseLanes>(batch: &Batch<B, F>, sections: &[Section<B, F>]) -> Sums<B> {
    let mut total = Sums::zero(batch.key.input_count);
    for section in sections {
        for (lane, sums) in section.sums.iter().enumerate() {
            if section.valid_lanes >> lane & 1 == 1 {
                total.add(sums);
            }
        }
    }
    total
}

/// Puts the members of invalid lanes, without those outside of G2, in a section of their own, which
/// corrects the pairs with γ and δ as well, which depend on all members.
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
                    .filter(|lane| section.valid_lanes >> lane & 1 == 0)
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
    let included = sections[0].included_in_valid_lanes();
    let missing = FixedPoints {
        gamma: wanted.gamma.add(&included.gamma.negate()),
        delta: wanted.delta.add(&included.delta.negate()),
    };
    batch.run(&mut repaired, Some(missing));
    repaired
}
