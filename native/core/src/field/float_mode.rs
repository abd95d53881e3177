//! The floating-point mode of the thread. Lanes of f64 are exact only if every operation rounds to
//! nearest, and foreign code in the process can leave a thread in another mode: a library may set it
//! when it is loaded, and a thread inherits the mode of the one that starts it.
//!
//! [`in_default_float_mode`] is entered on every way to such lanes: in `fma/avx2/mod.rs`, and where a
//! prepared key, which holds tables in lanes, is used.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
pub use x86_64::in_default_float_mode;

/// Runs work. Other processors have no lanes of f64 but emulated ones, for tests, and those of
/// WebAssembly, which cannot set the mode: the loader of the module checks it.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn in_default_float_mode<T>(work: impl FnOnce() -> T) -> T {
    work()
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use core::arch::asm;

    /// Bits of MXCSR that control operations; the others record exceptions (Intel SDM, volume 1,
    /// section 10.2.3).
    pub(super) const CONTROL: u32 = 0xffc0;
    /// Control bits at the start of a process: round to nearest, mask all exceptions, flush nothing
    /// to zero.
    pub(super) const DEFAULT: u32 = 0x1f80;

    /// Runs work in the default mode. The caller's mode is restored afterwards, since a callee
    /// preserves the control bits (System V ABI for AMD64, section 3.2.1).
    #[inline(always)]
    pub fn in_default_float_mode<T>(work: impl FnOnce() -> T) -> T {
        let found = read();
        let _restored = (found & CONTROL != DEFAULT).then(|| Restored::after(DEFAULT, found));
        apart(work)
    }

    /// Keeps the compiler from moving operations of the work to where the caller's mode applies.
    #[inline(never)]
    pub(super) fn apart<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    pub(super) fn read() -> u32 {
        let mut mode = 0u32;
        // SAFETY: every x86-64 has the instruction. It writes four bytes to `mode`, which has no other
        // borrow.
        unsafe {
            asm!("stmxcsr [{0}]", in(reg) &raw mut mode, options(nostack, preserves_flags));
        }
        mode
    }

    fn write(mode: u32) {
        // SAFETY: every x86-64 has the instruction. It reads four bytes of `mode`, in which no reserved
        // bit is set: that would be a fault, and callers pass what `read` returned or the bits above.
        unsafe {
            asm!("ldmxcsr [{0}]", in(reg) &raw const mode, options(nostack));
        }
    }

    /// Sets a mode until it is dropped, also by a panic.
    pub(super) struct Restored(u32);

    impl Restored {
        #[cold]
        pub(super) fn after(mode: u32, previous: u32) -> Self {
            write(mode);
            Self(previous)
        }
    }

    impl Drop for Restored {
        fn drop(&mut self) {
            write(self.0);
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::panic::catch_unwind;

    use super::x86_64::*;
    use crate::field::dispatch::checks::{in_base_lanes, in_scalar_lanes};
    use crate::field::lane_tests::prime_lanes_agree;
    use crate::pairing::lane_tests::*;

    /// Control bits that round down, up and to zero, and those that the start-up code of
    /// `-ffast-math` sets, which flush to zero.
    const FOREIGN: [u32; 4] = [0x3f80, 0x5f80, 0x7f80, 0x9fc0];

    /// Runs work as if a library had left the thread in a mode; returns the control bits after it, too.
    fn in_mode<T>(mode: u32, work: impl FnOnce() -> T) -> (T, u32) {
        let _restored = Restored::after(mode, read());
        let output = apart(work);
        (output, read() & CONTROL)
    }

    #[test]
    fn work_runs_in_the_default_mode_and_leaves_the_callers() {
        for mode in FOREIGN {
            let (seen, left) = in_mode(mode, || in_default_float_mode(|| read() & CONTROL));
            assert_eq!((seen, left), (DEFAULT, mode));
        }
        let seen = in_default_float_mode(|| read() & CONTROL);
        assert_eq!((seen, read() & CONTROL), (DEFAULT, DEFAULT));
    }

    #[test]
    fn a_panic_leaves_the_callers_mode() {
        for mode in FOREIGN {
            let (caught, left) = in_mode(mode, || {
                catch_unwind(|| in_default_float_mode(|| panic!("expected")))
            });
            assert!(caught.is_err());
            assert_eq!(left, mode);
        }
    }

    #[test]
    fn lanes_agree_with_scalars_in_every_mode() {
        for mode in FOREIGN {
            let ((), left) = in_mode(mode, || {
                in_scalar_lanes!(Avx2, F => { prime_lanes_agree::<F>() });
                in_base_lanes!(Avx2, F => {
                    tower_agrees::<F>();
                    steps_agree::<F>();
                });
            });
            assert_eq!(left, mode);
        }
    }
}
