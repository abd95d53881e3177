//! The few vector operations that the lanes are made of.

use core::fmt::Debug;

use crate::field::{Kernel, LaneSet};

/// Four numbers side by side in memory: the form of a vector between kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

impl Quad {
    /// One number in all lanes.
    pub const fn splat(value: f64) -> Self {
        Self([value; 4])
    }
}

/// Vectors of four 64-bit lanes. Floating-point operations round to nearest, ties to even, once:
/// the method depends on `mul_add` being fused. Integers wrap. Every implementation returns the same
/// bits, so that a proof with one holds for all.
pub trait FmaOps: Copy + Debug + Send + Sync + 'static {
    /// Four f64.
    type Floats: Copy;
    /// Four u64.
    type Ints: Copy;

    /// Loads a vector from memory.
    fn load(values: &Quad) -> Self::Floats;
    /// Stores a vector in memory.
    fn store(values: Self::Floats) -> Quad;
    /// One number in all lanes.
    fn splat(value: f64) -> Self::Floats;
    /// One integer in all lanes.
    fn splat_int(value: u64) -> Self::Ints;

    /// a + b.
    fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a − b.
    fn sub(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a·b.
    fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a·b + c with one rounding.
    fn mul_add(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// c − a·b with one rounding.
    fn neg_mul_add(a: Self::Floats, b: Self::Floats, c: Self::Floats) -> Self::Floats;
    /// The nearest integer, ties to even.
    fn round(a: Self::Floats) -> Self::Floats;

    /// The bit patterns of floats.
    fn to_bits(a: Self::Floats) -> Self::Ints;
    /// The floats with these bit patterns.
    fn from_bits(a: Self::Ints) -> Self::Floats;
    /// a + b.
    fn add_int(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// a − b.
    fn sub_int(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// a AND b.
    fn and(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// a OR b.
    fn or(a: Self::Ints, b: Self::Ints) -> Self::Ints;
    /// a shifted right by `BITS`, zeros entering.
    fn shift_right<const BITS: i32>(a: Self::Ints) -> Self::Ints;

    /// The lanes that hold 0 or −0.
    fn zero_lanes(a: Self::Floats) -> LaneSet;
    /// `yes` in the lanes of the set, `no` in the others.
    fn select(set: LaneSet, yes: Self::Floats, no: Self::Floats) -> Self::Floats;

    /// Runs a kernel compiled with the instructions of these operations.
    fn enter<K: Kernel>(kernel: K) -> K::Output;
}
