//! MULX with the two carry chains of ADCX and ADOX: the fast back-end of x86-64.
//!
//! # Safety
//! [`Adx`] is private to this module, and [`run`] alone passes it on, after the processor was found to
//! have bmi2 and adx. So whoever calls an operation of this type runs on such a processor: "by the
//! head" below refers to this. All blocks read only what is behind their references, write only their
//! declared outputs, and use no stack.
#![allow(unsafe_code)]

use core::arch::asm;

use super::dispatch::BackendWork;
use super::limbs::{self, Limbs};
use super::wide::Wide;
use super::{Backend, Modulus};

/// x86-64 with bmi2 and adx.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Adx;

/// Whether this processor has the instructions.
pub fn is_present() -> bool {
    std::arch::is_x86_feature_detected!("adx") && std::arch::is_x86_feature_detected!("bmi2")
}

/// Runs work with this back-end, or returns it where the processor lacks the instructions.
pub fn run<W: BackendWork>(work: W) -> Result<W::Output, W> {
    if is_present() {
        Ok(work.run::<Adx>())
    } else {
        Err(work)
    }
}

/// Adds m·p to the five-word accumulator t0..t4, where m clears t0, and drops that word.
/// Leaves the sum in t0..t3.
macro_rules! reduction_step {
    ($factor:literal) => {
        concat!(
            "mov rdx, ",
            $factor,
            "\n imul rdx, {t0}\n xor {l:e}, {l:e}\n",
            "mulx {c}, {l}, [{p}]\n adcx {l}, {t0}\n mov {t0}, {c}\n adcx {t0}, {t1}\n",
            "mulx {t1}, {l}, [{p} + 8]\n adox {t0}, {l}\n adcx {t1}, {t2}\n",
            "mulx {t2}, {l}, [{p} + 16]\n adox {t1}, {l}\n adcx {t2}, {t3}\n",
            "mulx {t3}, {l}, [{p} + 24]\n adox {t2}, {l}\n mov {l}, 0\n",
            "adcx {t3}, {l}\n adox {t3}, {t4}\n",
        )
    };
}

/// Adds aᵢ·b to t0..t3, the carry going to t4.
macro_rules! product_row {
    ($offset:literal) => {
        concat!(
            "xor {l:e}, {l:e}\n mov rdx, [{a} + ",
            $offset,
            "]\n",
            "mulx {c}, {l}, [{b}]\n adox {t0}, {l}\n adcx {t1}, {c}\n",
            "mulx {c}, {l}, [{b} + 8]\n adox {t1}, {l}\n adcx {t2}, {c}\n",
            "mulx {c}, {l}, [{b} + 16]\n adox {t2}, {l}\n adcx {t3}, {c}\n",
            "mulx {t4}, {l}, [{b} + 24]\n adox {t3}, {l}\n mov {l}, 0\n",
            "adcx {t4}, {l}\n adox {t4}, {l}\n",
        )
    };
}

/// a₀·b into t0..t4.
macro_rules! first_row {
    () => {
        concat!(
            "xor {l:e}, {l:e}\n mov rdx, [{a}]\n",
            "mulx {t1}, {t0}, [{b}]\n",
            "mulx {t2}, {l}, [{b} + 8]\n adcx {t1}, {l}\n",
            "mulx {t3}, {l}, [{b} + 16]\n adcx {t2}, {l}\n",
            "mulx {t4}, {l}, [{b} + 24]\n adcx {t3}, {l}\n",
            "mov {l}, 0\n adcx {t4}, {l}\n",
        )
    };
}

/// Subtracts p from t0..t3 unless that borrows.
macro_rules! final_subtraction {
    () => {
        concat!(
            "mov {c}, {t0}\n sub {c}, [{p}]\n mov {l}, {t1}\n sbb {l}, [{p} + 8]\n",
            "mov {t4}, {t2}\n sbb {t4}, [{p} + 16]\n mov rdx, {t3}\n sbb rdx, [{p} + 24]\n",
            "cmovnc {t0}, {c}\n cmovnc {t1}, {l}\n cmovnc {t2}, {t4}\n cmovnc {t3}, rdx\n",
        )
    };
}

