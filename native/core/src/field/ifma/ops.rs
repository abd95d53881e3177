//! The vector operations that the 8 lanes are made of.

use core::fmt::Debug;

use crate::field::Kernel;

/// One limb of 8 elements, lane i at index i: the form of a vector in memory, between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Octet(pub [u64; 8]);

impl Octet {
    /// One word in every lane.
    pub const fn splat(word: u64) -> Self {
        Self([word; 8])
    }
}

/// Operations on 8 lanes of 64 bits. All of them wrap.
pub trait IfmaOps: Copy + Debug + Eq + Send + Sync + 'static {
    /// 8 words.
    type Vector: Copy;

    /// Loads a vector from memory.
    fn load(from: &Octet) -> Self::Vector;
    /// Stores a vector in memory.
    fn store(vector: Self::Vector) -> Octet;
    /// One word in every lane.
    fn splat(word: u64) -> Self::Vector;
    /// sum + the low 52 bits of a·b, where only the low 52 bits of a and b are read.
    fn madd_low(sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// sum + bits 52 to 103 of a·b, where only the low 52 bits of a and b are read.
    fn madd_high(sum: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a + b.
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a − b.
    fn sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The bits of both.
    fn and(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a/2^BITS rounded down, a being signed.
    fn shift_right<const BITS: u32>(a: Self::Vector) -> Self::Vector;
    /// Entry number `index` mod 16, of which the first octet has 0 to 7.
    fn look_up(table: &[Octet; 2], index: Self::Vector) -> Self::Vector;
    /// Bit i is set where lane i of a and b are equal.
    fn equal(a: Self::Vector, b: Self::Vector) -> u8;
    /// Lane i of `yes` where bit i is set, else of `no`.
    fn select(set: u8, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Runs a kernel with the instructions of this back-end.
    fn enter<K: Kernel>(kernel: K) -> K::Output;
}
