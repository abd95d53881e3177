//! arkworks as a contender of the benchmark. Reads commands line by line and answers each with one line:
//!
//! | command | answer |
//! |---|---|
//! | `key HEX` | `ok`; the verifying key is prepared |
//! | `proof HEX` | `1` holds, `0` does not, `-` refused; the member is kept |
//! | `time CALLS` | nanoseconds of processor time of CALLS checks, over the members that hold, in turn |
//!
//! Anything else, and a `time` without a member that holds, is answered `error` and a reason.

mod verifier;

use std::hint::black_box;
use std::io::{stdin, stdout, BufRead, Write};

use rustix::time::{clock_gettime, ClockId};
use verifier::Verifier;

/// Processor time of this process in nanoseconds; its one thread does all the work.
fn processor_nanos() -> i64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

/// The key and the members that hold.
#[derive(Default)]
struct Session {
    verifier: Option<Verifier>,
    valid: Vec<Vec<u8>>,
}

impl Session {
    fn key(&mut self, text: &str) -> Result<String, &'static str> {
        let bytes = from_hex(text).ok_or("the key is not hexadecimal")?;
        self.verifier = Some(Verifier::new(&bytes).ok_or("the key is refused")?);
        self.valid.clear();
        Ok("ok".into())
    }

    fn proof(&mut self, text: &str) -> Result<String, &'static str> {
        let verifier = self.verifier.as_ref().ok_or("the key comes first")?;
        let member = from_hex(text).ok_or("the proof is not hexadecimal")?;
        if member.len() != verifier.member_bytes() {
            return Err("the proof has another length");
        }
        let verdict = verifier.verify(&member);
        if verdict == Some(true) {
            self.valid.push(member);
        }
        Ok(match verdict {
            Some(true) => "1",
            Some(false) => "0",
            None => "-",
        }
        .into())
    }

    fn time(&self, text: &str) -> Result<String, &'static str> {
        let verifier = self.verifier.as_ref().ok_or("the key comes first")?;
        let calls: usize = text.parse().map_err(|_| "the number of calls is none")?;
        if self.valid.is_empty() {
            return Err("no proof holds");
        }
        // One check that does not count: others used the caches since the last command.
        black_box(verifier.verify(black_box(&self.valid[0])));
        let began = processor_nanos();
        for member in self.valid.iter().cycle().take(calls) {
            if verifier.verify(black_box(member)) != Some(true) {
                return Err("a verdict changed");
            }
        }
        Ok((processor_nanos() - began).to_string())
    }
}

fn main() -> std::io::Result<()> {
    let mut session = Session::default();
    for line in stdin().lock().lines() {
        let line = line?;
        let (command, argument) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match command {
            "key" => session.key(argument),
            "proof" => session.proof(argument),
            "time" => session.time(argument),
            _ => Err("no such command"),
        };
        writeln!(
            stdout(),
            "{}",
            answer.unwrap_or_else(|reason| format!("error {reason}"))
        )?;
    }
    Ok(())
}
