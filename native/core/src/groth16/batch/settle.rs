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

/// Members of a [`Sample`] if there are lanes; where more than one is false, so are many of the others.
const SAMPLE: usize = 8;

/// If one in so many members is outside of G2, all others are checked singly: computing their lanes again
/// would be wasted where these are false, too.
const MANY: usize = 16;

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
    let mut sample = Sample::default();
    if !outside.is_empty() {
        for position in &outside {
            decide(*position, Verdict::PointNotInSubgroup);
        }
        let mut rest: Vec<_> = (0..batch.members.len()).collect();
        rest.retain(|position| !outside.contains(position));
        let has_many = outside.len() * MANY >= batch.members.len();
        if !has_many {
            sample = Sample::check(batch, &rest, &mut decide);
        }
        if has_many || sample.false_members > 0 {
            rest.retain(|position| !sample.positions.contains(position));
            return check_each(batch, &rest, decide);
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

    if !all_hold && sample.positions.is_empty() {
        let members: Vec<_> = sections
            .iter()
            .flat_map(|section| section.members_of_valid_lanes())
            .flat_map(|(_, members)| members)
            .collect();
        sample = Sample::check(batch, &members, &mut decide);
    }
    let asks_lanes = sample.false_members * SAMPLE <= sample.positions.len();
    let mut suspects = Vec::new();
    for section in &sections {
        let asks_lanes = asks_lanes && (F::LANES == 1 || section.groups.len() != PAIRS);
        let holding = match asks_lanes {
            _ if all_hold => section.valid_lanes,
            true => holding_lanes(batch, section),
            false => 0,
        };
        for (lane, members) in section.members_of_valid_lanes() {
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
    suspects.retain(|member| !sample.positions.contains(member));
    check_each(batch, &suspects, decide);
}

/// Members of a batch that failed which are checked first: where many of them are false, other steps than
/// the equation of each member would not be worth their cost.
#[derive(Default)]
struct Sample {
    positions: Vec<usize>,
    false_members: usize,
}

impl Sample {
    /// Decides members that are spread over the given ones from a place that no sender knows; none of so few
    /// that a sample would be most of them.
    fn check<B: Backend, F: BaseLanes>(
        batch: &Batch<B, F>,
        members: &[usize],
        mut decide: impl FnMut(usize, Verdict),
    ) -> Self {
        let size = if F::LANES == 1 { 1 } else { SAMPLE };
        if members.len() <= size * PAIRS {
            return Self::default();
        }
        let distance = members.len() / size;
        let secret = batch.randomisers[members[0]].exponent().a.unsigned_abs();
        let first = (secret % distance as u128) as usize;
        let positions: Vec<_> = (0..size).map(|i| members[first + i * distance]).collect();
        let mut false_members = 0;
        check_each(batch, &positions, |position, verdict| {
            false_members += usize::from(verdict == Verdict::False);
            decide(position, verdict);
        });
        Self {
            positions,
            false_members,
        }
    }
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
