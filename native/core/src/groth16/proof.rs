//! From 256 bytes to three points on their curves.

use crate::curve::{G1Affine, G2Affine};
use crate::decompress;
use crate::encoding::{self, PROOF_BYTES};
use crate::field::{Backend, Fp};

use super::Verdict;

/// The points of a proof; every one on its curve or at infinity, B not yet known to be in G2.
#[derive(Clone, Copy, Debug)]
pub struct Proof<B: Backend> {
    /// A in G1.
    pub a: G1Affine<B>,
    /// B on the twist.
    pub b: G2Affine<Fp<B>>,
    /// C in G1.
    pub c: G1Affine<B>,
}

impl<B: Backend> Proof<B> {
    /// Decodes a proof of either form; the verdict is the first refusal in the order
    /// decompression, coordinate range, A, B, C on the curve.
    pub fn decode(bytes: &[u8; PROOF_BYTES]) -> Result<Self, Verdict> {
        let mut words = encoding::words(bytes);
        let w: [&[u8; 32]; 8] =
            core::array::from_fn(|_| words.next().expect("a proof has eight words"));
        if w[4..].iter().all(|word| **word == [0; 32]) {
            return Self::decompress(w[0], w[1], w[2], w[3]).ok_or(Verdict::Decompression);
        }
        let proof = Self::uncompressed(w).ok_or(Verdict::CoordinateRange)?;
        if proof.a.is_on_curve() && proof.b.is_on_curve() && proof.c.is_on_curve() {
            Ok(proof)
        } else {
            Err(Verdict::PointNotOnCurve)
        }
    }

    fn decompress(a: &[u8; 32], b_c1: &[u8; 32], b_c0: &[u8; 32], c: &[u8; 32]) -> Option<Self> {
        Some(Self {
            a: decompress::g1(a)?,
            b: decompress::g2(b_c1, b_c0)?,
            c: decompress::g1(c)?,
        })
    }

    fn uncompressed(w: [&[u8; 32]; 8]) -> Option<Self> {
        Some(Self {
            a: encoding::g1_unchecked([w[0], w[1]])?,
            b: encoding::g2_unchecked([w[2], w[3], w[4], w[5]])?,
            c: encoding::g1_unchecked([w[6], w[7]])?,
        })
    }
}
