//! The vector operations as instructions of WebAssembly's SIMD.
//!
//! Unsafe because of two things. Loads and stores are volatile, through references to whole
//! [`Four`]s: V8 orders the pure operations of a block breadth first and spills what it computes too
//! early; a volatile access keeps its place. The scratch memory is one static, which is sound where
//! there are no threads: a module without shared memory runs in one.
#![allow(unsafe_code)]

use core::arch::wasm32::*;
use core::cell::UnsafeCell;

use super::ops::{Four, LimbOps, Scratch};
use crate::field::LaneSet;

#[cfg(target_feature = "atomics")]
compile_error!("one scratch memory serves one thread");

/// WebAssembly with simd128.
#[derive(Clone, Copy, Debug)]
pub struct Simd128;

struct Static<T>(UnsafeCell<T>);

// SAFETY: see the head of this file.
unsafe impl<T> Sync for Static<T> {}

static SCRATCH: Static<Scratch> = Static(UnsafeCell::new(Scratch::ZERO));

/// Always 0, which the compiler does not know.
static FLAGS: u32 = 0;

impl LimbOps for Simd128 {
    type Vector = v128;

    #[inline(always)]
    fn load(from: &Four) -> v128 {
        // SAFETY: a reference is valid, and a Four is as long and as aligned as a vector.
        unsafe { core::ptr::read_volatile(core::ptr::from_ref(from).cast()) }
    }

    #[inline(always)]
    fn store(to: &mut Four, value: v128) {
        // SAFETY: as for `load`.
        unsafe { core::ptr::write_volatile(core::ptr::from_mut(to).cast(), value) }
    }

    #[inline(always)]
    fn value(value: v128) -> Four {
        // SAFETY: both are 16 bytes of integers.
        unsafe { core::mem::transmute(value) }
    }

    // A branch that is never taken, on a condition that no compiler knows, ends a block of V8.
    #[inline(always)]
    fn cut(flags: u32, at: u32) {
        if flags & (1 << at) != 0 {
            unreachable()
        }
    }

    #[inline(always)]
    fn flags() -> u32 {
        // SAFETY: a reference is valid.
        unsafe { core::ptr::read_volatile(&raw const FLAGS) }
    }

    #[inline(always)]
    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        // SAFETY: one thread, and no work calls for the memory again.
        work(unsafe { &mut *SCRATCH.0.get() })
    }

    #[inline(always)]
    fn add(a: v128, b: v128) -> v128 {
        i32x4_add(a, b)
    }

    #[inline(always)]
    fn sub(a: v128, b: v128) -> v128 {
        i32x4_sub(a, b)
    }

    #[inline(always)]
    fn mul(a: v128, b: v128) -> v128 {
        i32x4_mul(a, b)
    }

    #[inline(always)]
    fn and(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn shift_left<const BITS: u32>(a: v128) -> v128 {
        i32x4_shl(a, BITS)
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(a: v128) -> v128 {
        i32x4_shr(a, BITS)
    }

    #[inline(always)]
    fn select(mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }

    #[inline(always)]
    fn zero_lanes(a: v128) -> LaneSet {
        LaneSet::from(i32x4_bitmask(i32x4_eq(a, i32x4_splat(0))))
    }

    #[inline(always)]
    fn wide_mul_low(a: v128, b: v128) -> v128 {
        i64x2_extmul_low_i32x4(a, b)
    }

    #[inline(always)]
    fn wide_mul_high(a: v128, b: v128) -> v128 {
        i64x2_extmul_high_i32x4(a, b)
    }

    #[inline(always)]
    fn wide_add(a: v128, b: v128) -> v128 {
        i64x2_add(a, b)
    }

    #[inline(always)]
    fn wide_sub(a: v128, b: v128) -> v128 {
        i64x2_sub(a, b)
    }

    #[inline(always)]
    fn wide_shift_right<const BITS: u32>(a: v128) -> v128 {
        u64x2_shr(a, BITS)
    }

    #[inline(always)]
    fn low_words(low: v128, high: v128) -> v128 {
        i32x4_shuffle::<0, 2, 4, 6>(low, high)
    }
}
