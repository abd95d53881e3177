//! The seed as undefined memory: memcheck reports each branch and each address that depends on undefined bits,
//! and follows them through every register and byte of memory.
#![allow(
    unsafe_code,
    reason = "a request to valgrind is a sequence of instructions"
)]

use core::arch::asm;

use crate::secret::{self, Work};
use crate::Outcome;

/// Requests of `valgrind/valgrind.h` and `valgrind/memcheck.h`.
mod requests {
    pub const RUNNING_ON_VALGRIND: usize = 0x1001;
    const MEMCHECK: usize = (b'M' as usize) << 24 | (b'C' as usize) << 16;
    pub const MAKE_MEM_UNDEFINED: usize = MEMCHECK + 1;
    pub const MAKE_MEM_DEFINED: usize = MEMCHECK + 2;
    pub const GET_VBITS: usize = MEMCHECK + 8;
}

/// Sends a request, which is answered with 0 outside of valgrind.
fn request(number: usize, arguments: [usize; 3]) -> usize {
    let block = [number, arguments[0], arguments[1], arguments[2], 0, 0];
    let mut answer = 0usize;
    // SAFETY: on a processor the rotations add up to 128 bits and the exchange changes nothing. Under valgrind
    // they are the request `block`: `mark` and `is_undefined` pass the addresses of whole references.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") block.as_ptr(), inout("rdx") answer, options(nostack),
        );
    }
    answer
}

fn mark(number: usize, bytes: &mut [u8; 32]) {
    request(number, [bytes.as_mut_ptr() as usize, 32, 0]);
}

/// Whether any bit is undefined.
fn is_undefined(bytes: &[u8; 32]) -> bool {
    let mut undefined = [0u8; 32];
    let [from, to] = [bytes.as_ptr() as usize, undefined.as_mut_ptr() as usize];
    // 1: the bits are there
    request(requests::GET_VBITS, [from, to, 32]) == 1 && undefined != [0; 32]
}

/// Works on an undefined seed. memcheck prints what it finds and sets the exit code.
pub fn check(work: &Work) -> Outcome {
    if request(requests::RUNNING_ON_VALGRIND, [0; 3]) == 0 {
        return Outcome::Unsupported("memcheck needs valgrind".to_owned());
    }
    let mut seed = secret::seed(7);
    mark(requests::MAKE_MEM_UNDEFINED, &mut seed);
    let mut results = secret::derive_and_sign(work, secret::MANY, &mut seed);
    let followed = !matches!(work, Work::Signing) || results.iter().all(is_undefined);
    for result in &mut results {
        mark(requests::MAKE_MEM_DEFINED, result);
    }
    if !followed {
        return Outcome::Failed("memcheck lost the seed on its way to a result".to_owned());
    }
    match work {
        Work::Signing if !secret::are_valid(secret::MANY, &results) => {
            Outcome::Failed("a signature does not hold".to_owned())
        }
        _ => Outcome::Passed,
    }
}
