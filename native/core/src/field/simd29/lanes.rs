//! The lanes as elements of a field.

use core::fmt::{self, Debug, Formatter};
use core::ops::{Add, Mul, Neg, Sub};

use super::bounds::Bounds;
use super::columns::{multiply, multiply_complex};
use super::{carry, constants, words, Four, LimbOps, Simd29Lanes};
use crate::field::lanes::tower_constants;
use crate::field::{
    self, BaseLanes, Bn254Base, Kernel, LaneSet, Modulus, PrimeLanes, TowerConstants,
};

impl<M: Modulus, O: LimbOps> Simd29Lanes<M, O> {
    #[inline(always)]
    fn zip(
        &self,
        other: &Self,
        f: impl Fn(O::Vector, O::Vector) -> O::Vector,
        bounds: Bounds,
    ) -> Self {
        let limbs = super::columns::nine(|i| {
            O::value(f(O::load(&self.limbs[i]), O::load(&other.limbs[i])))
        });
        Self::new(limbs, bounds)
    }

    /// The product, without copies of the operands.
    #[inline(always)]
    fn product(&self, other: &Self) -> Self {
        Self::new(
            multiply::<M, O>(&self.limbs, &other.limbs),
            Bounds::products::<M>(&[[self.bounds, other.bounds]]),
        )
    }
}

impl<M: Modulus, O: LimbOps> PrimeLanes for Simd29Lanes<M, O> {
    type Modulus = M;
    const LANES: usize = 4;
    const ZERO: Self = Self::new([Four::splat(0); 9], Bounds::new(0.0, 0.0));
    const ONE: Self = Self::constant([1, 0, 0, 0]);
    type Entry = [i32; 9];

    fn entry(words: &field::Limbs) -> [i32; 9] {
        constants::stored::<M>(words).map(|limb| limb.0[0])
    }

    #[inline(always)]
    fn splat(entry: &[i32; 9]) -> Self {
        Self::new(constants::raw(entry), Bounds::new(1.0, 0.5))
    }

    #[inline(always)]
    fn double(&self) -> Self {
        *self + *self
    }

    #[inline(always)]
    fn square(&self) -> Self {
        self.product(self)
    }

    #[inline(always)]
    fn mul_sums(&self, other: &Self) -> Self {
        self.product(other)
    }

    #[inline(always)]
    fn reduce(&self) -> Self {
        Self::new(carry::reduce::<M, O>(&self.limbs), self.bounds.fold::<M>())
    }

    #[inline(always)]
    fn zero_lanes(&self) -> LaneSet {
        // centred digits stand for 0 only if all are 0, and the reduced number is below P
        let reduced = self.reduce();
        reduced
            .limbs
            .iter()
            .fold(Self::ALL, |set, limb| set & O::zero_lanes(O::load(limb)))
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: &Self, no: &Self) -> Self {
        let mask = Four([0, 1, 2, 3].map(|i| -((set >> i & 1) as i32)));
        let mask = O::load(&mask);
        yes.zip(
            no,
            |yes, no| O::select(mask, yes, no),
            yes.bounds.either(no.bounds),
        )
    }

    fn from_words(words: &[field::Limbs]) -> Self {
        words::from_words(words)
    }

    fn to_words(&self, out: &mut [field::Limbs]) {
        words::to_words(self, out);
    }

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl<O: LimbOps> BaseLanes for Simd29Lanes<Bn254Base, O> {
    const LAZY_SUMS: bool = true;
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::constant);

    #[inline(always)]
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        Self::sum_of_products([a], [b])
    }

    #[inline(always)]
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        Self::sum_of_products([a], [b])
    }

    #[inline(always)]
    fn sum_of_products<const N: usize>(a: [[&Self; 2]; N], b: [[&Self; 2]; N]) -> [Self; 2] {
        let zero = &Self::ZERO.limbs;
        let (mut a_parts, mut b_parts) = ([[zero; 2]; N], [[zero; 2]; N]);
        let mut pairs = [[[[Bounds::new(0.0, 0.0); 2]; 2]; N]; 2];
        for i in 0..N {
            a_parts[i] = [&a[i][0].limbs, &a[i][1].limbs];
            b_parts[i] = [&b[i][0].limbs, &b[i][1].limbs];
            let ([a0, a1], [b0, b1]) = (a[i].map(|x| x.bounds), b[i].map(|x| x.bounds));
            let _ = (a0.sum(a1), b0.sum(b1));
            pairs[0][i] = [[a0, b0], [a1, b1]];
            pairs[1][i] = [[a0, b1], [a1, b0]];
        }
        let [real, imaginary] = multiply_complex::<Bn254Base, O, N>(a_parts, b_parts);
        [
            Self::new(real, Bounds::products::<Bn254Base>(pairs[0].as_flattened())),
            Self::new(
                imaginary,
                Bounds::products::<Bn254Base>(pairs[1].as_flattened()),
            ),
        ]
    }

    #[inline(always)]
    fn square_complex([a0, a1]: [&Self; 2]) -> [Self; 2] {
        [(*a0 + *a1).product(&(*a0 - *a1)), a0.double().product(a1)]
    }

    #[inline(always)]
    fn scale_complex([a0, a1]: [&Self; 2], k: &Self) -> [Self; 2] {
        [a0.product(k), a1.product(k)]
    }

    #[inline(always)]
    fn mul_by_xi([a0, a1]: [&Self; 2]) -> [Self; 2] {
        let [real, imaginary] = carry::multiply_by_xi::<Bn254Base, O>([&a0.limbs, &a1.limbs]);
        [
            Self::new(real, a0.bounds.fold_nine(a1.bounds)),
            Self::new(imaginary, a1.bounds.fold_nine(a0.bounds)),
        ]
    }
}

impl<M: Modulus, O: LimbOps> Add for Simd29Lanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(&other, |a, b| O::add(a, b), self.bounds.sum(other.bounds))
    }
}

impl<M: Modulus, O: LimbOps> Sub for Simd29Lanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(&other, |a, b| O::sub(a, b), self.bounds.sum(other.bounds))
    }
}

impl<M: Modulus, O: LimbOps> Neg for Simd29Lanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus, O: LimbOps> Mul for Simd29Lanes<M, O> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.product(&other)
    }
}

impl<M: Modulus, O: LimbOps> Debug for Simd29Lanes<M, O> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut words = [[0; 4]; 4];
        self.to_words(&mut words);
        let text = words.map(|w| format!("0x{:016x}{:016x}{:016x}{:016x}", w[3], w[2], w[1], w[0]));
        formatter.debug_list().entries(text).finish()
    }
}
