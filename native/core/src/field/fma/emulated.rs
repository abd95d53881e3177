//! The vector operations in plain Rust, exact, for tests on processors without the instructions.
//!
//! They are calls, since `mul_add` is one anyway: inlined into every kernel they would take minutes
//! to compile.

use super::ops::{FmaOps, Quad};
use super::products::{self, FmaProducts};
use crate::field::{Kernel, LaneSet, Modulus};

/// Plain Rust in the place of the instructions.
#[derive(Clone, Copy, Debug)]
pub struct Avx2Emulated;

#[inline(always)]
fn each<T: Copy, U: Copy + Default>(a: [T; 4], b: [T; 4], f: impl Fn(T, T) -> U) -> [U; 4] {
    let mut out = [U::default(); 4];
    for i in 0..4 {
        out[i] = f(a[i], b[i]);
    }
    out
}

impl FmaOps for Avx2Emulated {
    type Floats = [f64; 4];
    type Ints = [u64; 4];

    #[inline(always)]
    fn load(values: &Quad) -> [f64; 4] {
        values.0
    }

    #[inline(always)]
    fn store(values: [f64; 4]) -> Quad {
        Quad(values)
    }

    #[inline(always)]
    fn splat(value: f64) -> [f64; 4] {
        [value; 4]
    }

    #[inline(always)]
    fn splat_int(value: u64) -> [u64; 4] {
        [value; 4]
    }

    #[inline(never)]
    fn add(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        each(a, b, |a, b| a + b)
    }

    #[inline(never)]
    fn sub(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        each(a, b, |a, b| a - b)
    }

    #[inline(never)]
    fn mul(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        #[cfg(test)]
        crate::field::count::add(1);
        each(a, b, |a, b| a * b)
    }

    #[inline(never)]
    fn mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
        #[cfg(test)]
        crate::field::count::add(1);
        [0, 1, 2, 3].map(|i| a[i].mul_add(b[i], c[i]))
    }

    #[inline(never)]
    fn neg_mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
        #[cfg(test)]
        crate::field::count::add(1);
        [0, 1, 2, 3].map(|i| (-a[i]).mul_add(b[i], c[i]))
    }

    #[inline(never)]
    fn round(a: [f64; 4]) -> [f64; 4] {
        a.map(f64::round_ties_even)
    }

    #[inline(always)]
    fn to_bits(a: [f64; 4]) -> [u64; 4] {
        a.map(f64::to_bits)
    }

    #[inline(always)]
    fn from_bits(a: [u64; 4]) -> [f64; 4] {
        a.map(f64::from_bits)
    }

    #[inline(never)]
    fn add_int(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        each(a, b, u64::wrapping_add)
    }

    #[inline(never)]
    fn sub_int(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        each(a, b, u64::wrapping_sub)
    }

    #[inline(never)]
    fn and(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        each(a, b, |a, b| a & b)
    }

    #[inline(never)]
    fn or(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        each(a, b, |a, b| a | b)
    }

    #[inline(never)]
    fn shift_right<const BITS: i32>(a: [u64; 4]) -> [u64; 4] {
        a.map(|word| word >> BITS)
    }

    #[inline(never)]
    fn zero_lanes(a: [f64; 4]) -> LaneSet {
        (0..4).map(|i| LaneSet::from(a[i] == 0.0) << i).sum()
    }

    #[inline(never)]
    fn select(set: LaneSet, yes: [f64; 4], no: [f64; 4]) -> [f64; 4] {
        [0, 1, 2, 3].map(|i| if set >> i & 1 == 1 { yes[i] } else { no[i] })
    }

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl FmaProducts for Avx2Emulated {
    #[inline(never)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        products::multiply::<M, Self, N>(pairs)
    }

    #[inline(never)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        products::multiply_complex::<M, Self, N>(a, b)
    }
}
