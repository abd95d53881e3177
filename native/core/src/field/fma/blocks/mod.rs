//! The products of [`columns`](super::columns) for a compiler that orders the operations of a block
//! of code by itself and spills what it computes too early, as V8 does: in short blocks, which
//! [`BlockOps::cut`] ends and which hand on their results through memory. Two lanes at a time;
//! the operations are the same, and so are the bits.
//!
//! Few functions that are called often: the code of one complex product, written out, would not fit
//! in the processor's cache of decoded instructions, and cost a third more time.

mod columns;
mod ops;
mod reduce;
mod scratch;
mod tables;

use super::ops::Quad;
use crate::field::Modulus;
use columns::columns;
use reduce::{reduce, Differences, Halves, Products, Whole};
use scratch::Product;
use tables::{Biases, DIFFERENCE, PRODUCT, RESTS};

pub use ops::{BlockOps, Pair};
pub use scratch::Scratch;

/// Evaluates `$body` for each value as a constant.
macro_rules! for_each {
    ($k:ident in [$($value:literal)*] $body:block) => { $( {
        const $k: usize = $value;
        $body
    } )* };
}
use for_each;

/// The limbs of a result, in the order of the program: V8 copies memory as a whole by a call out of
/// WebAssembly, which takes as long as fifty products of limbs.
#[inline(always)]
fn collect<O: BlockOps>(from: &[Quad; 5]) -> [Quad; 5] {
    let limb = |i: usize| O::quad([O::half::<0>(&from[i]), O::half::<1>(&from[i])]);
    [limb(0), limb(1), limb(2), limb(3), limb(4)]
}

/// a·b·2^−204 mod P.
#[inline(always)]
pub fn multiply<M: Modulus, O: BlockOps>(a: &[Quad; 5], b: &[Quad; 5]) -> [Quad; 5] {
    O::with_scratch(|Scratch { product, .. }| {
        plain_product::<M, O>(a, b, product);
        collect::<O>(&product.out[0])
    })
}

/// Σ (a₀b₀ − a₁b₁) and Σ (a₂b₂ − a₀b₀ − a₁b₁) over up to three products, times 2^−204 mod P.
#[inline(always)]
pub fn multiply_complex<M: Modulus, O: BlockOps, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    O::with_scratch(|Scratch { product, .. }| {
        complex_product::<M, O, N>(&a, &b, product);
        [collect::<O>(&product.out[0]), collect::<O>(&product.out[1])]
    })
}

/// [`multiply_complex`] with a₂ = a₀ + a₁ and b₂ = b₀ + b₁.
#[inline(always)]
pub fn sum_of_products<M: Modulus, O: BlockOps, const N: usize>(
    a: [[&[Quad; 5]; 2]; N],
    b: [[&[Quad; 5]; 2]; N],
) -> [[Quad; 5]; 2] {
    O::with_scratch(|scratch| {
        product_with_sums::<M, O, N>(&a, &b, scratch);
        let out = &scratch.product.out;
        [collect::<O>(&out[0]), collect::<O>(&out[1])]
    })
}

#[inline(never)]
fn plain_product<M: Modulus, O: BlockOps>(a: &[Quad; 5], b: &[Quad; 5], product: &mut Product) {
    let sets = &mut product.columns;
    columns::<O, 0, false>(a, b, &mut product.above, &mut sets[0]);
    columns::<O, 1, false>(a, b, &mut product.above, &mut sets[1]);
    let mut out = Whole(&mut product.out[0]);
    reduce::<M, O>(&Products(sets), [&PRODUCT; 2], &mut product.work, &mut out);
}

#[inline(never)]
fn complex_product<M: Modulus, O: BlockOps, const N: usize>(
    a: &[[&[Quad; 5]; 3]; N],
    b: &[[&[Quad; 5]; 3]; N],
    product: &mut Product,
) {
    complex_half::<M, O, 0, N>(a, b, product);
    complex_half::<M, O, 1, N>(a, b, product);
}

#[inline(never)]
fn product_with_sums<M: Modulus, O: BlockOps, const N: usize>(
    a: &[[&[Quad; 5]; 2]; N],
    b: &[[&[Quad; 5]; 2]; N],
    Scratch { sums, product }: &mut Scratch,
) {
    let zero = a[0][0];
    let (mut a_parts, mut b_parts) = ([[zero; 3]; N], [[zero; 3]; N]);
    for (i, [a_sum, b_sum]) in sums.iter_mut().enumerate().take(N) {
        add::<O>(a[i], a_sum);
        add::<O>(b[i], b_sum);
        a_parts[i] = [a[i][0], a[i][1], a_sum];
        b_parts[i] = [b[i][0], b[i][1], b_sum];
    }
    complex_half::<M, O, 0, N>(&a_parts, &b_parts, product);
    complex_half::<M, O, 1, N>(&a_parts, &b_parts, product);
}

#[inline(always)]
fn add<O: BlockOps>([a, b]: [&[Quad; 5]; 2], out: &mut [Quad; 5]) {
    for_each!(I in [0 1 2 3 4] {
        let low = O::add(O::half::<0>(&a[I]), O::half::<0>(&b[I]));
        O::put_half::<0>(&mut out[I], low);
        let high = O::add(O::half::<1>(&a[I]), O::half::<1>(&b[I]));
        O::put_half::<1>(&mut out[I], high);
    });
}

#[inline(always)]
fn complex_half<M: Modulus, O: BlockOps, const HALF: usize, const N: usize>(
    a: &[[&[Quad; 5]; 3]; N],
    b: &[[&[Quad; 5]; 3]; N],
    product: &mut Product,
) {
    let (sets, above) = (&mut product.columns, &mut product.above);
    for part in 0..3 {
        columns::<O, HALF, false>(a[0][part], b[0][part], above, &mut sets[part]);
        for i in 1..N {
            columns::<O, HALF, true>(a[i][part], b[i][part], above, &mut sets[part]);
        }
    }
    reduce_differences::<M, O, HALF>(product, &RESTS[N - 1]);
}

#[inline(never)]
fn reduce_differences<M: Modulus, O: BlockOps, const HALF: usize>(
    product: &mut Product,
    rest: &'static Biases,
) {
    let mut out = Halves::<HALF>(&mut product.out);
    reduce::<M, O>(
        &Differences(&product.columns),
        [&DIFFERENCE, rest],
        &mut product.work,
        &mut out,
    );
}
