//! Keys: the known-trapdoor vector, every refusal, any number of inputs, and the registry.

mod support;

use ark_bn254::Fr;
use ark_ff::Field;
use proofgate_core::groth16::{verify, KeyError, KeyPoint, PreparedKey, Verdict, MAX_INPUTS};
use proofgate_core::keys;
use sha2::{Digest, Sha256};
use support::ark::{g2_bytes, p};
use support::trapdoor::{input_bytes, scalar, Trapdoor};
use support::{hex, word};

fn trapdoor_4() -> Vec<u8> {
    Trapdoor::new(4).key().bytes()
}

/// The error for trapdoor-4 with the bytes from `at` on replaced.
fn refusal(at: usize, bytes: &[u8]) -> KeyError {
    let mut key = trapdoor_4();
    key[at..at + bytes.len()].copy_from_slice(bytes);
    PreparedKey::from_bytes(&key).expect_err("a malformed key")
}

#[test]
fn the_trapdoor_vector_holds() {
    let trapdoor = Trapdoor::new(4);
    let digest = Sha256::digest(trapdoor_4());
    assert_eq!(
        digest.as_slice(),
        hex("baa49afb30e7a13267b3a7ecb1fd74b22dbff24dfe20766c52449fe9c2970693")
    );
    let inputs = [1u64, 2, 3, 4].map(Fr::from);
    let proof = trapdoor.prove(scalar("a"), scalar("b"), &inputs).bytes();
    let expected = hex(concat!(
        "093dcc0d8af3143d537b004ebacf4a09ce205d72f97670b926f721b8ce8d8d5c",
        "2f22cef87227dbb2de4f6124b73b7be7ceb5dfe84c41741650597830fd02dc80",
        "1e79024e8a4610f33e3f5999126953a591f944756129051847b7c83234b75526",
        "2be07fac8b85ab64177b18878deb310bfda02050fadd0a50dc3048876b344e91",
        "24cbeb9cef5c6767107e2e17648b7d347ed916ea6d42ddf54169fb45ffef8cb7",
        "2961389ccb906f53da3b0f48c71ca10b9f8d426294d28cda373240be43ddcca6",
        "254c9b5d324f0b2727b01d221e0f557567a9109c9810a99c75a0718f629ac575",
        "137bdc47a003ea8e258923d1edbdf0b0ecc4a1478fc8703a5355bcd7b642bf0f",
    ));
    assert_eq!(proof.as_slice(), expected);
    let key = PreparedKey::from_bytes(&trapdoor_4()).expect("a key");
    assert_eq!(
        verify(&key, &proof, &input_bytes(&inputs)),
        Ok(Verdict::Valid)
    );
    let others = [1u64, 2, 3, 5].map(Fr::from);
    assert_eq!(
        verify(&key, &proof, &input_bytes(&others)),
        Ok(Verdict::False)
    );
}

#[test]
fn keys_of_every_size_verify_and_stay_within_their_tables() {
    let mut sequence = support::Sequence::new(17);
    for input_count in [0, 1, 2, 5, 9, 40, 129, MAX_INPUTS] {
        let trapdoor = Trapdoor::new(input_count);
        let key = PreparedKey::from_bytes(&trapdoor.key().bytes()).expect("a key");
        assert_eq!(key.input_count(), input_count);
        assert!(key.table_bytes() <= 1 << 20, "{}", key.table_bytes());
        // values at both ends, where the digits of the tables carry
        let mut inputs: Vec<Fr> = (0..input_count).map(|_| sequence.fr()).collect();
        let edges = [
            -Fr::from(1u64),
            Fr::from(0u64),
            Fr::from(128u64),
            Fr::from(2u64).pow([253]),
        ];
        for (input, edge) in inputs.iter_mut().zip(edges) {
            *input = edge;
        }
        let proof = trapdoor.prove(scalar("a"), scalar("b"), &inputs).bytes();
        let bytes = input_bytes(&inputs);
        assert_eq!(verify(&key, &proof, &bytes), Ok(Verdict::Valid));
        if let Some(last) = inputs.last_mut() {
            *last += Fr::from(1u64);
            assert_eq!(
                verify(&key, &proof, &input_bytes(&inputs)),
                Ok(Verdict::False)
            );
        }
    }
}

