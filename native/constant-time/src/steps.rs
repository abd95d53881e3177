//! Execution instruction by instruction, by the trap flag of the processor: the addresses of the executed
//! instructions are the same for every seed exactly if no branch depends on it. Addresses of data are not seen.
#![allow(
    unsafe_code,
    reason = "the trap flag is set by instructions, and its signal is handled"
)]

use core::arch::asm;
use core::ptr::{addr_of, null_mut};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};

use crate::secret::{self, Work};
use crate::Outcome;

/// Seeds whose instructions are compared.
const SEEDS: u8 = 3;
/// Fewer instructions than any work takes.
const LEAST: usize = 100;
/// More instructions than signing takes.
const MOST: usize = 1 << 23;

/// Addresses of the instructions for the first seed, from the start of the program.
static FIRST: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];
/// Instructions so far.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Whether this is the first seed.
static IS_FIRST: AtomicBool = AtomicBool::new(true);
/// Number of the first instruction that was another one than for the first seed.
static DIFFERENCE: AtomicUsize = AtomicUsize::new(usize::MAX);

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
    if !(start..end).contains(&at) {
        return;
    }
    let number = COUNT.fetch_add(1, Relaxed);
    let Some(first) = FIRST.get(number) else {
        return;
    };
    let at = (at - start) as u32;
    if IS_FIRST.load(Relaxed) {
        first.store(at, Relaxed);
    } else if first.load(Relaxed) != at {
        DIFFERENCE.fetch_min(number, Relaxed);
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

/// Returns the number of instructions that the work takes. Not inlined: there is one place from which it is traced.
#[inline(never)]
fn steps(work: &Work, seed: &mut [u8; 32]) -> usize {
    COUNT.store(0, Relaxed);
    // SAFETY: sets the trap flag: from here on the kernel calls the handler after each instruction.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    let results = secret::derive_and_sign(work, secret::LANES, seed);
    // SAFETY: clears the trap flag.
    unsafe { asm!("pushfq", "and qword ptr [rsp], -0x101", "popfq") };
    drop(results);
    COUNT.load(Relaxed)
}

/// Compares the instructions for several seeds.
pub fn check(work: &Work) -> Outcome {
    handle_traps();
    let count = steps(work, &mut secret::seed(0));
    if !(LEAST..=MOST).contains(&count) {
        return Outcome::Failed(format!("{count} instructions cannot be compared"));
    }
    IS_FIRST.store(false, Relaxed);
    for number in 1..SEEDS {
        let other = steps(work, &mut secret::seed(number));
        let difference = DIFFERENCE.load(Relaxed);
        if difference != usize::MAX || other != count {
            let before = FIRST[difference.min(count).saturating_sub(1)].load(Relaxed);
            return Outcome::Failed(format!(
                "the steps of seed {number} are others than those of seed 0 from number {difference} of {count} on, \
                 after the instruction at {before:#x} from the start of the program"
            ));
        }
    }
    println!("{count} instructions, the same ones for {SEEDS} seeds");
    Outcome::Passed
}
