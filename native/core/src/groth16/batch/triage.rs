//! Sorts members by their bytes: refused, fit for the batch, or to be checked alone.

use crate::decompress_lanes::CompressedProof;
use crate::encoding::{self, PROOF_BYTES};
use crate::field::{is_below, words_be, Bn254Base, Bn254Scalar, Limbs, Modulus};

use super::super::Verdict;

/// A member by its bytes.
pub(super) enum Sorted {
    /// Refused whatever the rest says.
    Refused(Verdict),
    /// A point is at infinity or an input is out of range: checked by itself.
    Alone,
    /// The coordinates of an uncompressed proof, all below p, in the order of the words.
    Plain([Limbs; 8]),
    /// A compressed proof, every x below p.
    Compressed(CompressedProof),
}

/// A number shifted right by 1 or 2 bits.
fn shifted(number: &Limbs, bits: u32) -> Limbs {
    let [a, b, c, d] = *number;
    [
        a >> bits | b << (64 - bits),
        b >> bits | c << (64 - bits),
        c >> bits | d << (64 - bits),
        d >> bits,
    ]
}

/// Sorts a member: its proof, and its inputs.
pub(super) fn sort(proof: &[u8; PROOF_BYTES], inputs: &[u8]) -> Sorted {
    let mut words = [Limbs::default(); 8];
    for (number_at, word) in words.iter_mut().zip(encoding::words(proof)) {
        *number_at = words_be(word);
    }
    let sorted = if words[4..].iter().all(is_zero) {
        compressed(&words)
    } else {
        plain(words)
    };
    let is_in_range = |word| is_below(&words_be(word), &Bn254Scalar::P);
    match sorted {
        Sorted::Plain(_) | Sorted::Compressed(_) if !encoding::words(inputs).all(is_in_range) => {
            Sorted::Alone
        }
        sorted => sorted,
    }
}

fn is_zero(number: &Limbs) -> bool {
    *number == Limbs::default()
}

fn plain(words: [Limbs; 8]) -> Sorted {
    if !words.iter().all(|word| is_below(word, &Bn254Base::P)) {
        return Sorted::Refused(Verdict::CoordinateRange);
    }
    let [a, b, c] = [&words[..2], &words[2..6], &words[6..]];
    if [a, b, c].iter().any(|point| point.iter().all(is_zero)) {
        return Sorted::Alone;
    }
    Sorted::Plain(words)
}

fn compressed([a, b_c1, b_c0, c, ..]: &[Limbs; 8]) -> Sorted {
    let proof = CompressedProof {
        a: shifted(a, 1),
        b: [shifted(b_c0, 2), *b_c1],
        c: shifted(c, 1),
        signs: [a, b_c0, c].map(|word| word[0] & 1 == 1),
        hint: b_c0[0] & 2 == 2,
    };
    let numbers = [&proof.a, &proof.b[0], &proof.b[1], &proof.c];
    if !numbers.iter().all(|x| is_below(x, &Bn254Base::P)) {
        return Sorted::Refused(Verdict::Decompression);
    }
    if is_zero(a) || (is_zero(b_c1) && is_zero(b_c0)) || is_zero(c) {
        return Sorted::Alone;
    }
    Sorted::Compressed(proof)
}
