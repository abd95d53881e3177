//! Searches for sums of a few small multiples of points that are the point at infinity.
//!
//! Both searches list sums of at most two multiples and compare them by x: two sums with one x are equal or opposite, and
//! their difference or sum is a relation of at most four terms.

use std::collections::BTreeMap;

use crate::curve::affine::{add_all, double, multiples, Affine, Coordinate};

/// Σ kᵢ·Pᵢ = 0: the index of each point in ascending order with its factor, which is not 0.
pub(super) type Relation = Vec<(usize, i64)>;

/// Largest factor of a point that is alone in its half of a relation, and of each point in a relation of three.
pub(super) const LARGEST_FACTOR: usize = 256;

/// A relation of three is k₁·P₁ + s·P₂ against k₃·P₃ + l·P₂ with |s| ≤ 8 and l a multiple of 16, |l| ≤ 256.
const SMALL_SHIFTS: (usize, usize) = (1, 8);
const LARGE_SHIFTS: (usize, usize) = (16, 16);

/// A sum of at most two multiples; a factor 0 is no term.
#[derive(Clone, Copy)]
struct Sum {
    /// Tag of its x.
    tag: u64,
    terms: [(u16, i16); 2],
}

/// Sums of points, of which no two are the same or opposite combinations.
struct Sums<'a, K> {
    points: &'a [Affine<K>],
    known: Vec<Sum>,
}

impl<'a, K: Coordinate> Sums<'a, K> {
    fn new(points: &'a [Affine<K>]) -> Self {
        let known = Vec::new();
        Self { points, known }
    }

    /// Adds a sum; returns its terms if it is infinity.
    fn add(&mut self, sum: &Affine<K>, terms: [(usize, i64); 2]) -> Option<Relation> {
        if sum.is_infinity() {
            return Some(relation(terms));
        }
        let terms = terms.map(|(index, factor)| {
            let in_range = "at most 1026 points and factors of at most 256";
            (
                u16::try_from(index).expect(in_range),
                i16::try_from(factor).expect(in_range),
            )
        });
        let tag = sum.x.tag();
        self.known.push(Sum { tag, terms });
        None
    }

    /// Adds `factor` times the point of an index to each of some multiples, and the sums to the list.
    fn add_shifted(
        &mut self,
        listed: &[Affine<K>],
        names: &[(usize, i64)],
        shift: &Affine<K>,
        (index, factor): (usize, i64),
    ) -> Option<Relation> {
        let mut sums = listed.to_vec();
        add_all(&mut sums, &vec![*shift; listed.len()]);
        sums.iter()
            .zip(names)
            .find_map(|(sum, name)| self.add(sum, [(index, factor), *name]))
    }

    /// Adds the multiples 1 to [`LARGEST_FACTOR`] of a point and returns them.
    fn add_multiples(&mut self, index: usize) -> Vec<Affine<K>> {
        let own = multiples(&self.points[index], LARGEST_FACTOR);
        for (factor, multiple) in (1..).zip(&own) {
            // The order of the group is a large prime, so that none is infinity.
            let _ = self.add(multiple, [(index, factor), (index, 0)]);
        }
        own
    }

    /// The relation of two listed sums that are equal or opposite.
    fn relation(mut self) -> Option<Relation> {
        self.known.sort_unstable_by_key(|sum| sum.tag);
        self.known
            .chunk_by(|one, other| one.tag == other.tag)
            .filter(|run| run.len() > 1)
            .find_map(|run| self.relation_of(run))
    }

    /// Compares sums of one tag, which need not be those of one x. Whoever makes a key can choose points of one tag, but not
    /// more than the key has.
    fn relation_of(&self, run: &[Sum]) -> Option<Relation> {
        let mut different: Vec<(Affine<K>, Sum)> = Vec::new();
        for sum in run {
            let value = self.value(sum);
            let Some((other, known)) = different.iter().find(|(other, _)| other.x == value.x)
            else {
                different.push((value, *sum));
                continue;
            };
            let sign = if *other == value { -1 } else { 1 };
            let scaled = |terms: [(u16, i16); 2], sign: i64| {
                terms.map(|(index, factor)| (usize::from(index), sign * i64::from(factor)))
            };
            return Some(relation(
                scaled(known.terms, 1)
                    .into_iter()
                    .chain(scaled(sum.terms, sign)),
            ));
        }
        None
    }

