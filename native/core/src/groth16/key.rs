//! A verifying key, checked and prepared once for all proofs under it.

use crate::curve::g1_lanes::DIGIT_COUNT;
use crate::curve::{G1Affine, G2Affine};
use crate::encoding::{self, G1_BYTES, G2_BYTES, KEY_HEAD_BYTES};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::field::FpWasm;
use crate::field::{self, Adx, Arithmetic, Backend, Fp, LaneBackend, Portable, ScalarBackend};
use crate::pairing::{
    final_exponentiation, prepared_miller_loop, subgroup_lanes, PreparedG2, PreparedPair, Ratio,
};
use crate::tower::Fp12;

use super::input_tables::InputTables;
use super::lane_tables::{end_of_sum, LaneTables};
use super::power::PowerTable;
use super::relations::find_relation;
use super::spread_key::OnSpread;
use super::{KeyError, KeyPoint};

/// The most public inputs a key may have.
pub const MAX_INPUTS: usize = 1024;

/// A checked verifying key with its tables: at most 1 MiB of multiples of the IC points, 25 KiB of
/// powers, 50 KiB of lines, up to three times 110 KiB of lines in lanes and 56 KiB of products
/// of lines. It runs on the arithmetic that was in use when it was prepared.
#[derive(Debug)]
pub struct PreparedKey {
    arithmetic: Arithmetic,
    pub(super) on_backend: OnBackend,
}

#[derive(Debug)]
pub(super) enum OnBackend {
    Adx(Prepared<Adx>),
    Portable(Prepared<Portable>),
}

/// What a verification needs of the key.
#[derive(Debug)]
pub(super) struct Prepared<B: Backend> {
    /// n.
    pub input_count: usize,
    /// e(α, β).
    pub alpha_beta: Fp12<Fp<B>>,
    /// Lines of γ.
    pub gamma: PreparedG2<Fp<B>>,
    /// Lines of δ.
    pub delta: PreparedG2<Fp<B>>,
    /// IC₀ and multiples of the others.
    pub inputs: InputTables<B>,
    /// −4³²·(1, 2): takes the start out of a sum of multiples.
    pub sum_end: G1Affine<B>,
    /// Powers of e(α, β)·e(IC₀, γ).
    pub power: PowerTable<B>,
    /// What batches need besides.
    pub lanes: OnLanes<B>,
    /// What single checks and the end of a batch need besides.
    pub spread: OnSpread,
}

/// The lanes in which batches run.
#[derive(Debug)]
pub(super) enum OnLanes<B: Backend> {
    /// One after the other.
    Scalar(LaneTables<Fp<B>>),
    /// AVX-512 IFMA.
    #[cfg(target_arch = "x86_64")]
    Ifma(LaneTables<field::FpIfma>),
    /// The stand-in of AVX-512 IFMA.
    #[cfg(not(target_arch = "wasm32"))]
    IfmaPortable(LaneTables<field::FpIfmaPortable>),
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(LaneTables<field::FpAvx2>),
    /// The stand-in of AVX2 and FMA.
    #[cfg(not(target_arch = "wasm32"))]
    Avx2Portable(LaneTables<field::FpAvx2Portable>),
    /// The SIMD that the module is built with.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm(LaneTables<FpWasm>),
}

impl<B: Backend> OnLanes<B> {
    fn new(lanes: LaneBackend, gamma: &PreparedG2<Fp<B>>, delta: &PreparedG2<Fp<B>>) -> Self {
        match lanes {
            #[cfg(target_arch = "x86_64")]
            LaneBackend::Ifma => Self::Ifma(LaneTables::new(gamma, delta)),
            #[cfg(not(target_arch = "wasm32"))]
            LaneBackend::IfmaPortable => Self::IfmaPortable(LaneTables::new(gamma, delta)),
            #[cfg(target_arch = "x86_64")]
            LaneBackend::Avx2 => Self::Avx2(LaneTables::new(gamma, delta)),
            #[cfg(not(target_arch = "wasm32"))]
            LaneBackend::Avx2Portable => Self::Avx2Portable(LaneTables::new(gamma, delta)),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            LaneBackend::WasmRelaxed | LaneBackend::WasmSimd => {
                Self::Wasm(LaneTables::new(gamma, delta))
            }
            _ => Self::Scalar(LaneTables::new(gamma, delta)),
        }
    }
}

impl PreparedKey {
    /// Checks and prepares a key laid out as [`encoding`](crate::encoding) says.
    ///
    /// # Errors
    /// The first fault in the order of the bytes; for one point in the order coordinate range,
    /// infinity, curve, subgroup. Where every point is sound, a relation that lets anyone forge
    /// proofs, see [`KeyError::Related`]. IC points may be infinity.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let arithmetic = field::arithmetic();
        let on_backend = match arithmetic.scalar() {
            ScalarBackend::Adx => OnBackend::Adx(Prepared::from_bytes(bytes, arithmetic.lanes())?),
            ScalarBackend::Portable => {
                OnBackend::Portable(Prepared::from_bytes(bytes, arithmetic.lanes())?)
            }
        };
        Ok(Self {
            arithmetic,
            on_backend,
        })
    }

    /// Number of public inputs.
    pub fn input_count(&self) -> usize {
        match &self.on_backend {
            OnBackend::Adx(key) => key.input_count,
            OnBackend::Portable(key) => key.input_count,
        }
    }

    /// The arithmetic that verifies under this key.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Bytes of the tables for the inputs.
    pub fn table_bytes(&self) -> usize {
        match &self.on_backend {
            OnBackend::Adx(key) => key.inputs.size(),
            OnBackend::Portable(key) => key.inputs.size(),
        }
    }
}

