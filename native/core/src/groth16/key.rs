//! A verifying key, checked and prepared once for all proofs under it.

use core::fmt::Debug;

use crate::curve::g1_lanes::DIGIT_COUNT;
use crate::curve::{G1Affine, G2Affine};
use crate::encoding::{self, G1_BYTES, G2_BYTES, KEY_HEAD_BYTES, PROOF_BYTES};
use crate::field::dispatch::{
    on_backend, on_base_lanes, on_four_lanes, BackendWork, BaseLanesWork, FourLanesWork,
};
use crate::field::{
    self, Arithmetic, Backend, BaseLanes, FourLanes, Fp, LaneBackend, LeastMembers,
};
use crate::pairing::{
    final_exponentiation, prepared_miller_loop, subgroup_lanes, PreparedG2, PreparedPair, Ratio,
};
use crate::tower::Fp12;

use super::input_tables::InputTables;
use super::lane_tables::{end_of_sum, LaneTables};
use super::packed_key::PackedKey;
use super::power::PowerTable;
use super::randomisers::Randomisers;
use super::relations::find_relation;
use super::{KeyError, KeyPoint, Verdict};

/// The most public inputs a key may have.
pub const MAX_INPUTS: usize = 1024;

/// A checked verifying key with its tables: at most 1 MiB of multiples of the IC points, 25 KiB of
/// powers, 50 KiB of lines, up to three times 110 KiB of lines in lanes and 56 KiB of products
/// of lines. It runs on the arithmetic that was in use when it was prepared.
#[derive(Debug)]
pub struct PreparedKey {
    arithmetic: Arithmetic,
    pub(super) checks: Box<dyn Checks>,
}

/// A member's proof and its inputs.
pub(super) type MemberBytes<'a> = (&'a [u8; PROOF_BYTES], &'a [u8]);

/// The checks under a key on its back-end.
pub(super) trait Checks: Debug + Send + Sync {
    /// Number of public inputs.
    fn input_count(&self) -> usize;
    /// Bytes of the tables for the inputs.
    fn table_bytes(&self) -> usize;
    /// Checks one proof with as many inputs as the key has.
    fn check_one(&self, member: MemberBytes) -> Verdict;
    /// Checks members whose number a batch allows, combined if there are randomisers.
    fn check_batch(
        &self,
        members: &[MemberBytes],
        randomisers: Option<&mut Randomisers>,
    ) -> Vec<Verdict>;
}

/// A batch in the lanes of a key.
pub(super) trait BatchLanes<B: Backend>: Debug + Send + Sync {
    /// Returns the verdicts of the members that lanes decide; `None` for those to be checked alone.
    fn verdicts(
        &self,
        key: &Prepared<B>,
        members: &[MemberBytes],
        randomisers: Option<&mut Randomisers>,
    ) -> Vec<Option<Verdict>>;
}

/// One equation in four lanes, see [`PackedKey`].
pub(super) trait PackedChecks<B: Backend>: Debug + Send + Sync {
    /// Whether B is in its subgroup, and e(A, B) · e(L, γ) · e(C, δ) = e(α, β).
    fn verdict(
        &self,
        b: &G2Affine<Fp<B>>,
        a: &Ratio<Fp<B>>,
        prepared: [Option<Ratio<Fp<B>>>; 2],
    ) -> Verdict;
    /// The final exponentiation of one value, `None` for 0.
    fn final_exponentiation(&self, f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>>;
}

/// The prepared parts of a key.
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
    /// Tables of batches, of one lane if there are no vector lanes.
    pub lanes: Box<dyn BatchLanes<B>>,
    /// Tables of single checks and of the end of a batch; `None` where scalars are faster.
    pub packed: Option<Box<dyn PackedChecks<B>>>,
}

/// Checks and prepares a key on a back-end.
struct Prepare<'a> {
    bytes: &'a [u8],
    lanes: LaneBackend,
}

impl BackendWork for Prepare<'_> {
    type Output = Result<Box<dyn Checks>, KeyError>;
    fn run<B: Backend>(self) -> Self::Output {
        Ok(Box::new(Prepared::<B>::from_bytes(self.bytes, self.lanes)?))
    }
}

/// Makes the tables of batches.
struct Lanes<'a, B: Backend> {
    gamma: &'a PreparedG2<Fp<B>>,
    delta: &'a PreparedG2<Fp<B>>,
    least: LeastMembers,
}

