//! The lanes as elements of a field.

use core::fmt::{self, Debug, Formatter};
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

use super::bounds::Bounds;
use super::columns::{reduce_columns, subtract_columns, Limbs};
use super::words::{FromWords, ToWords};
use super::{carry, FmaLanes, FmaOps, Quad};
use crate::field::lanes::tower_constants;
use crate::field::{
    self, BaseLanes, Bn254Base, Kernel, LaneSet, Modulus, PrimeLanes, TowerConstants,
};

#[inline(always)]
fn sum<O: FmaOps>(a: &Limbs<O>, b: &Limbs<O>) -> Limbs<O> {
    let mut out = *a;
    for i in 0..5 {
        out[i] = O::add(a[i], b[i]);
    }
    out
}

#[inline(always)]
fn difference<O: FmaOps>(a: &Limbs<O>, b: &Limbs<O>) -> Limbs<O> {
    let mut out = *a;
    for i in 0..5 {
        out[i] = O::sub(a[i], b[i]);
    }
    out
}

impl<M: Modulus, O: FmaOps> PrimeLanes for FmaLanes<M, O> {
    type Modulus = M;
    const LANES: usize = 4;
    const ZERO: Self = Self::new([Quad::splat(0.0); 5], Bounds::new(0.0, 0.0));
    const ONE: Self = Self::constant([1, 0, 0, 0]);

    #[inline(always)]
    fn double(&self) -> Self {
        *self + *self
    }

    #[inline(always)]
    fn square(&self) -> Self {
        *self * *self
    }

    #[inline(always)]
    fn mul_sums(&self, other: &Self) -> Self {
        *self * *other
    }

    #[inline(always)]
    fn reduce(&self) -> Self {
        Self::store(carry::reduce::<M, O>(&self.load()), self.bounds.fold::<M>())
    }

    #[inline(always)]
    fn zero_lanes(&self) -> LaneSet {
        // digits of absolute value up to 2^50 stand for 0 only if all are 0, and the reduced
        // number is below P
        let mut set = Self::ALL;
        for limb in self.reduce().load() {
            set &= O::zero_lanes(limb);
        }
        set
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: &Self, no: &Self) -> Self {
        let (yes_limbs, mut limbs) = (yes.load(), no.load());
        for i in 0..5 {
            limbs[i] = O::select(set, yes_limbs[i], limbs[i]);
        }
        Self::store(limbs, yes.bounds.either(no.bounds))
    }

    fn from_words(words: &[field::Limbs]) -> Self {
        O::enter(FromWords(words, PhantomData))
    }

    fn to_words(&self, out: &mut [field::Limbs]) {
        O::enter(ToWords(self, out));
    }

    #[inline(always)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        O::enter(kernel)
    }
}

impl<O: FmaOps> BaseLanes for FmaLanes<Bn254Base, O> {
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::constant);

    #[inline(always)]
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        let b_sum = *b[0] + *b[1];
        let imaginary = a[0].bounds.product::<Bn254Base>(b[1].bounds)
            + a[1].bounds.product::<Bn254Base>(b[0].bounds);
        karatsuba(a, b, &b_sum, imaginary)
    }

    #[inline(always)]
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        let b_sum = (*b[0] + *b[1]).reduce();
        let a_sum = a[0].bounds.sum(a[1].bounds);
        let imaginary = a_sum.product::<Bn254Base>(b_sum.bounds)
            + a[0].bounds.product::<Bn254Base>(b[0].bounds)
            + a[1].bounds.product::<Bn254Base>(b[1].bounds);
        karatsuba(a, b, &b_sum, imaginary)
    }

    #[inline(always)]
    fn square_complex(a: [&Self; 2]) -> [Self; 2] {
        two_products([&(*a[0] + *a[1]), &a[0].double()], [&(*a[0] - *a[1]), a[1]])
    }

    #[inline(always)]
    fn scale_complex(a: [&Self; 2], k: &Self) -> [Self; 2] {
        two_products(a, [k, k])
    }

    #[inline(always)]
    fn mul_by_xi(a: [&Self; 2]) -> [Self; 2] {
        [nine_times_plus(a[0], &-*a[1]), nine_times_plus(a[1], a[0])]
    }
}

