//! MUL and UMULH with chains of the carry flag: the fast back-end of AArch64.
//!
//! The compiler moves carries of the plain version through registers (`cset`, `cinc`, a second addition), and
//! loads the modulus as immediate values; a multiplication takes 237 instructions there and 155 here
//! (src/docs/engine.md#arm64). MUL and UMULH leave the flags alone, so one chain of carries runs through a row
//! of products.
//!
//! # Safety
//! All instructions are in every AArch64. All blocks read only what is behind their references, write only
//! their declared outputs, and use no stack.
#![allow(unsafe_code)]

use core::arch::asm;

use super::dispatch::BackendWork;
use super::limbs::Limbs;
use super::wide::{self, Wide};
use super::{Backend, Modulus};

/// Any AArch64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Aarch64;

/// Runs work with this back-end.
pub fn run<W: BackendWork>(work: W) -> W::Output {
    work.run::<Aarch64>()
}

/// a₀·b into t0..t4.
macro_rules! first_row {
    () => {
        "mul {t0}, {a0}, {b0}
        umulh {t1}, {a0}, {b0}
        mul {l}, {a0}, {b1}
        umulh {t2}, {a0}, {b1}
        adds {t1}, {t1}, {l}
        mul {l}, {a0}, {b2}
        umulh {t3}, {a0}, {b2}
        adcs {t2}, {t2}, {l}
        mul {l}, {a0}, {b3}
        umulh {t4}, {a0}, {b3}
        adcs {t3}, {t3}, {l}
        adc {t4}, {t4}, xzr
        "
    };
}

/// Adds $a·b to $t0..$t3, the carry going to $t4.
macro_rules! product_row {
    ($a:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            "mul {l}, {",
            $a,
            "}, {b0}\n adds {",
            $t0,
            "}, {",
            $t0,
            "}, {l}\n",
            "mul {l}, {",
            $a,
            "}, {b1}\n adcs {",
            $t1,
            "}, {",
            $t1,
            "}, {l}\n",
            "mul {l}, {",
            $a,
            "}, {b2}\n adcs {",
            $t2,
            "}, {",
            $t2,
            "}, {l}\n",
            "mul {l}, {",
            $a,
            "}, {b3}\n adcs {",
            $t3,
            "}, {",
            $t3,
            "}, {l}\n",
            "cset {",
            $t4,
            "}, cs\n",
            "umulh {l}, {",
            $a,
            "}, {b0}\n adds {",
            $t1,
            "}, {",
            $t1,
            "}, {l}\n",
            "umulh {l}, {",
            $a,
            "}, {b1}\n adcs {",
            $t2,
            "}, {",
            $t2,
            "}, {l}\n",
            "umulh {l}, {",
            $a,
            "}, {b2}\n adcs {",
            $t3,
            "}, {",
            $t3,
            "}, {l}\n",
            "umulh {l}, {",
            $a,
            "}, {b3}\n adc {",
            $t4,
            "}, {",
            $t4,
            "}, {l}\n",
        )
    };
}

/// Adds m·p to the five words t0..t4, where m clears t0, and drops that word: the sum is in t0..t3. `$top` puts
/// t4 and the carry of the low halves into t4. The lowest product is −t0, so it carries unless t0 is 0.
macro_rules! reduction_step {
    ($top:literal) => {
        concat!(
            "mul {m}, {t0}, {inv}\n cmp {t0}, #1\n",
            "mul {l}, {m}, {p1}\n adcs {t1}, {t1}, {l}\n",
            "mul {l}, {m}, {p2}\n adcs {t2}, {t2}, {l}\n",
            "mul {l}, {m}, {p3}\n adcs {t3}, {t3}, {l}\n",
            $top,
            "umulh {l}, {m}, {p0}\n adds {t0}, {t1}, {l}\n",
            "umulh {l}, {m}, {p1}\n adcs {t1}, {t2}, {l}\n",
            "umulh {l}, {m}, {p2}\n adcs {t2}, {t3}, {l}\n",
            "umulh {l}, {m}, {p3}\n adc {t3}, {t4}, {l}\n",
        )
    };
}

/// The step of a multiplication, where t4 has a word.
macro_rules! inner_reduction_step {
    () => {
        reduction_step!("adc {t4}, {t4}, xzr\n")
    };
}

/// The step of a number of four words.
macro_rules! outer_reduction_step {
    () => {
        reduction_step!("cset {t4}, cs\n")
    };
}

/// Loads the modulus and its inverse.
macro_rules! load_modulus {
    () => {
        "ldp {p0}, {p1}, [{p}]\n ldp {p2}, {p3}, [{p}, #16]\n ldr {inv}, [{p}, #32]\n"
    };
}

/// Subtracts p from t0..t3 unless that borrows, with four more words.
macro_rules! final_subtraction {
    ($c0:literal, $c1:literal, $c2:literal, $c3:literal) => {
        concat!(
            "subs {",
            $c0,
            "}, {t0}, {p0}\n sbcs {",
            $c1,
            "}, {t1}, {p1}\n",
            "sbcs {",
            $c2,
            "}, {t2}, {p2}\n sbcs {",
            $c3,
            "}, {t3}, {p3}\n",
            "csel {t0}, {",
            $c0,
            "}, {t0}, cs\n csel {t1}, {",
            $c1,
            "}, {t1}, cs\n",
            "csel {t2}, {",
            $c2,
            "}, {t2}, cs\n csel {t3}, {",
            $c3,
            "}, {t3}, cs\n",
        )
    };
}

