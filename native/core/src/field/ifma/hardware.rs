//! The vector operations as instructions of AVX-512 IFMA.
//!
//! # Safety
//! [`Ifma`] is private to this module, and [`run`] alone passes it on, after the processor was found
//! to have avx512f and avx512ifma. So whoever calls an operation of this type runs on such a
//! processor: "by the head" below refers to this.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::mem::transmute;

use super::ops::{IfmaOps, Octet};
use super::products::IfmaProducts;
use super::IfmaWork;
use crate::field::Kernel;

/// x86-64 with avx512f and avx512ifma.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ifma;

/// Whether this processor has the instructions.
pub fn is_present() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512ifma")
}

/// Runs work with AVX-512 IFMA, or returns `None` where the processor lacks it.
pub fn run<W: IfmaWork>(work: W) -> Option<W::Output> {
    is_present().then(|| work.run::<Ifma>())
}

/// Compiles a kernel for avx512f and avx512ifma.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
fn with_ifma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

impl IfmaOps for Ifma {
    type Vector = __m512i;

    #[inline(always)]
    fn load(from: &Octet) -> __m512i {
        // SAFETY: an `Octet` and a vector are both 64 bytes, and any bits are valid as either.
        unsafe { transmute(*from) }
    }

    #[inline(always)]
    fn store(vector: __m512i) -> Octet {
        // SAFETY: an `Octet` and a vector are both 64 bytes, and any bits are valid as either.
        unsafe { transmute(vector) }
    }

    #[inline(always)]
    fn splat(word: u64) -> __m512i {
        // SAFETY: an `Octet` and a vector are both 64 bytes, and any bits are valid as either.
        unsafe { transmute(Octet::splat(word)) }
    }

    #[inline(always)]
    fn madd_low(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn madd_high(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn sub(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn and(a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(a: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_srai_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn look_up(table: &[Octet; 2], index: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_permutex2var_epi64(Self::load(&table[0]), index, Self::load(&table[1])) }
    }

    #[inline(always)]
    fn equal(a: __m512i, b: __m512i) -> u8 {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_cmpeq_epi64_mask(a, b) }
    }

    #[inline(always)]
    fn select(set: u8, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm512_mask_blend_epi64(set, no, yes) }
    }

    #[inline(always)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        // SAFETY: the processor has the features, by the head.
        unsafe { with_ifma(kernel) }
    }
}

impl IfmaProducts for Ifma {}
