//! Group laws, the equations and ψ against arkworks.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{BigInteger, Field as ArkField, PrimeField};

use super::affine::{add_all, multiples, Affine};
use super::generators::{g1_generator, g2_generator};
use super::*;
use crate::field::tests::Sequence;
use crate::field::{Fp, Portable};
use crate::tower::tests::{fp, fp2};
use crate::tower::Fp2;

type B = Portable;

/// Converts a point of arkworks, infinity to (0, 0).
pub(crate) fn g1<B: crate::field::Backend>(point: &ark_bn254::G1Affine) -> G1Affine<B> {
    match point.xy() {
        Some((x, y)) => G1Affine {
            x: fp(&x),
            y: fp(&y),
        },
        None => G1Affine::INFINITY,
    }
}

/// Converts a point of arkworks, infinity to (0, 0).
pub(crate) fn g2<B: crate::field::Backend>(point: &ark_bn254::G2Affine) -> G2Affine<Fp<B>> {
    match point.xy() {
        Some((x, y)) => G2Affine {
            x: fp2(&x),
            y: fp2(&y),
        },
        None => G2Affine::INFINITY,
    }
}

/// A scalar of the sequence.
pub(crate) fn scalar(sequence: &mut Sequence) -> ark_bn254::Fr {
    ark_bn254::Fr::from_be_bytes_mod_order(&sequence.bytes())
}

/// A point of the whole twist, of order dividing r·(2p − r), hardly ever in G2.
pub(crate) fn twist_point(sequence: &mut Sequence) -> ark_bn254::G2Affine {
    loop {
        let x = ark_bn254::Fq2::new(
            ark_bn254::Fq::from_be_bytes_mod_order(&sequence.bytes()),
            ark_bn254::Fq::from_be_bytes_mod_order(&sequence.bytes()),
        );
        if let Some(point) = ark_bn254::G2Affine::get_point_from_x_unchecked(x, false) {
            return point;
        }
    }
}

// Number of points of the twist divided by r: 2p − r = 10069 · 5864401 · 1875725156269 · rest.
// Test: `small_order_points_have_their_order`.
pub(crate) const SMALL_ORDERS: [u64; 3] = [10069, 5864401, 1875725156269];

/// The order of the twist divided by r and by `orders`, times r: the factor that takes a point of the twist to
/// one whose order divides the product of `orders`.
fn clearing_factor(orders: &[u64]) -> num_bigint::BigUint {
    let p = num_bigint::BigUint::from_bytes_be(&ark_bn254::Fq::MODULUS.to_bytes_be());
    let r = num_bigint::BigUint::from_bytes_be(&ark_bn254::Fr::MODULUS.to_bytes_be());
    let mut cofactor = p * 2u32 - &r;
    for order in orders {
        assert_eq!(&cofactor % order, num_bigint::BigUint::from(0u32));
        cofactor /= *order;
    }
    cofactor * r
}

/// A point whose order is exactly the product of `orders`.
pub(crate) fn small_order_point(sequence: &mut Sequence, orders: &[u64]) -> ark_bn254::G2Affine {
    let factor = clearing_factor(orders).to_u64_digits();
    loop {
        let point = twist_point(sequence).mul_bigint(&factor);
        let exact = (0..orders.len()).all(|left_out| {
            let rest = orders
                .iter()
                .enumerate()
                .filter(|(i, _)| *i != left_out)
                .fold(point, |sum, (_, order)| sum.mul_bigint([*order]));
            rest != ark_bn254::G2Projective::default()
        });
        if exact {
            return point.into_affine();
        }
    }
}

#[test]
fn small_order_points_have_their_order() {
    let mut sequence = Sequence::new(5);
    for order in SMALL_ORDERS {
        let point = small_order_point(&mut sequence, &[order]);
        assert!(!point.is_zero());
        assert!(point.mul_bigint([order]).into_affine().is_zero());
        assert!(g2::<B>(&point).is_on_curve());
    }
}

