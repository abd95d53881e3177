//! Squares in the cyclotomic subgroup of a spread element: three squares in Fp4 side by side.

use super::{Fp2, Fp6, SpreadFp12};
use crate::field::lanes::kernel;
use crate::field::FourLanes;

kernel! {
    // With f = Σ fᵢwⁱ the lanes are pairs (f₀, f₃), (f₁, f₄), (f₂, f₅) of a + b·s in
    // Fp4 = Fp2[s] / (s² − ξ), with squares (a² + ξb², 2ab).
    CyclotomicSquare<'a, F: FourLanes>(f: &'a Fp6<F>) -> Fp6<F> {
        let a = Fp2::pick::<0, 1, 4, 4>(&f.c0, &f.c1);
        let b = Fp2::pick::<1, 4, 5, 5>(&f.c1, &f.c2);
        let first = Fp2::sum_of_two([&a, &b], [&a, &b.mul_by_xi()]);
        let second = a.times(&b.double().reduce());
        // what belongs to (f₀, f₁, f₂) and to (f₃, f₄, f₅): 3·square − 2·old where i is even
        let wrapped = second.mul_by_xi();
        let low = Fp2::pick::<0, 1, 5, 5>(&Fp2::pick::<0, 6, 6, 6>(&first, &wrapped), &first);
        let high = Fp2::pick::<0, 6, 1, 1>(&second, &first);
        let low = triple_and(low, Fp2::pick::<4, 1, 6, 6>(&a, &-a));
        let high = triple_and(high, Fp2::pick::<0, 5, 2, 2>(&b, &-b));
        Fp6::new(
            low.order::<0, 1, 0, 1>(),
            Fp2::pick::<2, 4, 2, 4>(&low, &high),
            high.order::<1, 2, 1, 2>(),
        )
    }
}

/// 3·square + 2·old.
#[inline(always)]
fn triple_and<F: FourLanes>(square: Fp2<F>, old: Fp2<F>) -> Fp2<F> {
    ((square + old).reduce().double() + square).reduce()
}

impl<F: FourLanes> SpreadFp12<F> {
    /// The square of an element of the cyclotomic subgroup (Granger and Scott,
    /// https://eprint.iacr.org/2009/565). Wrong for other elements.
    pub fn cyclotomic_square(&self) -> Self {
        F::enter(CyclotomicSquare(&self.pairs)).into()
    }
}
