//! Four 64-bit words: the carries under every back-end, and the constant arithmetic behind
//! [`Modulus`](super::Modulus). No function has a value-dependent branch in its source, unless it says that it
//! serves constants only; but the compiler may turn the masks of [`select`] into a branch, and the carries, as it
//! does on AArch64. Secrets take [`select_secret`] and what is made of it, by a [`Secret`](super::Secret) back-end.

use core::hint::black_box;

/// A number below 2^256, least significant word first.
pub type Limbs = [u64; 4];

/// a + b + carry as (low word, carry out).
#[inline(always)]
pub const fn adc(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// a − b − borrow as (low word, borrow out).
#[inline(always)]
pub const fn sbb(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// a + b·c + d as (low word, high word); never overflows.
#[inline(always)]
pub const fn mac(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let wide = (b as u128) * (c as u128) + a as u128 + d as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// a − b modulo 2^256, and whether it wrapped.
#[inline(always)]
pub const fn subtract(a: &Limbs, b: &Limbs) -> (Limbs, bool) {
    let (w0, c) = sbb(a[0], b[0], false);
    let (w1, c) = sbb(a[1], b[1], c);
    let (w2, c) = sbb(a[2], b[2], c);
    let (w3, c) = sbb(a[3], b[3], c);
    ([w0, w1, w2, w3], c)
}

/// Whether a < b.
#[inline(always)]
pub const fn is_below(a: &Limbs, b: &Limbs) -> bool {
    subtract(a, b).1
}

/// a + b modulo 2^256; the callers keep sums below that.
#[inline(always)]
pub const fn add(a: &Limbs, b: &Limbs) -> Limbs {
    let (w0, c) = adc(a[0], b[0], false);
    let (w1, c) = adc(a[1], b[1], c);
    let (w2, c) = adc(a[2], b[2], c);
    [w0, w1, w2, a[3].wrapping_add(b[3]).wrapping_add(c as u64)]
}

/// `yes` where `condition` holds, else `no`, by masks.
#[inline(always)]
pub const fn select(condition: bool, yes: &Limbs, no: &Limbs) -> Limbs {
    let mask = (condition as u64).wrapping_neg();
    [
        no[0] ^ (mask & (no[0] ^ yes[0])),
        no[1] ^ (mask & (no[1] ^ yes[1])),
        no[2] ^ (mask & (no[2] ^ yes[2])),
        no[3] ^ (mask & (no[3] ^ yes[3])),
    ]
}

/// [`select`] for secrets: the compiler knows nothing about the mask, so it keeps it one. That is measured on
/// the compiled code (.scripts/constant-time.sh), since `black_box` does not promise it.
#[inline(always)]
pub fn select_secret(condition: bool, yes: &Limbs, no: &Limbs) -> Limbs {
    let mask = black_box((condition as u64).wrapping_neg());
    [
        no[0] ^ (mask & (no[0] ^ yes[0])),
        no[1] ^ (mask & (no[1] ^ yes[1])),
        no[2] ^ (mask & (no[2] ^ yes[2])),
        no[3] ^ (mask & (no[3] ^ yes[3])),
    ]
}

/// a where a < p, else a − p; for a < 2p.
#[inline(always)]
pub const fn reduce_once(a: &Limbs, p: &Limbs) -> Limbs {
    let (reduced, borrow) = subtract(a, p);
    select(borrow, a, &reduced)
}

/// [`reduce_once`] for secrets.
#[inline(always)]
pub fn reduce_once_secret(a: &Limbs, p: &Limbs) -> Limbs {
    let (reduced, borrow) = subtract(a, p);
    select_secret(borrow, a, &reduced)
}

/// (a + b) mod p for a, b < p < 2^255.
#[inline(always)]
pub const fn add_mod(a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
    reduce_once(&add(a, b), p)
}

/// (a − b) mod p for a, b < p.
#[inline(always)]
pub const fn sub_mod(a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
    let (difference, borrow) = subtract(a, b);
    let mask = (borrow as u64).wrapping_neg();
    add(
        &difference,
        &[p[0] & mask, p[1] & mask, p[2] & mask, p[3] & mask],
    )
}

/// a·b·2^−256 mod p for a, b < p < 2^254.
#[inline(always)]
pub const fn montgomery_mul(a: &Limbs, b: &Limbs, p: &Limbs, inv: u64) -> Limbs {
    reduce_once(&montgomery_product(a, b, p, inv), p)
}

/// a·b·2^−256 modulo p, below 2p, for a, b < p < 2^254: interleaved Montgomery multiplication by words.
#[inline(always)]
pub const fn montgomery_product(a: &Limbs, b: &Limbs, p: &Limbs, inv: u64) -> Limbs {
    let mut t = [0u64; 4];
    let mut i = 0;
    while i < 4 {
        let (low, mut high) = mac(t[0], a[i], b[0], 0);
        let m = low.wrapping_mul(inv);
        let (_, mut carry) = mac(low, m, p[0], 0);
        let mut j = 1;
        while j < 4 {
            let (word, next) = mac(t[j], a[i], b[j], high);
            high = next;
            let (word, next) = mac(word, m, p[j], carry);
            carry = next;
            t[j - 1] = word;
            j += 1;
        }
        // p < 2^254 leaves room for both carries in one word
        t[3] = high.wrapping_add(carry);
        i += 1;
    }
    t
}

/// a·k + carry for a small k < 2^31 as (low word, high word).
#[inline(always)]
pub const fn mul_small(a: u64, k: u64, carry: u64) -> (u64, u64) {
    if cfg!(target_arch = "wasm32") {
        // two 32-bit halves: the product of two words is a call there
        let low = (a & 0xffff_ffff) * k + carry;
        let high = (a >> 32) * k + (low >> 32);
        ((high << 32) | (low & 0xffff_ffff), high >> 32)
    } else {
        mac(carry, a, k, 0)
    }
}

/// 9·a + b modulo p, below 2p, for a < p, b ≤ p and 2^253 < p < 2^254.
#[inline(always)]
pub const fn nine_times_plus(a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
    let (w0, c) = mul_small(a[0], 9, 0);
    let (w1, c) = mul_small(a[1], 9, c);
    let (w2, c) = mul_small(a[2], 9, c);
    let (w3, w4) = mul_small(a[3], 9, c);
    let (w0, c) = adc(w0, b[0], false);
    let (w1, c) = adc(w1, b[1], c);
    let (w2, c) = adc(w2, b[2], c);
    let (w3, c) = adc(w3, b[3], c);
    reduce_quotient(&[w0, w1, w2, w3], w4 + c as u64, p)
}

/// a + top·2^256 modulo p, below 2p, for a number below 64·p and 2^253 < p < 2^254.
///
/// The quotient is estimated from the bits above 2^248, never too high and at most one too low:
/// the estimate divides by more than p, by at most one part in 1355, and drops less than 1/32 of p.
#[inline(always)]
pub const fn reduce_quotient(a: &Limbs, top: u64, p: &Limbs) -> Limbs {
    // 2^264 / p, rounded down
    let reciprocal = ((1u128 << 72) / (p[3] as u128 + 1)) as u64;
    let quotient = (((top << 8) | (a[3] >> 56)) * reciprocal) >> 16;
    let (q0, c) = mul_small(p[0], quotient, 0);
    let (q1, c) = mul_small(p[1], quotient, c);
    let (q2, c) = mul_small(p[2], quotient, c);
    let (q3, _) = mul_small(p[3], quotient, c);
    subtract(a, &[q0, q1, q2, q3]).0
}

/// −a⁻¹ mod 2^64 for odd a, by Newton's iteration. Constants only.
pub const fn negated_inverse(a: u64) -> u64 {
    let mut inverse = 1u64;
    let mut i = 0;
    while i < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(inverse)));
        i += 1;
    }
    inverse.wrapping_neg()
}