#[test]
fn sums_in_g1_agree_with_arkworks() {
    let mut sequence = Sequence::new(3);
    let generator = ark_bn254::G1Projective::generator();
    let mut points = vec![ark_bn254::G1Affine::identity()];
    for _ in 0..12 {
        let point = (generator * scalar(&mut sequence)).into_affine();
        points.push(point);
        points.push(-point);
    }
    for a in &points {
        assert!(g1::<B>(a).is_on_curve());
        assert_eq!(g1::<B>(a).negate(), g1(&-*a));
        // a Jacobian form with Z other than 1
        let jacobian = G1Jacobian::from(g1::<B>(a));
        let moved = jacobian
            .add_affine(&g1(&points[3]))
            .add_affine(&g1(&points[4]));
        for form in [jacobian, moved] {
            let doubled = batch_to_affine(&[form.double()]);
            assert_eq!(doubled[0], g1(&(*a + *a).into_affine()));
            for b in &points {
                let sum = batch_to_affine(&[form.add_affine(&g1(b)), G1Jacobian::INFINITY, form]);
                assert_eq!(sum[0], g1(&(*a + *b).into_affine()));
                assert_eq!(sum[1], G1Affine::INFINITY);
                assert_eq!(sum[2], g1(a));
            }
        }
    }
}

#[test]
fn points_off_the_curves_are_detected() {
    let mut sequence = Sequence::new(4);
    let point = g1::<B>(&ark_bn254::G1Affine::generator());
    assert!(!G1Affine {
        x: point.x,
        y: point.y + Fp::ONE
    }
    .is_on_curve());
    assert!(!G1Affine {
        x: Fp::ZERO,
        y: point.y
    }
    .is_on_curve());
    let twisted = g2::<B>(&twist_point(&mut sequence));
    assert!(twisted.is_on_curve());
    assert!(twisted.negate().is_on_curve());
    assert!(!G2Affine {
        x: twisted.y,
        y: twisted.x
    }
    .is_on_curve());
    assert!(!G2Affine {
        x: twisted.x,
        y: Fp2::ZERO
    }
    .is_on_curve());
    assert!(G2Affine::<Fp<B>>::INFINITY.is_on_curve());
}

#[test]
fn psi_is_multiplication_by_p_on_g2() {
    let mut sequence = Sequence::new(6);
    let point = (ark_bn254::G2Projective::generator() * scalar(&mut sequence)).into_affine();
    let p = ark_bn254::Fr::from_be_bytes_mod_order(&ark_bn254::Fq::MODULUS.to_bytes_be());
    let times = |factor: ark_bn254::Fr| g2::<B>(&(point * factor).into_affine());
    assert_eq!(g2::<B>(&point).psi(), times(p));
    assert_eq!(g2::<B>(&point).negated_psi_squared(), times(-p.square()));
    assert_eq!(g2::<B>(&point).negated_psi_cubed(), times(-p.square() * p));
    let outside = g2::<B>(&twist_point(&mut sequence));
    assert_eq!(outside.psi().psi().negate(), outside.negated_psi_squared());
    assert_eq!(
        outside.psi().psi().psi().negate(),
        outside.negated_psi_cubed()
    );
}

#[test]
fn beta_acts_as_lambda() {
    use crate::field::{BaseLanes, GLV_LAMBDA};
    let mut sequence = Sequence::new(5);
    let lambda = ark_bn254::Fr::from(ark_ff::BigInt::new(GLV_LAMBDA));
    for _ in 0..4 {
        let point = ark_bn254::G1Projective::generator() * scalar(&mut sequence);
        let ours = g1::<B>(&point.into_affine());
        let image = G1Affine {
            x: ours.x * Fp::<B>::CONSTANTS.beta,
            y: ours.y,
        };
        assert_eq!(image, g1(&(point * lambda).into_affine()));
    }
}

