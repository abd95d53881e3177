//! AVX-512 IFMA.
//!
//! Unsafe because of the processor features. What makes each block sound: an intrinsic needs no
//! more than its instructions, and [`arithmetic`](crate::field::arithmetic) has checked that the
//! processor has them before anything is called with this back-end; a conversion between
//! [`Octet`] and `__m512i` keeps 64 bytes that are valid as both.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::mem::transmute;

use super::ops::{IfmaOps, Octet};
use crate::field::Kernel;

/// x86-64 with avx512f and avx512ifma. Calling it on a processor without them ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfmaHardware;

/// Whether this processor runs [`IfmaHardware`].
pub fn is_present() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512ifma")
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

// SAFETY of every block below: see the head of this file.
impl IfmaOps for IfmaHardware {
    type Vector = __m512i;

    #[inline(always)]
    fn load(from: &Octet) -> __m512i {
        unsafe { transmute(*from) }
    }

    #[inline(always)]
    fn store(vector: __m512i) -> Octet {
        unsafe { transmute(vector) }
    }

    #[inline(always)]
    fn splat(word: u64) -> __m512i {
        unsafe { transmute(Octet::splat(word)) }
    }

    #[inline(always)]
    fn madd_low(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn madd_high(sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn add(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_add_epi64(a, b) }
    }

    #[inline(always)]
    fn sub(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_sub_epi64(a, b) }
    }

    #[inline(always)]
    fn and(a: __m512i, b: __m512i) -> __m512i {
        unsafe { _mm512_and_si512(a, b) }
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(a: __m512i) -> __m512i {
        unsafe { _mm512_slli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(a: __m512i) -> __m512i {
        unsafe { _mm512_srai_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn look_up(table: &[Octet; 2], index: __m512i) -> __m512i {
        unsafe { _mm512_permutex2var_epi64(Self::load(&table[0]), index, Self::load(&table[1])) }
    }

    #[inline(always)]
    fn equal(a: __m512i, b: __m512i) -> u8 {
        unsafe { _mm512_cmpeq_epi64_mask(a, b) }
    }

    #[inline(always)]
    fn select(set: u8, yes: __m512i, no: __m512i) -> __m512i {
        unsafe { _mm512_mask_blend_epi64(set, no, yes) }
    }

    #[inline(always)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        unsafe { run(kernel) }
    }
}
