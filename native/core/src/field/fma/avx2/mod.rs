//! The vector operations as instructions of AVX2 and FMA.
//!
//! # Safety
//! [`Avx2`] is private to this module, and [`run`] alone passes it on, after the processor was found
//! to have avx2 and fma. So whoever calls an operation of this type runs on such a processor: every
//! `SAFETY` below that says "by the head" refers to this.
#![allow(unsafe_code)]

mod columns;
mod reduction;
mod tables;

use core::arch::asm;
use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::ops::{FmaOps, Quad};
use super::products::{self, FmaProducts};
use super::FmaWork;
use crate::field::{in_default_float_mode, Kernel, LaneSet, Modulus};

/// x86-64 with avx2 and fma.
#[derive(Clone, Copy, Debug)]
struct Avx2;

/// Whether this processor has the instructions.
pub fn is_present() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

/// Runs work with AVX2 and FMA, in the floating-point mode that it needs, or returns `None` where the
/// processor lacks them.
pub fn run<W: FmaWork>(work: W) -> Option<W::Output> {
    is_present().then(|| in_default_float_mode(|| work.run::<Avx2>()))
}

/// A cache line. A local of this alignment makes the compiler align the whole frame; without one it
/// has been seen to leave spilled vectors across two lines, at half the speed.
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "never read")] [u8; 64]);

/// Compiles a kernel for avx2 and fma.
#[target_feature(enable = "avx2,fma")]
fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
    let line = MaybeUninit::<Line>::uninit();
    // SAFETY: an assembly comment, no instruction; it takes the address and does not follow it.
    unsafe {
        asm!("/* {0} */", in(reg) line.as_ptr(), options(readonly, nostack, preserves_flags));
    }
    kernel.run()
}

/// Declares operations that are one intrinsic each, on values only.
macro_rules! intrinsics {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $output:ty = $body:expr;)*) => { $(
        #[inline(always)]
        fn $name($($arg: $ty),*) -> $output {
            // SAFETY: the processor has the instruction, by the head; no memory is accessed.
            unsafe { $body }
        }
    )* };
}

impl FmaOps for Avx2 {
    type Floats = __m256d;
    type Ints = __m256i;

    intrinsics! {
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
    fn load(values: &Quad) -> __m256d {
        // SAFETY: the instruction is there, by the head; a `Quad` is 32 bytes at a multiple of 32.
        unsafe { _mm256_load_pd(values.0.as_ptr()) }
    }

    #[inline(always)]
    fn store(values: __m256d) -> Quad {
        let mut out = Quad::splat(0.0);
        // SAFETY: the instruction is there, by the head; a `Quad` is 32 bytes at a multiple of 32,
        // and `out` has no other borrow.
        unsafe { _mm256_store_pd(out.0.as_mut_ptr(), values) };
        out
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: __m256i) -> __m256i {
        // SAFETY: the processor has the instruction, by the head; no memory is accessed.
        unsafe { _mm256_srli_epi64::<BITS>(a) }
    }

    #[inline(always)]
    fn zero_lanes(a: __m256d) -> LaneSet {
        // SAFETY: the processor has the instructions, by the head; no memory is accessed.
        unsafe {
            let equal = _mm256_cmp_pd::<_CMP_EQ_OQ>(a, _mm256_setzero_pd());
            _mm256_movemask_pd(equal) as LaneSet
        }
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: __m256d, no: __m256d) -> __m256d {
        // SAFETY: the processor has the instructions, by the head; no memory is accessed.
        unsafe {
            // bit i of the set becomes the sign of lane i
            let shifts = _mm256_set_epi64x(60, 61, 62, 63);
            let mask = _mm256_sllv_epi64(_mm256_set1_epi64x(i64::from(set)), shifts);
            _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(mask))
        }
    }

    // Not inlined, since the tower has dozens of products in a row. The attribute is here and not on
    // `with_avx2`: rustc 1.95 drops it where there is a `target_feature`.
    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        // SAFETY: the processor has avx2 and fma, by the head.
        unsafe { with_avx2(kernel) }
    }
}

impl FmaProducts for Avx2 {
    #[inline(always)]
    fn columns(a: &[Quad; 5], b: &[Quad; 5]) -> [__m256i; 10] {
        // SAFETY: the processor has avx2 and fma, by the head.
        unsafe { columns::columns(a, b) }
    }

    #[inline(always)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        let mut out = [[Quad::splat(0.0); 5]; N];
        if N == 2 {
            // SAFETY: the processor has avx2 and fma, by the head.
            let products = unsafe { reduction::multiply::<M>([pairs[0], pairs[1]]) };
            out[0] = products[0];
            out[1] = products[1];
            return out;
        }
        products::multiply::<M, Self, N>(pairs)
    }

    #[inline(always)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        // SAFETY: the processor has avx2 and fma, by the head.
        unsafe { reduction::multiply_complex::<M, N>(a, b) }
    }
}
