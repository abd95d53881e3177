//! The products of [`columns`](super::columns) for a compiler that orders the operations of a block
//! of code by itself and spills what it computes too early, as V8 does: in short blocks, which
//! [`BlockOps::cut`] ends and which hand on what they yield through memory. Two lanes at a time;
//! the same operations, and so the same bits.
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
use columns::{columns, differences};
use reduce::reduce;
use tables::{DIFFERENCE, PRODUCT, RESTS};

pub use ops::{BlockOps, Pair};
pub use scratch::Scratch;
use scratch::Work;

/// Evaluates `$body` for each value as a constant.
macro_rules! for_each {
    ($k:ident in [$($value:literal)*] $body:block) => { $( {
        const $k: usize = $value;
        $body
    } )* };
}
use for_each;

#[inline(always)]
fn collect<O: BlockOps>(halves: [&[Pair; 5]; 2]) -> [Quad; 5] {
    let limb = |i: usize| O::quad([O::read(&halves[0][i]), O::read(&halves[1][i])]);
    [limb(0), limb(1), limb(2), limb(3), limb(4)]
}

/// Moves the results of half 0 out of the way of half 1.
#[inline(always)]
fn keep<O: BlockOps>(work: &[Work; 2], first: &mut [[Pair; 5]; 2]) {
    for (kept, work) in first.iter_mut().zip(work) {
        for (to, from) in kept.iter_mut().zip(&work.out) {
            O::write(to, O::read(from));
        }
    }
}

/// a·b·2^−204 mod P.
#[inline(never)]
pub fn multiply<M: Modulus, O: BlockOps>(a: &[Quad; 5], b: &[Quad; 5]) -> [Quad; 5] {
    O::with_scratch(|scratch| {
        columns::<O, 0, false>(a, b, &mut scratch.above, &mut scratch.columns[0]);
        columns::<O, 1, false>(a, b, &mut scratch.above, &mut scratch.columns[1]);
        reduce::<M, O>(&scratch.columns, [&PRODUCT; 2], &mut scratch.work);
        collect::<O>([&scratch.work[0].out, &scratch.work[1].out])
    })
}

/// Σ (a₀b₀ − a₁b₁) and Σ (a₂b₂ − a₀b₀ − a₁b₁) over up to three products, times 2^−204 mod P.
#[inline(never)]
pub fn multiply_complex<M: Modulus, O: BlockOps, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    O::with_scratch(|scratch| {
        complex_half::<M, O, 0, N>(&a, &b, scratch);
        keep::<O>(&scratch.work, &mut scratch.first);
        complex_half::<M, O, 1, N>(&a, &b, scratch);
        [
            collect::<O>([&scratch.first[0], &scratch.work[0].out]),
            collect::<O>([&scratch.first[1], &scratch.work[1].out]),
        ]
    })
}

#[inline(always)]
fn complex_half<M: Modulus, O: BlockOps, const HALF: usize, const N: usize>(
    a: &[[&[Quad; 5]; 3]; N],
    b: &[[&[Quad; 5]; 3]; N],
    scratch: &mut Scratch,
) {
    let Scratch {
        columns: sets,
        above,
        work,
        ..
    } = scratch;
    for i in 0..N {
        for (part, set) in [(0, 0), (1, 2), (2, 1)] {
            let (a, b) = (a[i][part], b[i][part]);
            if i == 0 {
                columns::<O, HALF, false>(a, b, above, &mut sets[set]);
            } else {
                columns::<O, HALF, true>(a, b, above, &mut sets[set]);
            }
        }
    }
    differences::<O>(sets);
    reduce::<M, O>(sets, [&DIFFERENCE, &RESTS[N - 1]], work);
}
