//! What both kinds of WebAssembly lanes need besides their instructions: ends of blocks, and scratch
//! memory.
#![allow(unsafe_code)]

use core::arch::wasm32::unreachable;
use core::cell::{Cell, UnsafeCell};

#[cfg(target_feature = "atomics")]
compile_error!("one scratch memory serves one thread");

/// Memory for one piece of work at a time.
pub struct Scratch<T> {
    content: UnsafeCell<T>,
    is_lent: Cell<bool>,
}

// SAFETY: a module without shared memory, which the check above makes sure of, runs in one thread.
unsafe impl<T> Sync for Scratch<T> {}

impl<T> Scratch<T> {
    /// Memory with this content at first.
    pub const fn new(content: T) -> Self {
        Self {
            content: UnsafeCell::new(content),
            is_lent: Cell::new(false),
        }
    }

    /// Lends the memory to `work`, and traps if `work` asks for it again.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        if self.is_lent.replace(true) {
            unreachable()
        }
        // SAFETY: `is_lent` was false, so that no other borrow of the content is alive: each one ends
        // before the flag is cleared below, and a panic ends the instance.
        let result = work(unsafe { &mut *self.content.get() });
        self.is_lent.set(false);
        result
    }
}

/// Always 0, which the compiler does not know.
static FLAGS: u32 = 0;

/// Returns the argument of [`cut`]; to be called once a function.
#[inline(always)]
pub fn flags() -> u32 {
    // SAFETY: reads a static, which is valid and never written.
    unsafe { core::ptr::read_volatile(&raw const FLAGS) }
}

/// Ends a block of V8 by a branch that is never taken, on a condition that no compiler knows. V8
/// orders the pure operations of a block breadth first, and spills what it computes too early.
#[inline(always)]
pub fn cut(flags: u32, at: u32) {
    if flags & (1 << at) != 0 {
        unreachable()
    }
}
