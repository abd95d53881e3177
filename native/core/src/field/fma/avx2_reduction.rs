//! The reduction of two sets of columns side by side, as assembly: the compiler computes all folds of
//! a digit at once and spills them (Zen 4: a complex product takes 89 ns that way). The steps and
//! their bounds stand in the head of [`super`]; the order is chosen so that the quotients come early
//! and the two sets hide each other's latency.
//!
//! Unsafe because it is assembly. It reads and writes the work space and the two tables behind its
//! references, writes the ten vectors of its result, uses no stack, and needs avx2 and fma like
//! everything in [`avx2`](super::avx2).
#![allow(unsafe_code)]

use core::arch::asm;
use core::mem::MaybeUninit;

use super::avx2::Avx2;
use super::avx2_columns::{add_columns, put_columns};
use super::columns::{Biases, BOTH, HIGH, LOW, UNIT, UNIT_BITS};
use super::constants::Constants;
use super::ops::{FmaOps, Quad};
use crate::field::Modulus;

/// An integer or the pattern of a float in all lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Splat([u64; 4]);

const fn float(value: f64) -> Splat {
    Splat([value.to_bits(); 4])
}

/// Constants of a modulus in the order in which the assembly names them.
#[repr(C)]
struct Table([Splat; 34]);

impl Table {
    const fn new<M: Modulus>() -> Self {
        let mut table = [float(0.0); 34];
        table[0] = Splat([(1 << 51) - 1; 4]);
        table[1] = Splat([UNIT_BITS; 4]);
        table[2] = float(UNIT);
        table[3] = float(LOW);
        table[4] = float(Constants::<M>::QUOTIENT_9[0]);
        table[5] = float(Constants::<M>::QUOTIENT_9[1]);
        table[6] = float(Constants::<M>::QUOTIENT_4 * 4096.0);
        table[7] = float(HIGH);
        table[8] = float(BOTH);
        let mut j = 0;
        while j < 5 {
            let mut i = 0;
            while i < 4 {
                table[9 + 4 * j + i] = float(Constants::<M>::FOLDS[i][j]);
                i += 1;
            }
            table[29 + j] = float(Constants::<M>::P[j]);
            j += 1;
        }
        Self(table)
    }
}

/// The biases of the two sets.
#[repr(C)]
struct BiasTable([[Splat; 11]; 2]);

impl BiasTable {
    const fn new(patterns: [i64; 2]) -> Self {
        let mut table = [[Splat([0; 4]); 11]; 2];
        let mut set = 0;
        while set < 2 {
            let biases = Biases::new(patterns[set]);
            let mut i = 0;
            while i < 4 {
                table[set][i] = Splat([biases.low[i]; 4]);
                i += 1;
            }
            table[set][4] = Splat([biases.top; 4]);
            table[set][5] = Splat([biases.next; 4]);
            let mut j = 0;
            while j < 5 {
                table[set][6 + j] = Splat([biases.last[j]; 4]);
                j += 1;
            }
            set += 1;
        }
        Self(table)
    }
}

/// Columns of up to three products, then the open columns T4 … T9 of the two reductions.
#[repr(C, align(64))]
struct Work(MaybeUninit<[Quad; 42]>);

/// Column k of set 0 or 1 of two products.
macro_rules! of_products {
    (0, $k:literal, $r:literal) => {
        concat!("vmovdqa ymm", $r, ", [{t} + 32*", $k, "]\n")
    };
    (1, $k:literal, $r:literal) => {
        concat!("vmovdqa ymm", $r, ", [{t} + 320 + 32*", $k, "]\n")
    };
}

/// Column k of the real or the imaginary part, from Σa₀b₀, Σa₁b₁ and Σa₂b₂.
macro_rules! of_parts {
    (0, $k:literal, $r:literal) => {
        concat!(
            "vmovdqa ymm",
            $r,
            ", [{t} + 32*",
            $k,
            "]\n",
            "vpsubq ymm",
            $r,
            ", ymm",
            $r,
            ", [{t} + 320 + 32*",
            $k,
            "]\n",
        )
    };
    (1, $k:literal, $r:literal) => {
        concat!(
            "vmovdqa ymm",
            $r,
            ", [{t} + 640 + 32*",
            $k,
            "]\n",
            "vpsubq ymm",
            $r,
            ", ymm",
            $r,
            ", [{t} + 32*",
            $k,
            "]\n",
            "vpsubq ymm",
            $r,
            ", ymm",
            $r,
            ", [{t} + 320 + 32*",
            $k,
            "]\n",
        )
    };
}

