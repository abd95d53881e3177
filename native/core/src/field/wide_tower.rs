//! Products in Fp6 and Fp12 with one reduction per coefficient, of sums of [wide](super::wide) values.
//!
//! The parts of these products are functions that are not inlined: laid out in a row they leave the
//! instruction cache, which costs more than the calls (engine.md 4).

use super::limbs::{adc, add, mac, mul_small, reduce_quotient, subtract, Limbs};
use super::wide::{
    self, add_carry, add_high, reduce_large, shorten, wide_add, wide_subtract, Wide, WidePair,
};
use super::{Backend, Modulus};

/// Parts of an element of Fp2, below p.
pub type Pair<'a> = [&'a Limbs; 2];

#[inline(never)]
fn complex<B: Backend>(a: Pair<'_>, b: Pair<'_>) -> WidePair {
    wide::complex::<B>(a, b)
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

/// 3·a·2^−256 + 2·b mod p for a below 18·p·2^256 and b up to p.
#[inline(never)]
fn reduce_triple<M: Modulus, B: Backend>(a: &(Wide, u64), b: &Limbs) -> Limbs {
    let (sum, top) = shorten::<M, B>(a);
    let (w0, c) = mul_small(sum[0], 3, 0);
    let (w1, c) = mul_small(sum[1], 3, c);
    let (w2, c) = mul_small(sum[2], 3, c);
    let (w3, c) = mul_small(sum[3], 3, c);
    let (sum, carry) = add_carry(&[w0, w1, w2, w3], &add(b, b));
    let top = 3 * top + c + u64::from(carry);
    B::reduce_once::<M>(&reduce_quotient(&sum, top, &M::P))
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

#[inline(always)]
fn pair_add(a: &WidePair, b: &WidePair) -> WidePair {
    [wide_add(&a[0], &b[0]), wide_add(&a[1], &b[1])]
}

#[inline(always)]
fn pair_subtract(a: &WidePair, b: &WidePair) -> WidePair {
    [wide_subtract(&a[0], &b[0]), wide_subtract(&a[1], &b[1])]
}

#[inline(always)]
fn sum(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
    [add(a[0], b[0]), add(a[1], b[1])]
}

/// a + ξ·b for pairs whose parts are positive, all but a's first, and where a's first part less b's
/// second is above −p·2^256.
#[inline(never)]
fn plus_xi_times<M: Modulus>(a: &WidePair, b: &WidePair) -> [(Wide, u64); 2] {
    let rest = add_high(&wide_subtract(&a[0], &b[1]), &M::P);
    [
        nine_times_plus(&b[0], &rest),
        nine_times_plus(&b[1], &wide_add(&a[1], &b[0])),
    ]
}

/// The pair with p·2^256 added to its first part, which is positive then if it was above that.
#[inline(always)]
fn lift<M: Modulus>(a: &WidePair) -> WidePair {
    [add_high(&a[0], &M::P), a[1]]
}

#[inline(never)]
fn reduce_pair<M: Modulus, B: Backend>(a: &[(Wide, u64); 2]) -> [Limbs; 2] {
    [reduce_large::<M, B>(&a[0]), reduce_large::<M, B>(&a[1])]
}

/// The product in Fp6 by Karatsuba: 18 wide products, 6 reductions.
///
/// First parts of Fp2 are within ±3p² and second ones positive and below 6p² where they are
/// reduced or multiplied by ξ, so that no number is above 14·p·2^256.
#[inline(always)]
pub fn mul_cubic<M: Modulus, B: Backend>(a: [Pair<'_>; 3], b: [Pair<'_>; 3]) -> [[Limbs; 2]; 3] {
    let t: [WidePair; 3] = core::array::from_fn(|i| complex::<B>(a[i], b[i]));
    let cross = |i: usize, j: usize| {
        let (a, b) = (sum(a[i], a[j]), sum(b[i], b[j]));
        let both = complex::<B>(a.each_ref(), b.each_ref());
        pair_subtract(&pair_subtract(&both, &t[i]), &t[j])
    };
    let c0 = plus_xi_times::<M>(&t[0], &lift::<M>(&cross(1, 2)));
    let c1 = plus_xi_times::<M>(&cross(0, 1), &lift::<M>(&t[2]));
    let c2 = lift::<M>(&pair_add(&cross(0, 2), &t[1])).map(|part| (part, 0));
    [c0, c1, c2].map(|c| reduce_pair::<M, B>(&c))
}

/// The product of a in Fp6 with b0 + b1·v: 15 wide products, 6 reductions.
#[inline(always)]
pub fn mul_cubic_01<M: Modulus, B: Backend>(a: [Pair<'_>; 3], b: [Pair<'_>; 2]) -> [[Limbs; 2]; 3] {
    let t0 = complex::<B>(a[0], b[0]);
    let t1 = complex::<B>(a[1], b[1]);
    let (s, r) = (sum(a[0], a[1]), sum(b[0], b[1]));
    let both = complex::<B>(s.each_ref(), r.each_ref());
    let c1 = lift::<M>(&pair_subtract(&pair_subtract(&both, &t0), &t1)).map(|part| (part, 0));
    let c0 = plus_xi_times::<M>(&t0, &lift::<M>(&complex::<B>(a[2], b[1])));
    let c2 = lift::<M>(&pair_add(&complex::<B>(a[2], b[0]), &t1)).map(|part| (part, 0));
    [c0, c1, c2].map(|c| reduce_pair::<M, B>(&c))
}

/// The square of a + b·s in Fp2\[s\] / (s² − ξ) before its reduction: (a² + ξb², 2ab), all positive,
/// below 46p² and below 6p².
#[inline(always)]
fn square_quartic<M: Modulus, B: Backend>(
    a: Pair<'_>,
    b: Pair<'_>,
) -> ([(Wide, u64); 2], WidePair) {
    let both = sum(a, b);
    let a = complex_square::<B>(a, &M::P);
    let b = complex_square::<B>(b, &M::P);
    let both = complex_square::<B>(both.each_ref(), &add(&M::P, &M::P));
    let product = pair_subtract(&pair_subtract(&both, &a), &b);
    (plus_xi_times::<M>(&a, &b), product)
}

/// The square in the cyclotomic subgroup of Fp12 over Fp6 (Granger and Scott), coefficients in the
/// order of 1, v, v², w, vw, v²w: 18 wide products, 12 reductions.
#[inline(always)]
pub fn square_cyclotomic<M: Modulus, B: Backend>(f: [Pair<'_>; 6]) -> [[Limbs; 2]; 6] {
    let (a0, a1) = square_quartic::<M, B>(f[0], f[4]);
    let (b0, b1) = square_quartic::<M, B>(f[3], f[2]);
    let (c0, c1) = square_quartic::<M, B>(f[1], f[5]);
    let c1 = plus_xi_times::<M>(&[[0; 8]; 2], &c1);
    let plain = |pair: WidePair| pair.map(|part| (part, 0));
    let minus = |square: [(Wide, u64); 2], old: Pair<'_>| {
        [0, 1].map(|i| reduce_triple::<M, B>(&square[i], &subtract(&M::P, old[i]).0))
    };
    let plus = |square: [(Wide, u64); 2], old: Pair<'_>| {
        [0, 1].map(|i| reduce_triple::<M, B>(&square[i], old[i]))
    };
    [
        minus(a0, f[0]),
        minus(b0, f[1]),
        minus(c0, f[2]),
        plus(c1, f[3]),
        plus(plain(a1), f[4]),
        plus(plain(b1), f[5]),
    ]
}
