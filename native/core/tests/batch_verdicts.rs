//! Batches on every arithmetic of this processor: each member gets the verdict of the single check,
//! in every company and for every seed.

mod support;

use std::cell::Cell;
use std::sync::Mutex;

use ark_bn254::Fr;
use ark_ec::CurveGroup;
use proofgate_core::calls::{select_arithmetic, Arithmetic};
use proofgate_core::groth16::{verify, verify_batch, verify_each, PreparedKey, Verdict};
use support::classes::{Material, CLASSES};
use support::files::{real_proofs, semaphore_key};
use support::trapdoor::{g1, input_bytes, Points, Trapdoor};
use support::{small_order, Sequence};

/// A proof, its inputs, and the verdict of the single check.
#[derive(Clone)]
struct Member {
    bytes: Vec<u8>,
    single: Verdict,
}

/// One key on every arithmetic.
struct Subject {
    keys: Vec<(&'static str, PreparedKey)>,
    members: Cell<usize>,
    calls: Cell<usize>,
}

/// Members of the batches that are checked without a combination, too.
const SINGLY_MAX: usize = 20;

/// [`SINGLY_MAX`] of the emulated arithmetics, and the size of their small batches.
const SLOW_MAX: usize = 9;

/// The arithmetic is chosen for the whole process while keys are prepared.
static CHOOSING: Mutex<()> = Mutex::new(());

impl Subject {
    fn new(key: &[u8]) -> Self {
        let _chosen = CHOOSING
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let keys = Arithmetic::ALL
            .into_iter()
            .filter(|arithmetic| arithmetic.is_supported())
            .map(|arithmetic| {
                select_arithmetic(arithmetic.name()).expect("supported");
                let key = PreparedKey::from_bytes(key).expect("a key");
                assert_eq!(key.arithmetic(), arithmetic);
                (arithmetic.name(), key)
            })
            .collect();
        Self {
            keys,
            members: Cell::new(0),
            calls: Cell::new(0),
        }
    }

    /// A member with its verdict alone, in which every arithmetic agrees; emulated ones, which are slow,
    /// check every fourth.
    fn member(&self, proof: &[u8; 256], inputs: &[u8]) -> Member {
        let single = verify(&self.keys[0].1, proof, inputs).expect("whole inputs");
        let members = self.members.get();
        self.members.set(members + 1);
        for (name, key) in &self.keys {
            if is_slow(name) && !members.is_multiple_of(4) {
                continue;
            }
            assert_eq!(verify(key, proof, inputs), Ok(single), "{name}");
        }
        Member {
            bytes: [proof, inputs].concat(),
            single,
        }
    }

    /// Checks the members as one batch on every arithmetic, combined and, where they are few, each by
    /// itself. Emulated ones take part in every third small batch and in the beginning of every ninth other.
    fn agrees(&self, members: &[&Member], seed: [u8; 32]) {
        let calls = self.calls.get();
        self.calls.set(calls + 1);
        for (name, key) in &self.keys {
            let is_slow = is_slow(name);
            let every = if members.len() > SLOW_MAX { 9 } else { 3 };
            if is_slow && !calls.is_multiple_of(every) {
                continue;
            }
            let count = members.len().min(if is_slow { 12 } else { usize::MAX });
            let members = &members[..count];
            let expected: Vec<_> = members.iter().map(|member| member.single as u8).collect();
            let bytes = members.iter().map(|member| &member.bytes[..]);
            let bytes = bytes.collect::<Vec<_>>().concat();
            let found = verify_batch(key, &bytes, &seed);
            assert_eq!(found, Ok(expected.clone()), "{name}, {count} members");
            if count <= if is_slow { SLOW_MAX } else { SINGLY_MAX } {
                let found = verify_each(key, &bytes);
                assert_eq!(found, Ok(expected), "{name}, {count} members singly");
            }
        }
    }
}

fn is_slow(name: &str) -> bool {
    name.ends_with("-emulated")
}

/// A key of known scalars on every arithmetic, and the trapdoor that makes its proofs.
struct Maker {
    subject: Subject,
    trapdoor: Trapdoor,
    sequence: Sequence,
}

impl Maker {
    fn new(input_count: usize, seed: u64) -> Self {
        Self::under(Trapdoor::new(input_count), seed)
    }

    fn under(trapdoor: Trapdoor, seed: u64) -> Self {
        Self {
            subject: Subject::new(&trapdoor.key().bytes()),
            trapdoor,
            sequence: Sequence::new(seed),
        }
    }

    fn inputs(&mut self) -> Vec<Fr> {
        (1..self.trapdoor.ic.len())
            .map(|_| self.sequence.fr())
            .collect()
    }

