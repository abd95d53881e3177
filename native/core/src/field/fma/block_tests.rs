//! The products in short blocks against the generic ones, bit by bit.

use super::blocks::{self, BlockOps, Pair, Scratch};
use super::bounds::Bounds;
use super::limb_tests::extreme;
use super::*;
use crate::field::lane_tests::*;
use crate::field::tests::Sequence;
use crate::field::{Bn254Base, Bn254Scalar, Kernel, LaneSet};
use crate::pairing::lane_tests::*;

/// The block operations in plain Rust, and with them all of [`FmaOps`] as WebAssembly has it.
#[derive(Clone, Copy, Debug)]
struct BlockEmulated;

fn each(a: Pair, b: Pair, f: impl Fn(f64, f64) -> f64) -> Pair {
    Pair([f(a.0[0], b.0[0]), f(a.0[1], b.0[1])])
}

fn each_bits(a: Pair, b: Pair, f: impl Fn(u64, u64) -> u64) -> Pair {
    each(a, b, |a, b| f64::from_bits(f(a.to_bits(), b.to_bits())))
}

impl BlockOps for BlockEmulated {
    type Vector = Pair;

    fn read(from: &Pair) -> Pair {
        *from
    }

    fn write(to: &mut Pair, value: Pair) {
        *to = value;
    }

    fn half<const HALF: usize>(from: &Quad) -> Pair {
        Pair([from.0[2 * HALF], from.0[2 * HALF + 1]])
    }

    fn put_half<const HALF: usize>(to: &mut Quad, value: Pair) {
        to.0[2 * HALF..][..2].copy_from_slice(&value.0);
    }

    fn quad([low, high]: [Pair; 2]) -> Quad {
        Quad([low.0[0], low.0[1], high.0[0], high.0[1]])
    }

    fn cut(flags: u32, at: u32) {
        assert_eq!(flags >> at, 0);
    }

    fn flags() -> u32 {
        0
    }

    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = Scratch::ZERO;
        work(&mut scratch)
    }

    fn add(a: Pair, b: Pair) -> Pair {
        each(a, b, |a, b| a + b)
    }

    fn sub(a: Pair, b: Pair) -> Pair {
        each(a, b, |a, b| a - b)
    }

    fn mul(a: Pair, b: Pair) -> Pair {
        each(a, b, |a, b| a * b)
    }

    fn mul_add(a: Pair, b: Pair, c: Pair) -> Pair {
        Pair([0, 1].map(|i| a.0[i].mul_add(b.0[i], c.0[i])))
    }

    fn round(a: Pair) -> Pair {
        Pair(a.0.map(f64::round_ties_even))
    }

    fn add_int(a: Pair, b: Pair) -> Pair {
        each_bits(a, b, u64::wrapping_add)
    }

    fn sub_int(a: Pair, b: Pair) -> Pair {
        each_bits(a, b, u64::wrapping_sub)
    }

    fn and(a: Pair, b: Pair) -> Pair {
        each_bits(a, b, |a, b| a & b)
    }

    fn or(a: Pair, b: Pair) -> Pair {
        each_bits(a, b, |a, b| a | b)
    }

    fn shift_right<const BITS: u32>(a: Pair) -> Pair {
        each_bits(a, a, |a, _| a >> BITS)
    }
}

/// Declares operations as those of [`Avx2Emulated`].
macro_rules! as_emulated {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $output:ty;)*) => { $(
        fn $name($($arg: $ty),*) -> $output {
            Avx2Emulated::$name($($arg),*)
        }
    )* };
}

impl FmaOps for BlockEmulated {
    type Floats = [f64; 4];
    type Ints = [u64; 4];

