//! The element type of the lanes.

use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

use super::bounds::Bounds;
use super::constants::{to_limbs, to_words, Constants};
use super::loose::{each, Loose, Operand};
use super::ops::{IfmaOps, Octet};
use super::wide::Wide;
use crate::field::lanes::tower_constants;
use crate::field::limbs::{reduce_once, Limbs};
use crate::field::{BaseLanes, Bn254Base, Kernel, LaneSet, Modulus, PrimeLanes, TowerConstants};

/// 8 elements of the prime field of `M`: five limbs of both signs whose number is the element
/// times 2^260 mod p, plus any multiple of p.
#[derive(Clone, Copy)]
pub struct IfmaLanes<M, O> {
    limbs: [Octet; 5],
    bounds: Bounds,
    marker: PhantomData<(M, O)>,
}

impl<M: Modulus, O: IfmaOps> IfmaLanes<M, O> {
    /// The same element in every lane, from its canonical words.
    const fn splat(words: Limbs) -> Self {
        let limbs = Constants::<M>::montgomery(&words);
        Self {
            limbs: [
                Octet::splat(limbs[0]),
                Octet::splat(limbs[1]),
                Octet::splat(limbs[2]),
                Octet::splat(limbs[3]),
                Octet::splat(limbs[4]),
            ],
            bounds: Bounds::carried(1.0),
            marker: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn loose(&self) -> Loose<M, O> {
        Loose::new(each(|i| O::load(&self.limbs[i])), self.bounds)
    }

    /// A normal value as it is.
    #[inline(always)]
    pub(super) fn normal(&self) -> Operand<M, O> {
        Operand::trusted(self.loose())
    }
}

impl<M: Modulus, O: IfmaOps> From<Loose<M, O>> for IfmaLanes<M, O> {
    #[inline(always)]
    fn from(number: Loose<M, O>) -> Self {
        Self {
            limbs: each(|i| O::store(number.limbs[i])),
            bounds: number.bounds,
            marker: PhantomData,
        }
    }
}

impl<M: Modulus, O: IfmaOps> From<Operand<M, O>> for IfmaLanes<M, O> {
    #[inline(always)]
    fn from(number: Operand<M, O>) -> Self {
        number.loose().into()
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn square<M: Modulus, O: IfmaOps>(a: &IfmaLanes<M, O>) -> IfmaLanes<M, O> {
    finish(Wide::square(&a.normal()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn product<M: Modulus, O: IfmaOps>([a, b]: [&IfmaLanes<M, O>; 2]) -> IfmaLanes<M, O> {
    finish(Wide::product(&a.normal(), &b.normal()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn product_of_sums<M: Modulus, O: IfmaOps>(
    [a, b]: [&IfmaLanes<M, O>; 2],
) -> IfmaLanes<M, O> {
    finish(Wide::product(&a.loose().reduce(), &b.loose().reduce()))
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn reduced<M: Modulus, O: IfmaOps>(a: &IfmaLanes<M, O>) -> IfmaLanes<M, O> {
    a.loose().reduce().into()
}

/// Reduces a sum of products, which is not negative, to a normal value.
#[inline(always)]
fn finish<M: Modulus, O: IfmaOps>(sum: Wide<M, O>) -> IfmaLanes<M, O> {
    sum.reduce().carry().into()
}

impl<M: Modulus, O: IfmaOps> PrimeLanes for IfmaLanes<M, O> {
    type Modulus = M;
    const LANES: usize = 8;
    const ZERO: Self = Self::splat([0; 4]);
    const ONE: Self = Self::splat([1, 0, 0, 0]);
    type Entry = [u64; 5];

    fn entry(words: &Limbs) -> [u64; 5] {
        Constants::<M>::montgomery(words)
    }

    #[inline(always)]
    fn spread(entry: &[u64; 5]) -> Self {
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
        let mut limbs = [Octet::splat(0); 5];
        for (lane, number) in words.iter().enumerate().take(8) {
            for (octet, limb) in limbs.iter_mut().zip(to_limbs(number)) {
                octet.0[lane] = limb;
            }
        }
        O::enter(ToMontgomery(Self {
            limbs,
            bounds: Bounds::carried(1.0),
            marker: PhantomData,
        }))
    }

    fn to_words(&self, out: &mut [Limbs]) {
        let number = O::enter(FromMontgomery(*self));
        for (lane, words) in out.iter_mut().enumerate().take(8) {
            let limbs = number.limbs.map(|octet| octet.0[lane]);
            *words = reduce_once(&to_words(&limbs), &M::P);
        }
    }

    #[inline(always)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        O::enter(kernel)
    }
}

struct ToMontgomery<F>(F);

impl<M: Modulus, O: IfmaOps> Kernel for ToMontgomery<IfmaLanes<M, O>> {
    type Output = IfmaLanes<M, O>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> Self::Output {
        let factor = Operand::constant(Constants::<M>::R2);
        finish(Wide::product(&self.0.normal(), &factor))
    }
}

/// Gives numbers below 2p.
struct FromMontgomery<F>(F);

impl<M: Modulus, O: IfmaOps> Kernel for FromMontgomery<IfmaLanes<M, O>> {
    type Output = IfmaLanes<M, O>;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn run(self) -> Self::Output {
        let factor = Operand::constant([1, 0, 0, 0, 0]);
        finish(Wide::product(&self.0.loose().reduce(), &factor))
    }
}

impl<O: IfmaOps> BaseLanes for IfmaLanes<Bn254Base, O> {
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::splat);

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

/// 9a of a normal value, below 7p.
#[cfg_attr(not(debug_assertions), inline(always))]
fn nine_times<M: Modulus, O: IfmaOps>(a: &Loose<M, O>) -> Loose<M, O> {
    let double = a.add(a);
    let four = double.add(&double).reduce().loose();
    four.add(&four).add(a)
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn complex_product<M: Modulus, O: IfmaOps>(
    [a, b]: [[&IfmaLanes<M, O>; 2]; 2],
) -> [IfmaLanes<M, O>; 2] {
    complex(
        [a[0].normal(), a[1].normal()],
        [b[0].normal(), b[1].normal()],
    )
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn complex_product_of_sums<M: Modulus, O: IfmaOps>(
    [a, b]: [[&IfmaLanes<M, O>; 2]; 2],
) -> [IfmaLanes<M, O>; 2] {
    complex(
        [a[0].loose().reduce(), a[1].loose().reduce()],
        [b[0].loose().reduce(), b[1].loose().reduce()],
    )
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn complex_square<M: Modulus, O: IfmaOps>(
    a: [&IfmaLanes<M, O>; 2],
) -> [IfmaLanes<M, O>; 2] {
    let [a0, a1] = [a[0].normal().loose(), a[1].normal().loose()];
    let real = Wide::product(&a0.add(&a1).carry(), &a0.sub(&a1).offset::<3>().carry());
    let half = Wide::product(&a[0].normal(), &a[1].normal());
    [finish(real), finish(half.add(&half))]
}

#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn times_xi<M: Modulus, O: IfmaOps>(a: [&IfmaLanes<M, O>; 2]) -> [IfmaLanes<M, O>; 2] {
    let [a0, a1] = [a[0].normal().loose(), a[1].normal().loose()];
    [
        nine_times(&a0).sub(&a1).reduce().into(),
        nine_times(&a1).add(&a0).reduce().into(),
    ]
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn complex<M: Modulus, O: IfmaOps>(
    a: [Operand<M, O>; 2],
    b: [Operand<M, O>; 2],
) -> [IfmaLanes<M, O>; 2] {
    let [real, imaginary] = Wide::complex_product([&a[0], &a[1]], [&b[0], &b[1]]);
    [finish(real.offset()), finish(imaginary)]
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

impl<M: Modulus, O: IfmaOps> Neg for IfmaLanes<M, O> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus, O: IfmaOps> Mul for IfmaLanes<M, O> {
    type Output = Self;
    /// Either side may be the sum.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        self.mul_sums(&other)
    }
}

impl<M: Modulus, O: IfmaOps> core::fmt::Debug for IfmaLanes<M, O> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut words = [[0; 4]; 8];
        self.to_words(&mut words);
        formatter.debug_list().entries(words).finish()
    }
}
