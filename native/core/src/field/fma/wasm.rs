//! The vector operations as instructions of WebAssembly's relaxed SIMD, whose `relaxed_madd` must
//! be fused: the loader of the module checks the machine first.
//!
//! Unsafe because loads and stores of [`BlockOps`] are volatile, through references to whole
//! [`Pair`]s and [`Quad`]s: V8 orders the pure operations of a block breadth first and spills what it
//! computes too early; a volatile access keeps its place.
#![allow(unsafe_code)]

use core::arch::wasm32::*;

use super::blocks::{self, BlockOps, Pair, Scratch};
use super::ops::{FmaOps, Quad};
use super::products::FmaProducts;
use crate::field::{wasm, Kernel, LaneSet, Modulus};

/// WebAssembly with relaxed SIMD.
#[derive(Clone, Copy, Debug)]
pub struct RelaxedSimd;

static SCRATCH: wasm::Scratch<Scratch> = wasm::Scratch::new(Scratch::ZERO);

impl BlockOps for RelaxedSimd {
    type Vector = v128;

    #[inline(always)]
    fn read(from: &Pair) -> v128 {
        // SAFETY: a reference is valid, and a Pair is as long and as aligned as a vector.
        unsafe { core::ptr::read_volatile(core::ptr::from_ref(from).cast()) }
    }

    #[inline(always)]
    fn write(to: &mut Pair, value: v128) {
        // SAFETY: a reference is valid, and a Pair is as long and as aligned as a vector.
        unsafe { core::ptr::write_volatile(core::ptr::from_mut(to).cast(), value) }
    }

    #[inline(always)]
    fn half<const HALF: usize>(from: &Quad) -> v128 {
        const { assert!(HALF < 2, "a Quad has two halves") };
        let at: *const v128 = core::ptr::from_ref(from).cast();
        // SAFETY: a reference is valid, a Quad is two aligned vectors, and HALF is 0 or 1.
        unsafe { core::ptr::read_volatile(at.add(HALF)) }
    }

    #[inline(always)]
    fn put_half<const HALF: usize>(to: &mut Quad, value: v128) {
        const { assert!(HALF < 2, "a Quad has two halves") };
        let at: *mut v128 = core::ptr::from_mut(to).cast();
        // SAFETY: a reference is valid, a Quad is two aligned vectors, and HALF is 0 or 1.
        unsafe { core::ptr::write_volatile(at.add(HALF), value) }
    }

    #[inline(always)]
    fn quad(halves: [v128; 2]) -> Quad {
        // SAFETY: both are 32 bytes, and any bits are valid as either.
        unsafe { core::mem::transmute(halves) }
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
        f64x2_add(a, b)
    }

    #[inline(always)]
    fn sub(a: v128, b: v128) -> v128 {
        f64x2_sub(a, b)
    }

    #[inline(always)]
    fn mul(a: v128, b: v128) -> v128 {
        f64x2_mul(a, b)
    }

    #[inline(always)]
    fn mul_add(a: v128, b: v128, c: v128) -> v128 {
        f64x2_relaxed_madd(a, b, c)
    }

    #[inline(always)]
    fn round(a: v128) -> v128 {
        f64x2_nearest(a)
    }

    #[inline(always)]
    fn add_int(a: v128, b: v128) -> v128 {
        i64x2_add(a, b)
    }

    #[inline(always)]
    fn sub_int(a: v128, b: v128) -> v128 {
        i64x2_sub(a, b)
    }

