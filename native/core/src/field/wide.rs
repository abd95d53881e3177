//! Products of eight words that are added before they are reduced, for processors that multiply
//! 64-bit words: a coefficient takes one reduction, however many products it is made of.
//!
//! A wide value is a number modulo 2^512, negative ones as their complement. With p < 0.19·2^256 a
//! product of parts below p is below p², and 2^512 is above 27.9·p², so only the last
//! value has to fit; multiples of p·2^256 are added to it until it is positive.

use super::limbs::{adc, add, mac, reduce_quotient, sbb, Limbs};
use super::{Backend, Modulus};

/// 512 bits, least significant word first: a product before its reduction.
pub type Wide = [u64; 8];

/// The two parts of an element of Fp2 before their reduction.
pub type WidePair = [Wide; 2];

/// a·b without reduction.
#[inline(always)]
pub fn mul(a: &Limbs, b: &Limbs) -> Wide {
    let mut t = [0u64; 8];
    for i in 0..4 {
        let mut carry = 0;
        for j in 0..4 {
            (t[i + j], carry) = mac(t[i + j], a[i], b[j], carry);
        }
        t[i + 4] = carry;
    }
    t
}

/// (a + m·p)·2^−256 with the m below 2^256 that makes it whole: at most p.
#[inline(always)]
pub fn fold(a: &Limbs, p: &Limbs, inv: u64) -> Limbs {
    let mut t = *a;
    for _ in 0..4 {
        let m = t[0].wrapping_mul(inv);
        let (_, mut carry) = mac(t[0], m, p[0], 0);
        for j in 1..4 {
            (t[j - 1], carry) = mac(t[j], m, p[j], carry);
        }
        t[3] = carry;
    }
    t
}

#[inline(always)]
fn low(a: &Wide) -> Limbs {
    [a[0], a[1], a[2], a[3]]
}

#[inline(always)]
fn high(a: &Wide) -> Limbs {
    [a[4], a[5], a[6], a[7]]
}

/// a + b modulo 2^512.
#[inline(always)]
pub fn wide_add(a: &Wide, b: &Wide) -> Wide {
    let mut out = [0u64; 8];
    let mut carry = false;
    for i in 0..8 {
        (out[i], carry) = adc(a[i], b[i], carry);
    }
    out
}

/// a − b modulo 2^512.
#[inline(always)]
pub fn wide_subtract(a: &Wide, b: &Wide) -> Wide {
    let mut out = [0u64; 8];
    let mut borrow = false;
    for i in 0..8 {
        (out[i], borrow) = sbb(a[i], b[i], borrow);
    }
    out
}

/// a + k·2^256 modulo 2^512.
#[inline(always)]
pub fn add_high(a: &Wide, k: &Limbs) -> Wide {
    let h = add(&high(a), k);
    [a[0], a[1], a[2], a[3], h[0], h[1], h[2], h[3]]
}

/// a + b and the carry.
#[inline(always)]
pub fn add_carry(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (w0, c) = adc(a[0], b[0], false);
    let (w1, c) = adc(a[1], b[1], c);
    let (w2, c) = adc(a[2], b[2], c);
    let (w3, c) = adc(a[3], b[3], c);
    ([w0, w1, w2, w3], c)
}

/// a·2^−256 mod p for 0 ≤ a < p·2^256.
#[inline(always)]
fn reduce<M: Modulus, B: Backend>(a: &Wide) -> Limbs {
    B::reduce_once::<M>(&add(&B::fold::<M>(&low(a)), &high(a)))
}

/// (a + top·2^512)·2^−256 modulo p, as five words and at most p above the
/// exact quotient.
#[inline(always)]
pub fn shorten<M: Modulus, B: Backend>(a: &Wide, top: u64) -> (Limbs, u64) {
    let (sum, carry) = add_carry(&B::fold::<M>(&low(a)), &high(a));
    (sum, top + u64::from(carry))
}

/// (a + top·2^512)·2^−256 mod p for a number below 60·p·2^256.
#[inline(always)]
pub fn reduce_large<M: Modulus, B: Backend>(a: &Wide, top: u64) -> Limbs {
    let (sum, top) = shorten::<M, B>(a, top);
    B::reduce_once::<M>(&reduce_quotient(&sum, top, &M::P))
}

/// The complex product before its reduction, by Karatsuba: (a₀b₀ − a₁b₁, a₀b₁ + a₁b₀), for parts
/// below 2p.
#[inline(always)]
pub fn complex<B: Backend>(a: [&Limbs; 2], b: [&Limbs; 2]) -> WidePair {
    let w0 = B::wide_mul(a[0], b[0]);
    let w1 = B::wide_mul(a[1], b[1]);
    let w2 = B::wide_mul(&add(a[0], a[1]), &add(b[0], b[1]));
    [
        wide_subtract(&w0, &w1),
        wide_subtract(&wide_subtract(&w2, &w0), &w1),
    ]
}

/// (a₀ + a₁u)(b₀ + b₁u) with u² = −1, for parts below p.
///
/// The first wide part is above −p² and gets p·2^256 added where it is negative, the second is
/// below 2p²; both end below p·2^256.
#[inline(always)]
pub fn mul_complex<M: Modulus, B: Backend>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
    let [real, imaginary] = complex::<B>(a, b);
    let mask = ((real[7] as i64) >> 63) as u64;
    let real = add_high(&real, &M::P.map(|word| word & mask));
    [reduce::<M, B>(&real), reduce::<M, B>(&imaginary)]
}
