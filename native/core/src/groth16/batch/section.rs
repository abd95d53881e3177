//! Members side by side: their multiples, their sums, and their Miller loops with one accumulator
//! per lane.

use crate::curve::g1_lanes::{
    multiples, multiply, sum_of_multiples, G1Lanes, JacobianLanes, Multiples, MultiplierLanes,
    DIGITS, DIGIT_COUNT,
};
use crate::curve::shared_inverse::invert_all;
use crate::curve::{G1Affine, G1Jacobian};
use crate::encoding;
use crate::field::lanes::kernel;
use crate::field::{Backend, BaseLanes, Fp, Fr, LaneSet, Limbs, PrimeLanes};
use crate::pairing::{miller_loops, Pair, PreparedPair, Ratio};
use crate::tower::Fp12;

use super::super::key::Prepared;
use super::super::lane_tables::LaneTables;
use super::super::randomisers::{multiplier_lanes, Exponent, Randomiser};
use super::convert::{negated_ratios, ratio_lanes, scalars};
use super::decode::{Loaded, Member};

/// A batch whose members are fixed.
pub(super) struct Batch<'a, B: Backend, F: BaseLanes> {
    pub key: &'a Prepared<B>,
    pub tables: &'a LaneTables<F>,
    pub members: Vec<Member>,
    /// The inputs of each member.
    pub inputs: Vec<&'a [u8]>,
    /// The randomiser of each member; empty if nothing is combined.
    pub randomisers: Vec<Randomiser>,
}

/// Up to `LANES` members.
pub(super) struct Group<F> {
    /// The member in each lane, by its position in the batch; lanes beyond have none.
    positions: Vec<usize>,
    c: Multiples<F>,
    /// The multipliers of C; 0 in the lanes without one.
    multipliers: MultiplierLanes,
    /// The lanes with a C.
    c_lanes: LaneSet,
    /// (rA, B); (0, 0) and a generator in the lanes that have no such pair.
    pub pair: Pair<F>,
}

/// Sums over the members of a lane, or of several.
#[derive(Clone)]
pub(super) struct Sums<B: Backend> {
    /// Σ rᵢ.
    pub exponent: Exponent,
    /// Σ rᵢ·xᵢⱼ for each input.
    inputs: Vec<Fr<B>>,
    /// Σ rᵢ·Cᵢ.
    pub c: G1Jacobian<B>,
}

/// A point to be paired with γ, and one with δ.
#[derive(Clone, Copy)]
pub(super) struct FixedPoints<B: Backend> {
    pub gamma: G1Jacobian<B>,
    pub delta: G1Jacobian<B>,
}

/// Members with their accumulators.
pub(super) struct Section<B: Backend, F: BaseLanes> {
    pub groups: Vec<Group<F>>,
    /// The sums of each lane.
    pub sums: Vec<Sums<B>>,
    /// Product of the Miller loops of the members of each lane and of the pairs of `included`.
    pub f: Fp12<F>,
    /// The lanes whose members are all in G2, as far as is known.
    pub valid_lanes: LaneSet,
    /// The inverses of these points are paired with γ in lane 0 and with δ in lane
    /// [`delta_lane`].
    pub included: FixedPoints<B>,
}

/// The lane of δ in [`LaneTables::combined`].
pub(super) const fn delta_lane<F: BaseLanes>() -> usize {
    if F::LANES == 1 {
        0
    } else {
        1
    }
}

kernel! {
    // x/y = XZ²/YZ and 1/y = Z⁴/YZ, over a denominator that is 0 for Z = 0 too
    Fraction<'a, F: BaseLanes>(t: &'a JacobianLanes<F>) -> [F; 3] {
        let zz = t.z.square();
        [t.x * zz, zz.square(), t.y * t.z]
    }
}

