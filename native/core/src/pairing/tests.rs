//! The pairing against arkworks', bilinearity, and the membership check on every kind of point.

use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveConfig, CurveGroup, PrimeGroup};
use num_bigint::{BigInt, BigUint};

use super::ate::ATE_DIGITS;
use super::*;
use crate::curve::tests::{g1, g2, scalar, small_order_point, twist_point, SMALL_ORDERS};
use crate::curve::{G1Affine, G2Affine};
use crate::field::dispatch::checks::on_own_scalars;
use crate::field::tests::Sequence;
use crate::field::{Backend, Bn254Base, Bn254Scalar, Fp, Modulus, Portable};
use crate::tower::tests::fp12;
use crate::tower::Fp12;

pub(super) fn ratio<B: Backend>(point: &G1Affine<B>) -> Ratio<Fp<B>> {
    let one_over_y = point.y.inverse().expect("finite");
    Ratio {
        x_over_y: point.x * one_over_y,
        one_over_y,
    }
}

pub(super) fn points(sequence: &mut Sequence) -> (ark_bn254::G1Affine, ark_bn254::G2Affine) {
    let p = ark_bn254::G1Projective::generator() * scalar(sequence);
    let q = ark_bn254::G2Projective::generator() * scalar(sequence);
    (p.into_affine(), q.into_affine())
}

/// e(P, Q) by both loops, which must agree.
fn pairing<B: Backend>(p: &ark_bn254::G1Affine, q: &ark_bn254::G2Affine) -> Fp12<Fp<B>> {
    let p = ratio(&g1::<B>(p));
    let q = g2::<B>(q);
    let (f, membership) = miller_loop(&q, &p, &[]);
    assert_eq!(membership, 1);
    let prepared = PreparedG2::new(&q).expect("order r");
    let other = prepared_miller_loop(&[None, Some(PreparedPair { p, q: &prepared })]);
    let value = final_exponentiation(&f).expect("not 0");
    assert_eq!(final_exponentiation(&other), Some(value));
    value
}

fn agrees_with_ark<B: Backend>() {
    let mut sequence = Sequence::new(21);
    for _ in 0..12 {
        let (p, q) = points(&mut sequence);
        let expected = ark_bn254::Bn254::pairing(p, q).0;
        assert_eq!(pairing::<B>(&p, &q), fp12(&expected));
        let (p2, q2) = points(&mut sequence);
        let (p3, q3) = points(&mut sequence);
        let prepared2 = PreparedG2::new(&g2::<B>(&q2)).expect("order r");
        let prepared3 = PreparedG2::new(&g2::<B>(&q3)).expect("order r");
        let prepared = [
            Some(PreparedPair {
                p: ratio(&g1(&p2)),
                q: &prepared2,
            }),
            Some(PreparedPair {
                p: ratio(&g1(&p3)),
                q: &prepared3,
            }),
        ];
        let (f, _) = miller_loop(&g2(&q), &ratio(&g1(&p)), &prepared);
        let product = ark_bn254::Bn254::multi_pairing([p, p2, p3], [q, q2, q3]).0;
        assert_eq!(final_exponentiation(&f), Some(fp12(&product)));
    }
}

fn is_bilinear<B: Backend>() {
    let mut sequence = Sequence::new(22);
    for _ in 0..4 {
        let (p, q) = points(&mut sequence);
        let (p2, q2) = points(&mut sequence);
        let sum_p = (p + p2).into_affine();
        let sum_q = (q + q2).into_affine();
        assert_eq!(pairing::<B>(&sum_p, &q), pairing(&p, &q) * pairing(&p2, &q));
        assert_eq!(pairing::<B>(&p, &sum_q), pairing(&p, &q) * pairing(&p, &q2));
        let a = scalar(&mut sequence);
        assert_eq!(
            pairing::<B>(&(p * a).into_affine(), &q),
            pairing(&p, &(q * a).into_affine())
        );
        assert_ne!(pairing::<B>(&p, &q), Fp12::ONE);
    }
}

fn knows_members<B: Backend>() {
    let mut sequence = Sequence::new(23);
    let all = SMALL_ORDERS;
    for _ in 0..4 {
        let (_, inside) = points(&mut sequence);
        assert_eq!(subgroup_lanes(&g2::<B>(&inside)), 1);
        let mut outside = vec![twist_point(&mut sequence)];
        for orders in [&all[..1], &all[1..2], &all[2..], &all[..2], &all[1..], &all] {
            let small = small_order_point(&mut sequence, orders);
            outside.push(small);
            outside.push((inside + small).into_affine());
            outside.push((small + small).into_affine());
            outside.push(-small);
        }
        for point in &outside {
            assert!(!point.is_in_correct_subgroup_assuming_on_curve());
            assert_eq!(subgroup_lanes(&g2::<B>(point)), 0, "{point}");
        }
    }
}

