//! The trait of scalar back-ends, and the portable one.

use super::limbs::{self, Limbs};
use super::Modulus;

/// Multiplication of canonical Montgomery limbs. Every implementation gives identical limbs for
/// identical arguments, in time that does not depend on them.
pub trait Backend: Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// Name in logs, settings and reports.
    const NAME: &'static str;

    /// a·b·2^−256 mod P, below P, for a, b < P.
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs;

    /// (a₀ + a₁u)(b₀ + b₁u) with u² = −1, each part as [`Backend::mul`] would reduce it.
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2];
}

/// Plain Rust for every processor: 4×64 through `u128`, and 9×29 on wasm32, where a 64-bit product
/// of two words is not one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

#[cfg(not(target_arch = "wasm32"))]
impl Backend for Portable {
    const NAME: &'static str = "portable";

    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        limbs::montgomery_mul(a, b, &M::P, M::INV)
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        let w0 = limbs::wide_mul(a[0], b[0]);
        let w1 = limbs::wide_mul(a[1], b[1]);
        let w2 = limbs::wide_mul(&limbs::add(a[0], a[1]), &limbs::add(b[0], b[1]));
        let (real, imaginary) = limbs::complex_parts(&w0, &w1, &w2, &M::P);
        [
            limbs::wide_reduce(&real, &M::P, M::INV),
            limbs::wide_reduce(&imaginary, &M::P, M::INV),
        ]
    }
}

#[cfg(target_arch = "wasm32")]
impl Backend for Portable {
    const NAME: &'static str = "portable";

    #[inline]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        super::limbs29::montgomery_mul(a, b, &M::P, M::INV)
    }

    #[inline]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        super::limbs29::mul_complex(a, b, &M::P, M::INV)
    }
}
