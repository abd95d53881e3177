//! Checks on compiled code that signing is constant-time (src/docs/spec/engine.md#constant-time).
//!
//! The program is built with the profile of the addon and calls the functions that the addon exports, from
//! the seed of a key to its signatures. `.scripts/constant-time.sh` runs it:
//!
//! | arguments | check |
//! |---|---|
//! | `memcheck ARITHMETIC` | under valgrind's memcheck, which reports branches and addresses that depend on the seed |
//! | `steps ARITHMETIC` | executes instruction by instruction and compares the addresses of the instructions for several seeds |
//! | `run ARITHMETIC SEED` | signs only, for an emulator that writes a trace |
//!
//! Instead of an arithmetic, `branch` and `address` are controls that depend on the seed on purpose: a method
//! that does not report them is broken.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod memcheck;
#[cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, reason = "only an emulator checks there")
)]
mod secret;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod steps;

use std::process::ExitCode;

use secret::Work;

const USAGE: &str = "usage: constant-time memcheck|steps|run WORK [SEED]";

/// The check found nothing, found something, or could not run.
#[cfg_attr(
    not(all(target_arch = "x86_64", target_os = "linux")),
    allow(dead_code, reason = "there is nothing to find")
)]
enum Outcome {
    Passed,
    Failed(String),
    Unsupported(String),
}

fn run(arguments: &[&str]) -> Outcome {
    let (method, work, rest) = match arguments {
        [method, work, rest @ ..] => (*method, *work, rest),
        _ => return Outcome::Unsupported(USAGE.to_owned()),
    };
    let work = match Work::named(work) {
        Ok(work) => work,
        Err(reason) => return Outcome::Unsupported(reason),
    };
    // tables are built and the processor is asked once per process
    secret::derive_and_sign(&work, secret::FEW, &mut [1; 32]);
    match (method, rest) {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        ("memcheck", []) => memcheck::check(&work),
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        ("steps", []) => steps::check(&work),
        ("run", [seed]) => match seed.parse() {
            Ok(byte) => {
                secret::derive_and_sign(&work, secret::FEW, &mut secret::seed(byte));
                Outcome::Passed
            }
            Err(_) => Outcome::Unsupported(USAGE.to_owned()),
        },
        _ => Outcome::Unsupported(USAGE.to_owned()),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Outcome::Passed => ExitCode::SUCCESS,
        Outcome::Failed(finding) => {
            eprintln!("constant-time: {finding}");
            ExitCode::from(1)
        }
        Outcome::Unsupported(reason) => {
            eprintln!("constant-time: {reason}");
            ExitCode::from(2)
        }
    }
}
