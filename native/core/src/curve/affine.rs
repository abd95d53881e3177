//! Sums of affine points of either group, many at a time with one inversion. Every case is handled
//! by branches, so the time depends on the points: for public values only.

use core::ops::{Add, Mul, Neg, Sub};

use crate::field::{Backend, Fp};
use crate::tower::Fp2;

use super::{G1Affine, G2Affine};

/// A field of coordinates: Fp for G1, Fp2 for the twist.
pub(crate) trait Coordinate:
    Copy + Eq + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// The inverse, `None` for 0.
    fn inverse(&self) -> Option<Self>;
    /// 64 bits that equal elements share, to sort by.
    fn tag(&self) -> u64;
}

impl<B: Backend> Coordinate for Fp<B> {
    const ZERO: Self = Fp::ZERO;
    const ONE: Self = Fp::ONE;

    fn inverse(&self) -> Option<Self> {
        Fp::inverse(self)
    }

    fn tag(&self) -> u64 {
        self.montgomery()[0]
    }
}

impl<B: Backend> Coordinate for Fp2<Fp<B>> {
    const ZERO: Self = Fp2::ZERO;
    const ONE: Self = Fp2::ONE;

    fn inverse(&self) -> Option<Self> {
        Fp2::inverse(self)
    }

    fn tag(&self) -> u64 {
        self.c0.tag()
    }
}

/// A point of y² = x³ + b over `K`, or (0, 0) for infinity. The type does not guarantee the
/// equation. The formulas need neither b nor the order, except that no point has order 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine<K> {
    /// x.
    pub x: K,
    /// y.
    pub y: K,
}

impl<K: Coordinate> Affine<K> {
    /// The point at infinity.
    pub const INFINITY: Self = Self {
        x: K::ZERO,
        y: K::ZERO,
    };

    /// Whether this is the point at infinity.
    pub fn is_infinity(&self) -> bool {
        *self == Self::INFINITY
    }

    /// The inverse in the group.
    pub fn negate(&self) -> Self {
        Self {
            x: self.x,
            y: -self.y,
        }
    }
}

impl<B: Backend> From<G1Affine<B>> for Affine<Fp<B>> {
    fn from(point: G1Affine<B>) -> Self {
        Self {
            x: point.x,
            y: point.y,
        }
    }
}

impl<B: Backend> From<G2Affine<Fp<B>>> for Affine<Fp2<Fp<B>>> {
    fn from(point: G2Affine<Fp<B>>) -> Self {
        Self {
            x: point.x,
            y: point.y,
        }
    }
}

/// The slope of one addition as a fraction.
struct Slope<K> {
    rise: K,
    run: K,
}

/// The line through two points; `None` if one of them is infinity or they are opposite: the sum needs no
/// line then.
fn slope<K: Coordinate>(a: &Affine<K>, b: &Affine<K>) -> Option<Slope<K>> {
    if a.is_infinity() || b.is_infinity() {
        return None;
    }
    if a.x != b.x {
        return Some(Slope {
            rise: b.y - a.y,
            run: b.x - a.x,
        });
    }
    (a.y == b.y).then(|| {
        let square = a.x * a.x;
        Slope {
            rise: square + square + square,
            run: a.y + a.y,
        }
    })
}

/// Adds `terms[i]` to `sums[i]` for every i.
///
/// # Panics
/// When the slices differ in length.
pub(crate) fn add_all<K: Coordinate>(sums: &mut [Affine<K>], terms: &[Affine<K>]) {
    assert_eq!(sums.len(), terms.len(), "one term for each sum");
    let mut product = K::ONE;
    let slopes: Vec<_> = sums
        .iter()
        .zip(terms)
        .map(|(sum, term)| {
            let slope = slope(sum, term)?;
            let prefix = product;
            product = product * slope.run;
            Some((slope, prefix))
        })
        .collect();
    // No run is 0: different x, or 2y of a point that does not have order 2.
    let mut inverse = product.inverse().unwrap_or(K::ONE);
    for ((sum, term), slope) in sums.iter_mut().zip(terms).zip(&slopes).rev() {
        let Some((Slope { rise, run }, prefix)) = slope else {
            *sum = sum_without_line(sum, term);
            continue;
        };
        let lambda = *rise * inverse * *prefix;
        inverse = inverse * *run;
        let x = lambda * lambda - sum.x - term.x;
        *sum = Affine {
            x,
            y: lambda * (sum.x - x) - sum.y,
        };
    }
}

/// The sum where one point is infinity or they are opposite.
fn sum_without_line<K: Coordinate>(a: &Affine<K>, b: &Affine<K>) -> Affine<K> {
    if a.is_infinity() {
        *b
    } else if b.is_infinity() {
        *a
    } else {
        Affine::INFINITY
    }
}

/// The multiples 1 to `count` of a point, in order.
pub(crate) fn multiples<K: Coordinate>(point: &Affine<K>, count: usize) -> Vec<Affine<K>> {
    let mut known = Vec::with_capacity(count);
    known.push(*point);
    while known.len() < count {
        let added = known.len().min(count - known.len());
        let mut next = known[..added].to_vec();
        add_all(&mut next, &vec![known[known.len() - 1]; added]);
        known.extend(next);
    }
    known
}

/// Twice a point.
pub(crate) fn double<K: Coordinate>(point: &Affine<K>) -> Affine<K> {
    let mut sum = [*point];
    add_all(&mut sum, &[*point]);
    sum[0]
}
