//! Multiples of the generator by secret scalars.
//!
//! A table holds j·16^i·G for j = 1…8 in each of the 63 windows, 48 KiB, built at first use. Every
//! window reads its whole row and keeps one entry by masks, adds it by the complete formula, and
//! negates by masks: neither a branch nor an address depends on the scalar.

use std::sync::LazyLock;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, Zeroizing};

use super::extended::{Addend, Extended};
use super::windows::{fixed_windows, FIXED_WINDOWS};
use super::Point;
use crate::field::{Backend, Fl, Fr, Portable};

/// Entries of a row.
pub(super) const ROW: usize = 8;

pub(super) static TABLE: LazyLock<Vec<[Addend<Portable>; ROW]>> = LazyLock::new(build_table);

/// scalar·G in time that does not depend on the scalar.
pub fn multiply_generator<B: Backend>(scalar: &Fl<B>) -> Extended<B> {
    let bytes = Zeroizing::new(scalar.to_le_bytes());
    let windows = Zeroizing::new(fixed_windows(&bytes));
    let mut sum = Extended::IDENTITY;
    let mut chosen = Addend::IDENTITY;
    for (row, window) in TABLE.iter().zip(windows.iter()) {
        select(&mut chosen, row, *window);
        sum = sum.add_addend(&chosen);
    }
    chosen.zeroize();
    sum
}

/// Sets window·16^i·G from the i-th row, reading every entry.
#[inline(always)]
fn select<B: Backend>(chosen: &mut Addend<B>, row: &[Addend<Portable>; ROW], window: i8) {
    let sign = window >> 7;
    let magnitude = ((window ^ sign) - sign) as u8;
    *chosen = Addend::IDENTITY;
    for (entry, number) in row.iter().zip(1u8..) {
        chosen.conditional_assign(&entry.cast(), number.ct_eq(&magnitude));
    }
    *chosen = chosen.negate_if(Choice::from(sign as u8 & 1));
}

fn build_table() -> Vec<[Addend<Portable>; ROW]> {
    let mut multiples = Vec::with_capacity(FIXED_WINDOWS * ROW);
    let mut base = Extended::from_affine(&Point::<Portable>::GENERATOR);
    for _ in 0..FIXED_WINDOWS {
        let mut multiple = base;
        for _ in 0..ROW {
            multiples.push(multiple);
            multiple = multiple.add(&base);
        }
        base = multiples[multiples.len() - 1].double();
    }
    let inverses = inverses(multiples.iter().map(|point| point.z));
    let addends: Vec<_> = multiples
        .iter()
        .zip(inverses)
        .map(|(point, inverse)| Addend::from_uv(point.u * inverse, point.v * inverse))
        .collect();
    addends
        .chunks_exact(ROW)
        .map(|row| row.try_into().expect("chunks_exact yields whole rows"))
        .collect()
}

/// The inverses of numbers that are not zero, by one inversion (Montgomery's trick).
fn inverses(numbers: impl DoubleEndedIterator<Item = Fr<Portable>> + Clone) -> Vec<Fr<Portable>> {
    let mut product = Fr::ONE;
    let mut before: Vec<_> = numbers
        .clone()
        .map(|number| {
            let so_far = product;
            product *= number;
            so_far
        })
        .collect();
    let mut inverse = product.inverse().expect("no point of the curve has Z = 0");
    for (slot, number) in before.iter_mut().zip(numbers.collect::<Vec<_>>()).rev() {
        *slot *= inverse;
        inverse *= number;
    }
    before
}