    #[inline(always)]
    fn and(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn or(a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    #[inline(always)]
    fn shift_right<const BITS: u32>(a: v128) -> v128 {
        u64x2_shr(a, BITS)
    }
}

/// Four lanes as two vectors of two.
type Two = [v128; 2];

#[inline(always)]
fn each(a: Two, b: Two, f: impl Fn(v128, v128) -> v128) -> Two {
    [f(a[0], b[0]), f(a[1], b[1])]
}

impl FmaOps for RelaxedSimd {
    type Floats = Two;
    type Ints = Two;

    #[inline(always)]
    fn load(values: &Quad) -> Two {
        // SAFETY: both are 32 bytes, and any bits are valid as either.
        unsafe { core::mem::transmute(*values) }
    }

    #[inline(always)]
    fn store(values: Two) -> Quad {
        <Self as BlockOps>::quad(values)
    }

    #[inline(always)]
    fn splat(value: f64) -> Two {
        [f64x2_splat(value); 2]
    }

    #[inline(always)]
    fn splat_int(value: u64) -> Two {
        [u64x2_splat(value); 2]
    }

    #[inline(always)]
    fn add(a: Two, b: Two) -> Two {
        each(a, b, |a, b| f64x2_add(a, b))
    }

    #[inline(always)]
    fn sub(a: Two, b: Two) -> Two {
        each(a, b, |a, b| f64x2_sub(a, b))
    }

    #[inline(always)]
    fn mul(a: Two, b: Two) -> Two {
        each(a, b, |a, b| f64x2_mul(a, b))
    }

    #[inline(always)]
    fn mul_add(a: Two, b: Two, c: Two) -> Two {
        [
            f64x2_relaxed_madd(a[0], b[0], c[0]),
            f64x2_relaxed_madd(a[1], b[1], c[1]),
        ]
    }

    #[inline(always)]
    fn neg_mul_add(a: Two, b: Two, c: Two) -> Two {
        [
            f64x2_relaxed_nmadd(a[0], b[0], c[0]),
            f64x2_relaxed_nmadd(a[1], b[1], c[1]),
        ]
    }

    #[inline(always)]
    fn round(a: Two) -> Two {
        [f64x2_nearest(a[0]), f64x2_nearest(a[1])]
    }

    #[inline(always)]
    fn to_bits(a: Two) -> Two {
        a
    }

    #[inline(always)]
    fn from_bits(a: Two) -> Two {
        a
    }

    #[inline(always)]
    fn add_int(a: Two, b: Two) -> Two {
        each(a, b, |a, b| i64x2_add(a, b))
    }

    #[inline(always)]
    fn sub_int(a: Two, b: Two) -> Two {
        each(a, b, |a, b| i64x2_sub(a, b))
    }

    #[inline(always)]
    fn and(a: Two, b: Two) -> Two {
        each(a, b, |a, b| v128_and(a, b))
    }

    #[inline(always)]
    fn or(a: Two, b: Two) -> Two {
        each(a, b, |a, b| v128_or(a, b))
    }

    #[inline(always)]
    fn shift_right<const BITS: i32>(a: Two) -> Two {
        [u64x2_shr(a[0], BITS as u32), u64x2_shr(a[1], BITS as u32)]
    }

    #[inline(always)]
    fn zero_lanes(a: Two) -> LaneSet {
        let set = |half| LaneSet::from(i64x2_bitmask(f64x2_eq(half, f64x2_splat(0.0))));
        set(a[0]) | set(a[1]) << 2
    }

    #[inline(always)]
    fn select(set: LaneSet, yes: Two, no: Two) -> Two {
        let mask = |lane: u32| -i64::from(set >> lane & 1);
        [
            v128_bitselect(yes[0], no[0], i64x2(mask(0), mask(1))),
            v128_bitselect(yes[1], no[1], i64x2(mask(2), mask(3))),
        ]
    }

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl FmaProducts for RelaxedSimd {
    #[inline(always)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        core::array::from_fn(|i| blocks::multiply::<M, Self>(pairs[i][0], pairs[i][1]))
    }

    #[inline(always)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        blocks::multiply_complex::<M, Self, N>(a, b)
    }

    #[inline(always)]
    fn sum_of_products<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 2]; N],
        b: [[&[Quad; 5]; 2]; N],
    ) -> [[Quad; 5]; 2] {
        blocks::sum_of_products::<M, Self, N>(a, b)
    }
}
