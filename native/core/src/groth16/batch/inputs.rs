//! The sums of inputs in lanes.

use crate::curve::g1_lanes::{G1Lanes, JacobianLanes};
use crate::curve::G1Jacobian;
use crate::encoding;
use crate::field::lanes::kernel;
use crate::field::{Backend, BaseLanes, Fp, LaneSet, Limbs};

use super::super::input_tables::{Digits, InputTables};
use super::convert::scalars;

kernel! {
    Scale<'a, F: BaseLanes>(points: &'a G1Lanes<F>, factor: &'a F) -> G1Lanes<F> {
        G1Lanes {
            x: points.x * *factor,
            y: points.y * *factor,
        }
    }
}

/// Σ xⱼ·ICⱼ for each list of inputs, n × 32 bytes below r; at most one list for a lane.
///
/// The sums begin with `start`, (1, 2) in every lane, so that the first addition is a regular one.
pub(super) fn combinations<B: Backend, F: BaseLanes>(
    tables: &InputTables<B>,
    start: &G1Lanes<F>,
    lists: &[&[u8]],
) -> Vec<G1Jacobian<B>> {
    let alone = |lane: usize| tables.combination(encoding::words(lists[lane]));
    if F::LANES == 1 {
        return (0..lists.len()).map(alone).collect();
    }
    let sum = sums(tables, start, lists);
    let [x, y, z] = [sum.x, sum.y, sum.z].map(|part| scalars::<F, B>(&part, lists.len()));
    (0..lists.len())
        .map(|lane| {
            if z[lane].is_zero() {
                return alone(lane); // the formula cannot add some of the points
            }
            let (x, y, z) = (x[lane], y[lane], z[lane]);
            G1Jacobian { x, y, z }.add_affine(&tables.end)
        })
        .collect()
}

fn sums<B: Backend, F: BaseLanes>(
    tables: &InputTables<B>,
    start: &G1Lanes<F>,
    lists: &[&[u8]],
) -> JacobianLanes<F> {
    let digits: Vec<Vec<Digits>> = lists
        .iter()
        .map(|list| {
            encoding::words(list)
                .map(|word| Digits::new(word, tables.width))
                .collect()
        })
        .collect();
    let input_count = digits.first().map_or(0, Vec::len);
    // Montgomery limbs enter the lanes as they are, and lose their factor there, where a product
    // costs less than in scalars
    let factor = Fp::<B>::from_montgomery_unchecked([1, 0, 0, 0]).to_canonical();
    let factor = F::from_words(&vec![factor; F::LANES]);
    let mut sum = JacobianLanes::from(start);
    let mut x = vec![Limbs::default(); lists.len()];
    let mut y = x.clone();
    for round in (0..tables.stride).rev() {
        if round + 1 < tables.stride {
            (0..tables.width).for_each(|_| sum.double());
        }
        for input in 0..input_count {
            for table in 0..tables.tables_per_input {
                let mut lanes: LaneSet = 0;
                for (lane, digits) in digits.iter().enumerate() {
                    let digit = digits[input].at(table * tables.stride + round);
                    let multiple = tables.multiple(input, table, digit);
                    // the multiples of a point at infinity are none to add
                    if let Some(multiple) = multiple.filter(|point| !point.is_infinity()) {
                        x[lane] = *multiple.x.montgomery();
                        y[lane] = *multiple.y.montgomery();
                        lanes |= 1 << lane;
                    }
                }
                if lanes != 0 {
                    let points = G1Lanes::from_words(&x, &y);
                    sum.add(&F::enter(Scale(&points, &factor)), lanes);
                }
            }
        }
    }
    sum
}
