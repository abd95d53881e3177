//! The vector operations in plain Rust, for tests on processors without the instructions.

use super::ops::{Four, LimbOps, Scratch};
use crate::field::LaneSet;

/// Plain Rust.
#[derive(Clone, Copy, Debug)]
pub struct Simd29Emulated;

type Words = [i32; 4];

#[inline(always)]
fn each(a: Words, b: Words, f: impl Fn(i32, i32) -> i32) -> Words {
    [0, 1, 2, 3].map(|i| f(a[i], b[i]))
}

#[inline(always)]
fn wide(a: Words) -> [u64; 2] {
    [0, 2].map(|i| u64::from(a[i] as u32) | u64::from(a[i + 1] as u32) << 32)
}

#[inline(always)]
fn narrow(a: [u64; 2]) -> Words {
    [
        a[0] as i32,
        (a[0] >> 32) as i32,
        a[1] as i32,
        (a[1] >> 32) as i32,
    ]
}

#[inline(always)]
fn product(a: i32, b: i32) -> u64 {
    (i64::from(a) * i64::from(b)) as u64
}

impl LimbOps for Simd29Emulated {
    type Vector = Words;

    #[inline(always)]
    fn load(from: &Four) -> Words {
        from.0
    }

    #[inline(always)]
    fn store(to: &mut Four, value: Words) {
        to.0 = value;
    }

    #[inline(always)]
    fn value(value: Words) -> Four {
        Four(value)
    }

    #[inline(always)]
    fn cut(_flags: u32, _at: u32) {}

    #[inline(always)]
    fn flags() -> u32 {
        0
    }

    #[inline(always)]
    fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = Scratch::ZERO;
        work(&mut scratch)
    }

    #[inline(never)]
    fn add(a: Words, b: Words) -> Words {
        each(a, b, i32::wrapping_add)
    }

    #[inline(never)]
    fn sub(a: Words, b: Words) -> Words {
        each(a, b, i32::wrapping_sub)
    }

    #[inline(never)]
    fn mul(a: Words, b: Words) -> Words {
        each(a, b, i32::wrapping_mul)
    }

    #[inline(never)]
    fn and(a: Words, b: Words) -> Words {
        each(a, b, |a, b| a & b)
    }

    #[inline(never)]
    fn shift_left<const BITS: u32>(a: Words) -> Words {
        a.map(|word| word << BITS)
    }

    #[inline(never)]
    fn shift_right<const BITS: u32>(a: Words) -> Words {
        a.map(|word| word >> BITS)
    }

    #[inline(never)]
    fn select(mask: Words, yes: Words, no: Words) -> Words {
        [0, 1, 2, 3].map(|i| (yes[i] & mask[i]) | (no[i] & !mask[i]))
    }

    #[inline(never)]
    fn zero_lanes(a: Words) -> LaneSet {
        (0..4).map(|i| LaneSet::from(a[i] == 0) << i).sum()
    }

    #[inline(never)]
    fn wide_mul_low(a: Words, b: Words) -> Words {
        narrow([product(a[0], b[0]), product(a[1], b[1])])
    }

    #[inline(never)]
    fn wide_mul_high(a: Words, b: Words) -> Words {
        narrow([product(a[2], b[2]), product(a[3], b[3])])
    }

    #[inline(never)]
    fn wide_add(a: Words, b: Words) -> Words {
        let (a, b) = (wide(a), wide(b));
        narrow([a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])])
    }

    #[inline(never)]
    fn wide_sub(a: Words, b: Words) -> Words {
        let (a, b) = (wide(a), wide(b));
        narrow([a[0].wrapping_sub(b[0]), a[1].wrapping_sub(b[1])])
    }

    #[inline(never)]
    fn wide_shift_right<const BITS: u32>(a: Words) -> Words {
        narrow(wide(a).map(|word| word >> BITS))
    }

    #[inline(never)]
    fn low_words(low: Words, high: Words) -> Words {
        [low[0], low[2], high[0], high[2]]
    }
}
