//! The vector operations as instructions of WebAssembly's SIMD.
//!
//! Unsafe because loads and stores are volatile, through references to whole [`Four`]s: V8 orders
//! the pure operations of a block breadth first and spills what it computes too early; a volatile
//! access keeps its place.
#![allow(unsafe_code)]

use core::arch::wasm32::*;

use super::ops::{Four, LimbOps, Scratch};
use crate::field::{wasm, LaneSet};

/// WebAssembly with simd128.
#[derive(Clone, Copy, Debug)]
pub struct Simd128;

static SCRATCH: wasm::Scratch<Scratch> = wasm::Scratch::new(Scratch::ZERO);

impl LimbOps for Simd128 {
    type Vector = v128;

    #[inline(always)]
    fn load(from: &Four) -> v128 {
        // SAFETY: a reference is valid, and a Four is as long and as aligned as a vector.
        unsafe { core::ptr::read_volatile(core::ptr::from_ref(from).cast()) }
    }

    #[inline(always)]
    fn store(to: &mut Four, value: v128) {
        // SAFETY: a reference is valid, and a Four is as long and as aligned as a vector.
        unsafe { core::ptr::write_volatile(core::ptr::from_mut(to).cast(), value) }
    }

    #[inline(always)]
    fn value(value: v128) -> Four {
        // SAFETY: both are 16 bytes, and any bits are valid as either.
        unsafe { core::mem::transmute(value) }
    }

    #[inline(always)]
    fn cut(flags: u32, at: u32) {
        wasm::cut(flags, at);
    }

    #[inline(always)]
    fn flags() -> u32 {
        wasm::flags()
    }

    #[inline(always)]
    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        SCRATCH.with(work)
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
