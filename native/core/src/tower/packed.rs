//! One element of Fp12 packed in four lanes: the latency of one pairing, where
//! [`Fp12`] in lanes is the throughput of several.
//!
//! With f = (a₀ + a₁v + a₂v²) + (b₀ + b₁v + b₂v²)·w, the coefficient of vʲ has the lanes
//! (aⱼ, bⱼ, aⱼ, bⱼ). Then one product in Fp6, lane by lane with the lanes (c, d, d, c) of the other
//! factor, is (ac, bd, ad, bc), and two sums make (ac + v·bd) + (ad + bc)·w of it.

use crate::field::lanes::kernel;
use crate::field::{Backend, FourLanes, Fp, Limbs, PrimeLanes};

use super::{Fp12, Fp2, Fp6};

/// An element of Fp12, normal.
#[derive(Clone, Copy, Debug)]
pub struct PackedFp12<F> {
    /// The coefficients of 1, v and v².
    pub(super) pairs: Fp6<F>,
}

impl<F: FourLanes> Fp2<F> {
    /// [`FourLanes::pick`] of both parts.
    #[inline(always)]
    pub(crate) fn pick<const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
        a: &Self,
        b: &Self,
    ) -> Self {
        Self::new(
            F::pick::<L0, L1, L2, L3>(&a.c0, &b.c0),
            F::pick::<L0, L1, L2, L3>(&a.c1, &b.c1),
        )
    }

    /// [`Fp2::pick`] of one element.
    #[inline(always)]
    pub(crate) fn order<const L0: usize, const L1: usize, const L2: usize, const L3: usize>(
        &self,
    ) -> Self {
        Self::pick::<L0, L1, L2, L3>(self, self)
    }

    /// One element of scalars in each lane.
    pub(crate) fn gather<B: Backend>(elements: [&Fp2<Fp<B>>; 4]) -> Self {
        let part = |part: fn(&Fp2<Fp<B>>) -> &Fp<B>| {
            F::from_words(&elements.map(|element| part(element).to_canonical()))
        };
        Self::new(part(|element| &element.c0), part(|element| &element.c1))
    }
}

/// Lanes 0 and 1 of a sum of products: ac + v·bd and ad + bc of the lanes (ac, bd, ad, bc), twice.
/// `before` is where the coefficient of v·bd is.
#[inline(always)]
fn join<F: FourLanes>(own: &Fp2<F>, before: &Fp2<F>) -> Fp2<F> {
    (own.order::<0, 2, 0, 2>() + Fp2::pick::<1, 7, 1, 7>(before, own)).reduce()
}

#[inline(always)]
fn join_all<F: FourLanes>(p: &Fp6<F>) -> Fp6<F> {
    let wrapped = p.c2.mul_by_xi();
    Fp6::new(
        join(&p.c0, &wrapped),
        join(&p.c1, &p.c0),
        join(&p.c2, &p.c1),
    )
}

kernel! {
    Multiply<'a, F: FourLanes>(a: &'a Fp6<F>, b: &'a Fp6<F>) -> Fp6<F> {
        let crossed = Fp6::new(
            b.c0.order::<0, 1, 1, 0>(),
            b.c1.order::<0, 1, 1, 0>(),
            b.c2.order::<0, 1, 1, 0>(),
        );
        join_all(&a.times(&crossed))
    }
}

kernel! {
    // the lanes (m₁, m₂, m₃, m₄), and m₀ − 1 in lane 3
    MultiplyByFive<'a, F: FourLanes>(f: &'a Fp6<F>, m0: &'a Fp2<F>, m: &'a Fp2<F>) -> Fp6<F> {
        let m0 = (Fp2::ONE + *m0).reduce();
        let crossed = Fp6::new(
            Fp2::pick::<3, 4, 4, 3>(&m0, m),
            m.order::<1, 2, 2, 1>(),
            Fp2::pick::<3, 4, 4, 3>(m, &Fp2::ZERO),
        );
        join_all(&f.times(&crossed))
    }
}

kernel! {
    // 6 products in 3 sums
    MultiplyByLine<'a, F: FourLanes>(f: &'a Fp6<F>, line: &'a Fp2<F>) -> Fp6<F> {
        let y0 = &line.order::<0, 1, 1, 0>();
        let y1 = &Fp2::pick::<4, 2, 2, 4>(line, &Fp2::ZERO);
        let xi1 = &y1.mul_by_xi();
        join_all(&Fp6::new(
            Fp2::sum_of_two([&f.c0, &f.c2], [y0, xi1]),
            Fp2::sum_of_two([&f.c1, &f.c0], [y0, y1]),
            Fp2::sum_of_two([&f.c2, &f.c1], [y0, y1]),
        ))
    }
}

kernel! {
    // the squares of a, b and a + b, lane by lane: 6 products in 3 sums
    Square<'a, F: FourLanes>(f: &'a Fp6<F>) -> Fp6<F> {
        let (x0, x1, x2) = (&with_sum(&f.c0), &with_sum(&f.c1), &with_sum(&f.c2));
        let (double1, double2) = (&x1.double().reduce(), &x2.double().reduce());
        let xi2 = &x2.mul_by_xi();
        let p0 = Fp2::sum_of_two([x0, double1], [x0, xi2]);
        let p1 = Fp2::sum_of_two([x0, x2], [double1, xi2]);
        let p2 = Fp2::sum_of_two([x1, x0], [x1, double2]);
        let wrapped = p2.mul_by_xi();
        Fp6::new(
            join_squares(&p0, &wrapped),
            join_squares(&p1, &p0),
            join_squares(&p2, &p1),
        )
    }
}

