//! Products of limbs column by column, each column reduced as soon as it is complete. The head
//! of [`super`] explains the method and its bounds.
//!
//! A function is a row of short blocks, which [`LimbOps::cut`] ends and which hand on their
//! results through memory: see `wasm.rs` for the reason.

use super::constants::{Constants, BIAS, FIRST_BIAS, HALF, MASK};
use super::ops::{Four, LimbOps, Scratch};
use crate::field::Modulus;

/// Limbs in memory.
pub type Limbs29 = [Four; 9];
/// Columns 0 to 16, low lanes and high lanes.
pub type Columns = [[Four; 2]; 17];
/// Both halves of four wide words.
type Wide<O> = [<O as LimbOps>::Vector; 2];

/// Evaluates `$body` for every column with `$k` as a constant.
macro_rules! for_columns {
    ($k:ident in [$($value:literal)*] $body:block) => { $( {
        const $k: usize = $value;
        $body
    } )* };
    ($k:ident $body:block) => {
        for_columns!($k in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] $body)
    };
}

#[inline(always)]
fn add<O: LimbOps>(a: Wide<O>, b: Wide<O>) -> Wide<O> {
    [O::wide_add(a[0], b[0]), O::wide_add(a[1], b[1])]
}

#[inline(always)]
fn sub<O: LimbOps>(a: Wide<O>, b: Wide<O>) -> Wide<O> {
    [O::wide_sub(a[0], b[0]), O::wide_sub(a[1], b[1])]
}

#[inline(always)]
fn load<O: LimbOps>(from: &[Four; 2]) -> Wide<O> {
    [O::load(&from[0]), O::load(&from[1])]
}

#[inline(always)]
fn store<O: LimbOps>(to: &mut [Four; 2], [low, high]: Wide<O>) {
    O::store(&mut to[0], low);
    O::store(&mut to[1], high);
}

#[inline(always)]
fn product<O: LimbOps>(a: O::Vector, b: O::Vector) -> Wide<O> {
    [O::wide_mul_low(a, b), O::wide_mul_high(a, b)]
}

/// Σ a[i]·b[k − i] over i < `rows`, added to `sum` if there is one.
#[inline(always)]
fn column<O: LimbOps>(
    k: usize,
    rows: usize,
    a: &Limbs29,
    b: &Limbs29,
    sum: Option<Wide<O>>,
) -> Option<Wide<O>> {
    let mut sum = sum;
    for i in 0..9 {
        if i < rows && k >= i && k - i < 9 {
            let term = product::<O>(O::load(&a[i]), O::load(&b[k - i]));
            sum = Some(plus::<O>(term, sum));
        }
    }
    sum
}

#[inline(always)]
fn plus<O: LimbOps>(a: Wide<O>, b: Option<Wide<O>>) -> Wide<O> {
    match b {
        Some(b) => add::<O>(a, b),
        None => a,
    }
}

/// The centred digit of biased columns.
#[inline(always)]
fn digit<O: LimbOps>(sum: Wide<O>, mask: O::Vector, half: O::Vector) -> O::Vector {
    O::sub(O::and(O::low_words(sum[0], sum[1]), mask), half)
}

/// One reduction on its way from column to column.
#[derive(Clone, Copy)]
struct Reduction<O: LimbOps> {
    /// Biased, to be added to the next column.
    carry: Wide<O>,
}

impl<O: LimbOps> Reduction<O> {
    #[inline(always)]
    fn new() -> Self {
        let bias = O::load(FIRST_BIAS);
        Self {
            carry: [bias, bias],
        }
    }

    /// Takes column k, adds what the digits below fold into it, and goes on to the next one. Digits
    /// 0 to 7 are folded; those from 9 are the result and take their places.
    ///
    /// Terms that depend on the column below are added last: that chain takes the time.
    #[inline(always)]
    fn step<M: Modulus>(
        self,
        k: usize,
        sum: Option<Wide<O>>,
        digits: &mut Limbs29,
        out: &mut Limbs29,
    ) -> Self {
        let (mask, half) = (O::load(&MASKS[0]), O::load(&MASKS[1]));
        let mut sum = sum;
        let fold = Constants::<M>::FOLD;
        let mut late = self.carry;
        if k > 0 {
            sum = column::<O>(k - 1, if k < 9 { k - 1 } else { 8 }, digits, fold, sum);
        }
        if (1..9).contains(&k) {
            late = add::<O>(
                product::<O>(O::load(&digits[k - 1]), O::load(&fold[0])),
                late,
            );
        }
        if k > 8 {
            sum = Some(plus::<O>(
                product::<O>(O::load(&digits[8]), O::load(&Constants::<M>::P[k - 8])),
                sum,
            ));
        }
        let mut sum = plus::<O>(late, sum);
        if k == 8 {
            // the multiple of P that makes the column 0 mod 2^29
            let low = O::sub(O::low_words(sum[0], sum[1]), half);
            let multiple = O::mul(low, O::load(Constants::<M>::NEGATED_INVERSE));
            let digit = O::sub(O::and(O::add(multiple, half), mask), half);
            O::store(&mut digits[8], digit);
            sum = add::<O>(
                sum,
                product::<O>(O::load(&digits[8]), O::load(&Constants::<M>::P[0])),
            );
        } else if k < 8 {
            O::store(&mut digits[k], digit::<O>(sum, mask, half));
        } else {
            O::store(&mut out[k - 9], digit::<O>(sum, mask, half));
        }
        let bias = O::load(BIAS);
        let carry = sum.map(|wide| O::wide_shift_right::<29>(wide));
        Self {
            carry: if k < 16 {
                add::<O>(carry, [bias, bias])
            } else {
                carry
            },
        }
    }