/// The modulus and −P⁻¹ mod 2^64, in the order that the blocks load.
const fn constants<M: Modulus>() -> [u64; 5] {
    [M::P[0], M::P[1], M::P[2], M::P[3], M::INV]
}

impl Backend for Aarch64 {
    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        let modulus: &'static [u64; 5] = const { &constants::<M>() };
        let (t0, t1, t2, t3): (u64, u64, u64, u64);
        // SAFETY: reads the 40 bytes of the constants; writes only named registers.
        unsafe {
            asm!(
                load_modulus!(),
                first_row!(),
                inner_reduction_step!(),
                product_row!("a1", "t0", "t1", "t2", "t3", "t4"),
                inner_reduction_step!(),
                product_row!("a2", "t0", "t1", "t2", "t3", "t4"),
                inner_reduction_step!(),
                product_row!("a3", "t0", "t1", "t2", "t3", "t4"),
                inner_reduction_step!(),
                final_subtraction!("t4", "l", "m", "inv"),
                a0 = in(reg) a[0], a1 = in(reg) a[1], a2 = in(reg) a[2], a3 = in(reg) a[3],
                b0 = in(reg) b[0], b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
                p = in(reg) modulus.as_ptr(),
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _, inv = out(reg) _,
                t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) t3,
                t4 = out(reg) _, l = out(reg) _, m = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        wide::mul_complex::<M, Self>(a, b)
    }

    #[inline(always)]
    fn reduce_once<M: Modulus>(a: &Limbs) -> Limbs {
        let modulus: &'static Limbs = const { &M::P };
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: reads the 32 bytes of the modulus; writes only named registers.
        unsafe {
            asm!(
                "ldp {p0}, {p1}, [{p}]\n ldp {p2}, {p3}, [{p}, #16]",
                final_subtraction!("p0", "p1", "p2", "p3"),
                p = in(reg) modulus.as_ptr(),
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn mul_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        // assembly without branches
        Self::mul::<M>(a, b)
    }

    #[inline(always)]
    fn reduce_once_secret<M: Modulus>(a: &Limbs) -> Limbs {
        // assembly without branches
        Self::reduce_once::<M>(a)
    }

    // In Rust the compiler makes branches of the carries (.scripts/constant-time.sh found them).
    #[inline(always)]
    fn add_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        let modulus: &'static Limbs = const { &M::P };
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: reads the 32 bytes of the modulus; writes only named registers.
        unsafe {
            asm!(
                "ldp {p0}, {p1}, [{p}]\n ldp {p2}, {p3}, [{p}, #16]",
                "adds {t0}, {t0}, {b0}\n adcs {t1}, {t1}, {b1}\n adcs {t2}, {t2}, {b2}\n adc {t3}, {t3}, {b3}",
                final_subtraction!("p0", "p1", "p2", "p3"),
                b0 = in(reg) b[0], b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
                p = in(reg) modulus.as_ptr(),
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn sub_secret<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        let modulus: &'static Limbs = const { &M::P };
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: reads the 32 bytes of the modulus; writes only named registers.
        unsafe {
            asm!(
                "ldp {p0}, {p1}, [{p}]\n ldp {p2}, {p3}, [{p}, #16]",
                "subs {t0}, {t0}, {b0}\n sbcs {t1}, {t1}, {b1}\n sbcs {t2}, {t2}, {b2}\n sbcs {t3}, {t3}, {b3}",
                // p where that borrowed
                "csel {p0}, xzr, {p0}, cs\n csel {p1}, xzr, {p1}, cs",
                "csel {p2}, xzr, {p2}, cs\n csel {p3}, xzr, {p3}, cs",
                "adds {t0}, {t0}, {p0}\n adcs {t1}, {t1}, {p1}\n adcs {t2}, {t2}, {p2}\n adc {t3}, {t3}, {p3}",
                b0 = in(reg) b[0], b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
                p = in(reg) modulus.as_ptr(),
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _,
                t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
        let mut t = [0u64; 8];
        // SAFETY: writes only named registers.
        unsafe {
            asm!(
                first_row!(),
                product_row!("a1", "t1", "t2", "t3", "t4", "t5"),
                product_row!("a2", "t2", "t3", "t4", "t5", "t6"),
                product_row!("a3", "t3", "t4", "t5", "t6", "t7"),
                a0 = in(reg) a[0], a1 = in(reg) a[1], a2 = in(reg) a[2], a3 = in(reg) a[3],
                b0 = in(reg) b[0], b1 = in(reg) b[1], b2 = in(reg) b[2], b3 = in(reg) b[3],
                t0 = out(reg) t[0], t1 = out(reg) t[1], t2 = out(reg) t[2], t3 = out(reg) t[3],
                t4 = out(reg) t[4], t5 = out(reg) t[5], t6 = out(reg) t[6], t7 = out(reg) t[7],
                l = out(reg) _,
                options(pure, nomem, nostack),
            );
        }
        t
    }

    #[inline(always)]
    fn fold<M: Modulus>(a: &Limbs) -> Limbs {
        let modulus: &'static [u64; 5] = const { &constants::<M>() };
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: reads the 40 bytes of the constants; writes only named registers.
        unsafe {
            asm!(
                load_modulus!(),
                outer_reduction_step!(),
                outer_reduction_step!(),
                outer_reduction_step!(),
                outer_reduction_step!(),
                p = in(reg) modulus.as_ptr(),
                p0 = out(reg) _, p1 = out(reg) _, p2 = out(reg) _, p3 = out(reg) _, inv = out(reg) _,
                t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
                t4 = out(reg) _, l = out(reg) _, m = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }
}
