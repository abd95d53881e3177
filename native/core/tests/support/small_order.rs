//! Points of the twist outside G2: random ones and those of small order.

use std::sync::LazyLock;

use ark_bn254::{Fq, Fq2, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::PrimeField;
use num_bigint::BigUint;

use super::ark::{p, r};
use super::Sequence;

/// Small prime factors of the cofactor 2p − r.
pub const ORDERS: [u64; 3] = [10069, 5864401, 1875725156269];

/// A point of the twist, hardly ever in G2.
pub fn twist_point(sequence: &mut Sequence) -> G2Affine {
    loop {
        let x = Fq2::new(
            Fq::from_be_bytes_mod_order(&sequence.bytes()),
            Fq::from_be_bytes_mod_order(&sequence.bytes()),
        );
        if let Some(point) = G2Affine::get_point_from_x_unchecked(x, sequence.word() & 1 == 1) {
            return point;
        }
    }
}

/// A point of each of these orders.
static POINTS: LazyLock<[G2Affine; 3]> = LazyLock::new(|| {
    let mut sequence = Sequence::new(0x07de_75e5);
    ORDERS.map(|order| point_of_order(&mut sequence, order))
});

fn point_of_order(sequence: &mut Sequence, order: u64) -> G2Affine {
    let cofactor = p() * 2u32 - r();
    assert_eq!(&cofactor % order, BigUint::ZERO);
    let factor = (cofactor / order * r()).to_u64_digits();
    loop {
        let point = twist_point(sequence).mul_bigint(&factor);
        if point != G2Projective::default() {
            assert_eq!(point.mul_bigint([order]), G2Projective::default());
            return point.into_affine();
        }
    }
}

/// A point whose order is exactly this factor of the cofactor, one of [`ORDERS`].
pub fn of_order(sequence: &mut Sequence, order: u64) -> G2Affine {
    let known = ORDERS.iter().position(|one| *one == order);
    let point = POINTS[known.expect("one of the orders")];
    // The order is a prime: every multiple but infinity has it.
    let factor = 1 + sequence.word() % (order - 1);
    point.mul_bigint([factor]).into_affine()
}

/// A point outside G2: random, of one small order, of a sum of them, or one of those plus a point
/// of G2.
pub fn outside(sequence: &mut Sequence, inside: &G2Affine) -> G2Affine {
    let choice = sequence.below(16);
    if choice == 0 {
        return twist_point(sequence);
    }
    let mut sum = G2Projective::default();
    for (i, order) in ORDERS.into_iter().enumerate() {
        if choice >> i & 1 == 1 {
            sum += of_order(sequence, order);
        }
    }
    if choice & 7 == 0 {
        sum += of_order(sequence, ORDERS[0]);
    }
    if choice & 8 == 8 {
        sum += inside;
    }
    sum.into_affine()
}
