//! Products in Fp6 and Fp12 with one reduction per coefficient, of sums of [wide] values.
//!
//! The parts of these products are functions that are not inlined: laid out in a row they leave the
//! instruction cache, which costs more than the calls (src/docs/spec/engine.md#code-generation).

use super::limbs::{adc, add, mac, mul_small, reduce_quotient, subtract, Limbs};
use super::wide::{
    self, add_carry, add_high, reduce_large, shorten, wide_add, wide_subtract, Wide, WidePair,
};
use super::{Backend, Field, Modulus};

/// Parts of an element of Fp2, below p.
type Pair<'a, M, B> = [&'a Field<M, B>; 2];

/// An element of Fp2.
type Parts<M, B> = [Field<M, B>; 2];

#[inline(never)]
fn complex<B: Backend>(a: [&Limbs; 2], b: [&Limbs; 2]) -> WidePair {
    wide::complex::<B>(a, b)
}

#[inline(always)]
fn product<M: Modulus, B: Backend>(a: Pair<'_, M, B>, b: Pair<'_, M, B>) -> WidePair {
    complex::<B>(limbs(a), limbs(b))
}

#[inline(always)]
fn limbs<'a, M: Modulus, B: Backend>(a: Pair<'a, M, B>) -> [&'a Limbs; 2] {
    [a[0].montgomery(), a[1].montgomery()]
}

#[inline(always)]
fn sum<M: Modulus, B: Backend>(a: Pair<'_, M, B>, b: Pair<'_, M, B>) -> [Limbs; 2] {
    [
        add(a[0].montgomery(), b[0].montgomery()),
        add(a[1].montgomery(), b[1].montgomery()),
    ]
}

/// The complex square before its reduction: ((a₀ + a₁)(a₀ − a₁ + k), 2a₀a₁), for parts up to k, a
/// multiple of p; both positive and at most 4k² and 2k².
#[inline(never)]
fn complex_square<B: Backend>(a: [&Limbs; 2], k: &Limbs) -> WidePair {
    let difference = add(&subtract(a[0], a[1]).0, k);
    [
        B::wide_mul(&add(a[0], a[1]), &difference),
        B::wide_mul(&add(a[0], a[0]), a[1]),
    ]
}

#[inline(always)]
fn pair_add(a: &WidePair, b: &WidePair) -> WidePair {
    [wide_add(&a[0], &b[0]), wide_add(&a[1], &b[1])]
}

#[inline(always)]
fn pair_subtract(a: &WidePair, b: &WidePair) -> WidePair {
    [wide_subtract(&a[0], &b[0]), wide_subtract(&a[1], &b[1])]
}

/// The pair with p·2^256 added to its first part, which is positive then if it was above −p·2^256.
#[inline(always)]
fn lift<M: Modulus>(a: &WidePair) -> WidePair {
    [add_high(&a[0], &M::P), a[1]]
}

/// 9·a + b as nine words.
#[inline(always)]
fn nine_times_plus(a: &Wide, b: &Wide) -> (Wide, u64) {
    let mut out = [0u64; 8];
    let (mut carry, mut over) = (0, false);
    for i in 0..8 {
        let (word, next) = mac(carry, a[i], 9, 0);
        (out[i], over) = adc(word, b[i], over);
        carry = next;
    }
    (out, carry + u64::from(over))
}

/// a + ξ·b for pairs whose parts are positive, all but a's first, and where a's first part less b's
/// second is above −p·2^256.
#[inline(always)]
fn plus_xi_times<M: Modulus>(a: &WidePair, b: &WidePair) -> [(Wide, u64); 2] {
    let rest = add_high(&wide_subtract(&a[0], &b[1]), &M::P);
    [
        nine_times_plus(&b[0], &rest),
        nine_times_plus(&b[1], &wide_add(&a[1], &b[0])),
    ]
}

/// 3·a·2^−256 + 2·b mod p for a below 18·p·2^256 and b up to p.
#[inline(always)]
fn reduce_triple<M: Modulus, B: Backend>(a: &Wide, top: u64, b: &Limbs) -> Limbs {
    let (sum, top) = shorten::<M, B>(a, top);
    let (w0, c) = mul_small(sum[0], 3, 0);
    let (w1, c) = mul_small(sum[1], 3, c);
    let (w2, c) = mul_small(sum[2], 3, c);
    let (w3, c) = mul_small(sum[3], 3, c);
    let (sum, carry) = add_carry(&[w0, w1, w2, w3], &add(b, b));
    let top = 3 * top + c + u64::from(carry);
    B::reduce_once::<M>(&reduce_quotient(&sum, top, &M::P))
}

/// The element of a pair whose first part is above −p·2^256 and whose second one is positive.
#[inline(never)]
fn reduced<M: Modulus, B: Backend>(a: &WidePair) -> Parts<M, B> {
    let [real, imaginary] = lift::<M>(a);
    [
        Field::from_montgomery_unchecked(reduce_large::<M, B>(&real, 0)),
        Field::from_montgomery_unchecked(reduce_large::<M, B>(&imaginary, 0)),
    ]
}

/// The element a + ξ·b, see [`plus_xi_times`].
#[inline(never)]
fn reduced_plus_xi_times<M: Modulus, B: Backend>(a: &WidePair, b: &WidePair) -> Parts<M, B> {
    let [real, imaginary] = plus_xi_times::<M>(a, b);
    [
        Field::from_montgomery_unchecked(reduce_large::<M, B>(&real.0, real.1)),
        Field::from_montgomery_unchecked(reduce_large::<M, B>(&imaginary.0, imaginary.1)),
    ]
}

