//! The pairing check of one proof with its values packed in four lanes.

use crate::curve::G2Affine;
use crate::field::{Backend, FourLanes, Fp};
use crate::tower::{Fp2, PackedFp12};

use super::ate::ATE_DIGITS;
use super::final_exponentiation::hard_part;
use super::packed_lines::{PackedLines, PairFactors};
use super::packed_step::{LineFactors, PackedAffine, PackedPoint};
use super::Ratio;

/// [`miller_loop`](super::miller_loop) of (P, Q) and of two prepared points: the product, which
/// means nothing where Q is outside of G2, and whether it is inside.
pub fn packed_miller_loop<F: FourLanes, B: Backend>(
    q: &G2Affine<Fp<B>>,
    p: &Ratio<Fp<B>>,
    lines: &PackedLines<F>,
    prepared: [Option<Ratio<Fp<B>>>; 2],
) -> (PackedFp12<F>, bool) {
    let (pair_factors, wrapped_factor) = PairFactors::new(prepared);
    let factors = LineFactors::new(p, &wrapped_factor);
    let (positive, negative) = (PackedAffine::from(q), PackedAffine::from(&q.negate()));
    let mut t = PackedPoint::from(&positive);
    let mut f = PackedFp12::one();
    let mut step = 0;
    for (index, digit) in ATE_DIGITS.into_iter().enumerate() {
        if index > 0 {
            f = f.square();
        }
        let line = t.double(&factors, lines.wrapped(step));
        f = times_lines(&f, &line, &lines.coefficients(step, &pair_factors));
        step += 1;
        let other = match digit {
            1 => &positive,
            -1 => &negative,
            _ => continue,
        };
        let line = t.add(other, &factors, lines.wrapped(step));
        f = times_lines(&f, &line, &lines.coefficients(step, &pair_factors));
        step += 1;
    }
    for other in [q.psi(), q.negated_psi_squared()] {
        let line = t.add(&PackedAffine::from(&other), &factors, lines.wrapped(step));
        f = times_lines(&f, &line, &lines.coefficients(step, &pair_factors));
        step += 1;
    }
    let end = PackedAffine::from(&q.negated_psi_cubed());
    (f, t.equals(&end))
}

/// f times a line and a product of prepared ones.
fn times_lines<F: FourLanes>(
    f: &PackedFp12<F>,
    line: &Fp2<F>,
    coefficients: &Fp2<F>,
) -> PackedFp12<F> {
    f.times_line(line).times_five(line, coefficients)
}

/// [`final_exponentiation`](fn@super::final_exponentiation), `None` for 0.
pub fn packed_final_exponentiation<F: FourLanes, B: Backend>(
    f: &PackedFp12<F>,
) -> Option<PackedFp12<F>> {
    let inverse = f.to_scalars::<B>().inverse()?;
    let f = f.conjugate().times(&PackedFp12::from(&inverse));
    Some(hard_part(&f.frobenius(2).times(&f)))
}
