//! Points of a verifying key that are small multiples of each other.
//!
//! A proof holds when e(A,B) = e(α,β) · e(L,γ) · e(C,δ), L = IC₀ + Σ xⱼ·ICⱼ. An attacker who knows one of
//! these factors k forges a proof of any statement. After a completed setup nobody knows
//! one.
//!
//! | relation | forged proof (A, B, C) |
//! |---|---|
//! | δ = k·γ | (α, β, −L/k) |
//! | γ = k·β | (α + k·L, β, 0) |
//! | δ = k·β | (L, γ, −α/k) |
//! | α = k·G1 or β = k·G2 | made with the proving key: A or B is no longer bound to the witness of the other |
//! | δ = k·G2 | made with the powers of τ: C absorbs every violated constraint |
//!
//! A proving key without a contribution has δ = γ; powers of τ without one have β = γ and α = G1.
//! γ itself is the generator of G2 in every key of snarkjs: soundness does not rest on its secret.
//!
//! [`small_factor`] finds P = k·Q for |k| ≤ 2^16 by steps: k = 512·m + i, so that P − m·(512·Q) has
//! the x of i·Q, |m| ≤ 128 and |i| ≤ 256.

use crate::curve::affine::{add_all, double, multiples, Affine, Coordinate};
use crate::curve::generators::{g1_generator, g2_generator};
use crate::field::{Backend, Fp};
use crate::tower::Fp2;

use super::{KeyError, KeyPoint};

const SMALL_STEPS: usize = 256;
const LARGE_STEPS: usize = 128;

/// Multiples of a point for the search of small factors.
pub(super) struct Steps<K> {
    point: Affine<K>,
    /// 1 to 256 times the point.
    small: Vec<Affine<K>>,
    /// Tag of the x of each small step and its number, sorted.
    by_x: Vec<(u64, usize)>,
    /// 1 to 128 times 512 times the point.
    large: Vec<Affine<K>>,
}

impl<K: Coordinate> Steps<K> {
    /// Makes the multiples of a finite point.
    pub fn new(point: Affine<K>) -> Self {
        let small = multiples(&point, SMALL_STEPS);
        let large = multiples(&double(&small[SMALL_STEPS - 1]), LARGE_STEPS);
        let mut by_x: Vec<_> = (1..)
            .zip(&small)
            .map(|(number, step): (usize, _)| (step.x.tag(), number))
            .collect();
        by_x.sort_unstable();
        Self {
            point,
            small,
            by_x,
            large,
        }
    }

    /// Factors k and l, one of them ±1 and the other at most 2^16, with k·P + l·Q = 0 for this point P and another Q.
    pub fn small_ratio(&self, other: &Self) -> Option<(i64, i64)> {
        small_factor(&self.point, other)
            .map(|factor| (1, -factor))
            .or_else(|| small_factor(&other.point, self).map(|factor| (factor, -1)))
    }

    /// i with |i| ≤ 256 and P = i·Q.
    fn small_number(&self, point: &Affine<K>) -> Option<i64> {
        if point.is_infinity() {
            return Some(0);
        }
        let tag = point.x.tag();
        let first = self.by_x.partition_point(|(other, _)| *other < tag);
        self.by_x[first..]
            .iter()
            .take_while(|(other, _)| *other == tag)
            .find_map(|(_, number)| {
                let step = &self.small[number - 1];
                let number = i64::try_from(*number).ok()?;
                if step == point {
                    Some(number)
                } else {
                    (step.negate() == *point).then_some(-number)
                }
            })
    }
}

/// Finds k with |k| ≤ 2^16 and P = k·Q, both finite and of order r; larger factors up to 65,792 are found,
/// too.
fn small_factor<K: Coordinate>(point: &Affine<K>, steps: &Steps<K>) -> Option<i64> {
    if let Some(number) = steps.small_number(point) {
        return Some(number);
    }
    let large_step = (2 * SMALL_STEPS) as i64;
    [-1, 1].into_iter().find_map(|sign: i64| {
        let mut rests: Vec<_> = steps
            .large
            .iter()
            .map(|step| if sign > 0 { step.negate() } else { *step })
            .collect();
        add_all(&mut rests, &[*point; LARGE_STEPS]);
        (1..).zip(&rests).find_map(|(number, rest): (i64, _)| {
            Some(sign * number * large_step + steps.small_number(rest)?)
        })
    })
}

/// Finds the first relation between α or two of β, γ, δ and the generators that makes a key forgeable.
/// The points are finite and of order r.
pub(super) fn find_relation<B: Backend>(
    alpha: Affine<Fp<B>>,
    [beta, gamma, delta]: [Affine<Fp2<Fp<B>>>; 3],
) -> Option<KeyError> {
    let g1 = [
        (KeyPoint::Alpha, Steps::new(alpha)),
        (KeyPoint::GeneratorG1, Steps::new(g1_generator())),
    ];
    let g2 = [
        (KeyPoint::Delta, Steps::new(delta)),
        (KeyPoint::Gamma, Steps::new(gamma)),
        (KeyPoint::Beta, Steps::new(beta)),
        (KeyPoint::GeneratorG2, Steps::new(g2_generator())),
    ];
    first_pair(&g2).or_else(|| first_pair(&g1))
}

/// Finds the first pair, in either direction, whose one point is a small multiple of the other. γ may be
/// any multiple of the generator.
fn first_pair<K: Coordinate>(points: &[(KeyPoint, Steps<K>)]) -> Option<KeyError> {
    points
        .iter()
        .enumerate()
        .find_map(|(index, (one, one_steps))| {
            points[index + 1..].iter().find_map(|(other, other_steps)| {
                if (*one, *other) == (KeyPoint::Gamma, KeyPoint::GeneratorG2) {
                    return None;
                }
                one_steps
                    .small_ratio(other_steps)
                    .map(|factors| match factors {
                        (1, factor) => (*one, *other, -factor),
                        (factor, _) => (*other, *one, factor),
                    })
                    .map(|(point, to, factor)| KeyError::Related { point, to, factor })
            })
        })
}
