//! From the bytes of the members to points on their curves, in lanes.

use crate::curve::g1_lanes::G1Lanes;
use crate::curve::G2Affine;
use crate::decompress_lanes::{decompress, CompressedProof};
use crate::field::{BaseLanes, LaneSet, Limbs};
use crate::pairing::subgroup_lanes;
use crate::tower::Fp2;

use super::super::key::MemberBytes;
use super::super::Verdict;
use super::triage::{are_in_range, sort, Coordinates, Infinite, FILLING};

/// A member whose points are on their curves and whose inputs are below r.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its place in the batch.
    pub index: usize,
    /// The coordinates, in the order of the words; those of a generator for a point at infinity.
    pub words: [Limbs; 8],
    /// Its points at infinity.
    pub infinite: Infinite,
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
/// Returns those whose equation decides, in order, and writes the verdicts of all others.
pub(super) fn decode<F: BaseLanes>(
    batch: &[MemberBytes],
    verdicts: &mut [Option<Verdict>],
) -> Vec<Member> {
    let mut members = Vec::with_capacity(batch.len());
    let mut compressed: Vec<(usize, CompressedProof)> = Vec::new();
    for (index, (proof, _)) in batch.iter().enumerate() {
        let (coordinates, infinite) = match sort(proof) {
            Ok(sorted) => sorted,
            Err(verdict) => {
                verdicts[index] = Some(verdict);
                continue;
            }
        };
        let words = match coordinates {
            Coordinates::Plain(words) => words,
            Coordinates::Compressed(proof) => {
                compressed.push((members.len(), proof));
                FILLING
            }
        };
        members.push(Member {
            index,
            words,
            infinite,
        });
    }
    for group in compressed.chunks(F::LANES) {
        let proofs: Vec<_> = group.iter().map(|(_, proof)| *proof).collect();
        for ((position, _), found) in group.iter().zip(decompress::<F>(&proofs)) {
            let member = &mut members[*position];
            match found {
                Some(words) => member.words = words,
                None => verdicts[member.index] = Some(Verdict::Decompression),
            }
        }
    }
    members.retain(|member| verdicts[member.index].is_none());
    retain_lanes::<F>(&mut members, Loaded::on_curve_lanes, |member| {
        verdicts[member.index] = Some(Verdict::PointNotOnCurve);
    });
    let (members, mut out_of_range): (Vec<_>, Vec<_>) = members
        .into_iter()
        .partition(|member| are_in_range(batch[member.index].1));
    // membership is checked before the inputs
    let in_subgroup = |loaded: &Loaded<F>| subgroup_lanes(&loaded.b);
    retain_lanes(&mut out_of_range, in_subgroup, |member| {
        verdicts[member.index] = Some(Verdict::PointNotInSubgroup);
    });
    for member in &out_of_range {
        verdicts[member.index] = Some(Verdict::InputRange);
    }
    members
}

/// Keeps the members that pass a check in lanes, and hands over the others.
fn retain_lanes<F: BaseLanes>(
    members: &mut Vec<Member>,
    check: impl Fn(&Loaded<F>) -> LaneSet,
    mut refuse: impl FnMut(&Member),
) {
    let mut passed = Vec::with_capacity(members.len());
    for group in members.chunks(F::LANES) {
        let lanes = check(&Loaded::new(group.iter()));
        passed.extend((0..group.len()).map(|lane| lanes >> lane & 1 == 1));
    }
    let mut passed = passed.into_iter();
    members.retain(|member| {
        let is_kept = passed.next() == Some(true);
        if !is_kept {
            refuse(member);
        }
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use super::super::triage::COMPRESSED_FILLING;
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

    #[test]
    fn the_compressed_filling_is_the_filling_up_to_signs() {
        let [words] = decompress::<Fp<Portable>>(&[COMPRESSED_FILLING])[..] else {
            panic!("expected one proof")
        };
        let words = words.expect("a generator has a compressed form");
        for (number, (word, filling)) in words.iter().zip(&FILLING).enumerate() {
            let [word, filling] =
                [word, filling].map(|number| Fp::<Portable>::from_canonical(*number));
            assert!(word == filling || (word == -filling && ![0, 2, 3, 6].contains(&number)));
        }
    }
}
