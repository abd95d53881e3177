//! From the bytes of the members to points on their curves, in lanes.

use crate::curve::g1_lanes::G1Lanes;
use crate::curve::G2Affine;
use crate::decompress_lanes::{decompress, CompressedProof};
use crate::encoding::PROOF_BYTES;
use crate::field::{BaseLanes, LaneSet, Limbs};
use crate::tower::Fp2;

use super::super::Verdict;
use super::triage::{sort, Sorted};

/// (1, 2) and a generator of G2 (EIP-197), in the order of the words: contents of lanes without a
/// member; test: `the_filling_consists_of_generators`.
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

/// A member whose points are finite and on their curves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its place in the batch.
    pub index: usize,
    /// The coordinates, in the order of the words.
    pub words: [Limbs; 8],
}

/// The points of up to `LANES` members, and generators in the other lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded<F> {
    pub a: G1Lanes<F>,
    pub b: G2Affine<F>,
    pub c: G1Lanes<F>,
}

impl<F: BaseLanes> Loaded<F> {
    /// Puts member i into lane i.
    pub(super) fn new<'a>(members: impl Iterator<Item = &'a Member> + Clone) -> Self {
        let mut words = vec![Limbs::default(); F::LANES];
        let mut next = 0;
        let mut coordinate = || {
            words.fill(FILLING[next]);
            for (word, member) in words.iter_mut().zip(members.clone()) {
                *word = member.words[next];
            }
            next += 1;
            F::from_words(&words)
        };
        let mut pair = || [coordinate(), coordinate()];
        let [x, y] = pair();
        let a = G1Lanes { x, y };
        let [x1, x0] = pair();
        let [y1, y0] = pair();
        let b = G2Affine {
            x: Fp2::new(x0, x1),
            y: Fp2::new(y0, y1),
        };
        let [x, y] = pair();
        let c = G1Lanes { x, y };
        Self { a, b, c }
    }

    fn on_curve_lanes(&self) -> LaneSet {
        self.a.on_curve_lanes() & self.b.on_curve_lanes() & self.c.on_curve_lanes()
    }
}

/// Decodes the members of a batch, each a proof and its inputs.
///
/// Returns those that a random combination may contain, in order, and writes refusals to `verdicts`; a
/// member with neither is to be checked by itself.
pub(super) fn decode<F: BaseLanes>(
    batch: &[(&[u8; PROOF_BYTES], &[u8])],
    verdicts: &mut [Option<Verdict>],
) -> Vec<Member> {
    let mut words = vec![None; batch.len()];
    let mut compressed: Vec<(usize, CompressedProof)> = Vec::new();
    for (index, (proof, inputs)) in batch.iter().enumerate() {
        match sort(proof, inputs) {
            Sorted::Refused(verdict) => verdicts[index] = Some(verdict),
            Sorted::Alone => {}
            Sorted::Plain(plain) => words[index] = Some(plain),
            Sorted::Compressed(proof) => compressed.push((index, proof)),
        }
    }
    for group in compressed.chunks(F::LANES) {
        let proofs: Vec<_> = group.iter().map(|(_, proof)| *proof).collect();
        for ((index, _), found) in group.iter().zip(decompress::<F>(&proofs)) {
            words[*index] = found;
            if found.is_none() {
                verdicts[*index] = Some(Verdict::Decompression);
            }
        }
    }
    let mut members: Vec<_> = words
        .iter()
        .enumerate()
        .filter_map(|(index, words)| words.map(|words| Member { index, words }))
        .collect();
    let mut on_curve = Vec::with_capacity(members.len());
    for group in members.chunks(F::LANES) {
        let lanes = Loaded::<F>::new(group.iter()).on_curve_lanes();
        for (lane, member) in group.iter().enumerate() {
            on_curve.push(lanes >> lane & 1 == 1);
            if lanes >> lane & 1 == 0 {
                verdicts[member.index] = Some(Verdict::PointNotOnCurve);
            }
        }
    }
    let mut is_kept = on_curve.iter();
    members.retain(|_| is_kept.next() == Some(&true));
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::tests::{g1, g2};
    use crate::field::{Fp, Portable};
    use ark_ec::AffineRepr;

    #[test]
    fn the_filling_consists_of_generators() {
        let loaded = Loaded::<Fp<Portable>>::new([].iter());
        let generator = g1::<Portable>(&ark_bn254::G1Affine::generator());
        for point in [&loaded.a, &loaded.c] {
            assert_eq!((point.x, point.y), (generator.x, generator.y));
        }
        assert_eq!(loaded.b, g2(&ark_bn254::G2Affine::generator()));
        assert_eq!(loaded.on_curve_lanes(), 1);
    }
}
