//! What both lanes of WebAssembly need beside their instructions: ends of blocks, and scratch memory.
//!
//! Unsafe because of two things. A flag is read by a volatile access, so that no compiler knows it.
//! Scratch memory is one static, which is sound where there are no threads: a module without shared
//! memory runs in one.
#![allow(unsafe_code)]

use core::arch::wasm32::unreachable;
use core::cell::UnsafeCell;

#[cfg(target_feature = "atomics")]
compile_error!("one scratch memory serves one thread");

/// Memory for one piece of work at a time.
pub struct Scratch<T>(UnsafeCell<T>);

// SAFETY: see the head of this file.
unsafe impl<T> Sync for Scratch<T> {}

impl<T> Scratch<T> {
    /// With this content at first.
    pub const fn new(content: T) -> Self {
        Self(UnsafeCell::new(content))
    }

    /// Lends the memory to `work`, which must not ask for it again.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: one thread, and no work asks for the memory again.
        work(unsafe { &mut *self.0.get() })
    }
}

/// Always 0, which the compiler does not know.
static FLAGS: u32 = 0;

/// What [`cut`] takes, once a function.
#[inline(always)]
pub fn flags() -> u32 {
    // SAFETY: a reference is valid.
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
