//! All arithmetics of this processor over known-trapdoor proofs, whose verdicts are known by
//! construction: valid ones and every way to be wrong, by themselves and in batches of any size,
//! and arkworks over the same cases. The long form is started by `.scripts/cross-check.sh`.

#[path = "../support/mod.rs"]
mod support;

mod block;
mod progress;
mod run;

use std::env::var;
use std::time::Instant;

use progress::Progress;
use proofgate_core::calls::Arithmetic;
use run::{Run, ARKWORKS, INPUT_COUNTS};

/// Whether an arithmetic runs on every processor.
fn is_plain_rust(name: &str) -> bool {
    name == "portable" || name.ends_with("-emulated")
}

/// Expands `hardware` (more than plain Rust) and `emulated` (plain Rust) to the arithmetics that run
/// here. Any other name stands for itself.
fn meant(name: &str) -> Vec<String> {
    let supported = Arithmetic::ALL.into_iter().filter(|one| one.is_supported());
    let names = supported.map(|one| one.name().to_owned());
    match name {
        "hardware" => names.filter(|name| !is_plain_rust(name)).collect(),
        "emulated" => names.filter(|name| is_plain_rust(name)).collect(),
        _ => vec![name.to_owned()],
    }
}

#[test]
fn every_arithmetic_and_arkworks_agree_on_every_class() {
    // a build with debug assertions, which prove the bounds of lanes, takes five times as long
    let count = if cfg!(debug_assertions) { 500 } else { 2_000 };
    let run = Run {
        names: ["hardware", "portable", ARKWORKS]
            .iter()
            .flat_map(|name| meant(name))
            .collect(),
        input_counts: INPUT_COUNTS.into(),
        seed: 0x5eed,
        block: 50,
        from: 0,
        to: count,
    };
    let mut progress = Progress::open(None, run.title(), run.from);
    run.go_on(&mut progress, |_| ());
    println!("cross-check: {}", progress.line());
    assert_eq!(progress.disagreements, [""; 0]);
    assert_eq!(progress.singles, count * run.names.len() as u64);
    assert!(progress.verdicts.iter().all(|count| *count > 0));
}

#[test]
#[ignore = "hours; .scripts/cross-check.sh starts it and takes it up again"]
fn long_run() {
    let text =
        |name: &str| var(format!("CROSS_CHECK_{name}")).expect("see .scripts/cross-check.sh");
    let number = |name: &str| text(name).parse().expect("a decimal number");
    let run = Run {
        names: text("ARITHMETICS").split(',').flat_map(meant).collect(),
        input_counts: var("CROSS_CHECK_INPUTS").map_or_else(
            |_| INPUT_COUNTS.into(),
            |counts| {
                let number = |count: &str| count.parse().expect("a decimal number");
                counts.split(',').map(number).collect()
            },
        ),
        seed: number("SEED"),
        block: 1_000,
        from: number("FROM"),
        to: number("TO"),
    };
    assert_eq!(run.from % run.block, 0, "a run begins at a block");
    let mut progress = Progress::open(Some(text("FILE").into()), run.title(), run.from);
    let (start, first) = (Instant::now(), progress.next);
    let mut printed = start;
    run.go_on(&mut progress, |progress| {
        if printed.elapsed().as_secs() < 15 && progress.next < run.to {
            return;
        }
        printed = Instant::now();
        let rate = (progress.next - first) as f64 / start.elapsed().as_secs_f64();
        let left = (run.to - progress.next) as f64 / rate;
        println!("{}; {rate:.0} cases/s, {left:.0} s left", progress.line());
    });
    println!(
        "finished: {}; {:.0} s in all",
        progress.line(),
        progress.seconds
    );
    assert_eq!(progress.disagreements, [""; 0]);
}
