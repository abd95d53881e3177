//! The power that makes pairing values unique.

use crate::field::{Backend, BaseLanes, FourLanes, Fp};
use crate::tower::{Fp12, PackedFp12};

use super::ate::SEED_DIGITS;

/// An element of the cyclotomic subgroup of Fp12, where the conjugate is the inverse.
pub(super) trait Cyclotomic: Copy {
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The power to 2^`count`.
    fn squares(&self, count: usize) -> Self;
    /// The square.
    #[inline(always)]
    fn square(&self) -> Self {
        self.squares(1)
    }
    /// The inverse.
    fn conjugate(&self) -> Self;
    /// The p^`power`-th power for power 1, 2 or 3.
    fn frobenius(&self, power: usize) -> Self;
}

impl<F: BaseLanes> Cyclotomic for Fp12<F> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        *self * *other
    }

    #[inline(always)]
    fn squares(&self, count: usize) -> Self {
        (0..count).fold(*self, |f, _| f.cyclotomic_square())
    }

    #[inline(always)]
    fn conjugate(&self) -> Self {
        self.conjugate()
    }

    #[inline(always)]
    fn frobenius(&self, power: usize) -> Self {
        self.frobenius(power)
    }
}

impl<F: FourLanes> Cyclotomic for PackedFp12<F> {
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.times(other)
    }

    #[inline(always)]
    fn squares(&self, count: usize) -> Self {
        self.cyclotomic_squares(count)
    }

    #[inline(always)]
    fn conjugate(&self) -> Self {
        self.conjugate()
    }

    #[inline(always)]
    fn frobenius(&self, power: usize) -> Self {
        self.frobenius(power)
    }
}

/// f^x by signed digits and 4 odd powers.
fn power_of_seed<T: Cyclotomic>(f: &T) -> T {
    let square = f.square();
    let third = square.times(f);
    let fifth = third.times(&square);
    let odd_powers = [*f, third, fifth, fifth.times(&square)];
    let mut result: Option<T> = None;
    let mut waiting = 0;
    for digit in SEED_DIGITS {
        waiting += 1;
        if digit != 0 {
            let power = &odd_powers[usize::from(digit.unsigned_abs()) / 2];
            let power = if digit > 0 { *power } else { power.conjugate() };
            result = Some(match result {
                Some(result) => result.squares(waiting).times(&power),
                None => power,
            });
            waiting = 0;
        }
    }
    // x is odd: no square is left
    result.unwrap_or(*f)
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

/// The rest, f^((p⁴ − p² + 1)/r · 2x(6x² + 3x + 1)).
pub(super) fn hard_part<T: Cyclotomic>(f: &T) -> T {
    // with a = f^(−x) …, the exponents of p⁰, p, p², p³ in base x
    let a = power_of_seed(f).conjugate();
    let a2 = a.square();
    let a6 = a2.square().times(&a2);
    let b = power_of_seed(&a6).conjugate();
    let b2 = b.square();
    let c = power_of_seed(&b2).conjugate();
    let cb = c.conjugate().times(&b);
    let d = cb.times(&a6.conjugate());
    let e = d.times(&a2);
    let first = d.times(&b).times(f);
    let result = e.frobenius(1).times(&first);
    let result = d.frobenius(2).times(&result);
    f.conjugate().times(&e).frobenius(3).times(&result)
}