    /// The last limb.
    #[inline(always)]
    fn top(self) -> O::Vector {
        O::low_words(self.carry[0], self.carry[1])
    }
}

/// 2^29 − 1 and 2^28.
static MASKS: [Four; 2] = [Four::splat(MASK), Four::splat(HALF)];

/// The columns of a·b, added to those in `out` if `ADD`.
#[inline(never)]
fn columns<O: LimbOps, const ADD: bool>(a: &Limbs29, b: &Limbs29, out: &mut Columns) {
    let flags = O::flags();
    for_columns!(K {
        let sum = ADD.then(|| load::<O>(&out[K]));
        if let Some(sum) = column::<O>(K, 9, a, b, sum) {
            store::<O>(&mut out[K], sum);
        }
        O::cut(flags, K as u32);
    });
}

/// The reduction of columns.
#[inline(never)]
fn reduce<M: Modulus, O: LimbOps>(columns: &Columns, digits: &mut Limbs29, out: &mut Limbs29) {
    let flags = O::flags();
    let mut reduction = Reduction::<O>::new();
    for_columns!(K {
        let sum = Some(load::<O>(&columns[K]));
        reduction = reduction.step::<M>(K, sum, digits, out);
        O::cut(flags, K as u32);
    });
    O::store(&mut out[8], reduction.top());
}

/// The limbs of a result, in the order of the program: V8 copies memory as a whole by a call out of
/// WebAssembly.
#[inline(always)]
pub fn collect<O: LimbOps>(from: &Limbs29) -> Limbs29 {
    nine(|i| O::value(O::load(&from[i])))
}

/// Nine limbs; `map` of an array is not always inlined.
#[inline(always)]
pub fn nine(limb: impl Fn(usize) -> Four) -> Limbs29 {
    [
        limb(0),
        limb(1),
        limb(2),
        limb(3),
        limb(4),
        limb(5),
        limb(6),
        limb(7),
        limb(8),
    ]
}

/// a·b·2^−261 mod P.
#[inline(always)]
pub fn multiply<M: Modulus, O: LimbOps>(a: &Limbs29, b: &Limbs29) -> Limbs29 {
    O::with_scratch(|scratch| {
        plain_product::<M, O>(a, b, scratch);
        collect::<O>(&scratch.out[0])
    })
}

#[inline(never)]
fn plain_product<M: Modulus, O: LimbOps>(a: &Limbs29, b: &Limbs29, scratch: &mut Scratch) {
    columns::<O, false>(a, b, &mut scratch.columns[0]);
    reduce::<M, O>(
        &scratch.columns[0],
        &mut scratch.digits,
        &mut scratch.out[0],
    );
}

/// Σ (a₀ + a₁u)(b₀ + b₁u)·2^−261 with u² = −1: three products each, two reductions for all.
#[inline(always)]
pub fn multiply_complex<M: Modulus, O: LimbOps, const N: usize>(
    a: [[&Limbs29; 2]; N],
    b: [[&Limbs29; 2]; N],
) -> [Limbs29; 2] {
    O::with_scratch(|scratch| {
        complex_product::<M, O, N>(&a, &b, scratch);
        [collect::<O>(&scratch.out[0]), collect::<O>(&scratch.out[1])]
    })
}

#[inline(never)]
fn complex_product<M: Modulus, O: LimbOps, const N: usize>(
    a: &[[&Limbs29; 2]; N],
    b: &[[&Limbs29; 2]; N],
    scratch: &mut Scratch,
) {
    let Scratch {
        digits,
        out,
        sums: [a_sum, b_sum],
        columns: [first, second, both],
    } = scratch;
    for n in 0..N {
        for i in 0..9 {
            O::store(
                &mut a_sum[i],
                O::add(O::load(&a[n][0][i]), O::load(&a[n][1][i])),
            );
            O::store(
                &mut b_sum[i],
                O::add(O::load(&b[n][0][i]), O::load(&b[n][1][i])),
            );
        }
        if n == 0 {
            columns::<O, false>(a[n][0], b[n][0], first);
            columns::<O, false>(a[n][1], b[n][1], second);
            columns::<O, false>(a_sum, b_sum, both);
        } else {
            columns::<O, true>(a[n][0], b[n][0], first);
            columns::<O, true>(a[n][1], b[n][1], second);
            columns::<O, true>(a_sum, b_sum, both);
        }
    }
    for k in 0..17 {
        let (x, y) = (load::<O>(&first[k]), load::<O>(&second[k]));
        store::<O>(&mut first[k], sub::<O>(x, y));
        let z = load::<O>(&both[k]);
        store::<O>(&mut both[k], sub::<O>(z, add::<O>(x, y)));
    }
    reduce::<M, O>(first, digits, &mut out[0]);
    reduce::<M, O>(both, digits, &mut out[1]);
}
