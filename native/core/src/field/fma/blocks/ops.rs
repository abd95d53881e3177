//! Two numbers in memory and the vector operations on them.

use super::super::ops::Quad;
use super::scratch::Scratch;

/// Two numbers side by side in memory, or the bits of two integers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct Pair(pub [f64; 2]);

impl Pair {
    /// 0 twice.
    pub const ZERO: Self = Self::splat(0.0);

    /// One number twice.
    pub const fn splat(value: f64) -> Self {
        Self([value; 2])
    }

    /// One bit pattern twice.
    pub const fn bits(pattern: u64) -> Self {
        Self::splat(f64::from_bits(pattern))
    }
}

/// Vectors of two lanes, floats and integers alike.
pub trait BlockOps: Copy {
    /// 128 bits.
    type Vector: Copy;

    /// Loads a vector, in the order of the program.
    fn read(from: &Pair) -> Self::Vector;
    /// Stores a vector, in the order of the program.
    fn write(to: &mut Pair, value: Self::Vector);
    /// Loads lanes 0 and 1 of four, or 2 and 3 for half 1, in the order of the program.
    fn half<const HALF: usize>(from: &Quad) -> Self::Vector;
    /// Stores lanes 0 and 1 of four, or 2 and 3 for half 1, in the order of the program.
    fn put_half<const HALF: usize>(to: &mut Quad, value: Self::Vector);
    /// Both halves as they are in memory.
    fn quad(halves: [Self::Vector; 2]) -> Quad;
    /// Ends a block. `at` is its number in the function, below 32.
    fn cut(flags: u32, at: u32);
    /// Returns the flags for [`BlockOps::cut`], once a function.
    fn flags() -> u32;
    /// Runs work with memory for its intermediate results, whose contents are arbitrary.
    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T;

    /// a + b.
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a − b.
    fn sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a·b.
    fn mul(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a·b + c with one rounding.
    fn mul_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// The nearest integer, ties to even.
    fn round(a: Self::Vector) -> Self::Vector;
    /// a + b of integers.
    fn add_int(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a − b of integers.
    fn sub_int(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a AND b.
    fn and(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a OR b.
    fn or(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Integers shifted right by `BITS`, zeros entering.
    fn shift_right<const BITS: u32>(a: Self::Vector) -> Self::Vector;
}
