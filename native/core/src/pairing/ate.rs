//! The seed of the curve and the digits of the loops that follow from it.

// BN parameter of alt_bn128 (EIP-197); test: `moduli_follow_from_the_seed`
const SEED: u64 = 4965661367192848881;

/// Digits of 6x + 2 in non-adjacent form below the leading 1, most significant first;
/// test: `ate_loop_matches_seed`.
pub const ATE_DIGITS: [i8; 65] = {
    let mut rest = 6 * SEED as u128 + 2;
    let mut digits = [0; 65];
    let mut i = 65;
    while i > 0 {
        i -= 1;
        if rest & 1 == 1 {
            let digit = 2 - (rest % 4) as i8;
            digits[i] = digit;
            rest = if digit == 1 { rest - 1 } else { rest + 1 };
        }
        rest >>= 1;
    }
    assert!(rest == 1);
    digits
};

/// Number of lines of one loop: doublings, additions, and the two steps of ψ.
pub const LINE_COUNT: usize = {
    let mut count = ATE_DIGITS.len() + 2;
    let mut i = 0;
    while i < ATE_DIGITS.len() {
        if ATE_DIGITS[i] != 0 {
            count += 1;
        }
        i += 1;
    }
    count
};

/// Digits of x, odd or 0 and between −7 and 7, most significant first and starting with the first
/// that is not 0; test: `seed_digits_match_seed`.
pub const SEED_DIGITS: [i8; 64] = {
    let mut rest = SEED as u128;
    let mut digits = [0; 64];
    let mut i = 64;
    while i > 0 {
        i -= 1;
        if rest & 1 == 1 {
            let low = (rest % 16) as i8;
            let digit = if low > 8 { low - 16 } else { low };
            digits[i] = digit;
            rest = if digit > 0 {
                rest - digit as u128
            } else {
                rest + (-digit) as u128
            };
        }
        rest >>= 1;
    }
    assert!(rest == 0);
    digits
};

#[cfg(test)]
mod tests {
    use super::*;

    fn value(start: i128, digits: &[i8]) -> i128 {
        digits
            .iter()
            .fold(start, |sum, digit| 2 * sum + i128::from(*digit))
    }

    #[test]
    fn ate_loop_matches_seed() {
        assert_eq!(value(1, &ATE_DIGITS), 6 * i128::from(SEED) + 2);
        assert!(ATE_DIGITS
            .windows(2)
            .all(|pair| pair[0] == 0 || pair[1] == 0));
        assert_eq!(LINE_COUNT, 65 + 21 + 2);
    }

    #[test]
    fn seed_digits_match_seed() {
        assert_eq!(value(0, &SEED_DIGITS), i128::from(SEED));
        assert!(SEED_DIGITS
            .iter()
            .all(|digit| *digit == 0 || digit % 2 != 0));
    }

    #[test]
    fn moduli_follow_from_the_seed() {
        use crate::field::{Fp, Fr, Portable};
        // p = 36x⁴ + 36x³ + 24x² + 6x + 1 and r = p − 6x², each 0 in its own field
        let x = Fp::<Portable>::from_u64(SEED);
        let small = |n| Fp::<Portable>::from_u64(n);
        let p = (((small(36) * x + small(36)) * x + small(24)) * x + small(6)) * x + Fp::ONE;
        assert!(p.is_zero());
        let x = Fr::<Portable>::from_u64(SEED);
        let small = |n| Fr::<Portable>::from_u64(n);
        let r = (((small(36) * x + small(36)) * x + small(18)) * x + small(6)) * x + Fr::ONE;
        assert!(r.is_zero());
    }
}
