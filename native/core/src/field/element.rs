//! The element type: four Montgomery limbs, always below the modulus.

use core::marker::PhantomData;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroize;

use super::lanes::tower_constants;
use super::limbs::{self, Limbs};
#[cfg(not(target_arch = "wasm32"))]
use super::wide_tower;
use super::{
    Backend, BaseLanes, Bn254Base, Kernel, LaneSet, Modulus, Portable, PrimeLanes, TowerConstants,
};

/// An element of the prime field of `M`, multiplied by back-end `B`.
///
/// Invariant: the stored limbs are the value times 2^256 mod P and are below P, so equal values
/// have equal limbs whatever the back-end.
pub struct Field<M, B> {
    limbs: Limbs,
    marker: PhantomData<(M, B)>,
}

impl<M: Modulus, B: Backend> Field<M, B> {
    /// The number 0.
    pub const ZERO: Self = Self::wrap([0; 4]);
    /// The number 1.
    pub const ONE: Self = Self::wrap(M::R);

    const fn wrap(limbs: Limbs) -> Self {
        Self {
            limbs,
            marker: PhantomData,
        }
    }

    /// The element with these Montgomery limbs; trusts them to be below P.
    pub(crate) const fn from_montgomery_unchecked(limbs: Limbs) -> Self {
        Self::wrap(limbs)
    }

    /// The stored Montgomery limbs.
    pub(crate) const fn montgomery(&self) -> &Limbs {
        &self.limbs
    }

    /// Converts to another back-end.
    #[inline(always)]
    pub const fn cast<C: Backend>(&self) -> Field<M, C> {
        Field::<M, C>::wrap(self.limbs)
    }

    /// A constant from its canonical words, least significant first, at compile time.
    ///
    /// # Panics
    /// When the number is not below P (in a constant: when compiling).
    pub const fn from_canonical(words: [u64; 4]) -> Self {
        assert!(limbs::subtract(&words, &M::P).1, "not below the modulus");
        Self::wrap(limbs::montgomery_mul(&words, &M::R2, &M::P, M::INV))
    }

    /// The canonical words, least significant first.
    #[inline]
    pub fn to_canonical(&self) -> [u64; 4] {
        B::mul::<M>(&self.limbs, &[1, 0, 0, 0])
    }

    /// A small number.
    #[inline]
    pub fn from_u64(value: u64) -> Self {
        Self::wrap(B::mul::<M>(&[value, 0, 0, 0], &M::R2))
    }

    /// Twice the element.
    #[inline(always)]
    pub fn double(&self) -> Self {
        *self + *self
    }

    /// The square.
    #[inline(always)]
    pub fn square(&self) -> Self {
        *self * *self
    }

    /// The element to a power given as words, least significant first. Time depends on the
    /// exponent only.
    pub fn pow(&self, exponent: &[u64; 4]) -> Self {
        let mut table = [Self::ONE; 16];
        for i in 1..16 {
            table[i] = table[i - 1] * *self;
        }
        let mut result = Self::ONE;
        let mut started = false;
        for i in (0..64).rev() {
            let digit = (exponent[i / 16] >> (4 * (i % 16))) as usize & 15;
            if started {
                result = result.square().square().square().square();
            }
            if digit != 0 {
                result *= table[digit];
                started = true;
            }
        }
        result
    }

    /// Whether the element is 0.
    #[inline(always)]
    pub fn is_zero(&self) -> bool {
        (self.limbs[0] | self.limbs[1] | self.limbs[2] | self.limbs[3]) == 0
    }

    /// `a` where `choice` is false, else `b`; in constant time.
    #[inline(always)]
    pub fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        <Self as ConditionallySelectable>::conditional_select(a, b, choice)
    }
}

impl<M: Modulus, B: Backend> PrimeLanes for Field<M, B> {
    type Modulus = M;
    const LANES: usize = 1;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;
    type Entry = Field<M, Portable>;

    fn entry(words: &Limbs) -> Self::Entry {
        Field::from_canonical(*words)
    }