/// ymm`r` op= open column T`4 + j` of a set; `put` stores it.
macro_rules! open {
    (0, $j:literal) => {
        concat!("[{t} + 960 + 32*", $j, "]")
    };
    (1, $j:literal) => {
        concat!("[{t} + 1152 + 32*", $j, "]")
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

/// `op` of ymm`r` with a memory operand.
macro_rules! with {
    ($op:literal, $r:literal, $memory:expr) => {
        concat!($op, " ymm", $r, ", ymm", $r, ", ", $memory, "\n")
    };
}

/// ymm`r` to memory.
macro_rules! put {
    ($r:literal, $memory:expr) => {
        concat!("vmovdqa ", $memory, ", ymm", $r, "\n")
    };
}

/// ymm`r` += ymm`below` >> 51.
macro_rules! carry {
    ($r:literal, $below:literal) => {
        concat!(
            "vpsrlq ymm",
            $below,
            ", ymm",
            $below,
            ", 51\n",
            "vpaddq ymm",
            $r,
            ", ymm",
            $r,
            ", ymm",
            $below,
            "\n",
        )
    };
}

/// The digit of the biased column ymm`r` to ymm`d`, by the three constants in registers.
macro_rules! digit {
    ($d:literal, $r:literal, $mask:literal, $exponent:literal, $unit:literal) => {
        concat!(
            "vpand ymm",
            $d,
            ", ymm",
            $r,
            ", ymm",
            $mask,
            "\n",
            "vpor ymm",
            $d,
            ", ymm",
            $d,
            ", ymm",
            $exponent,
            "\n",
            "vsubpd ymm",
            $d,
            ", ymm",
            $d,
            ", ymm",
            $unit,
            "\n",
        )
    };
}

/// Two folds in one chain of patterns: the low one to ymm`low`, the high one to ymm`high`, by way of
/// ymm10.
macro_rules! pair {
    ($low:literal, $high:literal, $d0:literal, $m0:expr, $d1:literal, $m1:expr) => {
        concat!(
            "vmovapd ymm10, ymm15\n",
            "vfmadd231pd ymm10, ymm",
            $d0,
            ", ",
            $m0,
            "\n",
            "vsubpd ymm",
            $low,
            ", ymm14, ymm10\n",
            "vfmadd231pd ymm",
            $low,
            ", ymm",
            $d0,
            ", ",
            $m0,
            "\n",
            "vmovapd ymm",
            $high,
            ", ymm10\n",
            "vfmadd231pd ymm",
            $high,
            ", ymm",
            $d1,
            ", ",
            $m1,
            "\n",
            "vsubpd ymm10, ymm10, ymm",
            $high,
            "\n",
            "vfmadd231pd ymm10, ymm",
            $d1,
            ", ",
            $m1,
            "\n",
            "vaddpd ymm",
            $low,
            ", ymm",
            $low,
            ", ymm10\n",
        )
    };
}

/// Digit j of the four folds: low patterns in ymm8, high ones in ymm9.
macro_rules! folds {
    (0, $m0:literal $m1:literal $m2:literal $m3:literal) => {
        folds!([0 1 2 3], $m0 $m1 $m2 $m3)
    };
    (1, $m0:literal $m1:literal $m2:literal $m3:literal) => {
        folds!([4 5 6 7], $m0 $m1 $m2 $m3)
    };
    ([$d0:literal $d1:literal $d2:literal $d3:literal], $m0:literal $m1:literal $m2:literal $m3:literal) => {
        concat!(
            pair!(8, 9, $d0, constant!($m0), $d1, constant!($m1)),
            pair!(11, 12, $d2, constant!($m2), $d3, constant!($m3)),
            "vpaddq ymm8, ymm8, ymm11\n vpaddq ymm9, ymm9, ymm12\n",
        )
    };
}

macro_rules! constant {
    ($i:literal) => {
        concat!("[{k} + 32*", $i, "]")
    };
}

/// Step 1 for digit i: column to ymm`r`, carry from ymm`below`, digit to ymm`d`.
macro_rules! low_digit {
    ($column:ident, $set:tt, $i:tt: $d:literal, $r:literal) => {
        concat!(
            $column!($set, $i, $r),
            with!("vpaddq", $r, bias!($set, $i)),
            digit!($d, $r, 12, 13, 14),
        )
    };
    ($column:ident, $set:tt, $i:tt: $d:literal, $r:literal, $below:literal) => {
        concat!(
            $column!($set, $i, $r),
            with!("vpaddq", $r, bias!($set, $i)),
            carry!($r, $below),
            digit!($d, $r, 12, 13, 14),
        )
    };
}

/// Step 3: the quotient in the place of T9, from T8 in ymm9.
macro_rules! quotient {
    ($set:tt) => {
        concat!(
            with!("vpaddq", 9, bias!($set, 5)),
            "vpsrlq ymm9, ymm9, 12\n",
            with!("vpor", 9, constant!(1)),
            with!("vsubpd", 9, constant!(2)),
            with!("vmulpd", 9, constant!(6)),
            "vmovdqa ymm8, ",
            open!($set, 5),
            "\n",
            with!("vpaddq", 8, bias!($set, 4)),
            with!("vsubpd", 8, constant!(3)),
            "vfmadd231pd ymm9, ymm8, ",
            constant!(5),
            "\n",
            "vfmadd231pd ymm9, ymm8, ",
            constant!(4),
            "\n",
            "vroundpd ymm9, ymm9, 8\n",
            put!(9, open!($set, 5)),
        )
    };
}

/// Step 2 for a digit below the top ones: low patterns on column `j`, which opens, high ones on the
/// one above.
macro_rules! fold {
    ($column:ident, $set:tt, $j:tt $k:tt, $above:tt: $m0:literal $m1:literal $m2:literal $m3:literal) => {
        concat!(
            folds!($set, $m0 $m1 $m2 $m3),
            $column!($set, $k, 13),
            "vpaddq ymm8, ymm8, ymm13\n",
            put!(8, open!($set, $j)),
            with!("vpaddq", 9, open!($set, $above)),
            put!(9, open!($set, $above)),
        )
    };
}

/// Step 4 for limb j: quotient·P and the final carry; ymm`x` and ymm`r` are left for the next one.
macro_rules! limb {
    (start $set:tt, $out:literal, $p:literal, $q:literal: $x:literal, $r:literal) => {
        concat!(
            "vmovapd ymm", $x, ", ymm15\n",
            "vfnmadd231pd ymm", $x, ", ymm", $q, ", ", constant!($p), "\n",
            "vsubpd ymm", $r, ", ymm14, ymm", $x, "\n",
            "vfnmadd231pd ymm", $r, ", ymm", $q, ", ", constant!($p), "\n",
        )
    };
    (end $out:literal, $r:literal) => {
        concat!(
            digit!(13, $r, 2, 3, 4),
            "vmovapd [{o} + 32*", $out, "], ymm13\n",
        )
    };
    ($set:tt, $j:tt $b:literal, $out:literal, $p:literal, $q:literal: $x:literal, $r:literal) => {
        concat!(
            limb!(start $set, $out, $p, $q: $x, $r),
            with!("vpaddq", $r, open!($set, $j)),
            with!("vpaddq", $r, bias!($set, $b)),
            limb!(end $out, $r),
        )
    };
    ($set:tt, $j:tt $b:literal, $out:literal, $p:literal, $q:literal: $x:literal, $r:literal, $above:literal, $below:literal) => {
        concat!(
            limb!(start $set, $out, $p, $q: $x, $r),
            with!("vpaddq", $r, open!($set, $j)),
            "vpaddq ymm", $r, ", ymm", $r, ", ymm", $above, "\n",
            with!("vpaddq", $r, bias!($set, $b)),
            carry!($r, $below),
            limb!(end $out, $r),
        )
    };
}

/// The whole reduction of columns that come as `column` says.
macro_rules! reduction {
    ($column:ident, $work:expr, $out:expr, $table:expr, $biases:expr) => {
        asm!(
            concat!("vmovdqa ymm12, ", constant!(0)),
            concat!("vmovdqa ymm13, ", constant!(1)),
            concat!("vmovapd ymm14, ", constant!(2)),
            low_digit!($column, 0, 0: 0, 8),
            low_digit!($column, 1, 0: 4, 10),
            low_digit!($column, 0, 1: 1, 9, 8),
            low_digit!($column, 1, 1: 5, 11, 10),
            low_digit!($column, 0, 2: 2, 8, 9),
            low_digit!($column, 1, 2: 6, 10, 11),
            low_digit!($column, 0, 3: 3, 9, 8),
            low_digit!($column, 1, 3: 7, 11, 10),
            $column!(0, 4, 8),
            carry!(8, 9),
            put!(8, open!(0, 0)),
            $column!(1, 4, 10),
            carry!(10, 11),
            put!(10, open!(1, 0)),
            concat!("vmovapd ymm15, ", constant!(7)),
            concat!("vmovapd ymm14, ", constant!(8)),
            top_fold!($column, 0),
            top_fold!($column, 1),
            next_fold!($column, 0),
            next_fold!($column, 1),
            fold!($column, 0, 2 6, 3: 17 18 19 20),
            fold!($column, 1, 2 6, 3: 17 18 19 20),
            fold!($column, 0, 1 5, 2: 13 14 15 16),
            fold!($column, 1, 1 5, 2: 13 14 15 16),
            last_fold!(0),
            last_fold!(1),
            concat!("vmovapd ymm0, ", open!(0, 5)),
            concat!("vmovapd ymm1, ", open!(1, 5)),
            concat!("vmovdqa ymm2, ", constant!(0)),
            concat!("vmovdqa ymm3, ", constant!(1)),
            concat!("vmovapd ymm4, ", constant!(2)),
            limb!(0, 0 6, 0, 29, 0: 5, 7),
            limb!(1, 0 6, 5, 29, 1: 9, 11),
            limb!(0, 1 7, 1, 30, 0: 6, 8, 5, 7),
            limb!(1, 1 7, 6, 30, 1: 10, 12, 9, 11),
            limb!(0, 2 8, 2, 31, 0: 5, 7, 6, 8),
            limb!(1, 2 8, 7, 31, 1: 9, 11, 10, 12),
            limb!(0, 3 9, 3, 32, 0: 6, 8, 5, 7),
            limb!(1, 3 9, 8, 32, 1: 10, 12, 9, 11),
            limb!(0, 4 10, 4, 33, 0: 5, 7, 6, 8),
            limb!(1, 4 10, 9, 33, 1: 9, 11, 10, 12),
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

/// Digit 4 of the folds: T8 and T9 open.
macro_rules! top_fold {
    ($column:ident, $set:tt) => {
        concat!(
            folds!($set, 25 26 27 28),
            $column!($set, 9, 13),
            "vpaddq ymm9, ymm9, ymm13\n",
            put!(9, open!($set, 5)),
            $column!($set, 8, 13),
            "vpaddq ymm8, ymm8, ymm13\n",
            put!(8, open!($set, 4)),
        )
    };
}

/// Digit 3 of the folds, which completes T8, and the quotient.
macro_rules! next_fold {
    ($column:ident, $set:tt) => {
        concat!(
            fold!($column, $set, 3 7, 4: 21 22 23 24),
            quotient!($set),
        )
    };
}

/// Digit 0 of the folds: T4 is open already.
macro_rules! last_fold {
    ($set:tt) => {
        concat!(
            folds!($set, 9 10 11 12),
            with!("vpaddq", 8, open!($set, 0)),
            put!(8, open!($set, 0)),
            with!("vpaddq", 9, open!($set, 1)),
            put!(9, open!($set, 1)),
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
