//! The reduction of two sets of columns side by side, as assembly: the compiler computes all folds of
//! a digit at once and spills them. The head of [`fma`](super::super) explains the steps and their
//! bounds; the order is chosen so that the quotients come early and the two sets hide each other's
//! latency.
//!
//! Registers: digits of set 0 in ymm0 to 3, of set 1 in ymm4 to 7; ymm14 and 15 hold BOTH and HIGH;
//! the others are temporary. Memory: `t` is the work space ([`Work`]), `k` the constants ([`Table`]),
//! `c` the biases ([`BiasTable`]), `o` the ten limbs of the result. Offsets are operands, derived from
//! these types: `t_open` is that of `Work::open`, and so on.
//!
//! Unsafe because it is assembly, for processors with avx2 and fma.
#![allow(unsafe_code)]

use core::arch::asm;
use core::mem::{offset_of, MaybeUninit};

use super::super::ops::{FmaOps, Quad};
use super::columns::{add_columns, put_columns};
use super::tables::{BiasTable, SetBiases, Table};
use super::Avx2;
use crate::field::Modulus;

/// Memory of one reduction.
#[repr(C, align(64))]
struct Work {
    /// Columns of up to three products.
    products: [[Quad; 10]; 3],
    /// T4 … T9 of both sets while they are summed.
    open: [[Quad; 6]; 2],
}

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

/// A constant of the modulus, by its field of [`Table`]; an array takes an index.
macro_rules! constant {
    ($field:ident) => {
        concat!("[{k} + {k_", stringify!($field), "}]")
    };
    (folds[$j:literal][$i:literal]) => {
        concat!("[{k} + {k_folds} + {k_fold}*", $j, " + {quad}*", $i, "]")
    };
    (p[$j:literal]) => {
        concat!("[{k} + {k_p} + {quad}*", $j, "]")
    };
}

/// Element `i` of a bias of a set, by its field of [`SetBiases`].
macro_rules! bias {
    (0, $field:ident, $i:literal) => {
        concat!("[{c} + {c_", stringify!($field), "} + {quad}*", $i, "]")
    };
    (1, $field:ident, $i:literal) => {
        concat!(
            "[{c} + {c_set} + {c_",
            stringify!($field),
            "} + {quad}*",
            $i,
            "]"
        )
    };
}

/// Open column 4 + j of a set.
macro_rules! open {
    (0, $j:literal) => {
        concat!("[{t} + {t_open} + {quad}*", $j, "]")
    };
    (1, $j:literal) => {
        concat!("[{t} + {t_open} + {t_open_set} + {quad}*", $j, "]")
    };
}

/// Column k of product `i` of the work space.
macro_rules! product {
    ($i:literal, $k:literal) => {
        concat!("[{t} + {t_product}*", $i, " + {quad}*", $k, "]")
    };
}

/// Limb j of a set in the result.
macro_rules! out {
    (0, $j:literal) => {
        concat!("[{o} + {quad}*", $j, "]")
    };
    (1, $j:literal) => {
        concat!("[{o} + {o_set} + {quad}*", $j, "]")
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

/// ymm`d` = the digit of the biased column ymm`r`, by `mask`, `exponent` and `unit` in three registers.
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
            op!("vpaddq" $r, $r, [bias!($set, low, $i)]),
            $(carry!($r, $below),)?
            digit!($d, $r; 12, 13, 14),
        )
    };
}

/// Folds i and i + 1 of digits in ymm`d0` and ymm`d1` in one chain of patterns, digit j of each: the
/// low pattern to ymm`low`, the high one to ymm`high`.
macro_rules! pair {
    ($j:tt; $low:literal, $high:literal; $d0:literal $i0:tt, $d1:literal $i1:tt) => {
        concat!(
            get!(10, 15),
            op!("vfmadd231pd" 10, $d0, [constant!(folds[$j][$i0])]),
            op!("vsubpd" $low, 14, 10),
            op!("vfmadd231pd" $low, $d0, [constant!(folds[$j][$i0])]),
            get!($high, 10),
            op!("vfmadd231pd" $high, $d1, [constant!(folds[$j][$i1])]),
            op!("vsubpd" 10, 10, $high),
            op!("vfmadd231pd" 10, $d1, [constant!(folds[$j][$i1])]),
            op!("vaddpd" $low, $low, 10),
        )
    };
}

