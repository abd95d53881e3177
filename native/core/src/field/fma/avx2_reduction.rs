//! The reduction of two sets of columns side by side, as assembly: the compiler computes all folds of
//! a digit at once and spills them. The steps and their bounds stand in the head of [`super`]; the
//! order is chosen so that the quotients come early and the two sets hide each other's latency.
//!
//! Registers: digits of set 0 in ymm0 to 3, of set 1 in ymm4 to 7; ymm14 and 15 hold BOTH and HIGH;
//! the rest is in passing. Memory: `t` the work space, `k` and `c` the tables, `o` the ten limbs.
//!
//! Unsafe because it is assembly. It reads and writes the work space and reads the two tables behind
//! its references, writes the ten vectors of its result, uses no stack, and needs avx2 and fma like
//! everything in [`avx2`](super::avx2).
#![allow(unsafe_code)]

use core::arch::asm;
use core::mem::MaybeUninit;

use super::avx2::Avx2;
use super::avx2_columns::{add_columns, put_columns};
use super::avx2_tables::{BiasTable, Table};
use super::ops::{FmaOps, Quad};
use crate::field::Modulus;

/// Columns of up to three products, then the open columns T4 … T9 of the two reductions.
#[repr(C, align(64))]
struct Work(MaybeUninit<[Quad; 42]>);

/// One instruction: the numbers are registers, a last operand in brackets is memory.
macro_rules! op {
    ($op:literal $d:literal, $a:literal, $b:literal) => {
        concat!($op, " ymm", $d, ", ymm", $a, ", ymm", $b, "\n")
    };
    ($op:literal $d:literal, $a:literal, [$b:expr]) => {
        concat!($op, " ymm", $d, ", ymm", $a, ", ", $b, "\n")
    };
    ($op:literal $d:literal, $a:literal, bits $b:literal) => {
        concat!($op, " ymm", $d, ", ymm", $a, ", ", $b, "\n")
    };
}

/// ymm`d` = a register or memory.
macro_rules! get {
    ($d:literal, $a:literal) => {
        concat!("vmovapd ymm", $d, ", ymm", $a, "\n")
    };
    ($d:literal, [$a:expr]) => {
        concat!("vmovapd ymm", $d, ", ", $a, "\n")
    };
}

/// Memory = ymm`a`.
macro_rules! put {
    ([$d:expr], $a:literal) => {
        concat!("vmovapd ", $d, ", ymm", $a, "\n")
    };
}

/// A constant of the modulus.
macro_rules! constant {
    ($i:literal) => {
        concat!("[{k} + 32*", $i, "]")
    };
}

/// A bias of a set.
macro_rules! bias {
    (0, $i:literal) => {
        concat!("[{c} + 32*", $i, "]")
    };
    (1, $i:literal) => {
        concat!("[{c} + 352 + 32*", $i, "]")
    };
}

/// Open column 4 + j of a set.
macro_rules! open {
    (0, $j:literal) => {
        concat!("[{t} + 960 + 32*", $j, "]")
    };
    (1, $j:literal) => {
        concat!("[{t} + 1152 + 32*", $j, "]")
    };
}

/// Column k of product `i` of the work space.
macro_rules! product {
    ($i:literal, $k:literal) => {
        concat!("[{t} + 320*", $i, " + 32*", $k, "]")
    };
}

/// ymm`r` = column k of set 0 or 1 of two products.
macro_rules! of_products {
    ($set:tt, $k:literal, $r:literal) => {
        get!($r, [product!($set, $k)])
    };
}

/// ymm`r` = column k of the real or the imaginary part, from Σa₀b₀, Σa₁b₁ and Σa₂b₂.
macro_rules! of_parts {
    (0, $k:literal, $r:literal) => {
        concat!(
            get!($r, [product!(0, $k)]),
            op!("vpsubq" $r, $r, [product!(1, $k)]),
        )
    };
    (1, $k:literal, $r:literal) => {
        concat!(
            get!($r, [product!(2, $k)]),
            op!("vpsubq" $r, $r, [product!(0, $k)]),
            op!("vpsubq" $r, $r, [product!(1, $k)]),
        )
    };
}