    fn value(&self, sum: &Sum) -> Affine<K> {
        let [one, other] = sum
            .terms
            .map(|(index, factor)| times(&self.points[usize::from(index)], factor));
        plus(&one, &other)
    }
}

/// Adds up the factors of each point and divides by what they share; the first one is positive.
fn relation(terms: impl IntoIterator<Item = (usize, i64)>) -> Relation {
    let mut factors = BTreeMap::new();
    for (index, factor) in terms {
        *factors.entry(index).or_insert(0) += factor;
    }
    factors.retain(|_, factor| *factor != 0);
    let shared = factors
        .values()
        .fold(0, |shared, factor| gcd(shared, *factor));
    let sign = factors.values().next().map_or(1, |first| first.signum());
    let divide = |(index, factor)| (index, sign * factor / shared);
    factors.into_iter().map(divide).collect()
}

/// Greatest common divisor, not negative.
pub(super) fn gcd(one: i64, other: i64) -> i64 {
    let (mut divisor, mut rest) = (one.abs(), other.abs());
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    divisor
}

fn plus<K: Coordinate>(one: &Affine<K>, other: &Affine<K>) -> Affine<K> {
    let mut sum = [*one];
    add_all(&mut sum, &[*other]);
    sum[0]
}

fn times<K: Coordinate>(point: &Affine<K>, factor: i16) -> Affine<K> {
    let size = factor.unsigned_abs();
    let mut product = Affine::INFINITY;
    for bit in (0..u16::BITS).rev() {
        product = double(&product);
        if size >> bit & 1 == 1 {
            product = plus(&product, point);
        }
    }
    if factor < 0 {
        product.negate()
    } else {
        product
    }
}

/// Finds k₁·P₁ + k₂·P₂ + k₃·P₃ = 0 with |kᵢ| ≤ [`LARGEST_FACTOR`], not all of them 0. The points are finite and
/// of order r.
pub(super) fn find_sum_of_three<K: Coordinate>(points: &[Affine<K>; 3]) -> Option<Relation> {
    let mut sums = Sums::new(points);
    let middle = sums.add_multiples(1);
    for (index, (step, count)) in [(0, SMALL_SHIFTS), (2, LARGE_SHIFTS)] {
        let own = sums.add_multiples(index);
        let names: Vec<_> = (1..)
            .take(own.len())
            .map(|factor| (index, factor))
            .collect();
        for factor in (1..=count).map(|number| number * step) {
            let shift = middle[factor - 1];
            let factor = factor as i64;
            let found = sums
                .add_shifted(&own, &names, &shift, (1, factor))
                .or_else(|| sums.add_shifted(&own, &names, &shift.negate(), (1, -factor)));
            if found.is_some() {
                return found;
            }
        }
    }
    sums.relation()
}

/// Finds a sum of at most four multiples that is infinity, with factors of at most `largest`. Of three terms one,
/// and of two terms both, may have a factor of up to [`LARGEST_FACTOR`]. The points are finite, of order r and at
/// most 1026; `largest` is at most [`LARGEST_FACTOR`].
pub(super) fn find_sum_of_four<K: Coordinate>(
    points: &[Affine<K>],
    largest: usize,
) -> Option<Relation> {
    let mut sums = Sums::new(points);
    let mut of_later: Vec<Affine<K>> = Vec::new();
    let mut names = Vec::new();
    for index in (0..points.len()).rev() {
        let own = sums.add_multiples(index);
        for (factor, shift) in (1..).zip(&own[..largest]) {
            let found = sums
                .add_shifted(&of_later, &names, shift, (index, factor))
                .or_else(|| sums.add_shifted(&of_later, &names, &shift.negate(), (index, -factor)));
            if found.is_some() {
                return found;
            }
        }
        of_later.extend(&own[..largest]);
        names.extend((1..=largest as i64).map(|factor| (index, factor)));
    }
    sums.relation()
}
