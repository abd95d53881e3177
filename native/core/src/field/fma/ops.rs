//! The few vector operations under the lanes, and their exact stand-in.

use core::fmt::Debug;

use crate::field::{Kernel, LaneSet, Modulus};

/// Four numbers side by side in memory: what vectors are between kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Quad(pub [f64; 4]);

impl Quad {
    /// The same number four times.
    pub const fn splat(value: f64) -> Self {
        Self([value; 4])
    }
}

/// Vectors of four 64-bit lanes. Floating-point operations round to nearest, ties to even, once:
/// the whole method stands on `mul_add` being fused. Integers wrap. Every implementation gives the
/// same bits, so what is proved with one holds for all.
pub trait FmaOps: Copy + Debug + Send + Sync + 'static {
    /// Four f64.
    type Floats: Copy;
    /// Four u64.
    type Ints: Copy;

    /// From memory.
    fn load(values: &Quad) -> Self::Floats;
    /// To memory.
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

    /// The columns of a product: low and high patterns of the products of limbs, added up. The same
    /// integers as by the operations above, in whatever order suits the processor.
    #[inline(always)]
    fn columns(a: &[Quad; 5], b: &[Quad; 5]) -> [Self::Ints; 10] {
        super::columns::generic_columns::<Self>(a, b)
    }

    /// a·b·2^−204 mod P for every pair, reduced side by side.
    #[inline(always)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        super::columns::multiply::<M, Self, N>(pairs)
    }

    /// Σ (a₀b₀ − a₁b₁) and Σ (a₂b₂ − a₀b₀ − a₁b₁) over the products, times 2^−204 mod P. Each a₂ and
    /// b₂ is the sum of the others, or what equals it mod P.
    #[inline(always)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        super::columns::multiply_complex::<M, Self, N>(a, b)
    }

    /// Σ (a₀ + a₁u)(b₀ + b₁u) with u² = −1, times 2^−204 mod P.
    #[inline(always)]
    fn sum_of_products<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 2]; N],
        b: [[&[Quad; 5]; 2]; N],
    ) -> [[Quad; 5]; 2] {
        let (mut a_sums, mut b_sums) = ([[Quad::splat(0.0); 5]; N], [[Quad::splat(0.0); 5]; N]);
        for i in 0..N {
            a_sums[i] = super::columns::add::<Self>(a[i]);
            b_sums[i] = super::columns::add::<Self>(b[i]);
        }
        let (mut a_parts, mut b_parts) = ([[a[0][0]; 3]; N], [[b[0][0]; 3]; N]);
        for i in 0..N {
            a_parts[i] = [a[i][0], a[i][1], &a_sums[i]];
            b_parts[i] = [b[i][0], b[i][1], &b_sums[i]];
        }
        Self::multiply_complex::<M, N>(a_parts, b_parts)
    }

    /// Runs a kernel compiled with the instructions of these operations.
    fn enter<K: Kernel>(kernel: K) -> K::Output;
}

/// The operations in plain Rust, for tests on processors without the instructions. Calls, since
/// `mul_add` is one anyway: inlined four times over they take minutes to compile.
#[derive(Clone, Copy, Debug)]
pub struct StandIn;

#[inline(always)]
fn each<T: Copy, U: Copy + Default>(a: [T; 4], b: [T; 4], f: impl Fn(T, T) -> U) -> [U; 4] {
    let mut out = [U::default(); 4];
    for i in 0..4 {
        out[i] = f(a[i], b[i]);
    }
    out
}

impl FmaOps for StandIn {
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
        each(a, b, |a, b| a * b)
    }

    #[inline(never)]
    fn mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
        [0, 1, 2, 3].map(|i| a[i].mul_add(b[i], c[i]))
    }

    #[inline(never)]
    fn neg_mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4] {
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
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        super::columns::multiply::<M, Self, N>(pairs)
    }

    #[inline(never)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        super::columns::multiply_complex::<M, Self, N>(a, b)
    }

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}
