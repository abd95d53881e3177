//! The generators of G1 and G2, and their multiples by many public scalars.

use crate::encoding::{G1_BYTES, G2_BYTES, WORD_BYTES};
use crate::field::{with_backend, Backend, Fp, Limbs};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::tower::Fp2;

use super::affine::{add_all, multiples, Affine, Coordinate};

/// Bits of a digit of a scalar; a table has the multiples by each digit but 0.
const DIGIT_BITS: usize = 8;
const DIGITS_PER_LIMB: usize = 64 / DIGIT_BITS;
const DIGITS: usize = 4 * DIGITS_PER_LIMB;
const LARGEST_DIGIT: usize = (1 << DIGIT_BITS) - 1;
/// Sums that share an inversion; their memory fits the second-level cache.
const BLOCK: usize = 512;

/// (1, 2), the generator of G1 (EIP-196).
pub(crate) fn g1_generator<B: Backend>() -> Affine<Fp<B>> {
    Affine {
        x: Fp::ONE,
        y: Fp::ONE.double(),
    }
}

/// The generator of G2 (EIP-197).
/// Test: `generators_are_those_of_arkworks`.
pub(crate) fn g2_generator<B: Backend>() -> Affine<Fp2<Fp<B>>> {
    Affine {
        x: Fp2::new(
            // 0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed
            Fp::from_canonical([
                0x46debd5cd992f6ed,
                0x674322d4f75edadd,
                0x426a00665e5c4479,
                0x1800deef121f1e76,
            ]),
            // 0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2
            Fp::from_canonical([
                0x97e485b7aef312c2,
                0xf1aa493335a9e712,
                0x7260bfb731fb5d25,
                0x198e9393920d483a,
            ]),
        ),
        y: Fp2::new(
            // 0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa
            Fp::from_canonical([
                0x4ce6cc0166fa7daa,
                0xe3d1e7690c43d37b,
                0x4aab71808dcb408f,
                0x12c85ea5db8c6deb,
            ]),
            // 0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b
            Fp::from_canonical([
                0x55acdadcd122975b,
                0xbc4b313370b38ef3,
                0xec9e99ad690c3395,
                0x090689d0585ff075,
            ]),
        ),
    }
}

/// The multiples of the generator of G1 by k scalars of 32 bytes each, big-endian: k × 64 bytes,
/// x then y, zeros for infinity. Time depends on the scalars: for public ones only.
///
/// # Errors
/// `input.count` for a length that is not a multiple of 32, `input.range` for a scalar that is not
/// below r.
pub fn g1_multiples(scalars: &[u8]) -> Result<Vec<u8>, HashError> {
    let scalars = &decode(scalars)?[..];
    Ok(with_backend!(B, |scalars: &[Limbs]| -> Vec<u8> {
        let mut bytes = Vec::with_capacity(scalars.len() * G1_BYTES);
        for point in fixed_base(&g1_generator::<B>(), scalars) {
            bytes.extend_from_slice(&point.x.to_be_bytes());
            bytes.extend_from_slice(&point.y.to_be_bytes());
        }
        bytes
    }))
}

/// The multiples of the generator of G2 by k scalars of 32 bytes each, big-endian: k × 128 bytes,
/// x.c1, x.c0, y.c1, y.c0, zeros for infinity. Time depends on the scalars: for public ones only.
///
/// # Errors
/// `input.count` for a length that is not a multiple of 32, `input.range` for a scalar that is not
/// below r.
pub fn g2_multiples(scalars: &[u8]) -> Result<Vec<u8>, HashError> {
    let scalars = &decode(scalars)?[..];
    Ok(with_backend!(B, |scalars: &[Limbs]| -> Vec<u8> {
        let mut bytes = Vec::with_capacity(scalars.len() * G2_BYTES);
        for point in fixed_base(&g2_generator::<B>(), scalars) {
            for part in [point.x.c1, point.x.c0, point.y.c1, point.y.c0] {
                bytes.extend_from_slice(&part.to_be_bytes());
            }
        }
        bytes
    }))
}

fn decode(scalars: &[u8]) -> Result<Vec<Limbs>, HashError> {
    if !scalars.len().is_multiple_of(WORD_BYTES) {
        return Err(HashError::InputCount {
            expected: "whole scalars of 32 bytes",
            found_bytes: scalars.len(),
        });
    }
    hash_words::from_bytes(scalars)
}

/// Multiples of one point by many scalars: one addition for each digit, all of them side by side.
fn fixed_base<K: Coordinate>(point: &Affine<K>, scalars: &[Limbs]) -> Vec<Affine<K>> {
    let mut sums = vec![Affine::INFINITY; scalars.len()];
    let mut terms = sums.clone();
    let mut base = *point;
    for digit in 0..DIGITS {
        let table = multiples(&base, LARGEST_DIGIT + 1);
        let shift = digit % DIGITS_PER_LIMB * DIGIT_BITS;
        for (term, scalar) in terms.iter_mut().zip(scalars) {
            let value = (scalar[digit / DIGITS_PER_LIMB] >> shift) as usize & LARGEST_DIGIT;
            *term = match value {
                0 => Affine::INFINITY,
                value => table[value - 1],
            };
        }
        for (sums, terms) in sums.chunks_mut(BLOCK).zip(terms.chunks(BLOCK)) {
            add_all(sums, terms);
        }
        // the multiple by the digit that is one too large: the base of the next digit
        base = table[LARGEST_DIGIT];
    }
    sums
}
