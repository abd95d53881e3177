//! The equation of one proof with its values packed in four lanes, where that is faster than scalars.

use crate::curve::G2Affine;
use crate::field::{Backend, FourLanes, Fp};
use crate::pairing::{
    packed_final_exponentiation, packed_miller_loop, PackedLines, PreparedG2, Ratio,
};
use crate::tower::{Fp12, PackedFp12};

use super::key::PackedChecks;
use super::Verdict;

/// The prepared parts of a key for one equation: up to 56 KiB.
#[derive(Debug)]
pub(super) struct PackedKey<F> {
    /// Lines of γ and δ.
    lines: PackedLines<F>,
    /// e(α, β).
    alpha_beta: PackedFp12<F>,
}

impl<F: FourLanes> PackedKey<F> {
    pub(super) fn new<B: Backend>(
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
        alpha_beta: &Fp12<Fp<B>>,
    ) -> Self {
        Self {
            lines: PackedLines::new(gamma, delta),
            alpha_beta: PackedFp12::from(alpha_beta),
        }
    }
}

impl<F: FourLanes, B: Backend> PackedChecks<B> for PackedKey<F> {
    fn verdict(
        &self,
        b: &G2Affine<Fp<B>>,
        a: &Ratio<Fp<B>>,
        prepared: [Option<Ratio<Fp<B>>>; 2],
    ) -> Verdict {
        let (product, is_member) = packed_miller_loop(b, a, &self.lines, prepared);
        if !is_member {
            return Verdict::PointNotInSubgroup;
        }
        match packed_final_exponentiation::<F, B>(&product) {
            Some(value) if value.equals(&self.alpha_beta) => Verdict::Valid,
            _ => Verdict::False,
        }
    }

    fn final_exponentiation(&self, f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>> {
        let power = packed_final_exponentiation::<F, B>(&PackedFp12::from(f))?;
        Some(power.to_scalars())
    }
}