/// ymm`r` += ymm`below` >> 51.
macro_rules! carry {
    ($r:literal, $below:literal) => {
        concat!(
            op!("vpsrlq" $below, $below, bits 51),
            op!("vpaddq" $r, $r, $below)
        )
    };
}

/// ymm`d` = the digit of the biased column ymm`r`, by the constants 0 to 2 in three registers.
macro_rules! digit {
    ($d:literal, $r:literal; $mask:literal, $exponent:literal, $unit:literal) => {
        concat!(
            op!("vpand" $d, $r, $mask),
            op!("vpor" $d, $d, $exponent),
            op!("vsubpd" $d, $d, $unit),
        )
    };
}

/// Step 1 for digit i: column to ymm`r`, carry from ymm`below`, digit to ymm`d`.
macro_rules! low_digit {
    ($column:ident, $set:tt, $i:tt: $d:literal, $r:literal $(, $below:literal)?) => {
        concat!(
            $column!($set, $i, $r),
            op!("vpaddq" $r, $r, [bias!($set, $i)]),
            $(carry!($r, $below),)?
            digit!($d, $r; 12, 13, 14),
        )
    };
}

/// Two folds in one chain of patterns: the low one to ymm`low`, the high one to ymm`high`.
macro_rules! pair {
    ($low:literal, $high:literal; $d0:literal $m0:literal, $d1:literal $m1:literal) => {
        concat!(
            get!(10, 15),
            op!("vfmadd231pd" 10, $d0, [constant!($m0)]),
            op!("vsubpd" $low, 14, 10),
            op!("vfmadd231pd" $low, $d0, [constant!($m0)]),
            get!($high, 10),
            op!("vfmadd231pd" $high, $d1, [constant!($m1)]),
            op!("vsubpd" 10, 10, $high),
            op!("vfmadd231pd" 10, $d1, [constant!($m1)]),
            op!("vaddpd" $low, $low, 10),
        )
    };
}

/// One digit of the four folds, by their constants: low patterns to ymm8, high ones to ymm9.
macro_rules! folds {
    (0, [$m0:literal $m1:literal $m2:literal $m3:literal]) => {
        concat!(
            pair!(8, 9; 0 $m0, 1 $m1),
            pair!(11, 12; 2 $m2, 3 $m3),
            op!("vpaddq" 8, 8, 11),
            op!("vpaddq" 9, 9, 12),
        )
    };
    (1, [$m0:literal $m1:literal $m2:literal $m3:literal]) => {
        concat!(
            pair!(8, 9; 4 $m0, 5 $m1),
            pair!(11, 12; 6 $m2, 7 $m3),
            op!("vpaddq" 8, 8, 11),
            op!("vpaddq" 9, 9, 12),
        )
    };
}

/// Opens column k as number j with ymm`r` on top.
macro_rules! open_with {
    ($column:ident, $set:tt, $k:literal, $j:tt, $r:literal) => {
        concat!(
            $column!($set, $k, 13),
            op!("vpaddq" $r, $r, 13),
            put!([open!($set, $j)], $r),
        )
    };
}

/// Adds ymm`r` to an open column.
macro_rules! add_open {
    ($set:tt, $j:tt, $r:literal) => {
        concat!(
            op!("vpaddq" $r, $r, [open!($set, $j)]),
            put!([open!($set, $j)], $r),
        )
    };
}

/// Step 2 for digit j from 3 to 1: its low patterns open column 4 + j, the high ones complete the
/// column above.
macro_rules! fold {
    ($column:ident, $set:tt, $j:tt, $k:literal, $above:tt: $constants:tt) => {
        concat!(
            folds!($set, $constants),
            open_with!($column, $set, $k, $j, 8),
            add_open!($set, $above, 9),
        )
    };
}

