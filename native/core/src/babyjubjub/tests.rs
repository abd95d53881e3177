//! Group laws against the affine formulas of the specification, both multiplications, and the
//! byte form with each of its refusals.

use super::curve::Curve;
use super::extended::Extended;
use super::fixed_base::multiply_generator;
use super::windows::{fixed_windows, odd_windows};
use super::{Point, PointError};
use crate::field::{Fl, Fr, Portable};
use crate::test_vectors::{hex, number, reversed, rows, VECTORS};

type P = Point<Portable>;
type Scalar = Fl<Portable>;
type Element = Fr<Portable>;

/// The addition law as the specification of the curve writes it.
fn affine_sum(p: &P, q: &P) -> P {
    let product = Curve::D * p.x * q.x * p.y * q.y;
    let inverse = |value: Element| value.inverse().expect("the law is complete");
    Point {
        x: (p.x * q.y + p.y * q.x) * inverse(Element::ONE + product),
        y: (p.y * q.y - Curve::A * p.x * q.x) * inverse(Element::ONE - product),
    }
}

fn affine_multiple(point: &P, scalar: &Scalar) -> P {
    let bytes = scalar.to_be_bytes();
    (0..256).fold(P::IDENTITY, |sum, bit| {
        let doubled = affine_sum(&sum, &sum);
        if bytes[bit / 8] >> (7 - bit % 8) & 1 == 1 {
            affine_sum(&doubled, point)
        } else {
            doubled
        }
    })
}

/// A point of the whole curve: the first y from `start` on that has an x.
fn point_of_the_curve(start: u64) -> P {
    (start..)
        .map(Element::from_u64)
        .find_map(|y| {
            let yy = y.square();
            let quotient = (Element::ONE - yy) * (Curve::A - Curve::D * yy).inverse()?;
            Some(Point {
                x: quotient.sqrt()?,
                y,
            })
        })
        .expect("half of all y have an x")
}

/// The eight points whose order divides the cofactor.
fn torsion() -> Vec<P> {
    let zero = Scalar::ZERO;
    let generator = (2..)
        .map(|start| times_l(&point_of_the_curve(start)))
        .find(|point| {
            let four = affine_sum(&affine_sum(point, point), &affine_sum(point, point));
            four != P::IDENTITY
        })
        .expect("half of all points have a part of order 8");
    assert_eq!(affine_multiple(&generator, &zero), P::IDENTITY);
    let mut points = vec![P::IDENTITY];
    for i in 0..7 {
        points.push(affine_sum(&points[i], &generator));
    }
    points
}

/// L times a point, as (L − 1)·P + P.
fn times_l(point: &P) -> P {
    affine_sum(&affine_multiple(point, &-Scalar::ONE), point)
}

fn sample_scalars() -> Vec<Scalar> {
    let mut scalars = vec![
        Scalar::ZERO,
        Scalar::ONE,
        -Scalar::ONE,
        Scalar::from_u64(8),
        Scalar::from_u64(u64::MAX),
        -Scalar::from_u64(16),
    ];
    let mut next = Scalar::from_le_bytes_mod_order(&[0x5a; 64]);
    for _ in 0..20 {
        next = next.square() + Scalar::ONE;
        scalars.push(next);
    }
    scalars
}

#[test]
fn isomorphism_constants_follow_from_the_curve() {
    assert_eq!(Curve::<Portable>::SCALE.square(), -Curve::A);
    assert_eq!(
        Curve::<Portable>::SCALE * Curve::INVERSE_SCALE,
        Element::ONE
    );
    assert_eq!(Curve::<Portable>::TWICE_K * Curve::A, -Curve::D.double());
    assert!(
        Curve::<Portable>::A.sqrt().is_some(),
        "the formulas are complete for a square a"
    );
    assert!(
        Curve::<Portable>::D.sqrt().is_none(),
        "and a d that is none"
    );
}

#[test]
fn generator_is_on_the_curve_and_of_order_l() {
    let row = rows(&VECTORS["field"]["babyjubjub_generator"]);
    assert_eq!(P::GENERATOR.x.to_be_bytes(), number(&row[0]));
    assert_eq!(P::GENERATOR.y.to_be_bytes(), number(&row[1]));
    assert!(P::GENERATOR.is_on_curve());
    assert_eq!(times_l(&P::GENERATOR), P::IDENTITY);
    assert!(P::GENERATOR.is_in_subgroup());
    assert_ne!(P::GENERATOR, P::IDENTITY);
}