#[test]
fn an_infinite_ic_point_is_accepted() {
    let mut trapdoor = Trapdoor::new(2);
    trapdoor.ic[1] = Fr::from(0u64);
    let key = PreparedKey::from_bytes(&trapdoor.key().bytes()).expect("a key");
    let inputs = [7u64, 8].map(Fr::from);
    let proof = trapdoor.prove(scalar("a"), scalar("b"), &inputs).bytes();
    assert_eq!(
        verify(&key, &proof, &input_bytes(&inputs)),
        Ok(Verdict::Valid)
    );
}

#[test]
fn every_length_but_a_whole_number_of_points_is_refused() {
    let key = trapdoor_4();
    for length in [0, 1, 448, 511, 513, 767] {
        let error = PreparedKey::from_bytes(&key[..length]).expect_err("a wrong length");
        assert_eq!(error, KeyError::Length { found: length });
        assert_eq!((error.code(), error.point()), ("key.length", None));
    }
    let too_many = vec![0; 448 + 64 * (MAX_INPUTS + 2)];
    let error = PreparedKey::from_bytes(&too_many).expect_err("1025 inputs");
    assert_eq!(error.code(), "key.length");
}

/// Each point of trapdoor-4 with its place and its size.
const POINTS: [(KeyPoint, usize, usize); 6] = [
    (KeyPoint::Alpha, 0, 64),
    (KeyPoint::Beta, 64, 128),
    (KeyPoint::Gamma, 192, 128),
    (KeyPoint::Delta, 320, 128),
    (KeyPoint::Ic(0), 448, 64),
    (KeyPoint::Ic(3), 640, 64),
];

#[test]
fn each_fault_names_its_point() {
    for (point, at, size) in POINTS {
        assert_eq!(refusal(at, &word(&p())), KeyError::CoordinateRange(point));
        assert_eq!(
            refusal(at + size - 32, &word(&5u32.into())),
            KeyError::PointNotOnCurve(point)
        );
        if !matches!(point, KeyPoint::Ic(_)) {
            assert_eq!(
                refusal(at, &vec![0; size]),
                KeyError::PointAtInfinity(point)
            );
        }
        if size == 128 {
            let outside = support::small_order::twist_point(&mut support::Sequence::new(9));
            assert_eq!(
                refusal(at, &g2_bytes(&outside)),
                KeyError::PointNotInSubgroup(point)
            );
        }
    }
    let error = refusal(640, &word(&p()));
    assert_eq!(error.code(), "key.coordinate_range");
    assert_eq!(error.to_string(), "ic[3]: a coordinate is not below p");
    assert_eq!(
        KeyError::PointNotOnCurve(KeyPoint::Beta).code(),
        "key.point_not_on_curve"
    );
    assert_eq!(
        KeyError::PointNotInSubgroup(KeyPoint::Beta).code(),
        "key.point_not_in_subgroup"
    );
    assert_eq!(
        KeyError::PointAtInfinity(KeyPoint::Beta).code(),
        "key.point_at_infinity"
    );
}

/// The scalars of a relation: α in G1; β, γ, δ in G2; each with its generator.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Secret {
    Alpha,
    Beta,
    Gamma,
    Delta,
    One,
}

fn key_point(secret: Secret, other: Secret) -> KeyPoint {
    match secret {
        Secret::Alpha => KeyPoint::Alpha,
        Secret::Beta => KeyPoint::Beta,
        Secret::Gamma => KeyPoint::Gamma,
        Secret::Delta => KeyPoint::Delta,
        Secret::One if other == Secret::Alpha => KeyPoint::GeneratorG1,
        Secret::One => KeyPoint::GeneratorG2,
    }
}

/// The refusal of trapdoor-4 with one secret set to `factor` times another one.
fn related(of: Secret, to: Secret, factor: Fr) -> Result<PreparedKey, KeyError> {
    let mut trapdoor = Trapdoor::new(4);
    let value = |trapdoor: &Trapdoor| match to {
        Secret::Alpha => trapdoor.alpha,
        Secret::Beta => trapdoor.beta,
        Secret::Gamma => trapdoor.gamma,
        Secret::Delta => trapdoor.delta,
        Secret::One => Fr::from(1u64),
    };
    let multiple = value(&trapdoor) * factor;
    match of {
        Secret::Alpha => trapdoor.alpha = multiple,
        Secret::Beta => trapdoor.beta = multiple,
        Secret::Gamma => trapdoor.gamma = multiple,
        Secret::Delta => trapdoor.delta = multiple,
        Secret::One => unreachable!("the generator is what it is"),
    }
    PreparedKey::from_bytes(&trapdoor.key().bytes())
}

