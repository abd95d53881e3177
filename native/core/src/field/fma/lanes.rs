//! The lanes as elements of a field.

use core::fmt::{self, Debug, Formatter};
use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

use super::bounds::Bounds;
use super::columns::Limbs;
use super::ops::{FmaOps, Quad};
use super::products::FmaProducts;
use super::words::{FromWords, ToWords};
use super::{carry, constants, FmaLanes};
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

impl<M: Modulus, O: FmaProducts> PrimeLanes for FmaLanes<M, O> {
    type Modulus = M;
    const LANES: usize = 4;
    const ZERO: Self = Self::new([Quad::splat(0.0); 5], Bounds::new(0.0, 0.0));
    const ONE: Self = Self::constant([1, 0, 0, 0]);
    type Entry = [f64; 5];

    fn entry(words: &field::Limbs) -> [f64; 5] {
        constants::stored(words, &M::P).map(|limb| limb.0[0])
    }

    #[inline(always)]
    fn splat(entry: &[f64; 5]) -> Self {
        let limbs = [
            O::splat(entry[0]),
            O::splat(entry[1]),
            O::splat(entry[2]),
            O::splat(entry[3]),
            O::splat(entry[4]),
        ];
        Self::store(limbs, Bounds::new(1.0, 0.5))
    }

    #[inline(always)]
    fn double(&self) -> Self {
        *self + *self
    }

    #[inline(always)]
    fn square(&self) -> Self {
        product(self, self)
    }

    #[inline(always)]
    fn mul_sums(&self, other: &Self) -> Self {
        product(self, other)
    }

    #[inline(always)]
    fn reduce(&self) -> Self {
        Self::store(carry::reduce::<M, O>(&self.load()), self.bounds.fold::<M>())
    }

    #[inline(always)]
    fn negate(&self) -> Self {
        -*self
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

impl<O: FmaOps> FmaLanes<Bn254Base, O> {
    /// The parts of a complex product, at most `products`·P² before their reduction.
    #[inline(always)]
    fn from_complex([real, imaginary]: [[Quad; 5]; 2], products: [f64; 2]) -> [Self; 2] {
        [
            Self::new(real, Bounds::reduced::<Bn254Base>(products[0])),
            Self::new(imaginary, Bounds::reduced::<Bn254Base>(products[1])),
        ]
    }
}

impl<O: FmaProducts> BaseLanes for FmaLanes<Bn254Base, O> {
    const LAZY_SUMS: bool = true;
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::constant);

    #[inline(always)]
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        Self::sum_of_products([a], [b])
    }

    #[inline(always)]
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        let a_sum = (*a[0] + *a[1]).reduce();
        let b_sum = (*b[0] + *b[1]).reduce();
        let real = a[0].bounds.product::<Bn254Base>(b[0].bounds)
            + a[1].bounds.product::<Bn254Base>(b[1].bounds);
        let imaginary = a_sum.bounds.product::<Bn254Base>(b_sum.bounds) + real;
        let parts = O::multiply_complex::<Bn254Base, 1>(
            [[&a[0].limbs, &a[1].limbs, &a_sum.limbs]],
            [[&b[0].limbs, &b[1].limbs, &b_sum.limbs]],
        );
        Self::from_complex(parts, [real, imaginary])
    }

    #[inline(always)]
    fn sum_of_products<const N: usize>(a: [[&Self; 2]; N], b: [[&Self; 2]; N]) -> [Self; 2] {
        let [mut real, mut imaginary] = [0.0; 2];
        let (mut a_parts, mut b_parts) = ([[&Self::ZERO.limbs; 2]; N], [[&Self::ZERO.limbs; 2]; N]);
        for i in 0..N {
            let ([a0, a1], [b0, b1]) = (a[i].map(|part| part.bounds), b[i].map(|part| part.bounds));
            let _ = a0.sum(a1).product::<Bn254Base>(b0.sum(b1));
            real += a0.product::<Bn254Base>(b0) + a1.product::<Bn254Base>(b1);
            imaginary += a0.product::<Bn254Base>(b1) + a1.product::<Bn254Base>(b0);
            a_parts[i] = [&a[i][0].limbs, &a[i][1].limbs];
            b_parts[i] = [&b[i][0].limbs, &b[i][1].limbs];
        }
        let parts = O::sum_of_products::<Bn254Base, N>(a_parts, b_parts);
        Self::from_complex(parts, [real, imaginary])
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

/// The product, without copies of the operands.
#[inline(always)]
fn product<M: Modulus, O: FmaProducts>(a: &FmaLanes<M, O>, b: &FmaLanes<M, O>) -> FmaLanes<M, O> {
    let [limbs] = O::multiply::<M, 1>([[&a.limbs, &b.limbs]]);
    let products = a.bounds.product::<M>(b.bounds);
    FmaLanes::new(limbs, Bounds::reduced::<M>(products))
}

/// Two products whose reductions run side by side.
#[inline(always)]
fn two_products<M: Modulus, O: FmaProducts>(
    a: [&FmaLanes<M, O>; 2],
    b: [&FmaLanes<M, O>; 2],
) -> [FmaLanes<M, O>; 2] {
    let [first, second] =
        O::multiply::<M, 2>([[&a[0].limbs, &b[0].limbs], [&a[1].limbs, &b[1].limbs]]);
    let bounds = [
        a[0].bounds.product::<M>(b[0].bounds),
        a[1].bounds.product::<M>(b[1].bounds),
    ];
    [
        FmaLanes::new(first, Bounds::reduced::<M>(bounds[0])),
        FmaLanes::new(second, Bounds::reduced::<M>(bounds[1])),
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

impl<M: Modulus, O: FmaProducts> Mul for FmaLanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        product(&self, &other)
    }
}

impl<M: Modulus, O: FmaProducts> Debug for FmaLanes<M, O> {
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
