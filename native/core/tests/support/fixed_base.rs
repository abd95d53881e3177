//! Multiples of a point that is known beforehand: a table of bytes by places, 32 additions each.

use ark_bn254::Fr;
use ark_ec::CurveGroup;
use ark_ff::{BigInteger, PrimeField};

/// Multiples by 1 to 255 times each power of 256.
pub struct FixedBase<G: CurveGroup> {
    multiples: Vec<G::Affine>,
}

impl<G: CurveGroup> FixedBase<G> {
    /// The table of a point.
    pub fn new(base: G) -> Self {
        let mut multiples = Vec::with_capacity(32 * 255);
        let mut power = base;
        for _ in 0..32 {
            let mut multiple = power;
            for _ in 1..=255 {
                multiples.push(multiple);
                multiple += power;
            }
            power = multiple;
        }
        Self {
            multiples: G::normalize_batch(&multiples),
        }
    }

    /// The point times a scalar.
    pub fn times(&self, scalar: Fr) -> G::Affine {
        let mut sum = G::default();
        let bytes = scalar.into_bigint().to_bytes_le();
        for (row, byte) in self.multiples.chunks(255).zip(bytes) {
            if byte != 0 {
                sum += row[usize::from(byte) - 1];
            }
        }
        sum.into_affine()
    }
}