#[test]
fn additions_agree_with_the_affine_law_on_all_kinds_of_points() {
    let mut points = torsion();
    points.push(P::GENERATOR);
    points.extend((2..8).map(|start| point_of_the_curve(start * 1000)));
    for p in &points {
        let extended = Extended::from_affine(p);
        assert!(p.is_on_curve());
        assert_eq!(extended.double().to_affine(), affine_sum(p, p));
        assert!(extended.add(&extended.negate()).is_identity());
        for q in &points {
            let sum = extended.add(&Extended::from_affine(q));
            assert_eq!(sum.to_affine(), affine_sum(p, q));
            assert_eq!(sum.is_identity(), affine_sum(p, q) == P::IDENTITY);
        }
    }
}

#[test]
fn both_multiplications_agree_with_the_affine_law() {
    for scalar in sample_scalars() {
        let expected = affine_multiple(&P::GENERATOR, &scalar);
        assert_eq!(multiply_generator(&scalar).to_affine(), expected);
        let generator = Extended::from_affine(&P::GENERATOR);
        assert_eq!(generator.times_public(&scalar).to_affine(), expected);
    }
    let outside = point_of_the_curve(77);
    let scalar = -Scalar::from_u64(12345);
    let product = Extended::from_affine(&outside).times_public(&scalar);
    assert_eq!(product.to_affine(), affine_multiple(&outside, &scalar));
}

#[test]
fn windows_add_up_to_their_scalar() {
    for scalar in sample_scalars() {
        let bytes = scalar.to_le_bytes();
        let signed = |window: i8| {
            let magnitude = Scalar::from_u64(window.unsigned_abs().into());
            if window < 0 {
                -magnitude
            } else {
                magnitude
            }
        };
        let sixteen = Scalar::from_u64(16);
        let fixed = fixed_windows(&bytes);
        assert!(fixed.iter().all(|window| (-8..=8).contains(window)));
        let sum = |sum: Scalar, window: &i8| sum * sixteen + signed(*window);
        assert_eq!(fixed.iter().rev().fold(Scalar::ZERO, sum), scalar);
        let odd = odd_windows(&bytes);
        assert!(odd
            .iter()
            .all(|window| *window == 0 || window % 2 != 0 && window.abs() < 16));
        let sum = |sum: Scalar, window: &i8| sum.double() + signed(*window);
        assert_eq!(odd.iter().rev().fold(Scalar::ZERO, sum), scalar);
    }
}

#[test]
fn points_of_the_subgroup_round_trip_through_bytes() {
    for scalar in sample_scalars() {
        let point = multiply_generator(&scalar).to_affine();
        assert_eq!(P::from_bytes(&point.to_bytes()), Ok(point));
    }
    for row in rows(&VECTORS["eddsa"]) {
        let bytes: [u8; 32] = hex(&row["public_key_compressed"])
            .try_into()
            .expect("32 bytes");
        let point = P::from_bytes(&bytes).expect("a point of the subgroup");
        let coordinates = rows(&row["public_key"]);
        assert_eq!(point.x.to_be_bytes(), number(&coordinates[0]));
        assert_eq!(point.y.to_be_bytes(), number(&coordinates[1]));
        assert_eq!(point.to_bytes(), bytes);
    }
}

#[test]
fn a_point_has_one_encoding() {
    let modulus = reversed(number(&VECTORS["field"]["P"]));
    assert_eq!(P::from_bytes(&modulus), Err(PointError::CoordinateRange));
    assert_eq!(P::from_bytes(&[0x7f; 32]), Err(PointError::CoordinateRange));
    let mut identity = P::IDENTITY.to_bytes();
    assert_eq!(P::from_bytes(&identity), Ok(P::IDENTITY));
    identity[31] |= 0x80;
    assert_eq!(P::from_bytes(&identity), Err(PointError::FlaggedZero));
}

#[test]
fn refuses_y_off_the_curve_and_points_outside_the_subgroup() {
    let off = (2..)
        .map(|y| Element::from_u64(y).to_le_bytes())
        .find(|bytes| P::from_bytes(bytes) == Err(PointError::NotOnCurve));
    assert!(off.is_some());
    for point in &torsion()[1..] {
        assert!(point.is_on_curve() && !point.is_in_subgroup());
        assert_eq!(
            P::from_bytes(&point.to_bytes()),
            Err(PointError::NotInSubgroup)
        );
        let shifted = affine_sum(point, &P::GENERATOR);
        assert_eq!(
            P::from_bytes(&shifted.to_bytes()),
            Err(PointError::NotInSubgroup)
        );
    }
}
