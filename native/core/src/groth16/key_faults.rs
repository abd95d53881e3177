//! IC points of a verifying key that make some statement provable by somebody who should not be able to prove it.
//!
//! With L(x) = IC₀ + Σ xⱼ·ICⱼ, a proof of x is (A, B, C) with e(A,B) = e(α,β) · e(L(x),γ) · e(C,δ). A known relation
//! u·α + Σ vⱼ·ICⱼ = 0, j from 0, makes provable:
//!
//! | relation | statement | proof |
//! |---|---|---|
//! | u = 0, v₀ = 0 | x + t·v for every t, where x has a proof | that of x, since L(x + t·v) = L(x) |
//! | u = 0, v₀ ≠ 0 | x = v/v₀ | (α, β, 0), since L(x) = 0 |
//! | u ≠ 0, v₀ ≠ 0 | x = v/v₀ | (α, β − (u/v₀)·γ, 0), since L(x) = −(u/v₀)·α |
//! | u ≠ 0, v₀ = 0 | x + t·v under the key with β − t·u·γ in place of β | one under that key, since L(x + t·v) = L(x) − t·u·α |
//!
//! One term is a point at infinity. In the last row no proof of a false statement is known, but the key is no longer
//! the one that the setup made: whoever chooses the inputs chooses β.
//!
//! A relation b·β + c·γ + d·δ = 0 makes every statement provable. With b ≠ 0 the proof is
//! (L − (c/b)·α, γ, (d/b)·α); with b = 0 it is (α, β, −L/k) for δ = k·γ.

use core::fmt::Write;
use std::collections::BTreeMap;

use crate::curve::affine::{Affine, Coordinate};
use crate::field::with_backend;

use super::key::KeyPoints;
use super::relations::{find_relation, Steps};
use super::sums::{find_sum_of_four, find_sum_of_three, gcd, Relation};
use super::{KeyError, KeyPoint};

/// Most public inputs of a key whose pairs of points are compared up to the factor 2^16.
const MAX_PAIRED_INPUTS: usize = 32;

/// Largest factor in a sum of four by the number of public inputs, which keeps the number of sums below 2^17 but for the last
/// row, where it is 2^20.
const LARGEST_BY_INPUTS: [(usize, usize); 4] = [(16, 16), (32, 8), (64, 4), (usize::MAX, 1)];

/// Finds known relations between the points of a key.
///
/// # Returns
/// One sentence for each fault of the IC points, which names the statement that it makes provable; empty for a sound key.
///
/// # Errors
/// As [`PreparedKey::from_bytes`](super::PreparedKey::from_bytes), and [`KeyError::Sum`].
pub fn key_faults(bytes: &[u8]) -> Result<Vec<String>, KeyError> {
    with_backend!(B, |bytes: &[u8]| -> Result<Vec<String>, KeyError> {
        let KeyPoints { alpha, g2, ic } = KeyPoints::<B>::from_bytes(bytes)?;
        let g2 = g2.map(Into::into);
        if let Some(error) = find_relation(alpha.into(), g2) {
            return Err(error);
        }
        if let Some(relation) = find_sum_of_three(&g2) {
            let factor = |point| {
                let found = relation.iter().find(|(index, _)| *index == point);
                found.map_or(0, |(_, factor)| *factor)
            };
            return Err(KeyError::Sum([factor(0), factor(1), factor(2)]));
        }
        let ic: Vec<_> = ic.into_iter().map(Into::into).collect();
        Ok(faults(alpha.into(), &ic))
    })
}

fn faults<K: Coordinate>(alpha: Affine<K>, ic: &[Affine<K>]) -> Vec<String> {
    let inputs = ic.len() - 1;
    let mut known = Independent::new(inputs <= MAX_PAIRED_INPUTS);
    let all = (0..).map(KeyPoint::Ic).zip(ic);
    let mut found: Vec<_> = all
        .chain([(KeyPoint::Alpha, &alpha)])
        .filter_map(|(name, point)| known.add(name, point))
        .collect();
    let (_, largest) = LARGEST_BY_INPUTS
        .into_iter()
        .find(|(most, _)| inputs <= *most)
        .expect("the last row is for every number");
    if let Some(relation) = find_sum_of_four(&known.points, largest) {
        found.push(sentence(&known.named(relation)));
    }
    found
}

/// The points so far, finite and of which none is a known multiple of another, in the order IC₀, IC₁, …, α.
struct Independent<K> {
    names: Vec<KeyPoint>,
    points: Vec<Affine<K>>,
    /// Numbers of the points by the tag of x.
    by_tag: BTreeMap<u64, Vec<usize>>,
    /// Multiples of each point, if pairs are compared up to 2^16.
    steps: Option<Vec<Steps<K>>>,
}

impl<K: Coordinate> Independent<K> {
    fn new(is_paired: bool) -> Self {
        Self {
            names: Vec::new(),
            points: Vec::new(),
            by_tag: BTreeMap::new(),
            steps: is_paired.then(Vec::new),
        }
    }

