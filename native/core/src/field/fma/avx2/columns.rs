//! The columns of a product as assembly: the compiler would keep more of them open than there are
//! registers, and one spilled vector a cycle is all that the processor stores (Zen 4: 53 cycles
//! this way, a complex product 79 ns instead of 113).
//!
//! Unsafe because it is assembly, for processors with avx2 and fma.
#![allow(unsafe_code)]

use core::arch::asm;
use core::arch::x86_64::__m256i;
use core::mem::MaybeUninit;

use super::super::columns::{BOTH, HIGH};
use super::super::ops::Quad;

static CONSTANTS: [f64; 2] = [HIGH, BOTH];

/// Limb i of a in ymm`i`, limb j of b in memory: low half to ymm13, high half to `high`.
macro_rules! halves {
    ($i:literal, $j:literal, $high:literal) => {
        concat!(
            "vmovapd ymm",
            $high,
            ", ymm15\n vfmadd231pd ymm",
            $high,
            ", ymm",
            $i,
            ", [{b} + 32*",
            $j,
            "]\n vsubpd ymm13, ymm14, ymm",
            $high,
            "\n vfmadd231pd ymm13, ymm",
            $i,
            ", [{b} + 32*",
            $j,
            "]\n"
        )
    };
}

/// ymm`sum` += ymm`term`.
macro_rules! add {
    ($sum:literal, $term:literal) => {
        concat!("vpaddq ymm", $sum, ", ymm", $sum, ", ymm", $term, "\n")
    };
}

/// One column: its products, the first of which opens the next column in ymm`next`; then `finish`.
macro_rules! column {
    ($finish:ident, $k:literal: $this:literal, $next:literal; $i:literal $j:literal $(, $more_i:literal $more_j:literal)*) => {
        concat!(
            halves!($i, $j, $next),
            add!($this, 13),
            $(
                halves!($more_i, $more_j, 12),
                add!($next, 12),
                add!($this, 13),
            )*
            $finish!($k, $this)
        )
    };
}

/// A finished column to memory.
macro_rules! put {
    ($k:literal, $this:literal) => {
        concat!("vmovdqa [{t} + 32*", $k, "], ymm", $this, "\n")
    };
}

/// A finished column on top of the one in memory.
macro_rules! put_on_top {
    ($k:literal, $this:literal) => {
        concat!(
            "vpaddq ymm",
            $this,
            ", ymm",
            $this,
            ", [{t} + 32*",
            $k,
            "]\n",
            put!($k, $this)
        )
    };
}

/// All columns of a·b, each finished in the same way.
macro_rules! product {
    ($finish:ident, $a:expr, $b:expr, $t:expr) => {
        asm!(
            "vbroadcastsd ymm15, [rip + {constants}]",
            "vbroadcastsd ymm14, [rip + {constants} + 8]",
            "vmovapd ymm0, [{a}]",
            "vmovapd ymm1, [{a} + 32]",
            "vmovapd ymm2, [{a} + 64]",
            "vmovapd ymm3, [{a} + 96]",
            "vmovapd ymm4, [{a} + 128]",
            halves!(0, 0, 6),
            $finish!(0, 13),
            column!($finish, 1: 6, 7; 0 1, 1 0),
            column!($finish, 2: 7, 5; 0 2, 1 1, 2 0),
            column!($finish, 3: 5, 6; 0 3, 1 2, 2 1, 3 0),
            column!($finish, 4: 6, 7; 0 4, 1 3, 2 2, 3 1, 4 0),
            column!($finish, 5: 7, 5; 1 4, 2 3, 3 2, 4 1),
            column!($finish, 6: 5, 6; 2 4, 3 3, 4 2),
            column!($finish, 7: 6, 7; 3 4, 4 3),
            column!($finish, 8: 7, 5; 4 4),
            $finish!(9, 5),
            a = in(reg) $a,
            b = in(reg) $b,
            t = in(reg) $t,
            constants = sym CONSTANTS,
            // the function itself has no avx, so the registers go by the names of their lower halves
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm12") _, out("xmm13") _,
            out("xmm14") _, out("xmm15") _,
            options(nostack, preserves_flags),
        )
    };
}

/// The columns of a·b.
///
/// # Safety
/// The processor has avx2 and fma.
#[inline(always)]
pub unsafe fn columns(a: &[Quad; 5], b: &[Quad; 5]) -> [__m256i; 10] {
    let mut t = MaybeUninit::<[__m256i; 10]>::uninit();
    // SAFETY: `t` has room for ten vectors at a multiple of 32; the instructions are there by the
    // contract of this function.
    unsafe { put_columns(t.as_mut_ptr().cast(), a, b) };
    // SAFETY: `put_columns` has written all ten.
    unsafe { t.assume_init() }
}

/// Writes the columns of a·b.
///
/// # Safety
/// The processor has avx2 and fma. `t` is a multiple of 32, and ten vectors may be written there.
#[inline(always)]
pub unsafe fn put_columns(t: *mut Quad, a: &[Quad; 5], b: &[Quad; 5]) {
    // SAFETY: the assembly reads the five vectors of a and of b and the two constants, and writes ten
    // vectors at `t`, which the contract allows; it uses no stack and names every register it writes.
    unsafe { product!(put, a, b, t) };
}

/// Adds the columns of a·b to those in memory.
///
/// # Safety
/// The processor has avx2 and fma. `t` is a multiple of 32, and ten vectors may be read and written
/// there.
#[inline(always)]
pub unsafe fn add_columns(t: *mut Quad, a: &[Quad; 5], b: &[Quad; 5]) {
    // SAFETY: as in `put_columns`; the ten vectors at `t` are read before they are written.
    unsafe { product!(put_on_top, a, b, t) };
}
