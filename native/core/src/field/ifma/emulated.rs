//! The operations of IFMA in plain Rust, exact, for tests on processors without it.
//!
//! They are calls: inside of kernels their loops over lanes would take minutes to compile.

use super::element::IfmaLanes;
use super::ops::{IfmaOps, Octet};
use super::products::{self, IfmaProducts};
use crate::field::{Kernel, Modulus};

/// Plain Rust in the place of the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IfmaEmulated;

const MASK: u64 = (1 << 52) - 1;

#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a & MASK) * u128::from(b & MASK)
}

#[inline(always)]
fn zip(a: [u64; 8], b: [u64; 8], f: impl Fn(u64, u64) -> u64) -> [u64; 8] {
    core::array::from_fn(|i| f(a[i], b[i]))
}

impl IfmaOps for IfmaEmulated {
    type Vector = [u64; 8];

    #[inline(always)]
    fn load(from: &Octet) -> [u64; 8] {
        from.0
    }

    #[inline(always)]
    fn store(vector: [u64; 8]) -> Octet {
        Octet(vector)
    }

    #[inline(always)]
    fn splat(word: u64) -> [u64; 8] {
        [word; 8]
    }

    #[inline(never)]
    fn madd_low(sum: [u64; 8], a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        #[cfg(test)]
        crate::field::count::add(1);
        let low = zip(a, b, |a, b| product(a, b) as u64 & MASK);
        Self::add(sum, low)
    }

    #[inline(never)]
    fn madd_high(sum: [u64; 8], a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        #[cfg(test)]
        crate::field::count::add(1);
        let high = zip(a, b, |a, b| (product(a, b) >> 52) as u64);
        Self::add(sum, high)
    }

    #[inline(never)]
    fn add(a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        zip(a, b, u64::wrapping_add)
    }

    #[inline(never)]
    fn sub(a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        zip(a, b, u64::wrapping_sub)
    }

    #[inline(never)]
    fn and(a: [u64; 8], b: [u64; 8]) -> [u64; 8] {
        zip(a, b, |a, b| a & b)
    }

    #[inline(never)]
    fn shift_right<const BITS: u32>(a: [u64; 8]) -> [u64; 8] {
        a.map(|word| (word as i64 >> BITS) as u64)
    }

    #[inline(never)]
    fn look_up(table: &[Octet; 2], index: [u64; 8]) -> [u64; 8] {
        index.map(|i| table[i as usize >> 3 & 1].0[i as usize & 7])
    }

    #[inline(always)]
    fn equal(a: [u64; 8], b: [u64; 8]) -> u8 {
        (0..8).fold(0, |set, i| set | u8::from(a[i] == b[i]) << i)
    }

    #[inline(never)]
    fn select(set: u8, yes: [u64; 8], no: [u64; 8]) -> [u64; 8] {
        core::array::from_fn(|i| if set >> i & 1 == 1 { yes[i] } else { no[i] })
    }

    #[inline(never)]
    fn enter<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

impl IfmaProducts for IfmaEmulated {
    #[inline(never)]
    fn square<M: Modulus>(a: &IfmaLanes<M, Self>) -> IfmaLanes<M, Self> {
        products::square(a)
    }

    #[inline(never)]
    fn product<M: Modulus>(factors: [&IfmaLanes<M, Self>; 2]) -> IfmaLanes<M, Self> {
        products::product(factors)
    }

    #[inline(never)]
    fn product_of_sums<M: Modulus>(factors: [&IfmaLanes<M, Self>; 2]) -> IfmaLanes<M, Self> {
        products::product_of_sums(factors)
    }

    #[inline(never)]
    fn reduced<M: Modulus>(a: &IfmaLanes<M, Self>) -> IfmaLanes<M, Self> {
        products::reduced(a)
    }

    #[inline(never)]
    fn complex_product<M: Modulus>(
        factors: [[&IfmaLanes<M, Self>; 2]; 2],
    ) -> [IfmaLanes<M, Self>; 2] {
        products::complex_product(factors)
    }

    #[inline(never)]
    fn complex_product_of_sums<M: Modulus>(
        factors: [[&IfmaLanes<M, Self>; 2]; 2],
    ) -> [IfmaLanes<M, Self>; 2] {
        products::complex_product_of_sums(factors)
    }

    #[inline(never)]
    fn complex_square<M: Modulus>(a: [&IfmaLanes<M, Self>; 2]) -> [IfmaLanes<M, Self>; 2] {
        products::complex_square(a)
    }

    #[inline(never)]
    fn times_xi<M: Modulus>(a: [&IfmaLanes<M, Self>; 2]) -> [IfmaLanes<M, Self>; 2] {
        products::times_xi(a)
    }
}
