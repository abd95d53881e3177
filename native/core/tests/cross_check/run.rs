//! A run: each case of a range through each implementation, by itself and in batches.

use std::time::Instant;

use proofgate_core::calls::select_arithmetic;
use proofgate_core::groth16::{verify, verify_batch, verify_each, PreparedKey, Verdict};

use crate::block::{cases, sequence_of, Case, Subject};
use crate::progress::Progress;
use crate::support::ark::verdict;
use crate::support::Sequence;

/// Inputs of the keys; those of the service have 4 (World ID 3.0) and 15 (World ID 4.0).
pub const INPUT_COUNTS: [usize; 6] = [4, 4, 15, 1, 0, 9];

/// Name of arkworks in the place of an arithmetic.
pub const ARKWORKS: &str = "arkworks";

/// The cases of a run and the implementations that check them.
pub struct Run {
    /// Names of arithmetics, and perhaps [`ARKWORKS`].
    pub names: Vec<String>,
    /// Inputs of each key.
    pub input_counts: Vec<usize>,
    /// Seed of the cases, together with the number of a block.
    pub seed: u64,
    /// Cases of a block.
    pub block: u64,
    /// The first case, a multiple of `block`.
    pub from: u64,
    /// The case after the last.
    pub to: u64,
}

/// A case that an implementation answers wrongly, and where.
struct Place<'a> {
    name: &'a str,
    company: String,
    case: u64,
}

impl Run {
    /// Title that distinguishes this run from others.
    pub fn title(&self) -> String {
        let Self {
            names,
            input_counts,
            seed,
            block,
            from,
            to,
        } = self;
        format!(
            "{}, seed {seed}, cases {from}..{to} in blocks of {block}, inputs {input_counts:?}",
            names.join(" ")
        )
    }

    /// Continues from `progress`, which is saved after each block.
    pub fn go_on(&self, progress: &mut Progress, mut report: impl FnMut(&Progress)) {
        let subjects: Vec<_> = self
            .input_counts
            .iter()
            .copied()
            .map(Subject::new)
            .collect();
        let keys: Vec<_> = self
            .names
            .iter()
            .map(|name| (name.as_str(), prepared(name, &subjects)))
            .collect();
        while progress.next < self.to {
            let start = Instant::now();
            let count = self.block.min(self.to - progress.next) as usize;
            let mut sequence = sequence_of(self.seed, progress.next / self.block);
            let (subject, cases) = cases(&subjects, count, &mut sequence);
            let batches = batches(count, &mut sequence);
            for case in &cases {
                progress.verdicts[case.expected as usize - 1] += 1;
            }
            for (name, keys) in &keys {
                match keys {
                    Some(keys) => ours(name, &keys[subject], &cases, &batches, progress),
                    None => arkworks(name, &subjects[subject], &cases, progress),
                }
            }
            progress.next += count as u64;
            progress.seconds += start.elapsed().as_secs_f64();
            progress.keep();
            report(progress);
        }
    }
}

/// The keys under one arithmetic; none for arkworks.
fn prepared(name: &str, subjects: &[Subject]) -> Option<Vec<PreparedKey>> {
    if name == ARKWORKS {
        return None;
    }
    select_arithmetic(name).expect("an arithmetic of this processor");
    let keys = subjects.iter().map(|subject| {
        let key = PreparedKey::from_bytes(&subject.key.bytes()).expect("a key");
        assert_eq!(key.arithmetic().name(), name);
        key
    });
    Some(keys.collect())
}

/// Seeds and sizes of batches: mostly up to 200, some small ones, some of more than are combined.
fn batches(count: usize, sequence: &mut Sequence) -> Vec<([u8; 32], usize)> {
    let mut rest = count;
    let mut batches = Vec::new();
    while rest > 0 {
        let most = [9, 9, 64, 200, 200, 200, 200, 600][sequence.below(8)];
        let size = (1 + sequence.below(most)).min(rest);
        batches.push((sequence.bytes(), size));
        rest -= size;
    }
    batches
}

fn ours(
    name: &str,
    key: &PreparedKey,
    cases: &[Case],
    batches: &[([u8; 32], usize)],
    progress: &mut Progress,
) {
    let first = progress.next;
    for (case, number) in cases.iter().zip(first..) {
        let (proof, inputs) = case.bytes.split_first_chunk().expect("a proof");
        let found = verify(key, proof, inputs).expect("whole inputs") as u8;
        progress.singles += 1;
        let company = "alone".to_owned();
        let place = Place {
            name,
            company,
            case: number,
        };
        compare(case, found, place, progress);
    }
    let mut start = 0;
    for (seed, size) in batches {
        let members = &cases[start..start + size];
        let bytes: Vec<_> = members.iter().map(|case| &case.bytes[..]).collect();
        // a quarter of the batches is not combined
        let (found, way) = match seed[0] % 4 {
            0 => (verify_each(key, &bytes.concat()), "singly "),
            _ => (verify_batch(key, &bytes.concat(), seed), ""),
        };
        let found = found.expect("whole members");
        assert_eq!(found.len(), *size);
        progress.batches += 1;
        progress.members += *size as u64;
        for (place, (case, found)) in members.iter().zip(found).enumerate() {
            let company = format!("{way}in {size} from {}", first + start as u64);
            let case_number = first + (start + place) as u64;
            let place = Place {
                name,
                company,
                case: case_number,
            };
            compare(case, found, place, progress);
        }
        start += size;
    }
}

fn arkworks(name: &str, subject: &Subject, cases: &[Case], progress: &mut Progress) {
    let first = progress.next;
    for (case, number) in cases.iter().zip(first..) {
        let (proof, inputs) = case.bytes.split_first_chunk().expect("a proof");
        let found = match case.is_by_arkworks {
            true => case.expected,
            false => verdict(&subject.key, proof, inputs),
        };
        progress.singles += 1;
        let company = "alone".to_owned();
        let place = Place {
            name,
            company,
            case: number,
        };
        compare(case, found as u8, place, progress);
    }
}

fn compare(case: &Case, found: u8, place: Place, progress: &mut Progress) {
    if found == case.expected as u8 {
        return;
    }
    let Place {
        name,
        company,
        case: number,
    } = place;
    let code = |byte: u8| Verdict::from_byte(byte).map(Verdict::code);
    let bytes: String = case
        .bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let text = format!(
        "case {number} ({}), {name} {company}: {:?} instead of {:?}; {bytes}",
        case.class,
        code(found),
        case.expected.code(),
    );
    println!("{text}");
    progress.disagreements.push(text);
}
