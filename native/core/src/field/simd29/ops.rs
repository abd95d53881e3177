//! The few vector operations that the lanes are made of.

use core::fmt::Debug;

use crate::field::LaneSet;

/// Four 32-bit words side by side in memory, or two 64-bit ones, the low half first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Four(pub [i32; 4]);

impl Four {
    /// One word four times.
    pub const fn splat(value: i32) -> Self {
        Self([value; 4])
    }

    /// One wide word twice.
    pub const fn splat_wide(value: u64) -> Self {
        let (low, high) = (value as i32, (value >> 32) as i32);
        Self([low, high, low, high])
    }
}

/// Intermediate results of one product, which blocks of code hand on to each other.
pub struct Scratch {
    /// The digits that a reduction folds.
    pub digits: [Four; 9],
    /// The limbs of two results.
    pub out: [[Four; 9]; 2],
    /// Sums of two factors.
    pub sums: [[Four; 9]; 2],
    /// The columns of three products, low lanes and high lanes.
    pub columns: [[[Four; 2]; 17]; 3],
}

impl Scratch {
    /// Zeros.
    pub const ZERO: Self = {
        let zero = Four::splat(0);
        Self {
            digits: [zero; 9],
            out: [[zero; 9]; 2],
            sums: [[zero; 9]; 2],
            columns: [[[zero; 2]; 17]; 3],
        }
    };
}

/// Vectors of four signed 32-bit words, or of two 64-bit words where a name says wide. Integers
/// wrap. Every implementation returns the same bits.
pub trait LimbOps: Copy + Debug + Send + Sync + 'static {
    /// 128 bits.
    type Vector: Copy;

    /// Loads a vector, in the order of the program.
    fn load(from: &Four) -> Self::Vector;
    /// Stores a vector, in the order of the program.
    fn store(to: &mut Four, value: Self::Vector);
    /// The vector as it is in memory.
    fn value(value: Self::Vector) -> Four;
    /// Ends a block of code: the compiler must not mix the code before and after it. `at` is the
    /// number of the block in its function, below 32.
    fn cut(flags: u32, at: u32);
    /// Returns the flags for [`LimbOps::cut`], once a function.
    fn flags() -> u32;
    /// Runs work with memory for its intermediate results, whose contents are arbitrary.
    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T;

    /// a + b.
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a − b.
    fn sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a·b.
    fn mul(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a AND b.
    fn and(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a·2^`BITS`.
    fn shift_left<const BITS: u32>(a: Self::Vector) -> Self::Vector;
    /// a/2^`BITS`, rounded down.
    fn shift_right<const BITS: u32>(a: Self::Vector) -> Self::Vector;
    /// `yes` where the mask is −1, `no` where it is 0.
    fn select(mask: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
    /// The lanes that hold 0.
    fn zero_lanes(a: Self::Vector) -> LaneSet;

    /// The wide products of words 0 and 1.
    fn wide_mul_low(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The wide products of words 2 and 3.
    fn wide_mul_high(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a + b, wide.
    fn wide_add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a − b, wide.
    fn wide_sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a shifted right, wide, zeros entering.
    fn wide_shift_right<const BITS: u32>(a: Self::Vector) -> Self::Vector;
    /// The low halves of two times two wide words.
    fn low_words(low: Self::Vector, high: Self::Vector) -> Self::Vector;
}
