//! What can be said of a proof, and of a call that names none.

/// The answer for one proof. The numbers are fixed: they cross the C and JavaScript boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Verdict {
    /// The equation holds.
    Valid = 0,
    /// Well-formed, and the equation does not hold.
    False = 1,
    /// Words 4 to 7 are zero and words 0 to 3 are no compressed proof.
    Decompression = 2,
    /// A coordinate is not below p.
    CoordinateRange = 3,
    /// A, B or C does not satisfy the equation of its curve.
    PointNotOnCurve = 4,
    /// B is on the twist and not in the subgroup of order r.
    PointNotInSubgroup = 5,
    /// A public input is not below r.
    InputRange = 6,
}

impl Verdict {
    /// Every verdict, at the index of its number.
    pub const ALL: [Self; 7] = [
        Self::Valid,
        Self::False,
        Self::Decompression,
        Self::CoordinateRange,
        Self::PointNotOnCurve,
        Self::PointNotInSubgroup,
        Self::InputRange,
    ];

    /// `valid`, `false`, or the code of the refusal.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::False => "false",
            Self::Decompression => "proof.decompression",
            Self::CoordinateRange => "proof.coordinate_range",
            Self::PointNotOnCurve => "proof.point_not_on_curve",
            Self::PointNotInSubgroup => "proof.point_not_in_subgroup",
            Self::InputRange => "input.range",
        }
    }
}

/// A call whose bytes do not divide into proofs and inputs of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// The batch is no whole number of members.
    Length {
        /// Bytes of one member: 256 + 32·n.
        member: usize,
        /// Bytes of the batch.
        found: usize,
    },
    /// The inputs of a single proof are not as many as the key has.
    InputCount {
        /// Bytes expected: 32·n.
        expected: usize,
        /// Bytes found.
        found: usize,
    },
    /// The seed is neither 32 bytes nor none, or all zero.
    Seed {
        /// Bytes found.
        found: usize,
    },
}

impl BatchError {
    /// `batch.length`, `input.count` or `batch.seed`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "batch.length",
            Self::InputCount { .. } => "input.count",
            Self::Seed { .. } => "batch.seed",
        }
    }
}

impl core::fmt::Display for BatchError {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Length { member, found } => write!(
                formatter,
                "expected a multiple of {member} bytes, got {found}"
            ),
            Self::InputCount { expected, found } => {
                write!(
                    formatter,
                    "expected {expected} bytes of inputs, got {found}"
                )
            }
            Self::Seed { found } => write!(
                formatter,
                "expected a seed of 32 random bytes, got {found} bytes or all zero"
            ),
        }
    }
}

impl std::error::Error for BatchError {}
