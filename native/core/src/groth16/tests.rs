//! The tables of a key against plain sums, in every shape.

use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, PrimeField};

use super::input_tables::{InputTables, TABLE_BYTES_MAX};
use super::Verdict;
use crate::curve::batch_to_affine;
use crate::curve::tests::{g1, scalar};
use crate::encoding::words;
use crate::field::tests::Sequence;
use crate::field::Portable;

#[test]
fn sums_by_tables_are_sums() {
    let mut sequence = Sequence::new(31);
    let generator = ark_bn254::G1Projective::generator();
    for count in [0, 1, 4, 5, 9, 17, 33, 65, 129, 200] {
        let points: Vec<_> = (0..=count)
            .map(|_| (generator * scalar(&mut sequence)).into_affine())
            .collect();
        let ours: Vec<_> = points.iter().map(g1::<Portable>).collect();
        let tables = InputTables::new(ours[0], &ours[1..]);
        assert!(tables.size() <= TABLE_BYTES_MAX);
        let edges = [0u64, 1, 127, 128, 129].map(ark_bn254::Fr::from);
        for round in 0..4 {
            let scalars: Vec<_> = (0..count)
                .map(|i| match round {
                    0 => edges[i % 5],
                    1 => -edges[i % 5],
                    _ => scalar(&mut sequence),
                })
                .collect();
            let mut expected = ark_bn254::G1Projective::from(points[0]);
            let mut bytes = Vec::new();
            for (point, scalar) in points[1..].iter().zip(&scalars) {
                expected += *point * scalar;
                bytes.extend(scalar.into_bigint().to_bytes_be());
            }
            let sum = batch_to_affine(&[tables.sum(words(&bytes))]);
            assert_eq!(sum[0], g1(&expected.into_affine()), "{count} {round}");
        }
    }
}

#[test]
fn verdict_bytes_are_their_position_from_1() {
    for (number, verdict) in (1..).zip(Verdict::ALL) {
        assert_eq!(verdict as u8, number);
    }
    assert_eq!(Verdict::False.code(), "false");
    assert_eq!(Verdict::InputRange.code(), "input.range");
}
