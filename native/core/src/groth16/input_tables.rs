//! IC₀ + Σ xⱼ·ICⱼ with tables of multiples computed once per key.
//!
//! A scalar is cut into signed digits of `width` bits. Table t of an input holds the multiples
//! 1 to 2^(width−1) of 2^(width·stride·t)·IC; a sum takes `stride` rounds, `width` doublings apart,
//! and in each round one addition per table. Stride 1 needs no doubling at all; a key with many
//! inputs gets a longer stride, so that its tables stay within [`TABLE_BYTES_MAX`].

use core::mem::size_of;

use crate::curve::{batch_to_affine, G1Affine, G1Jacobian};
use crate::encoding::WORD_BYTES;
use crate::field::Backend;

use super::lane_tables::end_of_sum;

/// Bound of one key's tables; a key of four inputs has 1 MiB, and each further MiB would save
/// less than one addition in ten.
pub const TABLE_BYTES_MAX: usize = 1 << 20;

/// Bits of a scalar below r, and one for the carry of the last signed digit.
const SCALAR_BITS: usize = 255;

/// (width, stride) from fast and large to slow and small; the last fits 1024 inputs.
const SHAPES: [(usize, usize); 7] = [(8, 1), (8, 2), (8, 4), (8, 8), (8, 16), (8, 32), (5, 51)];

/// The tables of one key.
#[derive(Debug)]
pub struct InputTables<B: Backend> {
    constant: G1Affine<B>,
    /// Bits of a digit.
    pub(super) width: usize,
    /// Digits that share a table; a sum takes as many rounds.
    pub(super) stride: usize,
    /// Tables of an input.
    pub(super) tables_per_input: usize,
    multiples: Vec<G1Affine<B>>,
    /// Takes the start (1, 2) out of a sum that began with it.
    pub(super) end: G1Affine<B>,
}

impl<B: Backend> InputTables<B> {
    /// Tables for IC₀ and the points that the inputs multiply.
    pub fn new(constant: G1Affine<B>, points: &[G1Affine<B>]) -> Self {
        let bytes = |(width, stride): (usize, usize)| {
            (points.len() * table_count(width, stride) * size_of::<G1Affine<B>>()) << (width - 1)
        };
        let (width, stride) = SHAPES
            .into_iter()
            .find(|shape| bytes(*shape) <= TABLE_BYTES_MAX)
            .unwrap_or(SHAPES[SHAPES.len() - 1]);
        let tables_per_input = table_count(width, stride);
        let mut starts = Vec::with_capacity(points.len() * tables_per_input);
        for point in points {
            let mut start = G1Jacobian::from(*point);
            for table in 0..tables_per_input {
                if table > 0 {
                    for _ in 0..width * stride {
                        start = start.double();
                    }
                }
                starts.push(start);
            }
        }
        let mut multiples = Vec::with_capacity(starts.len() << (width - 1));
        for start in batch_to_affine(&starts) {
            let mut multiple = G1Jacobian::INFINITY;
            for _ in 0..1usize << (width - 1) {
                multiple = multiple.add_affine(&start);
                multiples.push(multiple);
            }
        }
        Self {
            constant,
            width,
            stride,
            tables_per_input,
            multiples: batch_to_affine(&multiples),
            end: end_of_sum(width * (stride - 1)),
        }
    }

    /// Bytes of the tables.
    pub fn size(&self) -> usize {
        self.multiples.len() * size_of::<G1Affine<B>>()
    }

    /// IC₀ + Σ xⱼ·ICⱼ for words that are below r, as many as there are points.
    pub fn sum<'a>(
        &self,
        inputs: impl Iterator<Item = &'a [u8; WORD_BYTES]> + Clone,
    ) -> G1Jacobian<B> {
        self.combination(inputs).add_affine(&self.constant)
    }

    /// Σ xⱼ·ICⱼ, the same without IC₀.
    pub fn combination<'a>(
        &self,
        inputs: impl Iterator<Item = &'a [u8; WORD_BYTES]> + Clone,
    ) -> G1Jacobian<B> {
        let mut sum = G1Jacobian::INFINITY;
        for round in (0..self.stride).rev() {
            if round + 1 < self.stride {
                for _ in 0..self.width {
                    sum = sum.double();
                }
            }
            for (input, word) in inputs.clone().enumerate() {
                let digits = Digits::new(word, self.width);
                for table in 0..self.tables_per_input {
                    let digit = digits.at(table * self.stride + round);
                    if let Some(multiple) = self.multiple(input, table, digit) {
                        sum = sum.add_affine(&multiple);
                    }
                }
            }
        }
        sum
    }

    /// A digit times the start of a table; `None` for 0.
    #[inline]
    pub(super) fn multiple(&self, input: usize, table: usize, digit: i32) -> Option<G1Affine<B>> {
        let start = (input * self.tables_per_input + table) << (self.width - 1);
        let index = (digit.unsigned_abs() as usize).checked_sub(1)?;
        let multiple = &self.multiples[start + index];
        Some(if digit > 0 {
            *multiple
        } else {
            multiple.negate()
        })
    }
}

const fn table_count(width: usize, stride: usize) -> usize {
    SCALAR_BITS.div_ceil(width).div_ceil(stride)
}

/// A scalar plus 2^(width−1) in every digit place, so that each digit can be read by itself:
/// digit = bits − 2^(width−1).
pub(super) struct Digits {
    words: [u64; 5],
    width: usize,
}

impl Digits {
    pub(super) fn new(word: &[u8; WORD_BYTES], width: usize) -> Self {
        let mut words = [0u64; 5];
        for (limb, chunk) in words.iter_mut().zip(word.rchunks_exact(8)) {
            for byte in chunk {
                *limb = (*limb << 8) | u64::from(*byte);
            }
        }
        let mut offset = [0u64; 5];
        for digit in 0..SCALAR_BITS.div_ceil(width) {
            let bit = digit * width + width - 1;
            offset[bit / 64] |= 1 << (bit % 64);
        }
        let mut carry = false;
        for (limb, add) in words.iter_mut().zip(offset) {
            let (sum, first) = limb.overflowing_add(add);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = first | second;
        }
        Self { words, width }
    }

    /// The signed digit at this place, from −2^(width−1) to 2^(width−1) − 1; 0 beyond the last.
    pub(super) fn at(&self, place: usize) -> i32 {
        if place >= SCALAR_BITS.div_ceil(self.width) {
            return 0;
        }
        let bit = place * self.width;
        let mut bits = self.words[bit / 64] >> (bit % 64);
        if bit % 64 + self.width > 64 {
            bits |= self.words[bit / 64 + 1] << (64 - bit % 64);
        }
        (bits & ((1 << self.width) - 1)) as i32 - (1 << (self.width - 1))
    }
}
