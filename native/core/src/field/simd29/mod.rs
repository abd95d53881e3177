//! Four elements side by side in the lanes of vectors of 32-bit words.
//!
//! A value is nine signed limbs of radix 2^29 and represents the element times 2^261 (Montgomery's
//! form). Nothing here depends on the processor: the few vector operations are [`LimbOps`], whose
//! emulation returns the same bits.
//!
//! # Products
//! The 17 columns of a product are sums of 64-bit products of limbs. Column k is complete once the
//! digits below are folded into it:
//! 1. a bias of 2^63 + 2^28 makes it positive and centres its digit, the low 29 bits; the rest is
//!    the carry into column k + 1;
//! 2. digit k < 8 is worth the digit times (2^−29 mod P) one limb up, so that column k vanishes
//!    without a multiplication for a quotient;
//! 3. for k = 8 that would leave a value above P: there a multiple of P is added that makes the
//!    column 0 mod 2^29 (Montgomery's step);
//! 4. digits 9 to 16 and the last carry are the result.
//!
//! # Bounds
//! With S·P² the bound of the columns' value and F·P the absolute value of 2^−29 mod P, centred:
//! * limbs of a normal value are at most 2^28 and sums of a few fit in 32 bits; a product of two
//!   sums of two, twice, makes a column of at most 8·8·2^56, the folds and carries less than 2^60
//!   more, so that columns stay below 2^63;
//! * intermediate sums of a complex product may wrap, their sum does not;
//! * the result is at most P/2 for the multiple of P, F·P/2 for the last fold, and S·P²/2^261,
//!   which is 0.006 S·P: below 0.8 P.
//!
//! [`Bounds`] carries these figures along in builds with debug assertions.

mod bounds;
mod carry;
mod columns;
mod constants;
#[cfg(test)]
mod emulated;
mod four_lanes;
mod lanes;
mod ops;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
mod words;

#[cfg(test)]
pub use emulated::Simd29Emulated;
pub use ops::{Four, LimbOps};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub use wasm::Simd128;

use core::marker::PhantomData;

use super::Modulus;
use bounds::Bounds;
use columns::Limbs29;

/// Four elements of the prime field of `M`, a modulus below 2^254.
#[derive(Clone, Copy)]
pub struct Simd29Lanes<M, O> {
    limbs: Limbs29,
    bounds: Bounds,
    marker: PhantomData<(M, O)>,
}

impl<M: Modulus, O: LimbOps> Simd29Lanes<M, O> {
    const fn new(limbs: Limbs29, bounds: Bounds) -> Self {
        Self {
            limbs,
            bounds,
            marker: PhantomData,
        }
    }

    /// A constant in all lanes from its canonical words, least significant first, at compile time.
    const fn constant(words: super::Limbs) -> Self {
        Self::new(constants::stored::<M>(&words), Bounds::new(1.0, 0.5))
    }
}
