//! Four elements side by side in the lanes of vectors of f64, by fused multiply-adds.
//!
//! A value is five signed integers in f64, radix 2^51, and represents the element times 2^204
//! (Montgomery's form). Nothing here depends on the processor: the few vector operations are
//! [`FmaOps`], whose emulation returns the same bits.
//!
//! # Products
//! One product of limbs is exact in two fused operations: h = ab + 1.5·2^103 is ab rounded to a
//! multiple of 2^51, and |ab| ≤ 2^102 keeps it in one binade, so that its bit pattern counts that
//! multiple; l = ab + (1.5·2^103 + 1.5·2^52 − h) is the rest, |rest| ≤ 2^50, in units of 1. The
//! patterns are added up as 64-bit integers, ten columns of weight 2^(51k); their offsets are
//! taken off once a column. Rounding to nearest is all that this needs; `field/float_mode.rs` sets it.
//!
//! # Reduction of the columns T0 … T9
//! 1. A carry turns T0 … T3 into digits −2^50 ≤ d < 2^50.
//! 2. T4 … T9 += Σ dᵢ·(2^(51i − 204) mod P, centred): all four at once, no quotient in between.
//!    The value is now V.
//! 3. q = V/P rounded, from T9 and T8; T4 … T8 −= q·P.
//! 4. A carry turns T4 … T8 into the digits of the result.
//!
//! # Bounds
//! With P = c·2^254 (c = 0.756 for both moduli of BN254), S·P² the bound of the columns' value and
//! F·P the sum of the absolute values of the four constants (0.999 P and 1.016 P):
//! * a product of limbs is at most 2^102: normal limbs are at most 2^50, so a sum of two times a
//!   sum of two is allowed, exactly at the limit; the top limb is bounded by the value;
//! * a pair of folds, 2·2^100 at most, shares its patterns;
//! * columns stay below 2^58 and the offset of a carry is 2^62;
//! * |V| ≤ (F + cS)·2^50·P =: v·2^50·P; T9 is exact in a float while it is at most 2^51, and q·P's
//!   digits are at most 2^102, both while c·v ≤ 4, which is S ≤ 5.6;
//! * the result is at most P/2, plus the rounding of V/P before q: 1/8 P below 2^51, which is
//!   S ≤ 1.3, else 1/4 P. (From 2^52 on the first rounding gives integers, and there is no second.)
//!   That makes 0.751 P; as c·0.751 < 1, every limb is at most 2^50 again;
//! * so a normal value is at most 0.751 P: three complex products of normal values make S = 3.4, and
//!   one of sums of two 4.8, both sums being reduced for the mixed part.
//!
//! [`Bounds`] carries these figures along in builds with debug assertions.

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2;
mod biases;
#[cfg(test)]
mod block_tests;
#[cfg(any(test, all(target_arch = "wasm32", target_feature = "relaxed-simd")))]
mod blocks;
mod bounds;
mod carry;
mod columns;
mod constants;
#[cfg(not(target_arch = "wasm32"))]
mod emulated;
mod four_lanes;
mod lanes;
#[cfg(test)]
mod limb_tests;
mod ops;
mod products;
mod reduction;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod wasm;
mod words;

#[cfg(not(target_arch = "wasm32"))]
pub use emulated::Avx2Emulated;
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub use wasm::RelaxedSimd;

use core::marker::PhantomData;

use super::Modulus;
use bounds::Bounds;
use columns::Limbs;
use ops::{FmaOps, Quad};
#[cfg(any(test, target_arch = "x86_64"))]
pub use products::FmaProducts;

/// Work over any implementation of these operations.
#[cfg(target_arch = "x86_64")]
pub trait FmaWork {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<O: FmaProducts>(self) -> Self::Output;
}

/// Four elements of the prime field of `M`, a modulus between 2^253 and 2^254.
#[derive(Clone, Copy)]
pub struct FmaLanes<M, O> {
    limbs: [Quad; 5],
    bounds: Bounds,
    marker: PhantomData<(M, O)>,
}

impl<M: Modulus, O: FmaOps> FmaLanes<M, O> {
    const fn new(limbs: [Quad; 5], bounds: Bounds) -> Self {
        Self {
            limbs,
            bounds,
            marker: PhantomData,
        }
    }

    /// A constant in all lanes from its canonical words, least significant first, at compile time.
    const fn constant(words: super::Limbs) -> Self {
        Self::new(constants::stored(&words, &M::P), Bounds::new(1.0, 0.5))
    }

    #[inline(always)]
    fn load(&self) -> Limbs<O> {
        columns::load::<O>(&self.limbs)
    }

    #[inline(always)]
    fn store(limbs: Limbs<O>, bounds: Bounds) -> Self {
        Self::new(columns::store::<O>(limbs), bounds)
    }
}
