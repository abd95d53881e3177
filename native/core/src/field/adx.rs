//! MULX with the two carry chains of ADCX and ADOX: the fast back-end of x86-64.
//!
//! Unsafe because it is assembly. What makes each block sound: it reads only the limbs behind the
//! references it is given, writes only its declared outputs and the local array behind `out`, uses
//! no stack, and runs on processors with bmi2 and adx, which
//! [`arithmetic`](super::arithmetic) has checked before anything is called with this back-end.
#![allow(unsafe_code)]

use core::arch::asm;
use core::mem::MaybeUninit;

use super::limbs::{self, Limbs, Wide};
use super::{Backend, Modulus};

/// x86-64 with bmi2 and adx. Calling it on a processor without them ends the process; only
/// [`arithmetic`](super::arithmetic) decides where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adx;

/// Adds m·p to the five-word accumulator t0..t4, where m clears t0, and drops that word.
/// Leaves the sum in t0..t3.
macro_rules! reduction_step {
    () => {
        concat!(
            "mov rdx, {inv}\n imul rdx, {t0}\n xor {l:e}, {l:e}\n",
            "mulx {c}, {l}, [{p}]\n adcx {l}, {t0}\n mov {t0}, {c}\n adcx {t0}, {t1}\n",
            "mulx {t1}, {l}, [{p} + 8]\n adox {t0}, {l}\n adcx {t1}, {t2}\n",
            "mulx {t2}, {l}, [{p} + 16]\n adox {t1}, {l}\n adcx {t2}, {t3}\n",
            "mulx {t3}, {l}, [{p} + 24]\n adox {t2}, {l}\n mov {l}, 0\n",
            "adcx {t3}, {l}\n adox {t3}, {t4}\n",
        )
    };
}

/// Adds a[i]·b to t0..t3, the carry going to t4.
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

/// a[0]·b into t0..t4.
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

#[inline(always)]
fn montgomery_mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
    let modulus: &'static Limbs = const { &M::P };
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: reads 32 bytes behind each of a, b, p; see the head of this file.
    unsafe {
        asm!(
            concat!(
                first_row!(), reduction_step!(),
                product_row!("8"), reduction_step!(),
                product_row!("16"), reduction_step!(),
                product_row!("24"), reduction_step!(),
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

#[inline(always)]
fn wide_mul(a: &Limbs, b: &Limbs) -> Wide {
    let mut out = MaybeUninit::<Wide>::uninit();
    // SAFETY: reads 32 bytes behind a and b, writes all 64 bytes behind out.
    unsafe {
        asm!(
            concat!(
                first_row!(),
                "mov [{o}], {t0}\n mov {t0}, {t1}\n mov {t1}, {t2}\n mov {t2}, {t3}\n mov {t3}, {t4}\n",
                product_row!("8"),
                "mov [{o} + 8], {t0}\n mov {t0}, {t1}\n mov {t1}, {t2}\n mov {t2}, {t3}\n mov {t3}, {t4}\n",
                product_row!("16"),
                "mov [{o} + 16], {t0}\n mov {t0}, {t1}\n mov {t1}, {t2}\n mov {t2}, {t3}\n mov {t3}, {t4}\n",
                product_row!("24"),
                "mov [{o} + 24], {t0}\n mov [{o} + 32], {t1}\n mov [{o} + 40], {t2}\n",
                "mov [{o} + 48], {t3}\n mov [{o} + 56], {t4}\n",
            ),
            a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(), o = in(reg) out.as_mut_ptr(),
            t0 = out(reg) _, t1 = out(reg) _, t2 = out(reg) _, t3 = out(reg) _,
            t4 = out(reg) _, l = out(reg) _, c = out(reg) _, out("rdx") _,
            options(nostack),
        );
        out.assume_init()
    }
}

/// One step of the reduction of eight words: adds m·p to t0..t3, drops t0, carries into the next
/// word of the input.
macro_rules! wide_step {
    ($offset:literal) => {
        concat!(
            "mov {t4}, [{a} + ",
            $offset,
            "]\n",
            // k holds the carry out of the former step's top word
            "add {t4}, {k}\n setc {k:l}\n movzx {k:e}, {k:l}\n",
            "mov rdx, {inv}\n imul rdx, {t0}\n xor {l:e}, {l:e}\n",
            "mulx {c}, {l}, [{p}]\n adcx {l}, {t0}\n mov {t0}, {c}\n adcx {t0}, {t1}\n",
            "mulx {t1}, {l}, [{p} + 8]\n adox {t0}, {l}\n adcx {t1}, {t2}\n",
            "mulx {t2}, {l}, [{p} + 16]\n adox {t1}, {l}\n adcx {t2}, {t3}\n",
            "mulx {t3}, {l}, [{p} + 24]\n adox {t2}, {l}\n adcx {t3}, {t4}\n",
            "mov {l}, 0\n adox {t3}, {l}\n",
            "adcx {k}, {l}\n adox {k}, {l}\n",
        )
    };
}

#[inline(always)]
fn wide_reduce<M: Modulus>(a: &Wide) -> Limbs {
    let modulus: &'static Limbs = const { &M::P };
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: reads 64 bytes behind a and 32 behind p.
    unsafe {
        asm!(
            concat!(
                "mov {t0}, [{a}]\n mov {t1}, [{a} + 8]\n mov {t2}, [{a} + 16]\n mov {t3}, [{a} + 24]\n",
                "xor {k:e}, {k:e}\n",
                wide_step!("32"), wide_step!("40"), wide_step!("48"), wide_step!("56"),
                final_subtraction!(),
            ),
            a = in(reg) a.as_ptr(), p = in(reg) modulus.as_ptr(), inv = in(reg) M::INV,
            t0 = out(reg) t0, t1 = out(reg) t1, t2 = out(reg) t2, t3 = out(reg) t3,
            t4 = out(reg) _, l = out(reg) _, c = out(reg) _, k = out(reg) _, out("rdx") _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

impl Backend for Adx {
    const NAME: &'static str = "adx";

    #[inline(always)]
    fn mul<M: Modulus>(a: &Limbs, b: &Limbs) -> Limbs {
        montgomery_mul::<M>(a, b)
    }

    #[inline(always)]
    fn mul_complex<M: Modulus>(a: [&Limbs; 2], b: [&Limbs; 2]) -> [Limbs; 2] {
        let w0 = wide_mul(a[0], b[0]);
        let w1 = wide_mul(a[1], b[1]);
        let w2 = wide_mul(&limbs::add(a[0], a[1]), &limbs::add(b[0], b[1]));
        let (real, imaginary) = limbs::complex_parts(&w0, &w1, &w2, &M::P);
        [wide_reduce::<M>(&real), wide_reduce::<M>(&imaginary)]
    }
}