/// The lanes (a, b, a + b, a) of (a, b, a, b).
#[inline(always)]
fn with_sum<F: FourLanes>(x: &Fp2<F>) -> Fp2<F> {
    (x.order::<0, 1, 0, 0>() + Fp2::pick::<4, 4, 1, 4>(x, &Fp2::ZERO)).reduce()
}

/// a² + v·b² and (a + b)² − a² − b² of the lanes (a², b², (a + b)²), twice. `before` is where the
/// coefficient of v·b² is.
#[inline(always)]
fn join_squares<F: FourLanes>(own: &Fp2<F>, before: &Fp2<F>) -> Fp2<F> {
    let first = own.order::<0, 2, 0, 2>() - Fp2::pick::<4, 0, 4, 0>(own, &Fp2::ZERO);
    (first + Fp2::pick::<1, 5, 1, 5>(before, &-*own)).reduce()
}

kernel! {
    // b changes its sign
    Conjugate<'a, F: FourLanes>(f: &'a Fp6<F>) -> Fp6<F> {
        Fp6::new(negate_second(&f.c0), negate_second(&f.c1), negate_second(&f.c2))
    }
}

#[inline(always)]
fn negate_second<F: FourLanes>(x: &Fp2<F>) -> Fp2<F> {
    Fp2::pick::<0, 5, 2, 7>(x, &-*x).reduce()
}

kernel! {
    Frobenius<'a, F: FourLanes>(f: &'a Fp6<F>, power: usize) -> Fp6<F> {
        Fp6::new(
            twist(&f.c0, power, &Fp2::ONE, &Fp2::frobenius(power, 1)),
            twist(&f.c1, power, &Fp2::frobenius(power, 2), &Fp2::frobenius(power, 3)),
            twist(&f.c2, power, &Fp2::frobenius(power, 4), &Fp2::frobenius(power, 5)),
        )
    }
}

/// The p^`power`-th powers of a pair of coefficients, times the factors of each.
#[inline(always)]
fn twist<F: FourLanes>(x: &Fp2<F>, power: usize, even: &Fp2<F>, odd: &Fp2<F>) -> Fp2<F> {
    let x = if power == 2 {
        *x
    } else {
        x.conjugate().reduce()
    };
    x.times(&Fp2::pick::<0, 5, 2, 7>(even, odd))
}

kernel! {
    Equal<'a, F: FourLanes>(a: &'a Fp6<F>, b: &'a Fp6<F>) -> bool {
        let equal = a.c0.equal_lanes(&b.c0) & a.c1.equal_lanes(&b.c1) & a.c2.equal_lanes(&b.c2);
        equal == F::ALL
    }
}

impl<F: FourLanes> PackedFp12<F> {
    /// The number 1.
    pub fn one() -> Self {
        let first = Fp2::pick::<0, 5, 2, 7>(&Fp2::ONE, &Fp2::ZERO);
        Self {
            pairs: Fp6::new(first, Fp2::ZERO, Fp2::ZERO),
        }
    }

    /// The product.
    pub fn times(&self, other: &Self) -> Self {
        F::enter(Multiply(&self.pairs, &other.pairs)).into()
    }

    /// The square.
    pub fn square(&self) -> Self {
        F::enter(Square(&self.pairs)).into()
    }

    /// The product with l₀ + l₁·w + l₃·w³, the lanes of `line` being (l₀, l₁, l₃, any).
    pub fn times_line(&self, line: &Fp2<F>) -> Self {
        F::enter(MultiplyByLine(&self.pairs, line)).into()
    }

    /// The product with m₀ + m₁·w + … + m₄·w⁴, m₀ − 1 being in lane 3 of the first factor and the
    /// others being the lanes of the second.
    pub fn times_five(&self, m0: &Fp2<F>, m: &Fp2<F>) -> Self {
        F::enter(MultiplyByFive(&self.pairs, m0, m)).into()
    }

    /// The p⁶-th power, and the inverse in the cyclotomic subgroup.
    pub fn conjugate(&self) -> Self {
        F::enter(Conjugate(&self.pairs)).into()
    }

    /// The p^`power`-th power for power 1, 2 or 3.
    pub fn frobenius(&self, power: usize) -> Self {
        F::enter(Frobenius(&self.pairs, power)).into()
    }

    /// Whether two elements are equal.
    pub fn equals(&self, other: &Self) -> bool {
        F::enter(Equal(&self.pairs, &other.pairs))
    }

    /// The element as one of scalars.
    pub fn to_scalars<B: Backend>(&self) -> Fp12<Fp<B>> {
        let half = |lane: usize| {
            let number = |x: &F| {
                let mut words = [Limbs::default(); 2];
                x.to_words(&mut words);
                <Fp<B> as PrimeLanes>::from_words(&words[lane..=lane])
            };
            let element = |x: &Fp2<F>| Fp2::new(number(&x.c0), number(&x.c1));
            let [c0, c1, c2] = [&self.pairs.c0, &self.pairs.c1, &self.pairs.c2].map(element);
            Fp6::new(c0, c1, c2)
        };
        Fp12::new(half(0), half(1))
    }
}

impl<F> From<Fp6<F>> for PackedFp12<F> {
    #[inline(always)]
    fn from(pairs: Fp6<F>) -> Self {
        Self { pairs }
    }
}

impl<F: FourLanes, B: Backend> From<&Fp12<Fp<B>>> for PackedFp12<F> {
    fn from(f: &Fp12<Fp<B>>) -> Self {
        let pair = |a: &Fp2<Fp<B>>, b: &Fp2<Fp<B>>| Fp2::gather([a, b, a, b]);
        Fp6::new(
            pair(&f.c0.c0, &f.c1.c0),
            pair(&f.c0.c1, &f.c1.c1),
            pair(&f.c0.c2, &f.c1.c2),
        )
        .into()
    }
}
