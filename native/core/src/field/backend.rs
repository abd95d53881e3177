//! The trait of scalar back-ends, the portable one, and the form of each for secrets.

use core::marker::PhantomData;

use super::limbs::{self, Limbs};
#[cfg(not(target_arch = "wasm32"))]
use super::wide::{self, Wide};
use super::Modulus;

/// Operations on canonical Montgomery limbs. Every implementation returns identical limbs for identical
/// arguments. In time that does not depend on them only where it says so: secrets go through [`Secret`].
pub trait Backend: Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// a·b·2^−256 mod P, below P, for a, b < P.
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs;

    /// (a₀ + a₁u)(b₀ + b₁u) with u² = −1, each part as [`Backend::mul`] would reduce it.
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2];

    /// a mod P for a < 2P.
    #[inline(always)]
    fn reduce_once<M: Modulus>(a: &Limbs) -> Limbs {
        limbs::reduce_once(a, &M::P)
    }

    /// a + b mod P for a, b < P.
    #[inline(always)]
    fn add<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        limbs::add_mod(a, b, &M::P)
    }

    /// a − b mod P for a, b < P.
    #[inline(always)]
    fn sub<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        limbs::sub_mod(a, b, &M::P)
    }

    /// [`Backend::mul`] in time that does not depend on the arguments.
    fn mul_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs;

    /// [`Backend::reduce_once`] in time that does not depend on the argument.
    fn reduce_once_secret<M: Modulus>(a: &Limbs) -> Limbs;

    /// [`Backend::add`] in time that does not depend on the arguments.
    #[inline(always)]
    fn add_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        Self::reduce_once_secret::<M>(&limbs::add(a, b))
    }

    /// [`Backend::sub`] in time that does not depend on the arguments.
    #[inline(always)]
    fn sub_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        let (negated, _) = limbs::subtract(&M::P, b);
        Self::reduce_once_secret::<M>(&limbs::add(a, &negated))
    }

    /// a·b, for any words.
    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
        #[cfg(test)]
        super::count::add(super::count::WIDE_PRODUCT);
        wide::mul(a, b)
    }

    /// (a + m·P)·2^−256 with the m below 2^256 that makes it whole: at most P. The first half of a
    /// reduction; the words above a are to be added.
    #[cfg(not(target_arch = "wasm32"))]
    #[inline(always)]
    fn fold<M: Modulus>(a: &Limbs) -> Limbs {
        #[cfg(test)]
        super::count::add(super::count::REDUCTION);
        wide::fold(a, &M::P, M::INV)
    }
}

/// Plain Rust for every processor: 4×64 through `u128`, and 9×29 on wasm32, where a 64-bit product
/// of two words is not one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

#[cfg(not(target_arch = "wasm32"))]
impl Backend for Portable {
    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        #[cfg(test)]
        super::count::add(super::count::WIDE_PRODUCT + super::count::REDUCTION);
        super::limbs::montgomery_mul(a, b, &M::P, M::INV)
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        wide::mul_complex::<M, Self>(a, b)
    }

    #[inline(always)]
    fn mul_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        Self::reduce_once_secret::<M>(&limbs::montgomery_product(a, b, &M::P, M::INV))
    }

    #[inline(always)]
    fn reduce_once_secret<M: Modulus>(a: &Limbs) -> Limbs {
        limbs::reduce_once_secret(a, &M::P)
    }
}

#[cfg(target_arch = "wasm32")]
impl Backend for Portable {
    #[inline]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        super::limbs29::montgomery_mul(a, b, &M::P, M::INV)
    }

    #[inline]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        super::limbs29::mul_complex(a, b, &M::P, M::INV)
    }

    #[inline]
    fn mul_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        super::limbs29::montgomery_mul_secret(a, b, &M::P, M::INV)
    }

    #[inline]
    fn reduce_once_secret<M: Modulus>(a: &Limbs) -> Limbs {
        limbs::reduce_once_secret(a, &M::P)
    }
}

/// Back-end `B` for secrets: no branch and no address depends on a value, in compiled code either
/// (src/docs/spec/engine.md#constant-time).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret<B>(PhantomData<B>);

impl<B: Backend> Backend for Secret<B> {
    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        B::mul_secret::<M>(a, b)
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        let product = |i: usize, j: usize| Self::mul::<M>(a[i], b[j]);
        [
            Self::sub::<M>(&product(0, 0), &product(1, 1)),
            Self::add::<M>(&product(0, 1), &product(1, 0)),
        ]
    }

    #[inline(always)]
    fn reduce_once<M: Modulus>(a: &Limbs) -> Limbs {
        B::reduce_once_secret::<M>(a)
    }

    #[inline(always)]
    fn add<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        B::add_secret::<M>(a, b)
    }

    #[inline(always)]
    fn sub<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        B::sub_secret::<M>(a, b)
    }

    #[inline(always)]
    fn mul_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        B::mul_secret::<M>(a, b)
    }

    #[inline(always)]
    fn reduce_once_secret<M: Modulus>(a: &Limbs) -> Limbs {
        B::reduce_once_secret::<M>(a)
    }
}
