//! Cases in blocks, each made from a seed of its own: one key, a share of bad ones, any mixture.

use ark_bn254::Fr;
use proofgate_core::groth16::Verdict;

use crate::support::ark::{verdict, Key};
use crate::support::classes::{Material, CLASSES};
use crate::support::trapdoor::Trapdoor;
use crate::support::Sequence;

/// Classes at the head of [`CLASSES`] whose cases are valid.
const VALID: usize = 11;

/// One bad case in so many of a block; where it is 1, each class has a case and all are as frequent.
const BAD_SHARES: [usize; 6] = [1, 1, 2, 8, 64, 100_000];

/// A key and its trapdoor, which makes proofs under it.
pub struct Subject {
    /// The scalars of the key.
    pub trapdoor: Trapdoor,
    /// Its points.
    pub key: Key,
}

impl Subject {
    /// The key with this many inputs.
    pub fn new(input_count: usize) -> Self {
        let trapdoor = Trapdoor::new(input_count);
        let key = trapdoor.key();
        Self { trapdoor, key }
    }
}

/// One case.
pub struct Case {
    /// Name of its class.
    pub class: &'static str,
    /// 256 bytes of the proof and 32 for each input.
    pub bytes: Vec<u8>,
    /// The verdict by construction, or else that of arkworks.
    pub expected: Verdict,
    /// Whether arkworks was asked for it already.
    pub is_by_arkworks: bool,
}

/// The random sequence of a block: its cases, then its batches.
pub fn sequence_of(seed: u64, block: u64) -> Sequence {
    // the output of splitmix64, so that neighbouring blocks have nothing in common
    let mut z = seed ^ (block + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Sequence::new((z ^ (z >> 31)).max(1))
}

fn input(sequence: &mut Sequence) -> Fr {
    match sequence.below(24) {
        0 => Fr::from(0u64),
        1 => Fr::from(1u64),
        2 => -Fr::from(1u64),
        3 => Fr::from(sequence.word()),
        _ => sequence.fr(),
    }
}

fn class(number: usize, sequence: &mut Sequence, bad_share: usize) -> usize {
    if bad_share == 1 && number < CLASSES.len() {
        return number;
    }
    if sequence.below(bad_share) == 0 {
        return sequence.below(CLASSES.len());
    }
    // Half of the valid classes have a point at infinity: most cases are of the plain one.
    let class = sequence.below(4 * VALID);
    if class < VALID {
        class
    } else {
        0
    }
}

/// The cases of a block under one of the keys, whose index is given too.
pub fn cases(subjects: &[Subject], count: usize, sequence: &mut Sequence) -> (usize, Vec<Case>) {
    let index = sequence.below(subjects.len());
    let Subject { trapdoor, key } = &subjects[index];
    let bad_share = BAD_SHARES[sequence.below(BAD_SHARES.len())];
    let cases = (0..count).map(|number| {
        let (class, make) = CLASSES[class(number, sequence, bad_share)];
        let mut material = Material {
            trapdoor,
            a: sequence.fr(),
            b: sequence.fr(),
            x: (1..trapdoor.ic.len()).map(|_| input(sequence)).collect(),
            sequence,
        };
        let case = make(&mut material);
        Case {
            class,
            bytes: [&case.proof, &case.inputs[..]].concat(),
            expected: case
                .foretold
                .unwrap_or_else(|| verdict(key, &case.proof, &case.inputs)),
            is_by_arkworks: case.foretold.is_none(),
        }
    });
    (index, cases.collect())
}