impl<B: Backend> Prepared<B> {
    fn from_bytes(bytes: &[u8], lane_backend: LaneBackend) -> Result<Self, KeyError> {
        let length = KeyError::Length { found: bytes.len() };
        let (head, ic) = bytes.split_at_checked(KEY_HEAD_BYTES).ok_or(length)?;
        if !ic.len().is_multiple_of(G1_BYTES)
            || !(1..=MAX_INPUTS + 1).contains(&(ic.len() / G1_BYTES))
        {
            return Err(length);
        }
        let g2_at = |index: usize| &head[G1_BYTES + index * G2_BYTES..][..G2_BYTES];
        let alpha = g1::<B>(&head[..G1_BYTES], KeyPoint::Alpha)?;
        if alpha.is_infinity() {
            return Err(KeyError::PointAtInfinity(KeyPoint::Alpha));
        }
        let beta = g2(g2_at(0), KeyPoint::Beta)?;
        let gamma = g2(g2_at(1), KeyPoint::Gamma)?;
        let delta = g2(g2_at(2), KeyPoint::Delta)?;
        let mut points = Vec::with_capacity(ic.len() / G1_BYTES);
        for (index, point) in ic.chunks_exact(G1_BYTES).enumerate() {
            points.push(g1(point, KeyPoint::Ic(index))?);
        }
        let lines = |point: &G2Affine<Fp<B>>, name: KeyPoint| {
            PreparedG2::new(point).ok_or(KeyError::PointNotInSubgroup(name))
        };
        if let Some(error) = find_relation(alpha.into(), [beta, gamma, delta].map(Into::into)) {
            return Err(error);
        }
        let outside = KeyError::PointNotInSubgroup(KeyPoint::Beta);
        let beta_lines = lines(&beta, KeyPoint::Beta)?;
        let gamma = lines(&gamma, KeyPoint::Gamma)?;
        let delta = lines(&delta, KeyPoint::Delta)?;
        let pairing = |p: &G1Affine<B>, q: &PreparedG2<Fp<B>>| {
            final_exponentiation(&prepared_miller_loop(&[
                ratio(p).map(|p| PreparedPair { p, q })
            ]))
            .ok_or(outside)
        };
        let alpha_beta = pairing(&alpha, &beta_lines)?;
        let target = alpha_beta * pairing(&points[0], &gamma)?;
        Ok(Self {
            input_count: points.len() - 1,
            alpha_beta,
            inputs: InputTables::new(points[0], &points[1..]),
            sum_end: end_of_sum(2 * DIGIT_COUNT),
            power: PowerTable::new(target),
            lanes: OnLanes::new(lane_backend, &gamma, &delta),
            spread: OnSpread::new(lane_backend, &gamma, &delta, &alpha_beta),
            gamma,
            delta,
        })
    }
}

/// A point as it enters a pairing, `None` for infinity.
fn ratio<B: Backend>(point: &G1Affine<B>) -> Option<Ratio<Fp<B>>> {
    let one_over_y = point.y.inverse()?;
    Some(Ratio {
        x_over_y: point.x * one_over_y,
        one_over_y,
    })
}

fn g1<B: Backend>(bytes: &[u8], name: KeyPoint) -> Result<G1Affine<B>, KeyError> {
    let mut words = encoding::words(bytes);
    let point = words
        .next()
        .zip(words.next())
        .and_then(|(x, y)| encoding::g1_unchecked([x, y]))
        .ok_or(KeyError::CoordinateRange(name))?;
    if point.is_on_curve() {
        Ok(point)
    } else {
        Err(KeyError::PointNotOnCurve(name))
    }
}

fn g2<B: Backend>(bytes: &[u8], name: KeyPoint) -> Result<G2Affine<Fp<B>>, KeyError> {
    let mut words = encoding::words(bytes);
    let w: [&[u8; 32]; 4] =
        core::array::from_fn(|_| words.next().expect("a point of G2 has four words"));
    let point = encoding::g2_unchecked(w).ok_or(KeyError::CoordinateRange(name))?;
    if point.is_infinity() {
        Err(KeyError::PointAtInfinity(name))
    } else if !point.is_on_curve() {
        Err(KeyError::PointNotOnCurve(name))
    } else if subgroup_lanes(&point) == 0 {
        Err(KeyError::PointNotInSubgroup(name))
    } else {
        Ok(point)
    }
}