#[test]
fn generators_are_those_of_arkworks() {
    let ark_g1 = g1::<B>(&ark_bn254::G1Affine::generator());
    let ark_g2 = g2::<B>(&ark_bn254::G2Affine::generator());
    assert_eq!(g1_generator::<B>(), ark_g1.into());
    assert_eq!(g2_generator::<B>(), ark_g2.into());
}

#[test]
fn affine_sums_handle_every_pair() {
    let mut sequence = Sequence::new(8);
    let generator = ark_bn254::G2Projective::generator();
    let mut points = vec![ark_bn254::G2Affine::identity()];
    for _ in 0..3 {
        let point = (generator * scalar(&mut sequence)).into_affine();
        points.extend([point, -point]);
    }
    let ours = |point: &ark_bn254::G2Affine| Affine::from(g2::<B>(point));
    let pairs: Vec<_> = points
        .iter()
        .flat_map(|a| points.iter().map(move |b| (*a, *b)))
        .collect();
    let mut sums: Vec<_> = pairs.iter().map(|(a, _)| ours(a)).collect();
    let terms: Vec<_> = pairs.iter().map(|(_, b)| ours(b)).collect();
    add_all(&mut sums, &terms);
    for ((a, b), sum) in pairs.iter().zip(sums) {
        assert_eq!(sum, ours(&(*a + *b).into_affine()));
    }
    let all = multiples(&ours(&points[1]), 21);
    for (number, multiple) in (1u64..).zip(all) {
        let expected = points[1].mul_bigint([number]).into_affine();
        assert_eq!(multiple, ours(&expected));
    }
}

#[test]
fn multiples_of_the_generators_agree_with_arkworks() {
    let mut sequence = Sequence::new(9);
    let one = ark_bn254::Fr::from(1u64);
    let mut scalars = vec![ark_bn254::Fr::from(0u64), one, -one, one + one];
    // digits of 255 and 0 at every place, and more scalars than share an inversion
    scalars.extend((1..32).map(|i| ark_bn254::Fr::from(2u64).pow([8 * i]) - one));
    scalars.extend((0..600).map(|_| scalar(&mut sequence)));
    let bytes: Vec<u8> = scalars
        .iter()
        .flat_map(|scalar| scalar.into_bigint().to_bytes_be())
        .collect();
    let words = |parts: &[ark_bn254::Fq]| -> Vec<u8> {
        parts
            .iter()
            .flat_map(|part| part.into_bigint().to_bytes_be())
            .collect()
    };
    let in_g1 = g1_multiples(&bytes).expect("scalars below r");
    let in_g2 = g2_multiples(&bytes).expect("scalars below r");
    assert_eq!(in_g1[..64], [0; 64]);
    assert_eq!(in_g2[..128], [0; 128]);
    for (i, scalar) in scalars.iter().enumerate().skip(1) {
        let (x, y) = (ark_bn254::G1Projective::generator() * scalar)
            .into_affine()
            .xy()
            .expect("finite");
        assert_eq!(in_g1[64 * i..][..64], words(&[x, y]), "{i}");
        let (x, y) = (ark_bn254::G2Projective::generator() * scalar)
            .into_affine()
            .xy()
            .expect("finite");
        let expected = words(&[x.c1, x.c0, y.c1, y.c0]);
        assert_eq!(in_g2[128 * i..][..128], expected, "{i}");
    }
    assert_eq!(g1_multiples(&[]), Ok(Vec::new()));
    for refused in [g1_multiples(&bytes[1..]), g2_multiples(&bytes[1..])] {
        assert_eq!(refused.map_err(|error| error.code()), Err("input.count"));
    }
    let r = ark_bn254::Fr::MODULUS.to_bytes_be();
    for refused in [g1_multiples(&r), g2_multiples(&r)] {
        assert_eq!(refused.map_err(|error| error.code()), Err("input.range"));
    }
}