/// 2^exponent mod p. Constants only.
pub const fn power_of_two(exponent: u32, p: &Limbs) -> Limbs {
    let mut x = [1, 0, 0, 0];
    let mut i = 0;
    while i < exponent {
        x = add_mod(&x, &x, p);
        i += 1;
    }
    x
}

/// a − b for a small b ≤ a. Constants only.
pub const fn minus_small(a: &Limbs, b: u64) -> Limbs {
    subtract(a, &[b, 0, 0, 0]).0
}

/// Number of zero bits below the lowest set bit, for a number whose first word is not zero.
/// Constants only.
pub const fn trailing_zeros(a: &Limbs) -> u32 {
    a[0].trailing_zeros()
}

/// a >> bits for 0 < bits < 64. Constants only.
pub const fn shift_right(a: &Limbs, bits: u32) -> Limbs {
    let rest = 64 - bits;
    [
        (a[0] >> bits) | (a[1] << rest),
        (a[1] >> bits) | (a[2] << rest),
        (a[2] >> bits) | (a[3] << rest),
        a[3] >> bits,
    ]
}

/// base^exponent in Montgomery form, `one` being 2^256 mod p. Constants only.
pub const fn montgomery_pow(
    base: &Limbs,
    exponent: &Limbs,
    one: &Limbs,
    p: &Limbs,
    inv: u64,
) -> Limbs {
    let mut result = *one;
    let mut i = 256;
    while i > 0 {
        i -= 1;
        result = montgomery_mul(&result, &result, p, inv);
        if (exponent[i / 64] >> (i % 64)) & 1 == 1 {
            result = montgomery_mul(&result, base, p, inv);
        }
    }
    result
}
