//! Products of elements: columns of products of limbs, and their reduction. A back-end may have
//! faster ways than the generic ones; all ways return the same bits.

use super::columns::{add, generic_columns, store, Columns};
use super::ops::{FmaOps, Quad};
use super::reduction::reduce_columns;
use crate::field::Modulus;

/// The products of a back-end, generic unless it has a faster way.
pub trait FmaProducts: FmaOps {
    /// The columns of a product: low and high patterns of the products of limbs, added up. An
    /// implementation may add them up in any order: the integers are those of [`generic_columns`].
    #[inline(always)]
    fn columns(a: &[Quad; 5], b: &[Quad; 5]) -> [Self::Ints; 10] {
        generic_columns::<Self>(a, b)
    }

    /// a·b·2^−204 mod P for every pair, reduced side by side.
    #[inline(always)]
    fn multiply<M: Modulus, const N: usize>(pairs: [[&[Quad; 5]; 2]; N]) -> [[Quad; 5]; N] {
        multiply::<M, Self, N>(pairs)
    }

    /// Σ (a₀b₀ − a₁b₁) and Σ (a₂b₂ − a₀b₀ − a₁b₁) over the products, times 2^−204 mod P. Each a₂ and
    /// b₂ is the sum of the others, or equal to it mod P.
    #[inline(always)]
    fn multiply_complex<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 3]; N],
        b: [[&[Quad; 5]; 3]; N],
    ) -> [[Quad; 5]; 2] {
        multiply_complex::<M, Self, N>(a, b)
    }

    /// Σ (a₀ + a₁u)(b₀ + b₁u) with u² = −1, times 2^−204 mod P.
    #[inline(always)]
    fn sum_of_products<M: Modulus, const N: usize>(
        a: [[&[Quad; 5]; 2]; N],
        b: [[&[Quad; 5]; 2]; N],
    ) -> [[Quad; 5]; 2] {
        let (mut a_sums, mut b_sums) = ([[Quad::splat(0.0); 5]; N], [[Quad::splat(0.0); 5]; N]);
        for i in 0..N {
            a_sums[i] = add::<Self>(a[i]);
            b_sums[i] = add::<Self>(b[i]);
        }
        let (mut a_parts, mut b_parts) = ([[a[0][0]; 3]; N], [[b[0][0]; 3]; N]);
        for i in 0..N {
            a_parts[i] = [a[i][0], a[i][1], &a_sums[i]];
            b_parts[i] = [b[i][0], b[i][1], &b_sums[i]];
        }
        Self::multiply_complex::<M, N>(a_parts, b_parts)
    }
}

/// a + b, column by column.
#[inline(always)]
fn add_columns<O: FmaOps>(a: &Columns<O>, b: &Columns<O>) -> Columns<O> {
    let mut out = *a;
    for k in 0..10 {
        out[k] = O::add_int(a[k], b[k]);
    }
    out
}

/// a − b, column by column.
#[inline(always)]
fn subtract_columns<O: FmaOps>(a: &Columns<O>, b: &Columns<O>) -> Columns<O> {
    let mut out = *a;
    for k in 0..10 {
        out[k] = O::sub_int(a[k], b[k]);
    }
    out
}

/// [`FmaProducts::multiply`] by any operations.
#[inline(always)]
pub fn multiply<M: Modulus, O: FmaProducts, const N: usize>(
    pairs: [[&[Quad; 5]; 2]; N],
) -> [[Quad; 5]; N] {
    let mut sets = [[O::splat_int(0); 10]; N];
    for i in 0..N {
        sets[i] = O::columns(pairs[i][0], pairs[i][1]);
    }
    let reduced = reduce_columns::<M, O, N>(sets, [1; N]);
    let mut out = [[Quad::splat(0.0); 5]; N];
    for i in 0..N {
        out[i] = store::<O>(reduced[i]);
    }
    out
}

/// [`FmaProducts::multiply_complex`] by any operations.
#[inline(always)]
pub fn multiply_complex<M: Modulus, O: FmaProducts, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    let mut first = O::columns(a[0][0], b[0][0]);
    let mut second = O::columns(a[0][1], b[0][1]);
    let mut both = O::columns(a[0][2], b[0][2]);
    for i in 1..N {
        first = add_columns::<O>(&first, &O::columns(a[i][0], b[i][0]));
        second = add_columns::<O>(&second, &O::columns(a[i][1], b[i][1]));
        both = add_columns::<O>(&both, &O::columns(a[i][2], b[i][2]));
    }
    let real = subtract_columns::<O>(&first, &second);
    let imaginary = subtract_columns::<O>(&subtract_columns::<O>(&both, &first), &second);
    let [real, imaginary] = reduce_columns::<M, O, 2>([real, imaginary], [0, -(N as i64)]);
    [store::<O>(real), store::<O>(imaginary)]
}