kernel! {
    Divide<'a, F: BaseLanes>(fraction: &'a [F; 3], inverse: &'a F, present: LaneSet) -> Ratio<F> {
        Ratio {
            x_over_y: F::select(present, &(fraction[0] * *inverse), &F::ZERO),
            one_over_y: F::select(present, &(fraction[1] * *inverse), &F::ZERO),
        }
    }
}

impl<F: BaseLanes> Group<F> {
    pub(super) fn position_in(&self, lane: usize) -> Option<usize> {
        self.positions.get(lane).copied()
    }
}

impl<B: Backend, F: BaseLanes> Batch<'_, B, F> {
    pub(super) fn load(&self, positions: &[usize]) -> Loaded<F> {
        Loaded::new(positions.iter().map(|position| &self.members[*position]))
    }

    /// The members in groups, in order, with rA computed; `None` when a formula did not apply, which
    /// cannot happen: [`multiply`] is exact, and neither a point in lanes nor any multiple of it is
    /// infinity.
    pub(super) fn groups(&self) -> Option<Vec<Group<F>>> {
        let positions: Vec<_> = (0..self.members.len()).collect();
        let positions: Vec<_> = positions.chunks(F::LANES).collect();
        let loaded: Vec<_> = positions.iter().map(|group| self.load(group)).collect();
        let points: Vec<G1Lanes<F>> = loaded.iter().flat_map(|group| [group.a, group.c]).collect();
        let tables = multiples(&points);
        let fractions: Vec<_> = tables
            .chunks_exact(2)
            .zip(&positions)
            .map(|(table, group)| {
                let multipliers = self.multipliers(group, F::ALL);
                F::enter(Fraction(&multiply(&table[0], &multipliers)))
            })
            .collect();
        let mut inverses: Vec<F> = fractions.iter().map(|fraction| fraction[2]).collect();
        if invert_all(&mut inverses).iter().any(|zeros| *zeros != 0) {
            return None;
        }
        let groups = positions
            .iter()
            .enumerate()
            .map(|(i, positions)| {
                let has_pair = self.lanes(positions, |member| !member.infinite.pair());
                let pair = Pair {
                    p: F::enter(Divide(&fractions[i], &inverses[i], has_pair)),
                    q: loaded[i].b,
                };
                self.group(positions, tables[2 * i + 1], pair)
            })
            .collect();
        Some(groups)
    }

    /// Puts some members of groups into new groups, so that they fill the lanes.
    pub(super) fn regroup(&self, from: &[Group<F>], positions: &[usize]) -> Vec<Group<F>> {
        let places: Vec<_> = positions
            .iter()
            .map(|position| {
                from.iter()
                    .enumerate()
                    .find_map(|(i, group)| {
                        let lane = group.positions.iter().position(|other| other == position)?;
                        Some((i, lane))
                    })
                    .expect("every position is in one of the groups")
            })
            .collect();
        let loaded: Vec<_> = positions
            .chunks(F::LANES)
            .map(|group| self.load(group))
            .collect();
        let points: Vec<_> = loaded.iter().map(|group| group.c).collect();
        let tables = multiples(&points);
        positions
            .chunks(F::LANES)
            .zip(places.chunks(F::LANES))
            .enumerate()
            .map(|(i, (positions, places))| {
                let gather = |part: &dyn Fn(&Ratio<F>) -> F| {
                    let words: Vec<Limbs> = places
                        .iter()
                        .map(|(group, lane)| {
                            let mut words = vec![Limbs::default(); lane + 1];
                            part(&from[*group].pair.p).to_words(&mut words);
                            words[*lane]
                        })
                        .collect();
                    F::from_words(&words)
                };
                let pair = Pair {
                    p: Ratio {
                        x_over_y: gather(&|p| p.x_over_y),
                        one_over_y: gather(&|p| p.one_over_y),
                    },
                    q: loaded[i].b,
                };
                self.group(positions, tables[i], pair)
            })
            .collect()
    }

    fn group(&self, positions: &[usize], c: Multiples<F>, pair: Pair<F>) -> Group<F> {
        let c_lanes = self.lanes(positions, |member| !member.infinite.c);
        Group {
            positions: positions.to_vec(),
            c,
            multipliers: self.multipliers(positions, c_lanes),
            c_lanes,
            pair,
        }
    }

    /// The lanes whose member has a property.
    fn lanes(&self, positions: &[usize], has: impl Fn(&Member) -> bool) -> LaneSet {
        positions
            .iter()
            .enumerate()
            .fold(0, |lanes, (lane, position)| {
                lanes | LaneSet::from(has(&self.members[*position])) << lane
            })
    }

    /// The randomisers of members in the lanes of the set.
    fn multipliers(&self, positions: &[usize], lanes: LaneSet) -> MultiplierLanes {
        let in_set = positions
            .iter()
            .enumerate()
            .filter(|(lane, _)| lanes >> lane & 1 == 1);
        multiplier_lanes(in_set.map(|(lane, position)| (lane, &self.randomisers[*position])))
    }

    /// Groups with their sums, their Miller loops not yet run.
    pub(super) fn section(&self, groups: Vec<Group<F>>) -> Section<B, F> {
        let mut sums = vec![Sums::zero(self.key.input_count); F::LANES];
        for group in &groups {
            for (sums, position) in sums.iter_mut().zip(&group.positions) {
                sums.add_member(&self.randomisers[*position], self.inputs[*position]);
            }
        }
        let members: Vec<_> = groups
            .iter()
            .map(|group| (&group.c, &group.multipliers, group.c_lanes))
            .collect();
        let c = sum_of_multiples(&self.tables.start, &members);
        let [x, y, z] = [c.x, c.y, c.z].map(|part| scalars::<F, B>(&part, F::LANES));
        for (lane, sums) in sums.iter_mut().enumerate() {
            sums.c = if z[lane].is_zero() {
                let positions = groups.iter().filter_map(|group| group.position_in(lane));
                self.sum_by_complete_formulas(positions)
            } else {
                let (x, y, z) = (x[lane], y[lane], z[lane]);
                G1Jacobian { x, y, z }.add_affine(&self.key.sum_end)
            };
        }
        Section {
            groups,
            sums,
            f: Fp12::ONE,
            valid_lanes: F::ALL,
            included: FixedPoints::NONE,
        }
    }

    /// Σ rᵢ·Cᵢ of some members by formulas that handle every pair of points.
    fn sum_by_complete_formulas(&self, positions: impl Iterator<Item = usize>) -> G1Jacobian<B> {
        let members: Vec<_> = positions
            .filter(|position| !self.members[*position].infinite.c)
            .map(|position| {
                let words = &self.members[position].words;
                let x = <Fp<B> as PrimeLanes>::from_words(&words[6..7]);
                let y = <Fp<B> as PrimeLanes>::from_words(&words[7..8]);
                let image = x * Fp::<B>::CONSTANTS.beta;
                let digits: Vec<_> = self.randomisers[position].digits().collect();
                ([x, image].map(|x| G1Affine { x, y }), digits)
            })
            .collect();
        let mut sum = G1Jacobian::INFINITY;
        for ([c, _], _) in &members {
            sum = sum.add_affine(c);
        }
        for place in 0..DIGIT_COUNT {
            sum = sum.double().double();
            for (points, digits) in &members {
                let (a, b) = DIGITS[digits[place]];
                for (point, times) in points.iter().zip([a, b]) {
                    let point = if times < 0 { point.negate() } else { *point };
                    for _ in 0..times.unsigned_abs() {
                        sum = sum.add_affine(&point);
                    }
                }
            }
        }
        sum
    }

    /// Runs the Miller loops of a section, with the inverses of `fixed` paired with γ and δ.
    ///
    /// Returns the positions of the members outside of G2, whose lanes become invalid.
    pub(super) fn run(
        &self,
        section: &mut Section<B, F>,
        fixed: Option<FixedPoints<B>>,
    ) -> Vec<usize> {
        let pairs: Vec<_> = section.groups.iter().map(|group| group.pair).collect();
        let mut prepared = [None; 2];
        if let Some(fixed) = fixed {
            let ratios = negated_ratios(&[fixed.gamma, fixed.delta]);
            for ((pair, ratios), q) in prepared
                .iter_mut()
                .zip(ratios.chunks(F::LANES.min(2)))
                .zip(&self.tables.combined)
            {
                let p = ratio_lanes(ratios);
                *pair = Some(PreparedPair { p, q });
            }
            section.included = fixed;
        }
        let (products, members) = miller_loops(&pairs, &[prepared]);
        section.f = products[0];
        let mut outside = Vec::new();
        for (group, members) in section.groups.iter().zip(members) {
            section.valid_lanes &= members;
            for (lane, position) in group.positions.iter().enumerate() {
                if members >> lane & 1 == 0 {
                    outside.push(*position);
                }
            }
        }
        outside
    }

    /// Σ xⱼ·ICⱼ and Σ rᵢ·Cᵢ of the sums.
    pub(super) fn fixed_points(&self, sums: &Sums<B>) -> FixedPoints<B> {
        let inputs = sums.input_bytes();
        FixedPoints {
            gamma: self.key.inputs.combination(encoding::words(&inputs)),
            delta: sums.c,
        }
    }
}