    #[inline(always)]
    fn splat(entry: &Self::Entry) -> Self {
        entry.cast()
    }

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
        *self
    }

    #[inline(always)]
    fn zero_lanes(&self) -> LaneSet {
        LaneSet::from(self.is_zero())
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: &Self, no: &Self) -> Self {
        Self::wrap(limbs::select(set & 1 == 1, &yes.limbs, &no.limbs))
    }

    #[inline]
    fn from_words(words: &[Limbs]) -> Self {
        let number = words.first().copied().unwrap_or_default();
        Self::wrap(B::mul::<M>(&number, &M::R2))
    }

    #[inline]
    fn to_words(&self, out: &mut [Limbs]) {
        if let [first, ..] = out {
            *first = self.to_canonical();
        }
    }

    // A function, not inlined: the tower has dozens of products in a row, and code that stays in
    // the instruction cache beats the saved calls.
    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl<B: Backend> BaseLanes for Field<Bn254Base, B> {
    const CONSTANTS: &'static TowerConstants<Self> = &tower_constants!(Self::from_canonical);

    #[inline(always)]
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        B::mul_complex::<Bn254Base>([&a[0].limbs, &a[1].limbs], [&b[0].limbs, &b[1].limbs])
            .map(Self::wrap)
    }

    #[inline(always)]
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2] {
        Self::mul_complex(a, b)
    }

    #[inline(always)]
    fn square_complex([a0, a1]: [&Self; 2]) -> [Self; 2] {
        [(*a0 + *a1) * (*a0 - *a1), a0.double() * *a1]
    }

    #[inline(always)]
    fn scale_complex(a: [&Self; 2], k: &Self) -> [Self; 2] {
        [*a[0] * *k, *a[1] * *k]
    }

    #[inline(always)]
    fn mul_by_xi([a0, a1]: [&Self; 2]) -> [Self; 2] {
        let p = &Bn254Base::P;
        let (negated, _) = limbs::subtract(p, &a1.limbs);
        let part = |a, b| B::reduce_once::<Bn254Base>(&limbs::nine_times_plus(a, b, p));
        [
            Self::wrap(part(&a0.limbs, &negated)),
            Self::wrap(part(&a1.limbs, &a0.limbs)),
        ]
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn mul_cubic(a: [[&Self; 2]; 3], b: [[&Self; 2]; 3]) -> Option<[[Self; 2]; 3]> {
        Some(wide_tower::mul_cubic(a, b))
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn mul_cubic_01(a: [[&Self; 2]; 3], b: [[&Self; 2]; 2]) -> Option<[[Self; 2]; 3]> {
        Some(wide_tower::mul_cubic_01(a, b))
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn square_cyclotomic(f: [[&Self; 2]; 6]) -> Option<[[Self; 2]; 6]> {
        Some(wide_tower::square_cyclotomic(f))
    }
}

impl<M, B> Clone for Field<M, B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, B> Copy for Field<M, B> {}

impl<M, B> PartialEq for Field<M, B> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let mut difference = 0;
        for i in 0..4 {
            difference |= self.limbs[i] ^ other.limbs[i];
        }
        difference == 0
    }
}

impl<M, B> Eq for Field<M, B> {}

impl<M: Modulus, B: Backend> Default for Field<M, B> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<M: Modulus, B: Backend> core::fmt::Debug for Field<M, B> {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let words = self.to_canonical();
        write!(
            formatter,
            "0x{:016x}{:016x}{:016x}{:016x}",
            words[3], words[2], words[1], words[0]
        )
    }
}

impl<M: Modulus, B: Backend> ConditionallySelectable for Field<M, B> {
    #[inline(always)]
    fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
        let mut out = [0; 4];
        for (i, word) in out.iter_mut().enumerate() {
            *word = u64::conditional_select(&a.limbs[i], &b.limbs[i], choice);
        }
        Self::wrap(out)
    }
}

impl<M: Modulus, B: Backend> ConstantTimeEq for Field<M, B> {
    #[inline]
    fn ct_eq(&self, other: &Self) -> Choice {
        self.limbs.ct_eq(&other.limbs)
    }
}

impl<M: Modulus, B: Backend> Zeroize for Field<M, B> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

impl<M: Modulus, B: Backend> Add for Field<M, B> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::wrap(B::add::<M>(&self.limbs, &other.limbs))
    }
}

impl<M: Modulus, B: Backend> Sub for Field<M, B> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::wrap(B::sub::<M>(&self.limbs, &other.limbs))
    }
}

impl<M: Modulus, B: Backend> Neg for Field<M, B> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<M: Modulus, B: Backend> Mul for Field<M, B> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::wrap(B::mul::<M>(&self.limbs, &other.limbs))
    }
}

impl<M: Modulus, B: Backend> AddAssign for Field<M, B> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<M: Modulus, B: Backend> SubAssign for Field<M, B> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<M: Modulus, B: Backend> MulAssign for Field<M, B> {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}
