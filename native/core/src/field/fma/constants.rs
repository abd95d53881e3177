//! Constants of a modulus as signed digits, computed by the compiler.

use core::marker::PhantomData;

use super::ops::Quad;
use crate::field::limbs::{self, Limbs};
use crate::field::Modulus;

/// Five signed digits of radix 2^51, least significant first.
pub type Digits = [i64; 5];

const MASK: u64 = (1 << 51) - 1;

/// Digits of a number below 2^255 times `sign`; all but the top one are in −2^50 … 2^50 − 1.
pub const fn digits(x: &Limbs, sign: i64) -> Digits {
    let parts = [
        x[0] & MASK,
        ((x[0] >> 51) | (x[1] << 13)) & MASK,
        ((x[1] >> 38) | (x[2] << 26)) & MASK,
        ((x[2] >> 25) | (x[3] << 39)) & MASK,
        x[3] >> 12,
    ];
    let mut out = [0; 5];
    let mut carry = 0;
    let mut i = 0;
    while i < 4 {
        let sum = sign * parts[i] as i64 + carry;
        carry = (sum + (1 << 50)) >> 51;
        out[i] = sum - (carry << 51);
        i += 1;
    }
    out[4] = sign * parts[4] as i64 + carry;
    out
}

/// Digits of the number of least absolute value that is x mod p, for x < p.
const fn centred(x: &Limbs, p: &Limbs) -> Digits {
    let negated = limbs::subtract(p, x).0;
    if limbs::subtract(x, &negated).1 {
        digits(x, 1)
    } else {
        digits(&negated, -1)
    }
}

/// x/2 mod p for odd p < 2^255.
const fn halve(x: &Limbs, p: &Limbs) -> Limbs {
    let even = if x[0] & 1 == 1 { limbs::add(x, p) } else { *x };
    limbs::shift_right(&even, 1)
}

/// 2^−exponent mod p.
const fn negative_power_of_two(exponent: u32, p: &Limbs) -> Limbs {
    let mut x = [1, 0, 0, 0];
    let mut i = 0;
    while i < exponent {
        x = halve(&x, p);
        i += 1;
    }
    x
}

/// x·2^204 mod p, the form of stored values.
const fn montgomery(x: &Limbs, p: &Limbs) -> Limbs {
    let mut x = *x;
    let mut i = 0;
    while i < 204 {
        x = limbs::add_mod(&x, &x, p);
        i += 1;
    }
    x
}

/// 2^255 / p for 2^253 < p < 2^254 as the nearest float, and its error.
const fn reciprocal(p: &Limbs) -> [f64; 2] {
    // long division of 2^306 = 2^254·2^52: the first bit of the quotient is 1, and 52 more follow
    let mut quotient = 0u64;
    let mut rest = [0, 0, 0, 1 << 62];
    let mut i = 0;
    while i < 53 {
        let (difference, below) = limbs::subtract(&rest, p);
        quotient = quotient << 1 | !below as u64;
        let kept = if below { rest } else { difference };
        rest = limbs::add(&kept, &kept);
        i += 1;
    }
    // rest is twice the remainder; its top word and that of p are enough for a correction
    let mut missing = rest[3] as f64 / (2.0 * p[3] as f64);
    if !limbs::subtract(&rest, p).1 {
        quotient += 1;
        missing -= 1.0;
    }
    // the quotient is 2^51·2^255/p
    [quotient as f64 / RADIX, missing / RADIX]
}

const fn floats(digits: &Digits) -> [f64; 5] {
    [
        digits[0] as f64,
        digits[1] as f64,
        digits[2] as f64,
        digits[3] as f64,
        digits[4] as f64,
    ]
}

const fn absolute(x: f64) -> f64 {
    if x < 0.0 {
        -x
    } else {
        x
    }
}

/// 2^51.
pub const RADIX: f64 = (1u64 << 51) as f64;

/// Constants of a modulus between 2^253 and 2^254.
pub struct Constants<M>(PhantomData<M>);

impl<M: Modulus> Constants<M> {
    const IN_RANGE: () = assert!(M::P[3] >> 61 == 1, "2^253 < P < 2^254");
    /// P.
    pub const P: [f64; 5] = {
        let () = Self::IN_RANGE;
        floats(&digits(&M::P, 1))
    };
    /// 2^(51i − 204) mod P, centred, for i = 0 to 3.
    pub const FOLDS: [[f64; 5]; 4] = [
        floats(&centred(&negative_power_of_two(204, &M::P), &M::P)),
        floats(&centred(&negative_power_of_two(153, &M::P), &M::P)),
        floats(&centred(&negative_power_of_two(102, &M::P), &M::P)),
        floats(&centred(&negative_power_of_two(51, &M::P), &M::P)),
    ];
    /// 2^255 / P as a float, and its error.
    pub const QUOTIENT_9: [f64; 2] = reciprocal(&M::P);
    /// 2^204 / P.
    pub const QUOTIENT_4: f64 = Self::QUOTIENT_9[0] / RADIX;
    /// 2^408 mod P: brings a number into the form of stored values.
    pub const SQUARED_RADIX: [Quad; 5] = raw(&centred(&limbs::power_of_two(408, &M::P), &M::P));

    /// P / 2^254: the top digit of P in units of 2^50.
    pub const TOP: f64 = Self::P[4] / (RADIX / 2.0);
    /// The largest digit of P but the top one, in units of 2^50.
    pub const DIGIT: f64 = {
        let mut largest = 0.0;
        let mut i = 0;
        while i < 4 {
            if absolute(Self::P[i]) > largest {
                largest = absolute(Self::P[i]);
            }
            i += 1;
        }
        largest / (RADIX / 2.0)
    };
    /// The sum of the absolute values of the folds in units of P.
    pub const FOLD_SUM: f64 = {
        let mut sum = 0.0;
        let mut i = 0;
        while i < 4 {
            let fold = Self::FOLDS[i];
            // the digits below weigh less than 2^-100 of P
            sum += absolute(fold[4] + (fold[3] + fold[2] / RADIX) / RADIX) / Self::P[4];
            i += 1;
        }
        sum * 1.000001
    };
}

/// Digits in all lanes.
pub const fn raw(digits: &Digits) -> [Quad; 5] {
    let limbs = floats(digits);
    [
        Quad::splat(limbs[0]),
        Quad::splat(limbs[1]),
        Quad::splat(limbs[2]),
        Quad::splat(limbs[3]),
        Quad::splat(limbs[4]),
    ]
}

/// The canonical words of a constant in the form of stored values, least absolute value.
pub const fn stored(words: &Limbs, p: &Limbs) -> [Quad; 5] {
    raw(&centred(&montgomery(words, p), p))
}
