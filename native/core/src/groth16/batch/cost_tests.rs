//! What batches of bad proofs cost, in instructions that multiply, against a valid batch of the same size
//! (src/docs/spec/engine.md#cost-of-bad-proofs).

use crate::field::count::instructions_of;
use crate::field::Arithmetic;
use crate::groth16::{verify_batch, verify_each, PreparedKey};
use crate::test_support::classes::{Material, CLASSES};
use crate::test_support::trapdoor::Trapdoor;
use crate::test_support::Sequence;

/// The most that a batch may cost whose members are combined.
const COMBINED_MAX: f64 = 4.5;

/// The most that it may cost if each member is checked by itself, as those of suspected sources are.
const SINGLY_MAX: f64 = 3.5;

/// The dearest false proofs, and the dearest that are not in the subgroup.
const FALSE: &str = "C + G1, compressed";
const OUTSIDE: &str = "B outside the subgroup, compressed";

/// The classes whose members reach the pairing or another loop: one of each kind, for slow arithmetics.
const COSTLY: [&str; 8] = [
    FALSE,
    OUTSIDE,
    "valid, compressed",
    "valid, A at infinity",
    "valid, B at infinity",
    "valid, C at infinity",
    "all zero",
    "an input respelled, alone or behind another fault",
];

/// Makes members and knows what a batch of them costs.
struct Costs {
    key: PreparedKey,
    trapdoor: Trapdoor,
    sequence: Sequence,
}

impl Costs {
    fn on(arithmetic: Arithmetic) -> Self {
        let trapdoor = Trapdoor::new(4);
        let key = PreparedKey::on(arithmetic, &trapdoor.key().bytes());
        Self {
            key: key.expect("a key"),
            trapdoor,
            sequence: Sequence::new(5),
        }
    }

    fn members(&mut self, class: &str, count: usize) -> Vec<Vec<u8>> {
        let make = CLASSES.iter().find(|(name, _)| *name == class);
        let (_, make) = make.expect("a class with this name");
        (0..count)
            .map(|_| {
                let [a, b] = [(); 2].map(|()| self.sequence.fr());
                let x = [(); 4].map(|()| self.sequence.fr()).to_vec();
                let case = make(&mut Material {
                    trapdoor: &self.trapdoor,
                    a,
                    b,
                    x,
                    sequence: &mut self.sequence,
                });
                [&case.proof[..], &case.inputs].concat()
            })
            .collect()
    }

    /// `count` members of a class among those of another, spread over a batch of `size`.
    fn among(&mut self, others: &str, class: &str, count: usize, size: usize) -> Vec<Vec<u8>> {
        let mut members = self.members(others, size);
        for (i, member) in self.members(class, count).into_iter().enumerate() {
            // an odd step reaches every position of a size that is a power of two
            members[(i * 37 + 11) % size] = member;
        }
        members
    }

    fn combined(&self, members: &[Vec<u8>]) -> u64 {
        instructions_of(|| drop(verify_batch(&self.key, &members.concat(), &[9; 32])))
    }

    fn singly(&self, members: &[Vec<u8>]) -> u64 {
        instructions_of(|| drop(verify_each(&self.key, &members.concat())))
    }

    /// Compares the costs of batches of one class, and of those with one in so many of another class, with that
    /// of a valid one.
    fn are_bounded(&mut self, size: usize, classes: &[&str], shares: &[usize]) {
        let valid = self.members("valid", size);
        let valid = self.combined(&valid) as f64;
        let of_one_class = classes
            .iter()
            .map(|class| (class.to_string(), self.members(class, size)));
        let mut batches: Vec<_> = of_one_class.collect();
        for share in shares {
            for (others, class) in [("valid", FALSE), ("valid", OUTSIDE), (FALSE, OUTSIDE)] {
                let members = self.among(others, class, size / share, size);
                batches.push((format!("1/{share} {class}, others {others}"), members));
            }
        }
        for (name, members) in &batches {
            let combined = self.combined(members) as f64 / valid;
            let singly = self.singly(members) as f64 / valid;
            println!("{size}: {combined:.2} combined, {singly:.2} singly: {name}");
            assert!(combined <= COMBINED_MAX, "{name}: {combined:.2}");
            assert!(singly <= SINGLY_MAX, "{name}: {singly:.2}");
        }
    }
}

#[test]
fn costs_are_bounded_in_scalars() {
    let classes = CLASSES.map(|(name, _)| name);
    let mut costs = Costs::on(Arithmetic::Portable);
    costs.are_bounded(64, &classes, &[64, 16, 8, 4, 2]);
    costs.are_bounded(256, &[FALSE], &[16]);
}

/// Compares the costs of large and of small batches in lanes.
fn are_bounded_in_lanes(emulated: Arithmetic) {
    let mut costs = Costs::on(emulated);
    costs.are_bounded(64, &COSTLY, &[64, 8]);
    costs.are_bounded(16, &COSTLY, &[16]);
}

#[test]
#[cfg_attr(
    not(target_arch = "x86_64"),
    ignore = "counts are the same on every processor"
)]
fn costs_are_bounded_in_eight_lanes() {
    are_bounded_in_lanes(Arithmetic::IfmaEmulated);
}

#[test]
#[cfg_attr(
    not(target_arch = "x86_64"),
    ignore = "counts are the same on every processor"
)]
fn costs_are_bounded_in_four_lanes() {
    are_bounded_in_lanes(Arithmetic::Avx2Emulated);
}
