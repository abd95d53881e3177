//! Sorts proofs by their bytes: refused, plain or compressed, and which points are at infinity.

use crate::decompress_lanes::CompressedProof;
use crate::encoding::{self, PROOF_BYTES};
use crate::field::{is_below, words_be, Bn254Base, Bn254Scalar, Limbs, Modulus};

use super::super::Verdict;

/// The coordinates of a proof, all below p.
pub(super) enum Coordinates {
    /// In the order of the words.
    Plain([Limbs; 8]),
    /// Still to be decompressed.
    Compressed(CompressedProof),
}

/// The points of a proof that are at infinity: a generator stands in the place of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Infinite {
    a: bool,
    b: bool,
    pub c: bool,
}

impl Infinite {
    /// Whether the pair (A, B) counts as 1.
    pub(super) fn pair(self) -> bool {
        self.a || self.b
    }
}

/// (1, 2) and a generator of G2 (EIP-197), in the order of the words; test:
/// `the_filling_consists_of_generators`.
pub(super) const FILLING: [Limbs; 8] = [
    [1, 0, 0, 0],
    [2, 0, 0, 0],
    [
        0x97e485b7aef312c2,
        0xf1aa493335a9e712,
        0x7260bfb731fb5d25,
        0x198e9393920d483a,
    ],
    [
        0x46debd5cd992f6ed,
        0x674322d4f75edadd,
        0x426a00665e5c4479,
        0x1800deef121f1e76,
    ],
    [
        0x55acdadcd122975b,
        0xbc4b313370b38ef3,
        0xec9e99ad690c3395,
        0x090689d0585ff075,
    ],
    [
        0x4ce6cc0166fa7daa,
        0xe3d1e7690c43d37b,
        0x4aab71808dcb408f,
        0x12c85ea5db8c6deb,
    ],
    [1, 0, 0, 0],
    [2, 0, 0, 0],
];

/// [`FILLING`], compressed, up to signs.
pub(super) const COMPRESSED_FILLING: CompressedProof = CompressedProof {
    a: FILLING[0],
    b: [FILLING[3], FILLING[2]],
    c: FILLING[6],
    signs: [false; 3],
    hint: true,
};

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

/// Sorts a proof by its form.
///
/// # Errors
/// The verdict, where a coordinate is refused.
pub(super) fn sort(proof: &[u8; PROOF_BYTES]) -> Result<(Coordinates, Infinite), Verdict> {
    let mut words = [Limbs::default(); 8];
    for (number_at, word) in words.iter_mut().zip(encoding::words(proof)) {
        *number_at = words_be(word);
    }
    if words[4..].iter().all(is_zero) {
        compressed(&words)
    } else {
        plain(words)
    }
}

/// Whether all inputs, n × 32 bytes, are below r.
pub(super) fn are_in_range(inputs: &[u8]) -> bool {
    encoding::words(inputs).all(|word| is_below(&words_be(word), &Bn254Scalar::P))
}

fn is_zero(number: &Limbs) -> bool {
    *number == Limbs::default()
}

fn plain(mut words: [Limbs; 8]) -> Result<(Coordinates, Infinite), Verdict> {
    if !words.iter().all(|word| is_below(word, &Bn254Base::P)) {
        return Err(Verdict::CoordinateRange);
    }
    let [a, b, c] = [0..2, 2..6, 6..8].map(|point| {
        let is_infinite = words[point.clone()].iter().all(is_zero);
        if is_infinite {
            words[point.clone()].copy_from_slice(&FILLING[point]);
        }
        is_infinite
    });
    Ok((Coordinates::Plain(words), Infinite { a, b, c }))
}

fn compressed(words: &[Limbs; 8]) -> Result<(Coordinates, Infinite), Verdict> {
    let [a, b_c1, b_c0, c, ..] = words;
    let mut proof = CompressedProof {
        a: shifted(a, 1),
        b: [shifted(b_c0, 2), *b_c1],
        c: shifted(c, 1),
        signs: [a, b_c0, c].map(|word| word[0] & 1 == 1),
        hint: b_c0[0] & 2 == 2,
    };
    let numbers = [&proof.a, &proof.b[0], &proof.b[1], &proof.c];
    if !numbers.iter().all(|x| is_below(x, &Bn254Base::P)) {
        return Err(Verdict::Decompression);
    }
    let infinite = Infinite {
        a: is_zero(a),
        b: is_zero(b_c1) && is_zero(b_c0),
        c: is_zero(c),
    };
    if infinite.a {
        proof.a = COMPRESSED_FILLING.a;
    }
    if infinite.b {
        proof.b = COMPRESSED_FILLING.b;
        proof.hint = COMPRESSED_FILLING.hint;
    }
    if infinite.c {
        proof.c = COMPRESSED_FILLING.c;
    }
    Ok((Coordinates::Compressed(proof), infinite))
}
