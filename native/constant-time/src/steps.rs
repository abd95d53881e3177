//! Execution instruction by instruction, by the trap flag of the processor: the addresses of the executed
//! instructions are the same for every seed exactly if no branch depends on it. Addresses of data are not seen.
#![allow(
    unsafe_code,
    reason = "the trap flag is set by instructions, and its signal is handled"
)]

use core::arch::asm;
use core::ptr::{addr_of, null_mut};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::secret::{self, Work};
use crate::Outcome;

/// Seeds whose instructions are compared.
const SEEDS: u8 = 4;
/// Fewer instructions than any work takes.
const LEAST: u64 = 100;

static COUNT: AtomicU64 = AtomicU64::new(0);
static DIGEST: AtomicU64 = AtomicU64::new(0);

extern "C" {
    /// Start and end of the program's instructions, by the linker.
    static __executable_start: u8;
    static etext: u8;
}

/// Counts an instruction of this program. Those of the C library are left out: allocation depends on what was
/// allocated before, and no other function of it gets a secret but copies of a fixed length.
extern "C" fn record(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a context to a handler that was installed with SA_SIGINFO.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    let at = context.uc_mcontext.gregs[libc::REG_RIP as usize] as u64;
    let [start, end] = [addr_of!(__executable_start), addr_of!(etext)].map(|at| at as u64);
    if (start..end).contains(&at) {
        COUNT.store(COUNT.load(Relaxed) + 1, Relaxed);
        // FNV-1a
        let digest = (DIGEST.load(Relaxed) ^ (at - start)).wrapping_mul(0x0000_0100_0000_01b3);
        DIGEST.store(digest, Relaxed);
    }
}

fn handle_traps() {
    let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = record;
    // SAFETY: all zero is a valid sigaction, and the handler only uses atomics.
    let result = unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &action, null_mut())
    };
    assert_eq!(result, 0, "SIGTRAP can be handled");
}

/// Number and digest of the instructions that the work takes.
fn steps(work: &Work, seed: &mut [u8; 32]) -> (u64, u64) {
    COUNT.store(0, Relaxed);
    DIGEST.store(0xcbf2_9ce4_8422_2325, Relaxed);
    // SAFETY: sets the trap flag: from here on the kernel calls the handler after each instruction.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    let results = secret::derive_and_sign(work, secret::FEW, seed);
    // SAFETY: clears the trap flag.
    unsafe { asm!("pushfq", "and qword ptr [rsp], -0x101", "popfq") };
    drop(results);
    (COUNT.load(Relaxed), DIGEST.load(Relaxed))
}

/// Compares the instructions for several seeds.
pub fn check(work: &Work) -> Outcome {
    handle_traps();
    let mut all = (0..SEEDS).map(|number| steps(work, &mut secret::seed(number)));
    let first = all.next().unwrap_or_default();
    if first.0 < LEAST {
        return Outcome::Failed(format!("only {} instructions were seen", first.0));
    }
    match all.find(|other| *other != first) {
        Some(other) => Outcome::Failed(format!(
            "one seed takes {} instructions (digest {:016x}), another one {} ({:016x})",
            first.0, first.1, other.0, other.1
        )),
        None => {
            println!(
                "{} instructions for each of {SEEDS} seeds, the same ones",
                first.0
            );
            Outcome::Passed
        }
    }
}