/// The element 3·a + 2·old of a positive pair.
#[inline(never)]
fn triple<M: Modulus, B: Backend>(a: &WidePair, old: Pair<'_, M, B>) -> Parts<M, B> {
    let part = |i: usize| reduce_triple::<M, B>(&a[i], 0, old[i].montgomery());
    [
        Field::from_montgomery_unchecked(part(0)),
        Field::from_montgomery_unchecked(part(1)),
    ]
}

/// The element 3·(a + ξ·b) + 2·old, where a + ξ·b is as in [`plus_xi_times`] and old up to p.
#[inline(never)]
fn triple_plus_xi_times<M: Modulus, B: Backend>(
    a: &WidePair,
    b: &WidePair,
    old: [&Limbs; 2],
) -> Parts<M, B> {
    let [real, imaginary] = plus_xi_times::<M>(a, b);
    [
        Field::from_montgomery_unchecked(reduce_triple::<M, B>(&real.0, real.1, old[0])),
        Field::from_montgomery_unchecked(reduce_triple::<M, B>(&imaginary.0, imaginary.1, old[1])),
    ]
}

/// The product in Fp6 by Karatsuba: 18 wide products, 6 reductions.
///
/// First parts of Fp2 are within ±3p² and second ones positive and below 6p² where they are
/// reduced or multiplied by ξ, so that no number is above 14·p·2^256.
#[inline(always)]
pub fn mul_cubic<M: Modulus, B: Backend>(
    a: [Pair<'_, M, B>; 3],
    b: [Pair<'_, M, B>; 3],
) -> [Parts<M, B>; 3] {
    let t = [
        product(a[0], b[0]),
        product(a[1], b[1]),
        product(a[2], b[2]),
    ];
    let cross = |i: usize, j: usize| {
        let (a, b) = (sum(a[i], a[j]), sum(b[i], b[j]));
        let both = complex::<B>([&a[0], &a[1]], [&b[0], &b[1]]);
        pair_subtract(&pair_subtract(&both, &t[i]), &t[j])
    };
    [
        reduced_plus_xi_times(&t[0], &lift::<M>(&cross(1, 2))),
        reduced_plus_xi_times(&cross(0, 1), &lift::<M>(&t[2])),
        reduced(&pair_add(&cross(0, 2), &t[1])),
    ]
}

/// The product of a in Fp6 with b0 + b1·v: 15 wide products, 6 reductions.
#[inline(always)]
pub fn mul_cubic_01<M: Modulus, B: Backend>(
    a: [Pair<'_, M, B>; 3],
    b: [Pair<'_, M, B>; 2],
) -> [Parts<M, B>; 3] {
    let t0 = product(a[0], b[0]);
    let t1 = product(a[1], b[1]);
    let (s, r) = (sum(a[0], a[1]), sum(b[0], b[1]));
    let both = complex::<B>([&s[0], &s[1]], [&r[0], &r[1]]);
    [
        reduced_plus_xi_times(&t0, &lift::<M>(&product(a[2], b[1]))),
        reduced(&pair_subtract(&pair_subtract(&both, &t0), &t1)),
        reduced(&pair_add(&product(a[2], b[0]), &t1)),
    ]
}

/// a², b² and 2ab before their reduction, all positive, below 4p² and 6p².
#[inline(always)]
fn squares<M: Modulus, B: Backend>(a: Pair<'_, M, B>, b: Pair<'_, M, B>) -> [WidePair; 3] {
    let both = sum(a, b);
    let a = complex_square::<B>(limbs(a), &M::P);
    let b = complex_square::<B>(limbs(b), &M::P);
    let both = complex_square::<B>([&both[0], &both[1]], &const { add(&M::P, &M::P) });
    [a, b, pair_subtract(&pair_subtract(&both, &a), &b)]
}

/// The square in the cyclotomic subgroup of Fp12 over Fp6 (Granger and Scott) by three squares
/// (a + b·s)² = a² + ξb² + 2ab·s, coefficients in the order of 1, v, v², w, vw, v²w: 18 wide
/// products, 12 reductions of numbers below 18·p·2^256.
#[inline(always)]
pub fn square_cyclotomic<M: Modulus, B: Backend>(f: [Pair<'_, M, B>; 6]) -> [Parts<M, B>; 6] {
    let minus = |squares: &[WidePair; 3], old: Pair<'_, M, B>| {
        let negated = [
            subtract(&M::P, old[0].montgomery()).0,
            subtract(&M::P, old[1].montgomery()).0,
        ];
        triple_plus_xi_times(&squares[0], &squares[1], [&negated[0], &negated[1]])
    };
    let s = squares(f[0], f[4]);
    let (c0, c4) = (minus(&s, f[0]), triple(&s[2], f[4]));
    let s = squares(f[3], f[2]);
    let (c1, c5) = (minus(&s, f[1]), triple(&s[2], f[5]));
    let s = squares(f[1], f[5]);
    let zero = [[0; 8]; 2];
    let c3 = triple_plus_xi_times(&zero, &s[2], limbs(f[3]));
    [c0, c1, minus(&s, f[2]), c3, c4, c5]
}
