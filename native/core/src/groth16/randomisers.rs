//! The random multipliers of a batch.

use crate::curve::g1_lanes::{DigitLanes, MultiplierLanes, DIGITS, DIGIT_COUNT};
use crate::field::{Backend, Fr, PrimeLanes, GLV_LAMBDA};

/// Bytes of the seed of the random linear combination.
pub const SEED_BYTES: usize = 32;

/// Domain of the stream: no other use of the seed has it.
const DOMAIN: &[u8] = b"proofgate groth16 batch v1";

/// Bytes of a multiplier: two digits each.
const BYTES: usize = DIGIT_COUNT / 2;

/// a + b·λ with a = 4³² + …, see the digits of [`g1_lanes`](crate::curve::g1_lanes): 2¹²⁸ values,
/// equally likely, different modulo r, none of them 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Randomiser([u8; BYTES]);

/// The coordinates (a, b) of a sum of randomisers; |a|, |b| < 2⁶⁵·count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Exponent {
    pub a: i128,
    pub b: i128,
}

/// The multipliers of one batch, in the order of its members. The seed comes from the operating
/// system after the batch is fixed, so that no author of a member knows any of them.
pub(super) struct Randomisers(blake3::OutputReader);

impl Randomisers {
    pub(super) fn new(seed: &[u8; SEED_BYTES]) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(seed);
        hasher.update(DOMAIN);
        Self(hasher.finalize_xof())
    }

    pub(super) fn next(&mut self) -> Randomiser {
        let mut bytes = [0; BYTES];
        self.0.fill(&mut bytes);
        Randomiser(bytes)
    }
}

impl Randomiser {
    /// Digits by number, the most significant first.
    pub(super) fn digits(&self) -> impl Iterator<Item = usize> + '_ {
        self.0
            .iter()
            .flat_map(|byte| [usize::from(byte >> 4), usize::from(byte & 15)])
    }

    pub(super) fn exponent(&self) -> Exponent {
        self.digits()
            .map(|number| DIGITS[number])
            .fold(Exponent { a: 1, b: 0 }, |sum, (a, b)| Exponent {
                a: 4 * sum.a + i128::from(a),
                b: 4 * sum.b + i128::from(b),
            })
    }
}

impl Exponent {
    pub(super) fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
    }

    /// a + b·λ modulo r.
    pub(super) fn scalar<B: Backend>(&self) -> Fr<B> {
        let part = |number: i128| {
            let magnitude = number.unsigned_abs();
            let words = [magnitude as u64, (magnitude >> 64) as u64, 0, 0];
            let scalar = <Fr<B> as PrimeLanes>::from_words(&[words]);
            if number < 0 {
                -scalar
            } else {
                scalar
            }
        };
        const { assert!(GLV_LAMBDA[3] == 0) };
        part(self.a) + part(self.b) * Fr::<B>::from_canonical(GLV_LAMBDA)
    }
}

/// The digits of the randomisers, each in its lane; 0 in the other lanes.
pub(super) fn multiplier_lanes<'a>(
    randomisers: impl Iterator<Item = (usize, &'a Randomiser)>,
) -> MultiplierLanes {
    let mut digits = [DigitLanes::NONE; DIGIT_COUNT];
    for (lane, randomiser) in randomisers {
        for (digit, number) in digits.iter_mut().zip(randomiser.digits()) {
            digit.set(lane, number);
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Portable;
    use std::collections::BTreeSet;

    #[test]
    fn digits_are_the_residues_modulo_4() {
        let residues: BTreeSet<_> = DIGITS
            .iter()
            .map(|(a, b)| (a.rem_euclid(4), b.rem_euclid(4)))
            .collect();
        assert_eq!(residues.len(), 16);
        // the norm a² − ab + b² of the largest is 4
        assert!(DIGITS.iter().all(|(a, b)| a * a - a * b + b * b <= 4));
    }

    #[test]
    fn randomisers_are_never_0_and_differ() {
        let mut stream = Randomisers::new(&[7; 32]);
        let mut seen = BTreeSet::new();
        let extremes = (0..16u8).map(|digit| Randomiser([digit << 4 | digit; BYTES]));
        for randomiser in (0..1000).map(|_| stream.next()).chain(extremes) {
            let scalar = randomiser.exponent().scalar::<Portable>();
            assert!(!scalar.is_zero());
            assert!(seen.insert(scalar.to_canonical()));
            let Exponent { a, b } = randomiser.exponent();
            assert!(a.unsigned_abs() < 1 << 65 && b.unsigned_abs() < 1 << 65);
        }
    }

    #[test]
    fn streams_follow_from_their_seed() {
        let first = |seed| Randomisers::new(&[seed; 32]).next().0;
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
        let mut stream = Randomisers::new(&[1; 32]);
        assert_ne!(stream.next().0, stream.next().0);
    }
}
