//! Fp2 on scalar back-ends: Fp[u] / (u² + 1).

use core::ops::{Add, Mul, Neg, Sub};

use super::frobenius::{Words, POWER_1, POWER_2, POWER_3};
use super::Quadratic;
use crate::field::{Backend, Fp};

/// c0 + c1·u with u² = −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fp2<B: Backend> {
    /// The part in Fp.
    pub c0: Fp<B>,
    /// The factor of u.
    pub c1: Fp<B>,
}

impl<B: Backend> Fp2<B> {
    /// c0 + c1·u.
    #[inline(always)]
    pub const fn new(c0: Fp<B>, c1: Fp<B>) -> Self {
        Self { c0, c1 }
    }

    /// A constant from canonical words of (c0, c1), at compile time.
    pub const fn from_canonical(words: Words) -> Self {
        Self::new(Fp::from_canonical(words[0]), Fp::from_canonical(words[1]))
    }

    /// Whether the element is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    const FROBENIUS_1: [Self; 5] = Self::table(POWER_1);
    const FROBENIUS_3: [Self; 5] = Self::table(POWER_3);
    const FROBENIUS_2: [Fp<B>; 5] = [
        Fp::from_canonical(POWER_2[0]),
        Fp::from_canonical(POWER_2[1]),
        Fp::from_canonical(POWER_2[2]),
        Fp::from_canonical(POWER_2[3]),
        Fp::from_canonical(POWER_2[4]),
    ];

    const fn table(words: [Words; 5]) -> [Self; 5] {
        [
            Self::from_canonical(words[0]),
            Self::from_canonical(words[1]),
            Self::from_canonical(words[2]),
            Self::from_canonical(words[3]),
            Self::from_canonical(words[4]),
        ]
    }
}

// Called, not inlined: the tower has dozens of products in a row, and code that stays in the
// instruction cache beats the saved calls.
#[inline(never)]
fn multiply<B: Backend>(a: &Fp2<B>, b: &Fp2<B>) -> Fp2<B> {
    let (c0, c1) = Fp::mul_complex((&a.c0, &a.c1), (&b.c0, &b.c1));
    Fp2::new(c0, c1)
}

#[inline(never)]
fn square<B: Backend>(a: &Fp2<B>) -> Fp2<B> {
    Fp2::new((a.c0 + a.c1) * (a.c0 - a.c1), a.c0.double() * a.c1)
}

impl<B: Backend> Quadratic for Fp2<B> {
    type Base = Fp<B>;

    const ZERO: Self = Self::new(Fp::ZERO, Fp::ZERO);
    const ONE: Self = Self::new(Fp::ONE, Fp::ZERO);
    // b' = 0x2b149d40…24a138e5 + 0x009713b0…85c315d2·u = 3/(9 + u); test: `twist_constant_is_3_over_xi`
    const TWIST_3B: Self = {
        const B_TWIST: Words = [
            [
                0x3267e6dc24a138e5,
                0xb5b4c5e559dbefa3,
                0x81be18991be06ac3,
                0x2b149d40ceb8aaae,
            ],
            [
                0xe4a2bd0685c315d2,
                0xa74fa084e52d1852,
                0xcd2cafadeed8fdf4,
                0x009713b03af0fed4,
            ],
        ];
        Self::new(
            Fp::triple_of_canonical(B_TWIST[0]),
            Fp::triple_of_canonical(B_TWIST[1]),
        )
    };

    #[inline(always)]
    fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double())
    }

    #[inline(always)]
    fn square(&self) -> Self {
        square(self)
    }

    #[inline(always)]
    fn scale(&self, factor: &Fp<B>) -> Self {
        Self::new(self.c0 * *factor, self.c1 * *factor)
    }

    #[inline(always)]
    fn mul_by_xi(&self) -> Self {
        Self::new(
            Fp::nine_times_minus(&self.c0, &self.c1),
            Fp::nine_times_plus(&self.c1, &self.c0),
        )
    }

    #[inline(always)]
    fn conjugate(&self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    fn inverse(&self) -> Option<Self> {
        let norm = self.c0.square() + self.c1.square();
        let inverse = norm.inverse()?;
        Some(Self::new(self.c0 * inverse, -(self.c1 * inverse)))
    }

    #[inline]
    fn frobenius(power: usize, i: usize) -> Self {
        match power {
            1 => Self::FROBENIUS_1[i - 1],
            2 => Self::new(Self::FROBENIUS_2[i - 1], Fp::ZERO),
            _ => Self::FROBENIUS_3[i - 1],
        }
    }

    #[inline]
    fn frobenius_squared(i: usize) -> Fp<B> {
        Self::FROBENIUS_2[i - 1]
    }
}

impl<B: Backend> Add for Fp2<B> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.c0 + other.c0, self.c1 + other.c1)
    }
}

impl<B: Backend> Sub for Fp2<B> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.c0 - other.c0, self.c1 - other.c1)
    }
}

impl<B: Backend> Neg for Fp2<B> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.c0, -self.c1)
    }
}

impl<B: Backend> Mul for Fp2<B> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        multiply(&self, &other)
    }
}
