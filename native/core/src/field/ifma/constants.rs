//! Numbers in limbs of 52 bits, and the constants of a modulus.

use core::marker::PhantomData;

use super::ops::Octet;
use crate::field::limbs::{self, Limbs};
use crate::field::Modulus;

/// The bits of a limb.
pub const MASK: u64 = (1 << 52) - 1;

/// Four words as five limbs of 52 bits.
pub const fn to_limbs(words: &Limbs) -> [u64; 5] {
    [
        words[0] & MASK,
        (words[0] >> 52 | words[1] << 12) & MASK,
        (words[1] >> 40 | words[2] << 24) & MASK,
        (words[2] >> 28 | words[3] << 36) & MASK,
        words[3] >> 16,
    ]
}

/// The inverse of [`to_limbs`], for numbers below 2^256.
pub const fn to_words(limbs: &[u64; 5]) -> Limbs {
    [
        limbs[0] | limbs[1] << 52,
        limbs[1] >> 12 | limbs[2] << 40,
        limbs[2] >> 24 | limbs[3] << 28,
        limbs[3] >> 36 | limbs[4] << 16,
    ]
}

/// limbs·factor with carries; the top limb takes the rest.
const fn times(limbs: &[u64; 5], factor: u64) -> [u64; 5] {
    let mut out = [0; 5];
    let mut carry = 0u128;
    let mut i = 0;
    while i < 5 {
        let sum = limbs[i] as u128 * factor as u128 + carry;
        out[i] = if i < 4 { sum as u64 & MASK } else { sum as u64 };
        carry = sum >> 52;
        i += 1;
    }
    out
}

/// a/2 mod p for a < p.
const fn halve(a: &Limbs, p: &Limbs) -> Limbs {
    let even = if a[0] & 1 == 1 { limbs::add(a, p) } else { *a };
    limbs::shift_right(&even, 1)
}

/// 2^−52 mod p.
const fn inverse_of_a_limb(p: &Limbs) -> Limbs {
    let mut x = [1, 0, 0, 0];
    let mut i = 0;
    while i < 52 {
        x = halve(&x, p);
        i += 1;
    }
    x
}

/// The constants of `M`, whose prime is between 2^253 and 2^254.
pub struct Constants<M>(PhantomData<M>);

impl<M: Modulus> Constants<M> {
    /// p.
    pub const P: [u64; 5] = {
        assert!(M::P[3] >> 61 == 1);
        to_limbs(&M::P)
    };
    /// −p⁻¹ mod 2^52.
    pub const INVERSE: u64 = M::INV & MASK;
    /// 2^−52 mod p: a limb below is worth that many in the next place.
    pub const SHIFT: [u64; 5] = to_limbs(&inverse_of_a_limb(&M::P));
    /// 2^520 mod p, which takes a number into Montgomery form.
    pub const R2: [u64; 5] = to_limbs(&limbs::power_of_two(520, &M::P));
    /// 2^260/p, rounded down.
    pub const CAPACITY: f64 = {
        let capacity = (1u128 << 100) as f64 / ((M::P[3] as u128) << 32 | 0xffff_ffff) as f64;
        capacity * (1.0 - 1e-9)
    };
    /// Upper bound of what a reduction adds to the value, in p: [`Self::SHIFT`] in the last place but
    /// one, p in the last, and less than 2^−40 below.
    pub const RESIDUE: f64 = {
        let shift = inverse_of_a_limb(&M::P);
        1.0 + (shift[3] + 1) as f64 / M::P[3] as f64 + 1e-9
    };
    /// The multiple of p for each [`Self::quotient`] from −8 to 7, as limbs of both signs.
    pub const TABLE: [[Octet; 2]; 5] = {
        let mut table = [[Octet::splat(0); 2]; 5];
        let mut i = 0;
        while i < 16 {
            let quotient = Self::quotient(if i < 8 { i as i64 } else { i as i64 - 16 });
            let multiple = times(&Self::P, quotient.unsigned_abs());
            let mut j = 0;
            while j < 5 {
                table[j][i / 8].0[i % 8] = if quotient < 0 {
                    multiple[j].wrapping_neg()
                } else {
                    multiple[j]
                };
                j += 1;
            }
            i += 1;
        }
        table
    };
    /// The largest value after subtraction of that multiple, in p.
    pub const REMAINDER: f64 = {
        let step = Self::CAPACITY / 64.0;
        let mut largest = 0.0;
        let mut i = -8;
        while i < 8 {
            let rest = (i + 1) as f64 * step - Self::quotient(i) as f64;
            if rest > largest {
                largest = rest;
            }
            i += 1;
        }
        largest + 1e-6
    };

    /// How often p is subtracted from a value between i·2^254 and (i + 1)·2^254 so that it stays
    /// positive, with a hundredth of p to spare because i is an estimate.
    const fn quotient(i: i64) -> i64 {
        // 100·i·2^254/p − 1 in hundredths; `as` rounds towards 0
        let hundredths = i as f64 * (Self::CAPACITY * 100.0 / 64.0) - 1.0;
        let towards_zero = (hundredths / 100.0) as i64;
        if hundredths < 0.0 {
            towards_zero - 1
        } else {
            towards_zero
        }
    }

    /// factor·p in limbs, for factors up to 80.
    pub const fn multiple(factor: u64) -> [u64; 5] {
        times(&Self::P, factor)
    }

    /// 2^257·p in columns 4 to 9: an eighth of 2^260·p.
    pub const EIGHTH: [u64; 6] = {
        let mut out = [0; 6];
        let mut carry = 0;
        let mut i = 0;
        while i < 5 {
            let wide = (Self::P[i] as u128) << 49 | carry;
            out[i] = wide as u64 & MASK;
            carry = wide >> 52;
            i += 1;
        }
        out[5] = carry as u64;
        out
    };
    /// Limbs of a constant in Montgomery form, from its canonical words.
    pub const fn montgomery(words: &Limbs) -> [u64; 5] {
        // (words·2^256)·2^4: the form of the scalars, doubled four times
        let mut x = limbs::montgomery_mul(words, &M::R2, &M::P, M::INV);
        let mut i = 0;
        while i < 4 {
            x = limbs::add_mod(&x, &x, &M::P);
            i += 1;
        }
        to_limbs(&x)
    }
}