impl<B: Backend> Sums<B> {
    pub(super) fn zero(input_count: usize) -> Self {
        Self {
            exponent: Exponent::default(),
            inputs: vec![Fr::ZERO; input_count],
            c: G1Jacobian::INFINITY,
        }
    }

    fn add_member(&mut self, randomiser: &Randomiser, inputs: &[u8]) {
        let exponent = randomiser.exponent();
        self.exponent.add(&exponent);
        let r = exponent.scalar::<B>();
        for (sum, word) in self.inputs.iter_mut().zip(encoding::words(inputs)) {
            let input = Fr::from_be_bytes(word).expect("triage admits inputs below r only");
            *sum += r * input;
        }
    }

    /// Σ rᵢ·xᵢⱼ as the bytes of inputs.
    pub(super) fn input_bytes(&self) -> Vec<u8> {
        self.inputs.iter().flat_map(Fr::to_be_bytes).collect()
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.exponent.add(&other.exponent);
        for (sum, input) in self.inputs.iter_mut().zip(&other.inputs) {
            *sum += *input;
        }
        self.c = self.c.add(&other.c);
    }
}

impl<B: Backend, F: BaseLanes> Section<B, F> {
    /// Each valid lane with its members.
    pub(super) fn members_of_valid_lanes(&self) -> impl Iterator<Item = (usize, Vec<usize>)> + '_ {
        let lanes = (0..F::LANES).filter(|lane| self.valid_lanes >> lane & 1 == 1);
        lanes.map(|lane| {
            let members = self
                .groups
                .iter()
                .filter_map(|group| group.position_in(lane));
            (lane, members.collect())
        })
    }

    /// The fixed points included in valid lanes.
    pub(super) fn included_in_valid_lanes(&self) -> FixedPoints<B> {
        let in_lane = |lane: usize, point: G1Jacobian<B>| {
            if self.valid_lanes >> lane & 1 == 1 {
                point
            } else {
                G1Jacobian::INFINITY
            }
        };
        FixedPoints {
            gamma: in_lane(0, self.included.gamma),
            delta: in_lane(delta_lane::<F>(), self.included.delta),
        }
    }
}

impl<B: Backend> FixedPoints<B> {
    pub(super) const NONE: Self = Self {
        gamma: G1Jacobian::INFINITY,
        delta: G1Jacobian::INFINITY,
    };
}
