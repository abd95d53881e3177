//! Every byte layout of the crate's arithmetic over BN254. A word is 32 bytes, big-endian.
//!
//! Proof, 256 bytes, eight words in the order of EIP-197 (G2 as c1 then c0):
//!
//! ```text
//! w0 A.x | w1 A.y | w2 B.x.c1 | w3 B.x.c0 | w4 B.y.c1 | w5 B.y.c0 | w6 C.x | w7 C.y
//! ```
//!
//! w4 to w7 all zero: w0 to w3 are a compressed proof, see [`decompress`](crate::decompress).
//! All words of a point zero: the point at infinity.
//!
//! Verifying key, 448 + 64·(n + 1) bytes for n inputs, points as in a proof:
//!
//! ```text
//! α (64) | β (128) | γ (128) | δ (128) | IC₀ (64) | … | ICₙ (64)
//! ```
//!
//! Public inputs: n words, each below r. Member of a batch: a proof, then its inputs.

use crate::curve::{G1Affine, G2Affine};
use crate::field::{Backend, Fp};
use crate::tower::Fp2;

/// Bytes of a word.
pub const WORD_BYTES: usize = 32;
/// Bytes of a proof, compressed or not.
pub const PROOF_BYTES: usize = 8 * WORD_BYTES;
/// Bytes of a point of G1.
pub const G1_BYTES: usize = 2 * WORD_BYTES;
/// Bytes of a point of G2.
pub const G2_BYTES: usize = 4 * WORD_BYTES;
/// Bytes of α, β, γ and δ.
pub const KEY_HEAD_BYTES: usize = G1_BYTES + 3 * G2_BYTES;

/// The words of a byte string whose length is a multiple of 32; a rest is dropped.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8; WORD_BYTES]> + Clone {
    bytes.chunks_exact(WORD_BYTES).map(|chunk| {
        chunk
            .try_into()
            .expect("chunks_exact yields words of 32 bytes")
    })
}

/// A point from (x, y), `None` when a coordinate is not below p. The equation is not checked.
pub(crate) fn g1_unchecked<B: Backend>(words: [&[u8; 32]; 2]) -> Option<G1Affine<B>> {
    Some(G1Affine {
        x: Fp::from_be_bytes(words[0])?,
        y: Fp::from_be_bytes(words[1])?,
    })
}

/// A point from (x.c1, x.c0, y.c1, y.c0), `None` when a coordinate is not below p. Neither the
/// equation nor the subgroup is checked.
pub(crate) fn g2_unchecked<B: Backend>(words: [&[u8; 32]; 4]) -> Option<G2Affine<Fp<B>>> {
    let [x1, x0, y1, y0] = words;
    Some(G2Affine {
        x: Fp2::new(Fp::from_be_bytes(x0)?, Fp::from_be_bytes(x1)?),
        y: Fp2::new(Fp::from_be_bytes(y0)?, Fp::from_be_bytes(y1)?),
    })
}
