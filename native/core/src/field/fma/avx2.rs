//! The vector operations as instructions of AVX2 and FMA.
//!
//! Unsafe because intrinsics are: each needs a processor with avx2 and fma, which
//! [`arithmetic`](crate::field::arithmetic) has checked before anything is called with this type.
//! Memory is read and written through references to whole, 32-byte aligned [`Quad`]s only.
#![allow(unsafe_code)]

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::ops::{FmaOps, Quad};
use super::{avx2_columns, avx2_reduction, columns};
use crate::field::{Kernel, LaneSet, Modulus};

/// x86-64 with avx2 and fma. Calling it on a processor without them ends the process; only
/// [`arithmetic`](crate::field::arithmetic) decides where it runs.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

/// Whether this processor has the instructions.
pub fn is_present() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// A cache line. A local of this alignment makes the compiler align the whole frame; without one it
/// has been seen to leave spilled vectors across two lines, at half the speed.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "never read")] [u8; 64]);

#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    let line = MaybeUninit::<Line>::uninit();
    // SAFETY: an empty instruction that is given an address.
    unsafe {
        asm!("/* {0} */", in(reg) line.as_ptr(), options(readonly, nostack, preserves_flags));
    }
    kernel.run()
}

/// Declares operations that are one intrinsic each; all are sound where the processor has it.
macro_rules! intrinsics {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $output:ty = $body:expr;)*) => { $(
        #[inline(always)]
        fn $name($($arg: $ty),*) -> $output {
            // SAFETY: see the head of this file.
            unsafe { $body }
        }
    )* };
}

impl FmaOps for Avx2 {
    type Floats = __m256d;
    type Ints = __m256i;

    intrinsics! {
        load(values: &Quad) -> __m256d = _mm256_load_pd(values.0.as_ptr());
        splat(value: f64) -> __m256d = _mm256_set1_pd(value);
        splat_int(value: u64) -> __m256i = _mm256_set1_epi64x(value as i64);
        add(a: __m256d, b: __m256d) -> __m256d = _mm256_add_pd(a, b);
        sub(a: __m256d, b: __m256d) -> __m256d = _mm256_sub_pd(a, b);
        mul(a: __m256d, b: __m256d) -> __m256d = _mm256_mul_pd(a, b);
        mul_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d = _mm256_fmadd_pd(a, b, c);
        neg_mul_add(a: __m256d, b: __m256d, c: __m256d) -> __m256d = _mm256_fnmadd_pd(a, b, c);
        round(a: __m256d) -> __m256d =
            _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a);
        to_bits(a: __m256d) -> __m256i = _mm256_castpd_si256(a);
        from_bits(a: __m256i) -> __m256d = _mm256_castsi256_pd(a);
        add_int(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi64(a, b);
        sub_int(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi64(a, b);
        and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
    }

    #[inline(always)]
    fn store(values: __m256d) -> Quad {
        let mut out = Quad::splat(0.0);
        // SAFETY: see the head of this file.
        unsafe { _mm256_store_pd(out.0.as_mut_ptr(), values) };
        out
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: __m256i) -> __m256i {
        // SAFETY: see the head of this file.
        unsafe { _mm256_srli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn zero_lanes(a: __m256d) -> LaneSet {
        // SAFETY: see the head of this file.
        unsafe {
            let equal = _mm256_cmp_pd::<_CMP_EQ_OQ>(a, _mm256_setzero_pd());
            _mm256_movemask_pd(equal) as LaneSet
        }
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: __m256d, no: __m256d) -> __m256d {
        // SAFETY: see the head of this file.
        unsafe {
            // bit i of the set becomes the sign of lane i
            let spread = _mm256_set_epi64x(60, 61, 62, 63);
            let mask = _mm256_sllv_epi64(_mm256_set1_epi64x(i64::from(set)), spread);
            _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(mask))
        }
    }

    #[inline(always)]
    fn columns(a: &[Quad; 5], b: &[Quad; 5]) -> [__m256i; 10] {
        avx2_columns::columns(a, b)
    }

    #[inline(always)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        let mut out = [[Quad::splat(0.0); 5]; N];
        if N == 2 {
            let products = avx2_reduction::multiply::<M>([pairs[0], pairs[1]]);
            out[0] = products[0];
            out[1] = products[1];
            return out;
        }
        columns::multiply::<M, Self, N>(pairs)
    }

    #[inline(always)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        avx2_reduction::multiply_complex::<M, N>(a, b)
    }

    // Not inlined, since the tower has dozens of products in a row. The attribute stands here and not
    // on `with_avx2`: rustc 1.95 drops it where there is a `target_feature`.
    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        // SAFETY: see the head of this file.
        unsafe { with_avx2(kernel) }
    }
}
