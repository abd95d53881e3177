//! Powers of a fixed element of the target group by a comb.

use crate::field::{Backend, Fp};
use crate::tower::Fp12;

// 78 bits, more than a coordinate of a sum of 2¹² randomisers has
const TEETH: u32 = 6;
const COLUMNS: u32 = 13;

/// Every product of K^(2^(13·i)), i = 0 to 5: 24 KiB.
#[derive(Debug)]
pub(super) struct PowerTable<B: Backend> {
    products: Vec<Fp12<Fp<B>>>,
}

impl<B: Backend> PowerTable<B> {
    /// The table of an element of the cyclotomic subgroup.
    pub(super) fn new(base: Fp12<Fp<B>>) -> Self {
        let mut products = vec![Fp12::ONE, base];
        let mut tooth = base;
        for _ in 1..TEETH {
            for _ in 0..COLUMNS {
                tooth = tooth.cyclotomic_square();
            }
            let with_tooth: Vec<_> = products.iter().map(|product| *product * tooth).collect();
            products.extend(with_tooth);
        }
        Self { products }
    }

    /// K.
    pub(super) fn base(&self) -> &Fp12<Fp<B>> {
        &self.products[1]
    }

    /// K^(a + b·λ) for |a|, |b| < 2⁷⁸ and λ of [`GLV_LAMBDA`](crate::field::GLV_LAMBDA), which is
    /// p⁸ modulo r (test: `powers_by_the_comb_are_powers`).
    pub(super) fn power(&self, a: i128, b: i128) -> Fp12<Fp<B>> {
        self.signed(a) * self.signed(b).conjugate().frobenius(2)
    }

    fn signed(&self, exponent: i128) -> Fp12<Fp<B>> {
        let power = self.unsigned(exponent.unsigned_abs());
        if exponent < 0 {
            power.conjugate()
        } else {
            power
        }
    }

    fn unsigned(&self, exponent: u128) -> Fp12<Fp<B>> {
        debug_assert!(exponent >> (TEETH * COLUMNS) == 0);
        let mut power = Fp12::ONE;
        for column in (0..COLUMNS).rev() {
            let index = (0..TEETH).fold(0, |index, tooth| {
                let bit = exponent >> (tooth * COLUMNS + column) & 1;
                index | (bit as usize) << tooth
            });
            power = power.cyclotomic_square() * self.products[index];
        }
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Portable, GLV_LAMBDA};
    use crate::tower::tests::fp12;
    use ark_ec::pairing::Pairing;
    use ark_ec::AffineRepr;
    use ark_ff::{BigInt, Field};

    type Target = Fp12<Fp<Portable>>;

    #[test]
    fn powers_by_the_comb_are_powers() {
        let generator = ark_bn254::G1Affine::generator();
        let base = ark_bn254::Bn254::pairing(generator, ark_bn254::G2Affine::generator()).0;
        let table = PowerTable::<Portable>::new(fp12(&base));
        assert_eq!(*table.base(), fp12(&base));
        let lambda = ark_bn254::Fr::from(BigInt::new(GLV_LAMBDA));
        let edge = (1i128 << 78) - 1;
        for a in [
            0,
            1,
            -1,
            2,
            12345678901234567890123,
            -98765432109876543210987,
            edge,
            -edge,
        ] {
            for b in [0, 1, -1, 98765432109876543210987, -edge] {
                let exponent = ark_bn254::Fr::from(a) + ark_bn254::Fr::from(b) * lambda;
                let expected: Target = fp12(&base.pow(BigInt::from(exponent)));
                assert_eq!(table.power(a, b), expected, "{a} {b}");
            }
        }
    }
}
