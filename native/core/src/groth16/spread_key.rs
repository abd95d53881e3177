//! The equation of one proof with its values spread over four lanes, where lanes make that faster
//! than scalars.

use crate::curve::G2Affine;
#[cfg(not(target_arch = "wasm32"))]
use crate::field;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::field::FpWasm;
use crate::field::{Backend, FourLanes, Fp, LaneBackend};
use crate::pairing::{
    final_exponentiation, spread_final_exponentiation, spread_miller_loop, PreparedG2, Ratio,
    SpreadLines,
};
use crate::tower::{Fp12, SpreadFp12};

use super::Verdict;

/// What an equation needs of the key: up to 56 KiB.
#[derive(Debug)]
pub(super) struct SpreadKey<F> {
    /// Lines of γ and δ.
    lines: SpreadLines<F>,
    /// e(α, β).
    alpha_beta: SpreadFp12<F>,
}

/// The lanes of single checks.
#[derive(Debug)]
pub(super) enum OnSpread {
    /// None: scalars.
    Scalar,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(SpreadKey<field::FpAvx2>),
    /// The stand-in of AVX2 and FMA.
    #[cfg(not(target_arch = "wasm32"))]
    Avx2Portable(SpreadKey<field::FpAvx2Portable>),
    /// The SIMD that the module is built with.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm(SpreadKey<FpWasm>),
}

impl OnSpread {
    pub(super) fn new<B: Backend>(
        lanes: LaneBackend,
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
        alpha_beta: &Fp12<Fp<B>>,
    ) -> Self {
        match lanes {
            // four lanes suit the six coefficients of a value better than eight do
            #[cfg(target_arch = "x86_64")]
            LaneBackend::Ifma | LaneBackend::Avx2 if field::Arithmetic::Avx2.is_supported() => {
                Self::Avx2(SpreadKey::new(gamma, delta, alpha_beta))
            }
            #[cfg(not(target_arch = "wasm32"))]
            LaneBackend::Avx2Portable => {
                Self::Avx2Portable(SpreadKey::new(gamma, delta, alpha_beta))
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            LaneBackend::WasmRelaxed | LaneBackend::WasmSimd => {
                Self::Wasm(SpreadKey::new(gamma, delta, alpha_beta))
            }
            _ => Self::Scalar,
        }
    }

    /// Whether B is in its subgroup, and e(A, B) · e(L, γ) · e(C, δ) = e(α, β); `None` where scalars
    /// are to answer.
    pub(super) fn verdict<B: Backend>(
        &self,
        b: &G2Affine<Fp<B>>,
        a: &Ratio<Fp<B>>,
        prepared: [Option<Ratio<Fp<B>>>; 2],
    ) -> Option<Verdict> {
        match self {
            Self::Scalar => None,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(key) => Some(key.verdict(b, a, prepared)),
            #[cfg(not(target_arch = "wasm32"))]
            Self::Avx2Portable(key) => Some(key.verdict(b, a, prepared)),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Wasm(key) => Some(key.verdict(b, a, prepared)),
        }
    }

    /// The final exponentiation of one value, `None` for 0.
    pub(super) fn final_exponentiation<B: Backend>(&self, f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>> {
        match self {
            Self::Scalar => final_exponentiation(f),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => in_lanes::<field::FpAvx2, B>(f),
            #[cfg(not(target_arch = "wasm32"))]
            Self::Avx2Portable(_) => in_lanes::<field::FpAvx2Portable, B>(f),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Wasm(_) => in_lanes::<FpWasm, B>(f),
        }
    }
}

fn in_lanes<F: FourLanes, B: Backend>(f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>> {
    let power = spread_final_exponentiation::<F, B>(&SpreadFp12::from(f))?;
    Some(power.to_scalars())
}

impl<F: FourLanes> SpreadKey<F> {
    fn new<B: Backend>(
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
        alpha_beta: &Fp12<Fp<B>>,
    ) -> Self {
        Self {
            lines: SpreadLines::new(gamma, delta),
            alpha_beta: SpreadFp12::from(alpha_beta),
        }
    }

    fn verdict<B: Backend>(
        &self,
        b: &G2Affine<Fp<B>>,
        a: &Ratio<Fp<B>>,
        prepared: [Option<Ratio<Fp<B>>>; 2],
    ) -> Verdict {
        let (product, is_member) = spread_miller_loop(b, a, &self.lines, prepared);
        if !is_member {
            return Verdict::PointNotInSubgroup;
        }
        match spread_final_exponentiation::<F, B>(&product) {
            Some(value) if value.equals(&self.alpha_beta) => Verdict::Valid,
            _ => Verdict::False,
        }
    }
}
