//! Values between scalars and lanes.

use crate::curve::shared_inverse::invert_all;
use crate::curve::G1Jacobian;
use crate::field::{Backend, BaseLanes, Fp, Limbs, PrimeLanes};
use crate::pairing::{coefficients, from_coefficients, Ratio};
use crate::tower::Fp12;

/// The scalars of the first `count` lanes.
pub(super) fn scalars<F: BaseLanes, B: Backend>(lanes: &F, count: usize) -> Vec<Fp<B>> {
    let mut words = vec![Limbs::default(); count];
    lanes.to_words(&mut words);
    words
        .iter()
        .map(|words| PrimeLanes::from_words(&[*words]))
        .collect()
}

/// Scalar i in lane i; 0 in the lanes without one.
pub(super) fn lanes<F: BaseLanes, B: Backend>(scalars: impl Iterator<Item = Fp<B>>) -> F {
    let words: Vec<Limbs> = scalars.map(|scalar| scalar.to_canonical()).collect();
    F::from_words(&words)
}

/// Every lane of a value of the target group.
pub(super) fn target_scalars<F: BaseLanes, B: Backend>(f: &Fp12<F>) -> Vec<Fp12<Fp<B>>> {
    let columns = coefficients(f).map(|coefficient| scalars::<F, B>(&coefficient, F::LANES));
    (0..F::LANES)
        .map(|lane| from_coefficients(&columns.each_ref().map(|column| column[lane])))
        .collect()
}

/// Value i in lane i.
pub(super) fn target_lanes<F: BaseLanes, B: Backend>(values: &[Fp12<Fp<B>>]) -> Fp12<F> {
    let rows: Vec<_> = values.iter().map(coefficients).collect();
    from_coefficients(&core::array::from_fn(|i| {
        lanes(rows.iter().map(|row| row[i]))
    }))
}

/// The inverses of the points as they enter a pairing, with one inversion; (0, 0) for infinity,
/// which makes a prepared line 1.
pub(super) fn negated_ratios<B: Backend>(points: &[G1Jacobian<B>]) -> Vec<Ratio<Fp<B>>> {
    // y is not 0: the curve has no point of order 2, and infinity has y = 1 after any sum
    let mut inverses: Vec<_> = points.iter().map(|point| -point.y).collect();
    invert_all(&mut inverses);
    points
        .iter()
        .zip(&inverses)
        .map(|(point, inverse)| Ratio {
            x_over_y: point.x * point.z * *inverse,
            one_over_y: point.z.square() * point.z * *inverse,
        })
        .collect()
}

/// Ratio i in lane i; (0, 0) in the lanes without one.
pub(super) fn ratio_lanes<F: BaseLanes, B: Backend>(ratios: &[Ratio<Fp<B>>]) -> Ratio<F> {
    Ratio {
        x_over_y: lanes(ratios.iter().map(|ratio| ratio.x_over_y)),
        one_over_y: lanes(ratios.iter().map(|ratio| ratio.one_over_y)),
    }
}
