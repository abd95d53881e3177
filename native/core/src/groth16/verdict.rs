//! The verdict of a proof, and the errors of a call that does not consist of proofs.

/// The answer for one proof. The numbers are fixed: they are the verdict bytes of a batch. 0 is none of
/// them, so that memory that was never written is not read as a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Verdict {
    /// The equation holds.
    Valid = 1,
    /// Well-formed, and the equation does not hold.
    False = 2,
    /// Words 4 to 7 are zero and words 0 to 3 are not a compressed proof.
    Decompression = 3,
    /// A coordinate is not below p.
    CoordinateRange = 4,
    /// A, B or C does not satisfy the equation of its curve.
    PointNotOnCurve = 5,
    /// B is on the twist and not in the subgroup of order r.
    PointNotInSubgroup = 6,
    /// A public input is not below r.
    InputRange = 7,
}

impl Verdict {
    /// Every verdict, in the order of the numbers.
    pub const ALL: [Self; 7] = [
        Self::Valid,
        Self::False,
        Self::Decompression,
        Self::CoordinateRange,
        Self::PointNotOnCurve,
        Self::PointNotInSubgroup,
        Self::InputRange,
    ];

    /// The verdict of a byte, `None` for 0 and for unknown bytes.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            1..=7 => Some(Self::ALL[byte as usize - 1]),
            _ => None,
        }
    }

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
    /// The batch is not a whole number of members.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_a_verdict_unless_it_is_0_or_unknown() {
        assert_eq!(Verdict::from_byte(0), None);
        for verdict in Verdict::ALL {
            assert_eq!(Verdict::from_byte(verdict as u8), Some(verdict));
        }
        let next = Verdict::ALL.len() as u8 + 1;
        assert!((next..=u8::MAX).all(|byte| Verdict::from_byte(byte).is_none()));
    }
}