/// Step 3: the quotient in the place of T9, from T8 in ymm9.
macro_rules! quotient {
    ($set:tt) => {
        concat!(
            op!("vpaddq" 9, 9, [bias!($set, 5)]),
            op!("vpsrlq" 9, 9, bits 12),
            op!("vpor" 9, 9, [constant!(1)]),
            op!("vsubpd" 9, 9, [constant!(2)]),
            op!("vmulpd" 9, 9, [constant!(6)]),
            get!(8, [open!($set, 5)]),
            op!("vpaddq" 8, 8, [bias!($set, 4)]),
            op!("vsubpd" 8, 8, [constant!(3)]),
            op!("vfmadd231pd" 9, 8, [constant!(5)]),
            op!("vfmadd231pd" 9, 8, [constant!(4)]),
            op!("vroundpd" 9, 9, bits 8),
            put!([open!($set, 5)], 9),
        )
    };
}

/// Step 4 for limb j: −q·P, the carry from ymm`below`; the high pattern stays in ymm`x` and the
/// column in ymm`r` for the next limb.
macro_rules! limb {
    ($set:tt, $j:tt, $bias:literal, $p:literal, $out:literal, $q:literal: $x:literal, $r:literal $(, $high:literal, $below:literal)?) => {
        concat!(
            get!($x, 15),
            op!("vfnmadd231pd" $x, $q, [constant!($p)]),
            op!("vsubpd" $r, 14, $x),
            op!("vfnmadd231pd" $r, $q, [constant!($p)]),
            op!("vpaddq" $r, $r, [open!($set, $j)]),
            op!("vpaddq" $r, $r, [bias!($set, $bias)]),
            $(op!("vpaddq" $r, $r, $high), carry!($r, $below),)?
            digit!(13, $r; 2, 3, 4),
            "vmovapd [{o} + 32*", $out, "], ymm13\n",
        )
    };
}

/// The whole reduction of columns that come as `column` says.
macro_rules! reduction {
    ($column:ident, $work:expr, $out:expr, $table:expr, $biases:expr) => {
        asm!(
            get!(12, [constant!(0)]),
            get!(13, [constant!(1)]),
            get!(14, [constant!(2)]),
            low_digit!($column, 0, 0: 0, 8),
            low_digit!($column, 1, 0: 4, 10),
            low_digit!($column, 0, 1: 1, 9, 8),
            low_digit!($column, 1, 1: 5, 11, 10),
            low_digit!($column, 0, 2: 2, 8, 9),
            low_digit!($column, 1, 2: 6, 10, 11),
            low_digit!($column, 0, 3: 3, 9, 8),
            low_digit!($column, 1, 3: 7, 11, 10),
            // T4 opens with the carry
            op!("vpsrlq" 9, 9, bits 51),
            open_with!($column, 0, 4, 0, 9),
            op!("vpsrlq" 11, 11, bits 51),
            open_with!($column, 1, 4, 0, 11),
            get!(15, [constant!(7)]),
            get!(14, [constant!(8)]),
            folds!(0, [25 26 27 28]),
            open_with!($column, 0, 9, 5, 9),
            open_with!($column, 0, 8, 4, 8),
            folds!(1, [25 26 27 28]),
            open_with!($column, 1, 9, 5, 9),
            open_with!($column, 1, 8, 4, 8),
            fold!($column, 0, 3, 7, 4: [21 22 23 24]),
            quotient!(0),
            fold!($column, 1, 3, 7, 4: [21 22 23 24]),
            quotient!(1),
            fold!($column, 0, 2, 6, 3: [17 18 19 20]),
            fold!($column, 1, 2, 6, 3: [17 18 19 20]),
            fold!($column, 0, 1, 5, 2: [13 14 15 16]),
            fold!($column, 1, 1, 5, 2: [13 14 15 16]),
            folds!(0, [9 10 11 12]),
            add_open!(0, 0, 8),
            add_open!(0, 1, 9),
            folds!(1, [9 10 11 12]),
            add_open!(1, 0, 8),
            add_open!(1, 1, 9),
            get!(0, [open!(0, 5)]),
            get!(1, [open!(1, 5)]),
            get!(2, [constant!(0)]),
            get!(3, [constant!(1)]),
            get!(4, [constant!(2)]),
            limb!(0, 0, 6, 29, 0, 0: 5, 7),
            limb!(1, 0, 6, 29, 5, 1: 9, 11),
            limb!(0, 1, 7, 30, 1, 0: 6, 8, 5, 7),
            limb!(1, 1, 7, 30, 6, 1: 10, 12, 9, 11),
            limb!(0, 2, 8, 31, 2, 0: 5, 7, 6, 8),
            limb!(1, 2, 8, 31, 7, 1: 9, 11, 10, 12),
            limb!(0, 3, 9, 32, 3, 0: 6, 8, 5, 7),
            limb!(1, 3, 9, 32, 8, 1: 10, 12, 9, 11),
            limb!(0, 4, 10, 33, 4, 0: 5, 7, 6, 8),
            limb!(1, 4, 10, 33, 9, 1: 9, 11, 10, 12),
            t = in(reg) $work,
            o = in(reg) $out,
            k = in(reg) $table,
            c = in(reg) $biases,
            // the function itself has no avx, so the registers go by the names of their lower halves
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
            out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
            out("xmm15") _,
            options(nostack, preserves_flags),
        )
    };
}

