//! The lanes as elements of a field.

use core::ops::{Add, Mul, Neg, Sub};

use super::constants::{to_words, Constants};
use super::element::IfmaLanes;
use super::loose::{each, Loose, Operand};
use super::ops::IfmaOps;
use super::products::{finish, IfmaProducts};
use super::wide::Wide;
use crate::field::lanes::tower_constants;
use crate::field::limbs::{reduce_once_secret, Limbs};
use crate::field::{BaseLanes, Bn254Base, Kernel, LaneSet, Modulus, PrimeLanes, TowerConstants};

impl<M: Modulus, O: IfmaProducts> PrimeLanes for IfmaLanes<M, O> {
    type Modulus = M;
    const LANES: usize = 8;
    const ZERO: Self = Self::constant([0; 4]);
    const ONE: Self = Self::constant([1, 0, 0, 0]);
    type Entry = [u64; 5];

    fn entry(words: &Limbs) -> [u64; 5] {
        Constants::<M>::montgomery(words)
    }

    #[inline(always)]
    fn splat(entry: &[u64; 5]) -> Self {
        Operand::constant(*entry).into()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn double(&self) -> Self {
        *self + *self
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn square(&self) -> Self {
        O::square(self)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_normal(&self, other: &Self) -> Self {
        O::product([self, other])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_sums(&self, other: &Self) -> Self {
        O::product_of_sums([self, other])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn reduce(&self) -> Self {
        O::reduced(self)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero_lanes(&self) -> LaneSet {
        // reduced, 0 is p or 2p
        let number = self.loose().reduce().loose();
        let is = |multiple: [u64; 5]| {
            (0..5).fold(u8::MAX, |set, i| {
                set & O::equal(number.limbs[i], O::splat(multiple[i]))
            })
        };
        LaneSet::from(is(Constants::<M>::P) | is(Constants::<M>::multiple(2)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn select(set: LaneSet, yes: &Self, no: &Self) -> Self {
        let (yes, no) = (yes.loose(), no.loose());
        Loose::new(
            each(|i| O::select(set as u8, yes.limbs[i], no.limbs[i])),
            yes.bounds.either(no.bounds),
        )
        .into()
    }

    fn from_words(words: &[Limbs]) -> Self {
        O::enter(ToMontgomery(Self::raw(words)))
    }

    fn to_words(&self, out: &mut [Limbs]) {
        let number = O::enter(FromMontgomery(*self));
        for (lane, words) in out.iter_mut().enumerate().take(8) {
            *words = reduce_once_secret(&to_words(&number.lane(lane)), &M::P);
        }
    }

    #[inline(always)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        O::enter(kernel)
    }
}

struct ToMontgomery<F>(F);

impl<M: Modulus, O: IfmaProducts> Kernel for ToMontgomery<IfmaLanes<M, O>> {
    type Output = IfmaLanes<M, O>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> Self::Output {
        let factor = Operand::constant(Constants::<M>::R2);
        finish(Wide::product(&self.0.normal(), &factor))
    }
}

/// Gives numbers below 2p.
struct FromMontgomery<F>(F);

impl<M: Modulus, O: IfmaProducts> Kernel for FromMontgomery<IfmaLanes<M, O>> {
    type Output = IfmaLanes<M, O>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> Self::Output {
        let factor = Operand::constant([1, 0, 0, 0, 0]);
        finish(Wide::product(&self.0.loose().reduce(), &factor))
    }
}

impl<O: IfmaProducts> BaseLanes for IfmaLanes<Bn254Base, O> {
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::constant);

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        O::complex_product([a, b])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        O::complex_product_of_sums([a, b])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn square_complex(a: [&Self; 2]) -> [Self; 2] {
        O::complex_square(a)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scale_complex(a: [&Self; 2], k: &Self) -> [Self; 2] {
        let k = k.normal();
        let part = a[0].loose().offset::<5>().carry();
        let other = a[1].loose().offset::<5>().carry();
        [
            finish(Wide::product(&part, &k)),
            finish(Wide::product(&other, &k)),
        ]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul_by_xi(a: [&Self; 2]) -> [Self; 2] {
        O::times_xi(a)
    }
}

impl<M: Modulus, O: IfmaOps> Add for IfmaLanes<M, O> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        self.loose().add(&other.loose()).into()
    }
}

impl<M: Modulus, O: IfmaOps> Sub for IfmaLanes<M, O> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        self.loose().sub(&other.loose()).into()
    }
}

impl<M: Modulus, O: IfmaProducts> Neg for IfmaLanes<M, O> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus, O: IfmaProducts> Mul for IfmaLanes<M, O> {
    type Output = Self;
    /// Either side may be the sum.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        self.mul_sums(&other)
    }
}

impl<M: Modulus, O: IfmaProducts> core::fmt::Debug for IfmaLanes<M, O> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut words = [[0; 4]; 8];
        self.to_words(&mut words);
        formatter.debug_list().entries(words).finish()
    }
}
