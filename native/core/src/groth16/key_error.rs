//! Why a verifying key is refused.

use core::fmt;

use super::key_faults::weighted;

const FORGEABLE: &str = ", so that anyone can forge proofs of any statement";

/// A point of a verifying key or a generator; its text is `alpha`, `beta`, `gamma`, `delta`, `ic[3]`
/// or `the generator of G2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPoint {
    /// α in G1.
    Alpha,
    /// β in G2.
    Beta,
    /// γ in G2.
    Gamma,
    /// δ in G2.
    Delta,
    /// IC of this index in G1.
    Ic(usize),
    /// (1, 2).
    GeneratorG1,
    /// The generator of G2 (EIP-197).
    GeneratorG2,
}

impl fmt::Display for KeyPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alpha => formatter.write_str("alpha"),
            Self::Beta => formatter.write_str("beta"),
            Self::Gamma => formatter.write_str("gamma"),
            Self::Delta => formatter.write_str("delta"),
            Self::Ic(index) => write!(formatter, "ic[{index}]"),
            Self::GeneratorG1 => formatter.write_str("the generator of G1"),
            Self::GeneratorG2 => formatter.write_str("the generator of G2"),
        }
    }
}

/// A refused verifying key: the first fault in the order of its bytes, and a relation between points
/// where each of them is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyError {
    /// Not 448 + 64·(n + 1) bytes with n from 0 to 1024.
    Length {
        /// Bytes found.
        found: usize,
    },
    /// A coordinate is not below p.
    CoordinateRange(KeyPoint),
    /// The point does not satisfy the equation of its curve.
    PointNotOnCurve(KeyPoint),
    /// The point is on the twist and not in the subgroup of order r.
    PointNotInSubgroup(KeyPoint),
    /// α, β, γ or δ is the point at infinity.
    PointAtInfinity(KeyPoint),
    /// A point is a known small multiple of another one, so that anyone can forge proofs.
    Related {
        /// The multiple.
        point: KeyPoint,
        /// The other point.
        to: KeyPoint,
        /// The factor.
        factor: i64,
    },
    /// β, γ and δ with these factors add up to the point at infinity, so that anyone can forge proofs.
    Sum([i64; 3]),
}

impl KeyError {
    /// The stable code, `key.…`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "key.length",
            Self::CoordinateRange(_) => "key.coordinate_range",
            Self::PointNotOnCurve(_) => "key.point_not_on_curve",
            Self::PointNotInSubgroup(_) => "key.point_not_in_subgroup",
            Self::PointAtInfinity(_) => "key.point_at_infinity",
            Self::Related { .. } | Self::Sum(_) => "key.forgeable",
        }
    }

    /// The point at fault, if it is a single one.
    pub const fn point(&self) -> Option<KeyPoint> {
        match self {
            Self::Length { .. } | Self::Related { .. } | Self::Sum(_) => None,
            Self::CoordinateRange(point)
            | Self::PointNotOnCurve(point)
            | Self::PointNotInSubgroup(point)
            | Self::PointAtInfinity(point) => Some(*point),
        }
    }
}

impl fmt::Display for KeyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found } => write!(
                formatter,
                "expected 448 + 64·(n + 1) bytes, n from 0 to 1024, got {found}"
            ),
            Self::CoordinateRange(point) => {
                write!(formatter, "{point}: a coordinate is not below p")
            }
            Self::PointNotOnCurve(point) => write!(formatter, "{point}: not on its curve"),
            Self::PointNotInSubgroup(point) => {
                write!(formatter, "{point}: not in the subgroup of order r")
            }
            Self::PointAtInfinity(point) => write!(formatter, "{point}: the point at infinity"),
            Self::Related { point, to, factor } => {
                match factor {
                    1 => write!(formatter, "{point} equals {to}"),
                    -1 => write!(formatter, "{point} is the negative of {to}"),
                    _ => write!(formatter, "{point} is {factor} times {to}"),
                }?;
                formatter.write_str(FORGEABLE)
            }
            Self::Sum(factors) => {
                let points = [KeyPoint::Beta, KeyPoint::Gamma, KeyPoint::Delta];
                let terms: Vec<_> = points
                    .into_iter()
                    .zip(*factors)
                    .filter(|(_, factor)| *factor != 0)
                    .collect();
                write!(formatter, "{}{FORGEABLE}", weighted(&terms))
            }
        }
    }
}

impl std::error::Error for KeyError {}
