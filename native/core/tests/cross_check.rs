//! Both back-ends against arkworks over known-trapdoor proofs: valid ones and every way to be
//! wrong. 2,000 cases; `CASES=100000` makes it longer, `SEED=…` another one.

mod support;

use proofgate_core::field::select_arithmetic;
use proofgate_core::groth16::{verify, PreparedKey};
use support::ark::{verdict, Key};
use support::classes::{Material, CLASSES};
use support::trapdoor::Trapdoor;
use support::Sequence;

/// A key on every back-end and in arkworks.
struct Subject {
    trapdoor: Trapdoor,
    key: Key,
    prepared: Vec<(&'static str, PreparedKey)>,
}

impl Subject {
    fn new(input_count: usize) -> Self {
        let trapdoor = Trapdoor::new(input_count);
        let key = trapdoor.key();
        let bytes = key.bytes();
        let prepared = ["portable", "adx"]
            .into_iter()
            .filter(|name| select_arithmetic(name).is_ok())
            .map(|name| {
                select_arithmetic(name).expect("it worked before");
                let key = PreparedKey::from_bytes(&bytes).expect("a key");
                assert_eq!(key.arithmetic().name(), name);
                (name, key)
            })
            .collect();
        Self {
            trapdoor,
            key,
            prepared,
        }
    }
}

fn number_from(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(text) => text.parse().expect("a decimal number"),
        Err(_) => default,
    }
}

#[test]
fn back_ends_and_arkworks_agree_on_every_class() {
    let cases = number_from("CASES", 2_000) as usize;
    let mut sequence = Sequence::new(number_from("SEED", 0x5eed));
    let subjects = [4, 4, 4, 1, 0, 9].map(Subject::new);
    let mut disagreements = 0;
    let mut unforetold = [0; 7];
    for number in 0..cases {
        let (name, class) = CLASSES[number % CLASSES.len()];
        let subject = &subjects[sequence.below(subjects.len())];
        let input_count = subject.trapdoor.ic.len() - 1;
        let mut material = Material {
            trapdoor: &subject.trapdoor,
            a: sequence.fr(),
            b: sequence.fr(),
            x: (0..input_count).map(|_| sequence.fr()).collect(),
            sequence: &mut sequence,
        };
        let case = class(&mut material);
        let reference = verdict(&subject.key, &case.proof, &case.inputs);
        match case.foretold {
            Some(foretold) => assert_eq!(reference, foretold, "reference, case {number}: {name}"),
            None => unforetold[reference as usize] += 1,
        }
        for (back_end, key) in &subject.prepared {
            let found = verify(key, &case.proof, &case.inputs).expect("whole inputs");
            if found != reference {
                disagreements += 1;
                println!("case {number}, {name}: {back_end} {found:?}, arkworks {reference:?}");
            }
        }
    }
    let back_ends: Vec<_> = subjects[0].prepared.iter().map(|(name, _)| *name).collect();
    println!(
        "cross-check: {cases} cases in {} classes, {} and arkworks, {disagreements} disagreements",
        CLASSES.len(),
        back_ends.join(", ")
    );
    println!("verdicts of the cases that foretell none, by number: {unforetold:?}");
    assert_eq!(disagreements, 0);
}