fn fr(number: i64) -> Fr {
    let size = Fr::from(number.unsigned_abs());
    if number < 0 {
        -size
    } else {
        size
    }
}

const SECRET_PAIRS: [(Secret, Secret); 6] = [
    (Secret::Delta, Secret::Gamma),
    (Secret::Delta, Secret::Beta),
    (Secret::Delta, Secret::One),
    (Secret::Gamma, Secret::Beta),
    (Secret::Beta, Secret::One),
    (Secret::Alpha, Secret::One),
];

#[test]
fn points_that_are_small_multiples_of_each_other_are_refused() {
    let factors = [
        1, -1, 2, -2, 3, 255, 256, 257, -257, 511, 512, 513, -512, 1024, 12_345, 65_279, 65_280,
        65_535, 65_536, -65_536, -65_535, 40_000, -40_001,
    ];
    for (of, to) in SECRET_PAIRS {
        for factor in factors {
            let expected = KeyError::Related {
                point: key_point(of, to),
                to: key_point(to, of),
                factor,
            };
            let error = related(of, to, fr(factor)).expect_err("a forgeable key");
            assert_eq!(error, expected, "{of:?} = {factor} {to:?}");
        }
    }
}

#[test]
fn the_other_direction_of_a_relation_is_refused() {
    for (of, to) in SECRET_PAIRS {
        for factor in [2i64, -3, 700, 65_536, -65_536] {
            let inverse = fr(factor).inverse().expect("not 0");
            let expected = KeyError::Related {
                point: key_point(to, of),
                to: key_point(of, to),
                factor,
            };
            let error = related(of, to, inverse).expect_err("a forgeable key");
            assert_eq!(error, expected, "{to:?} = {factor} {of:?}");
        }
    }
}

#[test]
fn larger_factors_and_a_gamma_that_is_the_generator_are_accepted() {
    for (of, to) in SECRET_PAIRS {
        for factor in [65_793, -65_793, 1 << 20, 1 << 40] {
            assert!(
                related(of, to, fr(factor)).is_ok(),
                "{of:?} = {factor} {to:?}"
            );
        }
    }
    for factor in [1, -1, 2] {
        assert!(related(Secret::Gamma, Secret::One, fr(factor)).is_ok());
    }
}

#[test]
fn a_relation_names_its_points_and_its_consequence() {
    let text = |of, to, factor| match related(of, to, fr(factor)) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    };
    let end = ", so that anyone can forge proofs of any statement";
    for (of, to, factor, expected) in [
        (Secret::Delta, Secret::Gamma, 1, "delta equals gamma"),
        (
            Secret::Gamma,
            Secret::Beta,
            -1,
            "gamma is the negative of beta",
        ),
        (
            Secret::Delta,
            Secret::One,
            7,
            "delta is 7 times the generator of G2",
        ),
        (
            Secret::Alpha,
            Secret::One,
            1,
            "alpha equals the generator of G1",
        ),
    ] {
        assert_eq!(
            text(of, to, factor),
            format!("key.forgeable: {expected}{end}")
        );
    }
}

#[test]
fn a_handle_refers_to_its_key_until_released() {
    let first = keys::register(&trapdoor_4()).expect("a key");
    let second = keys::register(&Trapdoor::new(1).key().bytes()).expect("a key");
    assert_ne!(first, second);
    assert_eq!(keys::get(first).map(|key| key.input_count()), Some(4));
    assert_eq!(keys::get(second).map(|key| key.input_count()), Some(1));
    let held = keys::get(first).expect("registered");
    assert!(keys::release(first));
    assert!(!keys::release(first));
    assert!(keys::get(first).is_none());
    assert_eq!(held.input_count(), 4);
    let third = keys::register(&trapdoor_4()).expect("a key");
    assert_ne!(third, first, "the handle of a released key is not reused");
    assert_ne!(third, second);
    assert!(keys::get(first).is_none());
    assert!(keys::register(&[1, 2, 3]).is_err());
    assert!(keys::get(0).is_none());
}
