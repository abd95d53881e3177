//! The power that makes pairing values unique.

use crate::field::{Backend, BaseLanes, Fp};
use crate::tower::Fp12;

use super::ate::SEED_DIGITS;

/// f^x for an element of the cyclotomic subgroup, by signed digits and 4 odd powers.
fn power_of_seed<F: BaseLanes>(f: &Fp12<F>) -> Fp12<F> {
    let square = f.cyclotomic_square();
    let third = square * *f;
    let fifth = third * square;
    let odd_powers = [*f, third, fifth, fifth * square];
    let mut result = Fp12::ONE;
    let mut started = false;
    for digit in SEED_DIGITS {
        if started {
            result = result.cyclotomic_square();
        }
        if digit != 0 {
            let power = &odd_powers[usize::from(digit.unsigned_abs()) / 2];
            let power = if digit > 0 { *power } else { power.conjugate() };
            result = if started { result * power } else { power };
            started = true;
        }
    }
    result
}

/// f^((p¹² − 1)/r · 2x(6x² + 3x + 1)), `None` for f = 0.
///
/// The factor has no common divisor with r, so the result is 1 exactly when the plain power is; it
/// makes the hard part three powers of x (Fuentes-Castañeda, Knapp, Rodríguez-Henríquez, "Faster
/// hashing to G2", SAC 2011).
pub fn final_exponentiation<B: Backend>(f: &Fp12<Fp<B>>) -> Option<Fp12<Fp<B>>> {
    // easy part: f^((p⁶ − 1)(p² + 1)), after which the conjugate is the inverse
    let f = f.conjugate() * f.inverse()?;
    Some(hard_part(&(f.frobenius(2) * f)))
}

/// The rest, f^((p⁴ − p² + 1)/r · 2x(6x² + 3x + 1)) for an element of the cyclotomic subgroup.
pub(super) fn hard_part<F: BaseLanes>(f: &Fp12<F>) -> Fp12<F> {
    // with a = f^(−x) …, the exponents of p⁰, p, p², p³ in base x
    let f = *f;
    let a = power_of_seed(&f).conjugate();
    let a2 = a.cyclotomic_square();
    let a6 = a2.cyclotomic_square() * a2;
    let b = power_of_seed(&a6).conjugate();
    let b2 = b.cyclotomic_square();
    let c = power_of_seed(&b2).conjugate();
    let cb = c.conjugate() * b;
    let d = cb * a6.conjugate();
    let e = d * a2;
    let first = d * b * f;
    let result = e.frobenius(1) * first;
    let result = d.frobenius(2) * result;
    (f.conjugate() * e).frobenius(3) * result
}
