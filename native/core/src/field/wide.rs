//! Products of eight words and their reduction: the complex product with three multiplications and
//! two reductions, for processors that multiply 64-bit words.

use super::limbs::{add, mac, reduce_once, sbb, Limbs};

/// 512 bits, least significant word first: a product before its reduction.
type Wide = [u64; 8];

/// a·b without reduction.
#[inline(always)]
fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
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

/// a·2^−256 mod p for a < p·2^256 and p < 2^254.
#[inline(always)]
fn wide_reduce(a: &Wide, p: &Limbs, inv: u64) -> Limbs {
    let mut t = *a;
    let mut top = 0;
    for i in 0..4 {
        let m = t[i].wrapping_mul(inv);
        let (_, mut carry) = mac(t[i], m, p[0], 0);
        for j in 1..4 {
            (t[i + j], carry) = mac(t[i + j], m, p[j], carry);
        }
        (t[i + 4], top) = mac(t[i + 4], 1, carry, top);
    }
    reduce_once(&[t[4], t[5], t[6], t[7]], p)
}

/// a − b modulo 2^512, and whether it wrapped.
#[inline(always)]
fn wide_subtract(a: &Wide, b: &Wide) -> (Wide, bool) {
    let mut out = [0u64; 8];
    let mut borrow = false;
    for i in 0..8 {
        (out[i], borrow) = sbb(a[i], b[i], borrow);
    }
    (out, borrow)
}

/// The complex product by Karatsuba with one reduction per part: (a₀b₀ − a₁b₁, a₀b₁ + a₁b₀),
/// given the three wide products a₀b₀, a₁b₁ and (a₀ + a₁)(b₀ + b₁).
///
/// Both wide values end below p·2^256: the first gets p·2^256 added where it is negative, the
/// second is below 2p² < p·2^256.
#[inline(always)]
fn complex_parts(w0: &Wide, w1: &Wide, w2: &Wide, p: &Limbs) -> (Wide, Wide) {
    let (mut real, borrow) = wide_subtract(w0, w1);
    let mask = (borrow as u64).wrapping_neg();
    let high = add(
        &[real[4], real[5], real[6], real[7]],
        &[p[0] & mask, p[1] & mask, p[2] & mask, p[3] & mask],
    );
    real[4..].copy_from_slice(&high);
    let (imaginary, _) = wide_subtract(w2, w0);
    let (imaginary, _) = wide_subtract(&imaginary, w1);
    (real, imaginary)
}

/// (a₀ + a₁u)(b₀ + b₁u) with u² = −1, for parts below p < 2^254.
#[inline(always)]
pub fn mul_complex(a: [&Limbs; 2], b: [&Limbs; 2], p: &Limbs, inv: u64) -> [Limbs; 2] {
    let w0 = wide_mul(a[0], b[0]);
    let w1 = wide_mul(a[1], b[1]);
    let w2 = wide_mul(&add(a[0], a[1]), &add(b[0], b[1]));
    let (real, imaginary) = complex_parts(&w0, &w1, &w2, p);
    [wide_reduce(&real, p, inv), wide_reduce(&imaginary, p, inv)]
}