/// a·b·2^−256 mod P, below P.
///
/// # Safety
/// The processor has bmi2 and adx.
#[inline(always)]
unsafe fn montgomery_mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
    let modulus: &'static Limbs = const { &M::P };
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: reads the 32 bytes of each of a, b and p; writes only named registers; the instructions are
    // there, by the contract.
    unsafe {
        asm!(
            concat!(
                first_row!(), reduction_step!("{inv}"),
                product_row!("8"), reduction_step!("{inv}"),
                product_row!("16"), reduction_step!("{inv}"),
                product_row!("24"), reduction_step!("{inv}"),
                final_subtraction!(),
            ),
            a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(), p = in(reg) modulus.as_ptr(),
            inv = in(reg) M::INV,
            t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) t3,
            t4 = out(reg) _, l = out(reg) _, c = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

/// Adds aᵢ·b to t0..t4, which does not overflow them.
macro_rules! second_product_row {
    ($offset:literal) => {
        concat!(
            "xor {l:e}, {l:e}\n mov rdx, [{a1} + ",
            $offset,
            "]\n",
            "mulx {c}, {l}, [{b1}]\n adox {t0}, {l}\n adcx {t1}, {c}\n",
            "mulx {c}, {l}, [{b1} + 8]\n adox {t1}, {l}\n adcx {t2}, {c}\n",
            "mulx {c}, {l}, [{b1} + 16]\n adox {t2}, {l}\n adcx {t3}, {c}\n",
            "mulx {c}, {l}, [{b1} + 24]\n adox {t3}, {l}\n adcx {t4}, {c}\n",
            "mov {l}, 0\n adox {t4}, {l}\n",
        )
    };
}

/// (a·b + a1·b1)·2^−256 mod P, below P, for factors up to P: one reduction for both products.
///
/// A round starts below 3P < 2^256 and the result before the last subtraction is below
/// P + 2P²/2^256 < 2P, since P < 2^254.
///
/// # Safety
/// The processor has bmi2 and adx.
#[inline(always)]
unsafe fn sum_of_products<M: Modulus>(a: &Limbs, b: &Limbs, a1: &Limbs, b1: &Limbs) -> Limbs {
    // the factor of the reduction follows the modulus in memory: registers run out
    let constants: &'static [u64; 5] = const { &[M::P[0], M::P[1], M::P[2], M::P[3], M::INV] };
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: reads the 32 bytes of each of a, b, a1 and b1 and the 40 of p; writes only named registers;
    // the instructions are there, by the contract.
    unsafe {
        asm!(
            concat!(
                first_row!(), second_product_row!("0"), reduction_step!("[{p} + 32]"),
                product_row!("8"), second_product_row!("8"), reduction_step!("[{p} + 32]"),
                product_row!("16"), second_product_row!("16"), reduction_step!("[{p} + 32]"),
                product_row!("24"), second_product_row!("24"), reduction_step!("[{p} + 32]"),
                final_subtraction!(),
            ),
            a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(),
            a1 = in(reg) a1.as_ptr(), b1 = in(reg) b1.as_ptr(), p = in(reg) constants.as_ptr(),
            t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) t3,
            t4 = out(reg) _, l = out(reg) _, c = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

/// Adds b times the next word of a to three words of the product and starts its fourth.
macro_rules! wide_row {
    ($offset:literal, $t0:literal, $t1:literal, $t2:literal, $t3:literal, $t4:literal) => {
        concat!(
            "xor {l:e}, {l:e}\n mov rdx, [{a} + ",
            $offset,
            "]\n",
            "mulx {c}, {l}, [{b}]\n adox {",
            $t0,
            "}, {l}\n adcx {",
            $t1,
            "}, {c}\n",
            "mulx {c}, {l}, [{b} + 8]\n adox {",
            $t1,
            "}, {l}\n adcx {",
            $t2,
            "}, {c}\n",
            "mulx {c}, {l}, [{b} + 16]\n adox {",
            $t2,
            "}, {l}\n adcx {",
            $t3,
            "}, {c}\n",
            "mulx {",
            $t4,
            "}, {l}, [{b} + 24]\n adox {",
            $t3,
            "}, {l}\n mov {l}, 0\n",
            "adcx {",
            $t4,
            "}, {l}\n adox {",
            $t4,
            "}, {l}\n",
        )
    };
}

/// a·b in eight words.
///
/// # Safety
/// The processor has bmi2 and adx.
#[inline(always)]
unsafe fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
    let mut t = [0u64; 8];
    // SAFETY: reads the 32 bytes of each of a and b; writes only named registers; the instructions are
    // there, by the contract.
    unsafe {
        asm!(
            concat!(
                first_row!(),
                wide_row!("8", "t1", "t2", "t3", "t4", "t5"),
                wide_row!("16", "t2", "t3", "t4", "t5", "t6"),
                wide_row!("24", "t3", "t4", "t5", "t6", "t7"),
            ),
            a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(),
            t0 = out(reg) t[0], t1 = out(reg) t[1], t2 = out(reg) t[2], t3 = out(reg) t[3],
            t4 = out(reg) t[4], t5 = out(reg) t[5], t6 = out(reg) t[6], t7 = out(reg) t[7],
            l = out(reg) _, c = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    t
}

/// (a + m·P)·2^−256 with the m below 2^256 that makes it whole: at most P.
///
/// # Safety
/// The processor has bmi2 and adx.
#[inline(always)]
unsafe fn fold<M: Modulus>(a: &Limbs) -> Limbs {
    let modulus: &'static Limbs = const { &M::P };
    let [mut t0, mut t1, mut t2, mut t3] = *a;
    // SAFETY: reads the 32 bytes of p; writes only named registers; the instructions are there, by the
    // contract.
    unsafe {
        asm!(
            "xor {t4:e}, {t4:e}",
            concat!(
                reduction_step!("{inv}"), reduction_step!("{inv}"),
                reduction_step!("{inv}"), reduction_step!("{inv}"),
            ),
            p = in(reg) modulus.as_ptr(), inv = in(reg) M::INV,
            t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
            t4 = out(reg) _, l = out(reg) _, c = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

/// Subtracts p from t0..t3 unless that borrows, with four more words.
macro_rules! conditional_subtraction {
    () => {
        concat!(
            "mov {c0}, {t0}\n sub {c0}, [{p}]\n mov {c1}, {t1}\n sbb {c1}, [{p} + 8]\n",
            "mov {c2}, {t2}\n sbb {c2}, [{p} + 16]\n mov {c3}, {t3}\n sbb {c3}, [{p} + 24]\n",
            "cmovnc {t0}, {c0}\n cmovnc {t1}, {c1}\n cmovnc {t2}, {c2}\n cmovnc {t3}, {c3}\n",
        )
    };
}

/// a mod P for a < 2P. In plain Rust the borrows against the constant cost twice as much.
#[inline(always)]
fn reduce_once<M: Modulus>(a: &Limbs) -> Limbs {
    let modulus: &'static Limbs = const { &M::P };
    let [mut t0, mut t1, mut t2, mut t3] = *a;
    // SAFETY: reads the 32 bytes of p; writes only named registers; these instructions are in every x86-64.
    unsafe {
        asm!(
            conditional_subtraction!(),
            p = in(reg) modulus.as_ptr(),
            t0 = inout(reg) t0, t1 = inout(reg) t1, t2 = inout(reg) t2, t3 = inout(reg) t3,
            c0 = out(reg) _, c1 = out(reg) _, c2 = out(reg) _, c3 = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

impl Backend for Adx {
    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        // SAFETY: the processor has bmi2 and adx, by the head.
        unsafe { montgomery_mul::<M>(a, b) }
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        let (negated, _) = limbs::subtract(&M::P, b[1]);
        // SAFETY: the processor has bmi2 and adx, by the head.
        unsafe {
            [
                sum_of_products::<M>(a[0], b[0], a[1], &negated),
                sum_of_products::<M>(a[0], b[1], a[1], b[0]),
            ]
        }
    }

    #[inline(always)]
    fn reduce_once<M: Modulus>(a: &Limbs) -> Limbs {
        reduce_once::<M>(a)
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

    #[inline(always)]
    fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
        // SAFETY: the processor has bmi2 and adx, by the head.
        unsafe { wide_mul(a, b) }
    }

    #[inline(always)]
    fn fold<M: Modulus>(a: &Limbs) -> Limbs {
        // SAFETY: the processor has bmi2 and adx, by the head.
        unsafe { fold::<M>(a) }
    }
}