    fn of_class(&mut self, number: usize) -> Member {
        let x = self.inputs();
        let case = CLASSES[number].1(&mut Material {
            trapdoor: &self.trapdoor,
            a: self.sequence.fr(),
            b: self.sequence.fr(),
            x,
            sequence: &mut self.sequence,
        });
        let member = self.subject.member(&case.proof, &case.inputs);
        assert!(case
            .foretold
            .is_none_or(|foretold| foretold == member.single));
        member
    }

    fn valid(&mut self) -> (Points, Vec<Fr>) {
        let (a, b, x) = (self.sequence.fr(), self.sequence.fr(), self.inputs());
        (self.trapdoor.prove(a, b, &x), x)
    }

    fn member(&self, (points, x): &(Points, Vec<Fr>)) -> Member {
        self.subject.member(&points.bytes(), &input_bytes(x))
    }

    /// The members as one batch, for some seeds.
    fn agrees(&mut self, members: &[Member]) {
        let members: Vec<_> = members.iter().collect();
        for _ in 0..2 {
            let seed = self.sequence.bytes();
            self.subject.agrees(&members, seed);
        }
    }
}

#[test]
fn batches_of_one_class() {
    let mut maker = Maker::new(3, 91);
    for number in 0..CLASSES.len() {
        let members: Vec<_> = (0..36).map(|_| maker.of_class(number)).collect();
        maker.agrees(&members);
        maker.agrees(&members[..SINGLY_MAX - number % 4]);
    }
}

#[test]
fn third_party_proofs_in_batches_of_every_size() {
    let mut sequence = Sequence::new(71);
    let subject = Subject::new(&semaphore_key("30"));
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for entry in real_proofs().iter().filter(|entry| entry.depth == "30") {
        good.push(subject.member(&entry.proof, &entry.inputs));
        if let Some(compressed) = &entry.compressed {
            good.push(subject.member(compressed, &entry.inputs));
        }
        let mut inputs = entry.inputs.clone();
        inputs[32 * sequence.below(4) + 31] ^= 1;
        bad.push(subject.member(&entry.proof, &inputs));
        let mut proof = entry.proof;
        proof[sequence.below(256)] ^= 1;
        bad.push(subject.member(&proof, &entry.inputs));
    }
    assert!(good.iter().all(|member| member.single == Verdict::Valid));
    assert!(bad.iter().all(|member| member.single != Verdict::Valid));
    for size in 1..=70 {
        let bad_share = [1000, 64, 8, 2][size % 4];
        let members: Vec<_> = (0..size)
            .map(|_| {
                let from = if sequence.below(bad_share) == 0 {
                    &bad
                } else {
                    &good
                };
                &from[sequence.below(from.len())]
            })
            .collect();
        subject.agrees(&members, sequence.bytes());
    }
}

#[test]
fn random_mixes_of_all_classes() {
    for (input_count, seed) in [(4, 1), (1, 2), (0, 3), (9, 4)] {
        let mut maker = Maker::new(input_count, seed);
        let pool: Vec<_> = (0..CLASSES.len())
            .map(|class| maker.of_class(class))
            .collect();
        let valid: Vec<_> = (0..8).map(|_| maker.of_class(0)).collect();
        for size in [2, 3, 4, 7, 9, 16, 17, 40] {
            for bad_share in [1, 2, 20] {
                let members: Vec<_> = (0..size)
                    .map(|_| {
                        let from = if maker.sequence.below(bad_share) == 0 {
                            &pool
                        } else {
                            &valid
                        };
                        &from[maker.sequence.below(from.len())]
                    })
                    .collect();
                let seed = maker.sequence.bytes();
                maker.subject.agrees(&members, seed);
            }
        }
        // every class next to every other one, and each kind alone
        let all: Vec<_> = pool.iter().collect();
        maker.subject.agrees(&all, [1; 32]);
        for member in &pool {
            maker.subject.agrees(&[member; 5], [2; 32]);
            maker.subject.agrees(&[&valid[0], member], [3; 32]);
        }
    }
}

#[test]
fn errors_that_cancel_without_randomisers_are_found() {
    let mut maker = Maker::new(4, 11);
    let mut members: Vec<_> = (0..6)
        .map(|_| {
            let proof = maker.valid();
            maker.member(&proof)
        })
        .collect();
    let delta = g1(maker.sequence.fr());
    for sign in [delta, -delta] {
        let (points, x) = maker.valid();
        let c = (points.c + sign).into_affine();
        members.push(maker.member(&(Points { c, ..points }, x)));
    }
    // side by side, in one lane of eight, in one lane of four
    members.swap(1, 6);
    maker.agrees(&members);
    let valid = members[0].clone();
    for distance in [4, 8, 16] {
        let mut far = vec![valid.clone(); distance - 1];
        far.insert(0, members[1].clone());
        far.push(members[7].clone());
        maker.agrees(&far);
    }
}

#[test]
fn equal_and_opposite_points_share_batches() {
    let mut maker = Maker::new(2, 12);
    let (points, x) = maker.valid();
    let negated = Points {
        a: -points.a,
        b: -points.b,
        c: points.c,
    };
    let opposite_c = Points {
        c: -points.c,
        ..points.clone()
    };
    let one = maker.member(&(points.clone(), x.clone()));
    let other = maker.member(&(negated, x.clone()));
    let wrong = maker.member(&(opposite_c, x.clone()));
    // where the sums of the C begin
    let start = maker.member(&(
        Points {
            c: g1(Fr::from(1u64)),
            ..points.clone()
        },
        x.clone(),
    ));
    let end = maker.member(&(
        Points {
            c: -g1(Fr::from(1u64)),
            ..points
        },
        x,
    ));
    assert_eq!([one.single, other.single], [Verdict::Valid; 2]);
    assert_eq!(
        [wrong.single, start.single, end.single],
        [Verdict::False; 3]
    );
    for count in [2, 8, 40, 64] {
        maker.agrees(&vec![one.clone(); count]);
        for third in [&wrong, &start, &end] {
            let turn = [&one, &other, third];
            maker.agrees(&(0..count).map(|i| turn[i % 3].clone()).collect::<Vec<_>>());
            maker.agrees(
                &(0..count)
                    .map(|i| turn[i * 3 / count].clone())
                    .collect::<Vec<_>>(),
            );
        }
    }
}

#[test]
fn sums_of_inputs_meet_their_start_and_points_at_infinity() {
    let mut trapdoor = Trapdoor::new(3);
    let one = Fr::from(1u64);
    // the start of the sums, its inverse, and infinity
    trapdoor.ic[1..].copy_from_slice(&[one, -one, Fr::from(0u64)]);
    let mut maker = Maker::under(trapdoor, 17);
    let small = [0u64, 1, 2, 127, 128, 255, 256, 1 << 15].map(Fr::from);
    let members: Vec<_> = (0..20)
        .map(|i| {
            let x = match i % 4 {
                0 => maker.inputs(),
                _ => (0..3)
                    .map(|_| small[maker.sequence.below(8)] * [one, -one][i & 1])
                    .collect(),
            };
            let (a, b) = (maker.sequence.fr(), maker.sequence.fr());
            let mut points = maker.trapdoor.prove(a, b, &x);
            if i % 3 == 0 {
                points.c = g1(maker.sequence.fr());
            }
            maker.member(&(points, x))
        })
        .collect();
    maker.agrees(&members);
    for member in &members {
        maker.agrees(&vec![member.clone(); 3]);
    }
}

#[test]
fn members_outside_the_subgroup_do_not_affect_others() {
    let mut maker = Maker::new(1, 13);
    let valid: Vec<_> = (0..40)
        .map(|_| {
            let proof = maker.valid();
            maker.member(&proof)
        })
        .collect();
    let outside: Vec<_> = (0..40)
        .map(|i| {
            let (points, x) = maker.valid();
            let b = match small_order::ORDERS.get(i % 6) {
                Some(order) => small_order::of_order(&mut maker.sequence, *order),
                None => small_order::outside(&mut maker.sequence, &points.b),
            };
            maker.member(&(Points { b, ..points }, x))
        })
        .collect();
    let false_one = maker.of_class(11);
    assert!(outside
        .iter()
        .all(|member| member.single == Verdict::PointNotInSubgroup));
    for every in [1, 2, 3, 8, 13, 39] {
        let mut members: Vec<_> = (0..40)
            .map(|i| {
                if i % every == 0 {
                    &outside[i]
                } else {
                    &valid[i]
                }
                .clone()
            })
            .collect();
        maker.agrees(&members);
        members[1] = false_one.clone();
        members[38] = false_one.clone();
        maker.agrees(&members);
    }
}

#[test]
fn large_batches_and_keys() {
    let mut maker = Maker::new(4, 14);
    let pool: Vec<_> = (0..16).map(|_| maker.of_class(0)).collect();
    let mut members: Vec<_> = (0..600).map(|i| pool[i % 16].clone()).collect();
    members[3] = maker.of_class(11);
    members[255] = maker.of_class(26);
    members[256] = maker.of_class(12);
    members[599] = maker.of_class(24);
    let refs: Vec<_> = members.iter().collect();
    maker.subject.agrees(&refs, [9; 32]);

    let mut maker = Maker::new(1024, 15);
    let members: Vec<_> = [0, 0, 11, 0, 24, 1, 0]
        .map(|class| maker.of_class(class))
        .into();
    maker.agrees(&members);
}

#[test]
fn seeds_are_32_bytes_and_not_zero() {
    let mut maker = Maker::new(0, 16);
    let member = maker.of_class(0);
    let (_, key) = &maker.subject.keys[0];
    for seed in [&[0; 32][..], &[1; 31], &[1; 33], &[0; 1], &[]] {
        for count in [0, 1, 3] {
            let error = verify_batch(key, &member.bytes.repeat(count), seed);
            assert_eq!(error.expect_err("a bad seed").code(), "batch.seed");
        }
    }
}