/// Digit j of the four folds of a set: low patterns to ymm8, high ones to ymm9.
macro_rules! folds {
    (0, $j:tt) => {
        concat!(
            pair!($j; 8, 9; 0 0, 1 1),
            pair!($j; 11, 12; 2 2, 3 3),
            op!("vpaddq" 8, 8, 11),
            op!("vpaddq" 9, 9, 12),
        )
    };
    (1, $j:tt) => {
        concat!(
            pair!($j; 8, 9; 4 0, 5 1),
            pair!($j; 11, 12; 6 2, 7 3),
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
    ($column:ident, $set:tt, $j:tt, $k:literal, $above:tt) => {
        concat!(
            folds!($set, $j),
            open_with!($column, $set, $k, $j, 8),
            add_open!($set, $above, 9),
        )
    };
}

/// Step 3: the quotient in the place of T9, from T8 in ymm9.
macro_rules! quotient {
    ($set:tt) => {
        concat!(
            op!("vpaddq" 9, 9, [bias!($set, next, 0)]),
            op!("vpsrlq" 9, 9, bits 12),
            op!("vpor" 9, 9, [constant!(exponent)]),
            op!("vsubpd" 9, 9, [constant!(unit)]),
            op!("vmulpd" 9, 9, [constant!(quotient_8)]),
            get!(8, [open!($set, 5)]),
            op!("vpaddq" 8, 8, [bias!($set, top, 0)]),
            op!("vsubpd" 8, 8, [constant!(low)]),
            op!("vfmadd231pd" 9, 8, [constant!(missing_9)]),
            op!("vfmadd231pd" 9, 8, [constant!(quotient_9)]),
            op!("vroundpd" 9, 9, bits 8),
            put!([open!($set, 5)], 9),
        )
    };
}

/// Step 4 for limb j: −q·P with q in ymm`q`, the carry from ymm`below`; the high pattern stays in
/// ymm`x` and the column in ymm`r` for the next limb.
macro_rules! limb {
    ($set:tt, $j:tt, $q:literal: $x:literal, $r:literal $(, $high:literal, $below:literal)?) => {
        concat!(
            get!($x, 15),
            op!("vfnmadd231pd" $x, $q, [constant!(p[$j])]),
            op!("vsubpd" $r, 14, $x),
            op!("vfnmadd231pd" $r, $q, [constant!(p[$j])]),
            op!("vpaddq" $r, $r, [open!($set, $j)]),
            op!("vpaddq" $r, $r, [bias!($set, last, $j)]),
            $(op!("vpaddq" $r, $r, $high), carry!($r, $below),)?
            digit!(13, $r; 2, 3, 4),
            put!([out!($set, $j)], 13),
        )
    };
}

/// The whole reduction of columns that come as `column` says.
macro_rules! reduction {
    ($column:ident, $work:expr, $out:expr, $table:expr, $biases:expr) => {
        asm!(
            get!(12, [constant!(mask)]),
            get!(13, [constant!(exponent)]),
            get!(14, [constant!(unit)]),
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
            get!(15, [constant!(high)]),
            get!(14, [constant!(both)]),
            folds!(0, 4),
            open_with!($column, 0, 9, 5, 9),
            open_with!($column, 0, 8, 4, 8),
            folds!(1, 4),
            open_with!($column, 1, 9, 5, 9),
            open_with!($column, 1, 8, 4, 8),
            fold!($column, 0, 3, 7, 4),
            quotient!(0),
            fold!($column, 1, 3, 7, 4),
            quotient!(1),
            fold!($column, 0, 2, 6, 3),
            fold!($column, 1, 2, 6, 3),
            fold!($column, 0, 1, 5, 2),
            fold!($column, 1, 1, 5, 2),
            folds!(0, 0),
            add_open!(0, 0, 8),
            add_open!(0, 1, 9),
            folds!(1, 0),
            add_open!(1, 0, 8),
            add_open!(1, 1, 9),
            get!(0, [open!(0, 5)]),
            get!(1, [open!(1, 5)]),
            get!(2, [constant!(mask)]),
            get!(3, [constant!(exponent)]),
            get!(4, [constant!(unit)]),
            limb!(0, 0, 0: 5, 7),
            limb!(1, 0, 1: 9, 11),
            limb!(0, 1, 0: 6, 8, 5, 7),
            limb!(1, 1, 1: 10, 12, 9, 11),
            limb!(0, 2, 0: 5, 7, 6, 8),
            limb!(1, 2, 1: 9, 11, 10, 12),
            limb!(0, 3, 0: 6, 8, 5, 7),
            limb!(1, 3, 1: 10, 12, 9, 11),
            limb!(0, 4, 0: 5, 7, 6, 8),
            limb!(1, 4, 1: 9, 11, 10, 12),
            t = in(reg) $work,
            o = in(reg) $out,
            k = in(reg) $table,
            c = in(reg) $biases,
            quad = const size_of::<Quad>(),
            t_product = const size_of::<[Quad; 10]>(),
            t_open = const offset_of!(Work, open),
            t_open_set = const size_of::<[Quad; 6]>(),
            o_set = const size_of::<[Quad; 5]>(),
            k_mask = const offset_of!(Table, mask),
            k_exponent = const offset_of!(Table, exponent),
            k_unit = const offset_of!(Table, unit),
            k_low = const offset_of!(Table, low),
            k_quotient_9 = const offset_of!(Table, quotient_9),
            k_missing_9 = const offset_of!(Table, missing_9),
            k_quotient_8 = const offset_of!(Table, quotient_8),
            k_high = const offset_of!(Table, high),
            k_both = const offset_of!(Table, both),
            k_folds = const offset_of!(Table, folds),
            k_fold = const size_of::<[Quad; 4]>(),
            k_p = const offset_of!(Table, p),
            c_set = const size_of::<SetBiases>(),
            c_low = const offset_of!(SetBiases, low),
            c_top = const offset_of!(SetBiases, top),
            c_next = const offset_of!(SetBiases, next),
            c_last = const offset_of!(SetBiases, last),
            // the function itself has no avx, so the registers go by the names of their lower halves
            out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
            out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
            out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
            out("xmm15") _,
            options(nostack, preserves_flags),
        )
    };
}

// `products` is the first field: the assembly takes its offset to be 0.
const _: () =
    assert!(offset_of!(Work, products) == 0 && size_of::<Table>() == 34 * size_of::<Quad>());

/// Copies vectors into values of their own: an array that assembly has seen would be copied whole, and
/// more than once, before it arrives.
///
/// # Safety
/// The processor has avx2 and fma.
#[inline(always)]
unsafe fn in_registers(out: &[[Quad; 5]; 2]) -> [[Quad; 5]; 2] {
    let mut values = [[Quad::splat(0.0); 5]; 2];
    for set in 0..2 {
        for j in 0..5 {
            values[set][j] = Avx2::store(Avx2::load(&out[set][j]));
        }
    }
    values
}

/// Columns of product `i` of a work space.
///
/// # Safety
/// `work` points to a [`Work`], whose contents may be uninitialized, and `i` is below 3.
#[inline(always)]
unsafe fn product_at(work: *mut Work, i: usize) -> *mut Quad {
    // SAFETY: the place is within the work space, by the contract; nothing is read.
    unsafe { (&raw mut (*work).products).cast::<Quad>().add(10 * i) }
}

/// Two products.
///
/// # Safety
/// The processor has avx2 and fma.
#[inline(always)]
pub unsafe fn multiply<M: Modulus>(pairs: [[&[Quad; 5]; 2]; 2]) -> [[Quad; 5]; 2] {
    let mut work = MaybeUninit::<Work>::uninit();
    let mut out = MaybeUninit::<[[Quad; 5]; 2]>::uninit();
    let t = work.as_mut_ptr();
    let (table, biases) = const { (&Table::new::<M>(), &BiasTable::new([1, 1])) };
    // SAFETY: the processor has avx2 and fma, by the contract. Products 0 and 1 of the work space are
    // written before they are read, and open columns within the assembly; offsets are those of `Work`,
    // `Table` and `BiasTable`. No stack is used and every register that is written is named.
    unsafe {
        put_columns(product_at(t, 0), pairs[0][0], pairs[0][1]);
        put_columns(product_at(t, 1), pairs[1][0], pairs[1][1]);
        reduction!(of_products, t, out.as_mut_ptr(), table, biases);
    }
    // SAFETY: the assembly has written all ten vectors; the instructions are there, by the contract.
    unsafe { in_registers(out.assume_init_ref()) }
}

/// The parts of a sum of complex products.
///
/// # Safety
/// The processor has avx2 and fma.
#[inline(always)]
pub unsafe fn multiply_complex<M: Modulus, const N: usize>(
    a: [[&[Quad; 5]; 3]; N],
    b: [[&[Quad; 5]; 3]; N],
) -> [[Quad; 5]; 2] {
    let mut work = MaybeUninit::<Work>::uninit();
    let mut out = MaybeUninit::<[[Quad; 5]; 2]>::uninit();
    let t = work.as_mut_ptr();
    let (table, biases) = const { (&Table::new::<M>(), &BiasTable::new([0, -(N as i64)])) };
    // SAFETY: as in `multiply`, with three products in the work space.
    unsafe {
        for part in 0..3 {
            put_columns(product_at(t, part), a[0][part], b[0][part]);
            for i in 1..N {
                add_columns(product_at(t, part), a[i][part], b[i][part]);
            }
        }
        reduction!(of_parts, t, out.as_mut_ptr(), table, biases);
    }
    // SAFETY: the assembly has written all ten vectors; the instructions are there, by the contract.
    unsafe { in_registers(out.assume_init_ref()) }
}