impl<B: Backend> BaseLanesWork for Lanes<'_, B> {
    type Output = Box<dyn BatchLanes<B>>;
    fn run<F: BaseLanes>(self) -> Self::Output {
        Box::new(LaneTables::<F>::new(self.gamma, self.delta, self.least))
    }
}

/// Makes the tables of single checks.
struct Packed<'a, B: Backend> {
    gamma: &'a PreparedG2<Fp<B>>,
    delta: &'a PreparedG2<Fp<B>>,
    alpha_beta: &'a Fp12<Fp<B>>,
}

impl<B: Backend> FourLanesWork for Packed<'_, B> {
    type Output = Box<dyn PackedChecks<B>>;
    fn run<F: FourLanes>(self) -> Self::Output {
        let Self {
            gamma,
            delta,
            alpha_beta,
        } = self;
        Box::new(PackedKey::<F>::new(gamma, delta, alpha_beta))
    }
}

impl PreparedKey {
    /// Checks and prepares a key laid out as [`encoding`] says.
    ///
    /// # Errors
    /// The first fault in the order of the bytes; for one point in the order coordinate range,
    /// infinity, curve, subgroup. If every point is valid, a relation that lets anyone forge proofs,
    /// see [`KeyError::Related`]; [`key_faults`](super::key_faults) looks for more of them. IC points may be infinity.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        Self::on(field::arithmetic(), bytes)
    }

    /// [`PreparedKey::from_bytes`] on an arithmetic that runs here, whatever is in use.
    pub(super) fn on(arithmetic: Arithmetic, bytes: &[u8]) -> Result<Self, KeyError> {
        let lanes = arithmetic.lanes();
        let checks = on_backend(arithmetic.scalar(), Prepare { bytes, lanes })?;
        Ok(Self { arithmetic, checks })
    }

    /// Number of public inputs.
    pub fn input_count(&self) -> usize {
        self.checks.input_count()
    }

    /// The arithmetic that verifies under this key.
    pub fn arithmetic(&self) -> Arithmetic {
        self.arithmetic
    }

    /// Bytes of the tables for the inputs.
    pub fn table_bytes(&self) -> usize {
        self.checks.table_bytes()
    }
}

/// The points of a key, each of them valid.
pub(super) struct KeyPoints<B: Backend> {
    /// α, not infinity.
    pub alpha: G1Affine<B>,
    /// β, γ and δ, not infinity.
    pub g2: [G2Affine<Fp<B>>; 3],
    /// At least one; each may be infinity.
    pub ic: Vec<G1Affine<B>>,
}

impl<B: Backend> KeyPoints<B> {
    /// Decodes and checks the points in the order of their bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
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
        let ic = ic
            .chunks_exact(G1_BYTES)
            .enumerate()
            .map(|(index, point)| g1(point, KeyPoint::Ic(index)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            alpha,
            g2: [beta, gamma, delta],
            ic,
        })
    }
}

impl<B: Backend> Prepared<B> {
    fn from_bytes(bytes: &[u8], lane_backend: LaneBackend) -> Result<Self, KeyError> {
        let KeyPoints {
            alpha,
            g2: [beta, gamma, delta],
            ic: points,
        } = KeyPoints::<B>::from_bytes(bytes)?;
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
            lanes: Self::lanes(lane_backend, &gamma, &delta),
            packed: on_four_lanes(
                lane_backend,
                Packed {
                    gamma: &gamma,
                    delta: &delta,
                    alpha_beta: &alpha_beta,
                },
            ),
            gamma,
            delta,
        })
    }

    fn lanes(
        lane_backend: LaneBackend,
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
    ) -> Box<dyn BatchLanes<B>> {
        let tables = |lanes: LaneBackend| Lanes {
            gamma,
            delta,
            least: lanes.least_members(),
        };
        on_base_lanes(lane_backend, tables(lane_backend))
            .unwrap_or_else(|| tables(LaneBackend::None).run::<Fp<B>>())
    }

    /// The final exponentiation of one value, `None` for 0.
    pub(super) fn final_exponentiation(&self, f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>> {
        match &self.packed {
            Some(packed) => packed.final_exponentiation(f),
            None => final_exponentiation(f),
        }
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