    /// Adds a point, or returns what is wrong with it.
    fn add(&mut self, name: KeyPoint, point: &Affine<K>) -> Option<String> {
        if point.is_infinity() {
            return Some(sentence(&[(name, 1)]));
        }
        let pair = |(number, factor, own): (usize, i64, i64)| {
            // the first factor is positive
            let sign = factor.signum();
            let pair = [(self.names[number], sign * factor), (name, sign * own)];
            Some(sentence(&pair))
        };
        if let Some(equal) = self.equal_or_opposite(point) {
            return pair(equal);
        }
        if let Some(steps) = &mut self.steps {
            let own = Steps::new(*point);
            let multiple = (0..).zip(&*steps).find_map(|(number, other)| {
                let (factor, other_factor) = own.small_ratio(other)?;
                Some((number, other_factor, factor))
            });
            if let Some(multiple) = multiple {
                return pair(multiple);
            }
            steps.push(own);
        }
        let number = self.points.len();
        self.by_tag.entry(point.x.tag()).or_default().push(number);
        self.names.push(name);
        self.points.push(*point);
        None
    }

    /// The number of a point with the same x, and the factors of both.
    fn equal_or_opposite(&self, point: &Affine<K>) -> Option<(usize, i64, i64)> {
        let same_tag = self.by_tag.get(&point.x.tag())?;
        let is_same = |number: &&usize| self.points[**number].x == point.x;
        let number = *same_tag.iter().find(is_same)?;
        let sign = if self.points[number] == *point { -1 } else { 1 };
        Some((number, 1, sign))
    }

    fn named(&self, relation: Relation) -> Vec<(KeyPoint, i64)> {
        relation
            .into_iter()
            .map(|(number, factor)| (self.names[number], factor))
            .collect()
    }
}

/// Says a relation and what it makes provable.
fn sentence(relation: &[(KeyPoint, i64)]) -> String {
    format!("{}: {}", equation(relation), statement(relation))
}

fn equation(relation: &[(KeyPoint, i64)]) -> String {
    match *relation {
        [(point, _)] => format!("{point} is the point at infinity"),
        [(KeyPoint::Ic(0), one), (KeyPoint::Alpha, other)] if one.abs() == other.abs() => {
            "ic[0] is alpha or its negative".to_owned()
        }
        [(point, 1), (other, -1)] => format!("{point} and {other} are equal"),
        [(point, 1), (other, 1)] => format!("{point} and {other} are opposite"),
        [(point, factor), (other, 1)] => format!("{other} is {} times {point}", -factor),
        [(point, factor), (other, -1)] => format!("{other} is {factor} times {point}"),
        [(point, 1), (other, factor)] => format!("{point} is {} times {other}", -factor),
        _ => weighted(relation),
    }
}

/// `2·beta - gamma + 3·delta is the point at infinity`.
pub(super) fn weighted(relation: &[(KeyPoint, i64)]) -> String {
    let mut text = String::new();
    for (index, (point, factor)) in relation.iter().enumerate() {
        text.push_str(match (index, *factor < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        if factor.abs() != 1 {
            let _ = write!(text, "{}·", factor.abs());
        }
        let _ = write!(text, "{point}");
    }
    text + " is the point at infinity"
}

/// The statement that a relation makes provable, see the table of this file.
fn statement(relation: &[(KeyPoint, i64)]) -> String {
    let of = |wanted: KeyPoint| {
        let found = relation.iter().find(|(point, _)| *point == wanted);
        found.map(|(_, factor)| *factor)
    };
    let inputs: Vec<(usize, i64)> = relation
        .iter()
        .filter_map(|(point, factor)| match point {
            KeyPoint::Ic(index) if *index > 0 => Some((*index, *factor)),
            _ => None,
        })
        .collect();
    if let Some(divisor) = of(KeyPoint::Ic(0)) {
        if inputs.is_empty() {
            return "anyone can prove the statement whose public inputs are all 0".to_owned();
        }
        let values = inputs.iter().map(|(index, factor)| {
            format!("public input {index} is {}", fraction(*factor, divisor))
        });
        return format!(
            "anyone can prove the statement whose {} and all others 0",
            list(values)
        );
    }
    if of(KeyPoint::Alpha).is_some() {
        let names = inputs
            .iter()
            .map(|(index, _)| format!("public input {index}"));
        return format!(
            "the value of {} moves beta by a multiple of gamma, so that whoever chooses it chooses the key under which a proof is checked",
            list(names)
        );
    }
    match *inputs {
        [(input, _)] => format!("a proof holds whatever the value of public input {input} is"),
        [(one, first), (other, second)] if first.abs() == second.abs() => {
            let invariant = if first == second { "difference" } else { "sum" };
            format!("a proof also holds for other public inputs {one} and {other} of the same {invariant}")
        }
        _ => {
            let changes = inputs
                .iter()
                .map(|(index, factor)| format!("{}t to public input {index}", unit(*factor)));
            format!(
                "a proof also holds after adding {}, for every t",
                list(changes)
            )
        }
    }
}

/// A factor in front of a letter.
fn unit(factor: i64) -> String {
    match factor {
        1 => String::new(),
        -1 => "-".to_owned(),
        _ => factor.to_string(),
    }
}

/// A quotient mod r in lowest terms.
fn fraction(numerator: i64, denominator: i64) -> String {
    let divisor = denominator.signum() * gcd(numerator, denominator);
    let (numerator, denominator) = (numerator / divisor, denominator / divisor);
    if denominator == 1 {
        numerator.to_string()
    } else {
        format!("{numerator}/{denominator} mod r")
    }
}

/// Joins texts as `a, b and c`.
fn list(texts: impl Iterator<Item = String>) -> String {
    let texts: Vec<_> = texts.collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => texts.concat(),
    }
}
