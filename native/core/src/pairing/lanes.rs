//! Values of the pairing between scalars and lanes, and the final exponentiation in lanes.

use crate::curve::shared_inverse::invert_all;
use crate::field::lanes::kernel;
use crate::field::{BaseLanes, LaneSet};
use crate::tower::{Fp12, Fp2, Fp6};

use super::final_exponentiation::hard_part;

/// The twelve coefficients over the base field.
pub(crate) fn coefficients<F: BaseLanes>(f: &Fp12<F>) -> [F; 12] {
    let [a, b] = [&f.c0, &f.c1].map(|half| [&half.c0, &half.c1, &half.c2]);
    let at = |i: usize| if i < 6 { a[i / 2] } else { b[i / 2 - 3] };
    core::array::from_fn(|i| if i % 2 == 0 { at(i).c0 } else { at(i).c1 })
}

/// The element of these [`coefficients`].
pub(crate) fn from_coefficients<F: BaseLanes>(c: &[F; 12]) -> Fp12<F> {
    let pair = |i: usize| Fp2::new(c[i], c[i + 1]);
    Fp12::new(
        Fp6::new(pair(0), pair(2), pair(4)),
        Fp6::new(pair(6), pair(8), pair(10)),
    )
}

kernel! {
    // c0² − v·c1²
    NormToFp6<'a, F: BaseLanes>(f: &'a Fp12<F>) -> Fp6<F> {
        (f.c0 * f.c0 - (f.c1 * f.c1).mul_by_v()).reduce()
    }
}

kernel! {
    // the adjoint of the multiplication by a, and a times its first column: the norm to Fp2
    Adjoint<'a, F: BaseLanes>(a: &'a Fp6<F>) -> (Fp6<F>, Fp2<F>) {
        let a0 = (a.c0.square() - (a.c1 * a.c2).mul_by_xi()).reduce();
        let a1 = (a.c2.square().mul_by_xi() - a.c0 * a.c1).reduce();
        let a2 = (a.c1.square() - a.c0 * a.c2).reduce();
        let rest = (a.c2 * a1 + a.c1 * a2).reduce();
        (Fp6::new(a0, a1, a2), (a.c0 * a0 + rest.mul_by_xi()).reduce())
    }
}

kernel! {
    NormToFp<'a, F: BaseLanes>(a: &'a Fp2<F>) -> F {
        (a.c0.square() + a.c1.square()).reduce()
    }
}

kernel! {
    // the inverse from the adjoint, the norm to Fp2 and the inverse of the norm to Fp
    Inverse<'a, F: BaseLanes>(f: &'a Fp12<F>, adjoint: &'a Fp6<F>, norm: &'a Fp2<F>, inverse: &'a F) -> Fp12<F> {
        let inverse = norm.conjugate().reduce().scale(inverse);
        let inverse = adjoint.mul_by_0(&inverse);
        Fp12::new(f.c0 * inverse, (-(f.c1 * inverse)).reduce())
    }
}

kernel! {
    Equal<'a, F: BaseLanes>(a: &'a Fp12<F>, b: &'a Fp12<F>) -> LaneSet {
        let pairs = coefficients(a).into_iter().zip(coefficients(b));
        pairs.fold(F::ALL, |equal, (a, b)| equal & a.equal_lanes(&b))
    }
}

/// The lanes in which two values are equal.
pub(crate) fn target_equal_lanes<F: BaseLanes>(a: &Fp12<F>, b: &Fp12<F>) -> LaneSet {
    F::enter(Equal(a, b))
}

/// [`final_exponentiation`](fn@super::final_exponentiation) of every lane, and the lanes that hold 0,
/// whose result means nothing.
pub(crate) fn final_exponentiation_in_lanes<F: BaseLanes>(f: &Fp12<F>) -> (Fp12<F>, LaneSet) {
    let (adjoint, norm) = F::enter(Adjoint(&F::enter(NormToFp6(f))));
    let mut inverse = [F::enter(NormToFp(&norm))];
    let zeros = invert_all(&mut inverse);
    let inverse = F::enter(Inverse(f, &adjoint, &norm, &inverse[0]));
    let f = f.conjugate() * inverse;
    (hard_part(&(f.frobenius(2) * f)), zeros[0])
}
