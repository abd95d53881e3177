//! Many inverses in lanes by one inversion of scalars.

use crate::field::lanes::kernel;
use crate::field::{Field, LaneSet, Limbs, Portable, PrimeLanes};

/// The most lanes that [`PrimeLanes`] allows: a [`LaneSet`] has as many bits.
pub(crate) const LANES_MAX: usize = 32;

kernel! {
    // the product so far, with 1 in the place of 0, and the lanes that held 0
    Step<'a, F: PrimeLanes>(product: &'a F, value: &'a mut F) -> (F, LaneSet) {
        let zero = value.zero_lanes();
        *value = F::select(zero, &F::ONE, value);
        (*product * *value, zero)
    }
}

kernel! {
    // the inverse of this value, and that of the product before it
    Back<'a, F: PrimeLanes>(inverse: &'a F, prefix: &'a F, value: &'a F, zero: LaneSet) -> (F, F) {
        (F::select(zero, &F::ZERO, &(*inverse * *prefix)), *inverse * *value)
    }
}

/// Replaces normal values by their inverses, and 0 by 0. Returns the lanes of each value that held 0;
/// they do not affect the others.
pub(crate) fn invert_all<F: PrimeLanes>(values: &mut [F]) -> Vec<LaneSet> {
    let mut product = F::ONE;
    let mut prefixes = Vec::with_capacity(values.len());
    let mut zeros = Vec::with_capacity(values.len());
    for value in values.iter_mut() {
        prefixes.push(product);
        let (next, zero) = F::enter(Step(&product, value));
        product = next;
        zeros.push(zero);
    }
    let mut inverse = invert_lanes(&product);
    for ((value, prefix), zero) in values.iter_mut().zip(&prefixes).zip(&zeros).rev() {
        (*value, inverse) = F::enter(Back(&inverse, prefix, value, *zero));
    }
    zeros
}

/// The inverse in every lane of a value without zeros.
fn invert_lanes<F: PrimeLanes>(value: &F) -> F {
    let mut buffer = [Limbs::default(); LANES_MAX];
    let words = &mut buffer[..F::LANES];
    value.to_words(words);
    let mut product = Field::<F::Modulus, Portable>::ONE;
    let mut scalars = [product; LANES_MAX];
    let mut prefixes = [product; LANES_MAX];
    for i in 0..F::LANES {
        scalars[i] = PrimeLanes::from_words(&words[i..=i]);
        prefixes[i] = product;
        product *= scalars[i];
    }
    let mut inverse = product.inverse().unwrap_or_default();
    for i in (0..F::LANES).rev() {
        words[i] = (inverse * prefixes[i]).to_canonical();
        inverse *= scalars[i];
    }
    F::from_words(words)
}