#[test]
fn portable_pairing_agrees_with_arkworks() {
    agrees_with_ark::<Portable>();
    is_bilinear::<Portable>();
}

#[test]
fn adx_pairing_agrees_with_arkworks() {
    on_own_scalars!(B => {
        agrees_with_ark::<B>();
        is_bilinear::<B>();
    });
}

#[test]
fn membership_agrees_with_arkworks_on_points_of_every_order() {
    knows_members::<Portable>();
}

#[test]
fn zero_has_no_final_power() {
    use crate::tower::Fp6;
    let zero = Fp12::<Fp<Portable>>::new(Fp6::ZERO, Fp6::ZERO);
    assert_eq!(final_exponentiation(&zero), None);
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b != BigInt::ZERO {
        (a, b) = (b.clone(), a % b);
    }
    if a < BigInt::ZERO {
        -a
    } else {
        a
    }
}

#[test]
fn membership_polynomial_vanishes_on_g2_alone() {
    let big = |words: &[u64]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        BigInt::from(BigUint::from_bytes_le(&bytes))
    };
    let (p, r) = (big(&Bn254Base::P), big(&Bn254Scalar::P));
    let one = BigInt::from(1);
    let trace = &p + &one - &r;
    // 6x + 2 from the digits of the loop, and t − 1 = 6x²
    let loop_count = ATE_DIGITS
        .iter()
        .fold(one.clone(), |sum, digit| 2 * sum + *digit);
    let six_x: BigInt = &loop_count - 2;
    assert_eq!(6 * (&trace - &one), &six_x * &six_x);

    let a = &trace * &trace - &trace + &one - &p;
    let b = &loop_count + &p - &trace * &p;
    // f = aX + b modulo X² − tX + p: at any number, here at a few
    for number in [-3, 0, 1, 7].map(BigInt::from) {
        let square = &number * &number;
        let f = &square * &number - &square + &number + &loop_count;
        let characteristic = &square - &trace * &number + &p;
        let quotient = &number + &trace - &one;
        assert_eq!(f, quotient * characteristic + &a * &number + &b);
    }
    assert_eq!((&a * &p + &b) % &r, BigInt::ZERO, "f(p) is 0 modulo r");

    let cofactor = 2 * &p - &r;
    assert_eq!(cofactor, big(ark_bn254::g2::Config::COFACTOR));
    let norm = &a * &a * &p + &a * &b * &trace + &b * &b;
    assert_eq!(&norm % &r, BigInt::ZERO);
    assert_eq!(gcd(&norm, &cofactor), one);
    assert_eq!(gcd(&r, &cofactor), one);

    // no step of the walk adds equal or opposite points of G2: its formulas do not apply to those
    let psi = &trace - &one;
    let ends = [
        (loop_count.clone(), psi.clone()),
        (&loop_count + &psi, -(&psi * &psi)),
    ];
    for (sum, term) in ends {
        assert_ne!((&sum - &term) % &r, BigInt::ZERO);
        assert_ne!((&sum + &term) % &r, BigInt::ZERO);
    }
}

fn ark(point: &G2Affine<Fp<Portable>>) -> ark_bn254::G2Affine {
    let number = |x: &Fp<Portable>| ark_bn254::Fq::from(ark_ff::BigInt::new(x.to_canonical()));
    let [x, y] = [&point.x, &point.y].map(|x| ark_bn254::Fq2::new(number(&x.c0), number(&x.c1)));
    ark_bn254::G2Affine::new_unchecked(x, y)
}

#[test]
fn psi_satisfies_its_characteristic_polynomial_on_the_twist() {
    let mut sequence = Sequence::new(29);
    let p = <ark_bn254::Fq as ark_ff::PrimeField>::MODULUS;
    // t = 6x² + 1
    let trace = [0xf83e9682e87cfd47u64, 0x6f4d8248eeb859fb];
    for _ in 0..4 {
        let point = twist_point(&mut sequence);
        let ours = g2::<Portable>(&point);
        let psi = ours.psi();
        let negated_square = ours.negated_psi_squared();
        // −ψ² = p − tψ
        let expected = point.mul_bigint(p) - ark(&psi).mul_bigint(trace);
        assert_eq!(ark(&negated_square).into_group(), expected);
    }
}
