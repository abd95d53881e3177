//! Why a verifying key is refused.

use core::fmt;

/// A point of a verifying key; its text is `alpha`, `beta`, `gamma`, `delta` or `ic[3]`.
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
}

impl fmt::Display for KeyPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alpha => formatter.write_str("alpha"),
            Self::Beta => formatter.write_str("beta"),
            Self::Gamma => formatter.write_str("gamma"),
            Self::Delta => formatter.write_str("delta"),
            Self::Ic(index) => write!(formatter, "ic[{index}]"),
        }
    }
}

/// A refused verifying key: the first fault in the order of its bytes.
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
        }
    }

    /// The point at fault, where there is one.
    pub const fn point(&self) -> Option<KeyPoint> {
        match self {
            Self::Length { .. } => None,
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
        }
    }
}

impl std::error::Error for KeyError {}
