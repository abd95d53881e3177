//! Squares in the cyclotomic subgroup of a packed element: three squares in Fp4 side by side.

use super::{Fp2, Fp6, PackedFp12};
use crate::field::lanes::kernel;
use crate::field::FourLanes;

/// An element f = Σ fᵢwⁱ as elements a + b·s of Fp4 = Fp2\[s\] / (s² − ξ) in the lanes. A square
/// swaps places 1 and 2; the swap is undone at the end of a run of squares.
#[derive(Clone, Copy, Debug)]
struct Quartics<F> {
    /// (f₀, f₁, f₂, any), or (f₀, f₂, f₁, any) after an odd number of squares.
    a: Fp2<F>,
    /// (f₃, f₄, f₅, any), or (f₃, f₅, f₄, any).
    b: Fp2<F>,
}

/// The squares a² + ξb² and 2ab, and ξ times the latter.
#[inline(always)]
fn squares<F: FourLanes>(f: &Quartics<F>) -> [Fp2<F>; 3] {
    let (a, b) = (&f.a, &f.b);
    let first = Fp2::sum_of_two([a, b], [a, &b.mul_by_xi()]);
    let second = a.times(&b.double().reduce());
    [first, second, second.mul_by_xi()]
}

/// 3·square + 2·old.
#[inline(always)]
fn triple_and<F: FourLanes>(square: Fp2<F>, old: Fp2<F>) -> Fp2<F> {
    ((square + old).reduce().double() + square).reduce()
}

// With squares (a₀, a₁), (b₀, b₁), (c₀, c₁) of (f₀, f₃), (f₁, f₄), (f₂, f₅) the result is
// 3·(a₀, ξc₁, b₀) + 2·(−f₀, f₁, −f₂) and 3·(a₁, c₀, b₁) + 2·(f₃, −f₄, f₅).

kernel! {
    SquareInPlace<'a, F: FourLanes>(f: &'a mut Quartics<F>) -> () {
        let [first, second, wrapped] = squares(f);
        let (a, b) = (&f.a, &f.b);
        *f = Quartics {
            a: triple_and(Fp2::pick::<0, 1, 6, 6>(&first, &wrapped), Fp2::pick::<4, 6, 1, 1>(a, &-*a)),
            b: triple_and(Fp2::pick::<0, 1, 6, 6>(&second, &first), Fp2::pick::<0, 2, 5, 5>(b, &-*b)),
        };
    }
}

kernel! {
    SquareBack<'a, F: FourLanes>(f: &'a mut Quartics<F>) -> () {
        let [first, second, wrapped] = squares(f);
        let (a, b) = (&f.a, &f.b);
        *f = Quartics {
            a: triple_and(Fp2::pick::<0, 5, 2, 2>(&first, &wrapped), Fp2::pick::<4, 2, 5, 5>(a, &-*a)),
            b: triple_and(Fp2::pick::<0, 5, 2, 2>(&second, &first), Fp2::pick::<0, 6, 1, 1>(b, &-*b)),
        };
    }
}

kernel! {
    Split<'a, F: FourLanes>(f: &'a Fp6<F>) -> Quartics<F> {
        Quartics {
            a: Fp2::pick::<0, 1, 4, 4>(&f.c0, &f.c1),
            b: Fp2::pick::<1, 4, 5, 5>(&f.c1, &f.c2),
        }
    }
}

kernel! {
    Join<'a, F: FourLanes>(f: &'a Quartics<F>) -> Fp6<F> {
        Fp6::new(
            f.a.order::<0, 1, 0, 1>(),
            Fp2::pick::<2, 4, 2, 4>(&f.a, &f.b),
            f.b.order::<1, 2, 1, 2>(),
        )
    }
}

kernel! {
    JoinChanged<'a, F: FourLanes>(f: &'a Quartics<F>) -> Fp6<F> {
        Fp6::new(
            f.a.order::<0, 2, 0, 2>(),
            Fp2::pick::<1, 4, 1, 4>(&f.a, &f.b),
            f.b.order::<2, 1, 2, 1>(),
        )
    }
}

impl<F: FourLanes> PackedFp12<F> {
    /// f^(2^`count`) for an element of the cyclotomic subgroup, by squares of Granger and Scott
    /// (<https://eprint.iacr.org/2009/565>). Wrong for other elements.
    pub fn cyclotomic_squares(&self, count: usize) -> Self {
        let mut f = F::enter(Split(&self.pairs));
        for i in 0..count {
            if i.is_multiple_of(2) {
                F::enter(SquareInPlace(&mut f));
            } else {
                F::enter(SquareBack(&mut f));
            }
        }
        if count.is_multiple_of(2) {
            F::enter(Join(&f)).into()
        } else {
            F::enter(JoinChanged(&f)).into()
        }
    }
}