#[inline(always)]
fn nine_times_plus<M: Modulus, O: FmaOps>(
    a: &FmaLanes<M, O>,
    b: &FmaLanes<M, O>,
) -> FmaLanes<M, O> {
    FmaLanes::store(
        carry::nine_times_plus::<M, O>(&a.load(), &b.load()),
        a.bounds.fold_nine::<M>(b.bounds),
    )
}

/// Two products whose reductions run side by side.
#[inline(always)]
fn two_products<M: Modulus, O: FmaOps>(
    a: [&FmaLanes<M, O>; 2],
    b: [&FmaLanes<M, O>; 2],
) -> [FmaLanes<M, O>; 2] {
    let first = O::columns(&a[0].limbs, &b[0].limbs);
    let second = O::columns(&a[1].limbs, &b[1].limbs);
    let [r0, r1] = reduce_columns::<M, O, 2>([first, second], [1, 1]);
    let first = a[0].bounds.product::<M>(b[0].bounds);
    let second = a[1].bounds.product::<M>(b[1].bounds);
    [
        FmaLanes::store(r0, Bounds::reduced::<M>(first)),
        FmaLanes::store(r1, Bounds::reduced::<M>(second)),
    ]
}

/// a₀b₀ − a₁b₁ and (a₀ + a₁)·`b_sum` − a₀b₀ − a₁b₁. `imaginary` bounds the second in units
/// of P².
#[inline(always)]
fn karatsuba<M: Modulus, O: FmaOps>(
    a: [&FmaLanes<M, O>; 2],
    b: [&FmaLanes<M, O>; 2],
    b_sum: &FmaLanes<M, O>,
    imaginary: f64,
) -> [FmaLanes<M, O>; 2] {
    let a_sum = *a[0] + *a[1];
    let first = O::columns(&a[0].limbs, &b[0].limbs);
    let second = O::columns(&a[1].limbs, &b[1].limbs);
    let both = O::columns(&a_sum.limbs, &b_sum.limbs);
    let real = subtract_columns::<O>(&first, &second);
    let rest = subtract_columns::<O>(&subtract_columns::<O>(&both, &first), &second);
    let [r0, r1] = reduce_columns::<M, O, 2>([real, rest], [0, -1]);

    let _ = a_sum.bounds.product::<M>(b_sum.bounds);
    let real = a[0].bounds.product::<M>(b[0].bounds) + a[1].bounds.product::<M>(b[1].bounds);
    [
        FmaLanes::store(r0, Bounds::reduced::<M>(real)),
        FmaLanes::store(r1, Bounds::reduced::<M>(imaginary)),
    ]
}

impl<M: Modulus, O: FmaOps> Add for FmaLanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::store(
            sum::<O>(&self.load(), &other.load()),
            self.bounds.sum(other.bounds),
        )
    }
}

impl<M: Modulus, O: FmaOps> Sub for FmaLanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::store(
            difference::<O>(&self.load(), &other.load()),
            self.bounds.sum(other.bounds),
        )
    }
}

impl<M: Modulus, O: FmaOps> Neg for FmaLanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let zero = [O::splat(0.0); 5];
        Self::store(difference::<O>(&zero, &self.load()), self.bounds)
    }
}

impl<M: Modulus, O: FmaOps> Mul for FmaLanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = O::columns(&self.limbs, &other.limbs);
        let [limbs] = reduce_columns::<M, O, 1>([product], [1]);
        let products = self.bounds.product::<M>(other.bounds);
        Self::store(limbs, Bounds::reduced::<M>(products))
    }
}

impl<M: Modulus, O: FmaOps> Debug for FmaLanes<M, O> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut words = [[0; 4]; 4];
        self.to_words(&mut words);
        formatter
            .debug_list()
            .entries(
                words.map(|w| format!("0x{:016x}{:016x}{:016x}{:016x}", w[3], w[2], w[1], w[0])),
            )
            .finish()
    }
}
