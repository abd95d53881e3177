//! Constants of a modulus as signed digits, computed by the compiler.

use core::marker::PhantomData;

use super::ops::Four;
use crate::field::limbs::{self, Limbs};
use crate::field::Modulus;

/// Bits of a limb.
pub const BITS: u32 = 29;
/// The low 29 bits.
pub const MASK: i32 = (1 << BITS) - 1;
/// Half of a limb's range.
pub const HALF: i32 = 1 << (BITS - 1);
/// Columns are kept positive by this much before their carry.
const OFFSET: u64 = 1 << 63;

/// Bias of the first column: the offset, and half a digit, which centres the digits.
pub const FIRST_BIAS: &Four = &Four::splat_wide(OFFSET + HALF as u64);
/// Bias of the other columns, less the carry of the offset below.
pub const BIAS: &Four = &Four::splat_wide(OFFSET + HALF as u64 - (OFFSET >> BITS));

/// Nine signed digits of radix 2^29, least significant first.
pub type Digits = [i32; 9];

/// Digits of a number below 2^255 times `sign`; all but the top one are in −2^28 … 2^28 − 1.
pub const fn digits(x: &Limbs, sign: i32) -> Digits {
    let mut out = [0; 9];
    let mut carry = 0;
    let mut i = 0;
    while i < 9 {
        let at = BITS as usize * i;
        let mut part = x[at / 64] >> (at % 64);
        if at % 64 > 64 - BITS as usize && at / 64 < 3 {
            part |= x[at / 64 + 1] << (64 - at % 64);
        }
        let sum = sign * (part as i32 & MASK) + carry;
        carry = if i < 8 { (sum + HALF) >> BITS } else { 0 };
        out[i] = sum - (carry << BITS);
        i += 1;
    }
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

/// 2^−29 mod p for odd p < 2^255.
const fn inverse_of_radix(p: &Limbs) -> Limbs {
    let mut x = [1, 0, 0, 0];
    let mut i = 0;
    while i < BITS {
        let even = if x[0] & 1 == 1 { limbs::add(&x, p) } else { x };
        x = limbs::shift_right(&even, 1);
        i += 1;
    }
    x
}

/// Digits in all lanes.
pub const fn raw(digits: &Digits) -> [Four; 9] {
    let mut out = [Four::splat(0); 9];
    let mut i = 0;
    while i < 9 {
        out[i] = Four::splat(digits[i]);
        i += 1;
    }
    out
}

/// The canonical words of a constant in the form of stored values, x·2^261 mod P.
pub const fn stored<M: Modulus>(words: &Limbs) -> [Four; 9] {
    // 2^261·2^256: the product of words takes 2^256 off
    let factor = limbs::power_of_two(517, &M::P);
    raw(&centred(
        &limbs::montgomery_mul(words, &factor, &M::P, M::INV),
        &M::P,
    ))
}

/// A digit in units of 2^28.
const fn absolute(digit: i32) -> f64 {
    digit.unsigned_abs() as f64 / HALF as f64
}

/// Constants of a modulus below 2^254.
pub struct Constants<M>(PhantomData<M>);

impl<M: Modulus> Constants<M> {
    const P_DIGITS: Digits = digits(&M::P, 1);
    const FOLD_DIGITS: Digits = centred(&inverse_of_radix(&M::P), &M::P);
    /// P.
    pub const P: &'static [Four; 9] = &raw(&Self::P_DIGITS);
    /// 2^−29 mod P, centred: the weight of a digit that is folded one limb up.
    pub const FOLD: &'static [Four; 9] = &raw(&Self::FOLD_DIGITS);
    /// −P^−1 mod 2^29.
    pub const NEGATED_INVERSE: &'static Four = &Four::splat(M::INV as i32 & MASK);
    /// 2^522 mod P: brings a number into the form of stored values.
    pub const SQUARED_RADIX: [Four; 9] = raw(&centred(&limbs::power_of_two(522, &M::P), &M::P));
    /// 2^27 / P in units of 2^−232, rounded: the quotient of a top limb by P, times 2^27.
    pub const RECIPROCAL: &'static Four =
        &Four::splat(((1.0 * (1 << 27) as f64) / Self::TOP + 0.5) as i32);

    /// P / 2^232.
    pub const TOP: f64 = Self::P_DIGITS[8] as f64 + Self::P_DIGITS[7] as f64 / (1 << BITS) as f64;
    /// The largest digit of P but the top one in units of 2^28, absolute.
    pub const DIGIT: f64 = {
        let mut largest = 0.0;
        let mut i = 0;
        while i < 8 {
            let digit = absolute(Self::P_DIGITS[i]);
            if digit > largest {
                largest = digit;
            }
            i += 1;
        }
        largest
    };
    /// 2^−29 mod P in units of P, absolute.
    pub const FOLD_VALUE: f64 = {
        let top = Self::FOLD_DIGITS[8] as f64 + Self::FOLD_DIGITS[7] as f64 / (1 << BITS) as f64;
        (if top < 0.0 { -top } else { top }) * 1.000001 / Self::TOP
    };
}