    as_emulated! {
        load(values: &Quad) -> [f64; 4];
        store(values: [f64; 4]) -> Quad;
        splat(value: f64) -> [f64; 4];
        splat_int(value: u64) -> [u64; 4];
        add(a: [f64; 4], b: [f64; 4]) -> [f64; 4];
        sub(a: [f64; 4], b: [f64; 4]) -> [f64; 4];
        mul(a: [f64; 4], b: [f64; 4]) -> [f64; 4];
        mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4];
        neg_mul_add(a: [f64; 4], b: [f64; 4], c: [f64; 4]) -> [f64; 4];
        round(a: [f64; 4]) -> [f64; 4];
        to_bits(a: [f64; 4]) -> [u64; 4];
        from_bits(a: [u64; 4]) -> [f64; 4];
        add_int(a: [u64; 4], b: [u64; 4]) -> [u64; 4];
        sub_int(a: [u64; 4], b: [u64; 4]) -> [u64; 4];
        and(a: [u64; 4], b: [u64; 4]) -> [u64; 4];
        or(a: [u64; 4], b: [u64; 4]) -> [u64; 4];
        zero_lanes(a: [f64; 4]) -> LaneSet;
        select(set: LaneSet, yes: [f64; 4], no: [f64; 4]) -> [f64; 4];
    }

    fn shift_right<const BITS: i32>(a: [u64; 4]) -> [u64; 4] {
        Avx2Emulated::shift_right::<BITS>(a)
    }

    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl FmaProducts for BlockEmulated {
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        pairs.map(|[a, b]| blocks::multiply::<M, Self>(a, b))
    }

    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        blocks::multiply_complex::<M, Self, N>(a, b)
    }

    fn sum_of_products<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 2]; N],
        b: [[&[Quad; 5]; 2]; N],
    ) -> [[Quad; 5]; 2] {
        blocks::sum_of_products::<M, Self, N>(a, b)
    }
}

fn products_agree<M: Modulus>() {
    let mut sequence = Sequence::new(91);
    for round in 0..3000 {
        let scale = [1, 1, 2][round % 3];
        let mut next = |scale| extreme::<M, Avx2Emulated>(&mut sequence, scale).limbs;
        let (a, b) = (next(scale), next(scale));
        let found = blocks::multiply::<M, BlockEmulated>(&a, &b);
        assert_eq!([found], Avx2Emulated::multiply::<M, 1>([[&a, &b]]));
        let sum = |x: &[[Quad; 5]; 2]| {
            let part = |i: usize| FmaLanes::<M, Avx2Emulated>::new(x[i], Bounds::new(1.0, 1.0));
            (part(0) + part(1)).limbs
        };
        let mut factor = || {
            let parts = [next(1), next(1)];
            [parts[0], parts[1], sum(&parts)]
        };
        let (a, b) = (
            [factor(), factor(), factor()],
            [factor(), factor(), factor()],
        );
        complex_products_agree::<M, 1>(&a, &b);
        complex_products_agree::<M, 2>(&a, &b);
        complex_products_agree::<M, 3>(&a, &b);
    }
}

fn complex_products_agree<M: Modulus, const N: usize>(
    a: &[[[Quad; 5]; 3]; 3],
    b: &[[[Quad; 5]; 3]; 3],
) {
    let (a, b) = (first::<N>(a), first::<N>(b));
    assert_eq!(
        blocks::multiply_complex::<M, BlockEmulated, N>(a, b),
        Avx2Emulated::multiply_complex::<M, N>(a, b)
    );
    let (a, b) = (a.map(without_sum), b.map(without_sum));
    assert_eq!(
        blocks::sum_of_products::<M, BlockEmulated, N>(a, b),
        Avx2Emulated::sum_of_products::<M, N>(a, b)
    );
}

fn without_sum(parts: [&[Quad; 5]; 3]) -> [&[Quad; 5]; 2] {
    [parts[0], parts[1]]
}

fn first<const N: usize>(x: &[[[Quad; 5]; 3]; 3]) -> [[&[Quad; 5]; 3]; N] {
    core::array::from_fn(|i| x[i].each_ref())
}

#[test]
fn products_in_blocks_give_the_bits_of_the_generic_ones() {
    products_agree::<Bn254Base>();
    products_agree::<Bn254Scalar>();
}

#[test]
fn lanes_by_blocks_agree_with_scalars() {
    prime_lanes_agree::<FmaLanes<Bn254Base, BlockEmulated>>();
    prime_lanes_agree::<FmaLanes<Bn254Scalar, BlockEmulated>>();
    base_lanes_agree::<FmaLanes<Bn254Base, BlockEmulated>>();
    tower_agrees::<FmaLanes<Bn254Base, BlockEmulated>>();
    membership_agrees::<FmaLanes<Bn254Base, BlockEmulated>>();
}