/// The same vectors as values of their own: an array that assembly has seen would be copied whole,
/// and more than once, before it arrives.
#[inline(always)]
fn in_registers(out: &[[Quad; 5]; 2]) -> [[Quad; 5]; 2] {
    let mut values = [[Quad::splat(0.0); 5]; 2];
    for set in 0..2 {
        for j in 0..5 {
            values[set][j] = Avx2::store(Avx2::load(&out[set][j]));
        }
    }
    values
}

/// Two products. Sound where the processor has avx2 and fma.
#[inline(always)]
pub fn multiply<M: Modulus>(pairs: [[&[Quad; 5]; 2]; 2]) -> [[Quad; 5]; 2] {
    let mut work = Work(MaybeUninit::uninit());
    let mut out = MaybeUninit::<[[Quad; 5]; 2]>::uninit();
    let t = work.0.as_mut_ptr().cast::<Quad>();
    let (table, biases) = const { (&Table::new::<M>(), &BiasTable::new([1, 1])) };
    // SAFETY: see the head of this file; 20 of the 42 vectors are written as columns and read.
    unsafe {
        put_columns(t, pairs[0][0], pairs[0][1]);
        put_columns(t.add(10), pairs[1][0], pairs[1][1]);
        reduction!(of_products, t, out.as_mut_ptr(), table, biases);
        in_registers(&out.assume_init())
    }
}

/// The parts of a sum of complex products. Sound where the processor has avx2 and fma.
#[inline(always)]
pub fn multiply_complex<M: Modulus, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    let mut work = Work(MaybeUninit::uninit());
    let mut out = MaybeUninit::<[[Quad; 5]; 2]>::uninit();
    let t = work.0.as_mut_ptr().cast::<Quad>();
    let (table, biases) = const { (&Table::new::<M>(), &BiasTable::new([0, -(N as i64)])) };
    // SAFETY: see the head of this file; 30 of the 42 vectors are written as columns and read.
    unsafe {
        for part in 0..3 {
            put_columns(t.add(10 * part), a[0][part], b[0][part]);
            for i in 1..N {
                add_columns(t.add(10 * part), a[i][part], b[i][part]);
            }
        }
        reduction!(of_parts, t, out.as_mut_ptr(), table, biases);
        in_registers(&out.assume_init())
    }
}
