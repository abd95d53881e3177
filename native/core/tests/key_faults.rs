//! Relations with small factors between the points of a key, the statements that they make provable, and the bounds of the
//! search.

mod support;

use ark_bn254::Fr;
use ark_ff::Field;
use proofgate_core::groth16::{key_faults, verify, KeyError, PreparedKey, Verdict, MAX_INPUTS};
use support::trapdoor::{g1, g2, input_bytes, scalar, Points, Trapdoor};
use support::Sequence;

fn fr(number: i64) -> Fr {
    let size = Fr::from(number.unsigned_abs());
    if number < 0 {
        -size
    } else {
        size
    }
}

fn inverse(number: i64) -> Fr {
    fr(number).inverse().expect("not 0")
}

fn faults(key: &Trapdoor) -> Vec<String> {
    key_faults(&key.key().bytes()).expect("no forgeable key")
}

/// trapdoor-n with Σ vⱼ·ICⱼ + u·α = 0 by its last IC point with a factor.
fn related(input_count: usize, factors: &[(usize, i64)], alpha: i64) -> Trapdoor {
    let mut key = Trapdoor::new(input_count);
    let ((last, divisor), others) = factors.split_last().expect("an IC point");
    let rest = others
        .iter()
        .map(|(index, factor)| key.ic[*index] * fr(*factor));
    let sum = rest.sum::<Fr>() + key.alpha * fr(alpha);
    key.ic[*last] = -sum * inverse(*divisor);
    key
}

/// Whether a proof holds for inputs under a key.
fn holds(key: &Trapdoor, proof: &Points, inputs: &[Fr]) -> bool {
    let prepared = PreparedKey::from_bytes(&key.key().bytes()).expect("a key");
    verify(&prepared, &proof.bytes(), &input_bytes(inputs)) == Ok(Verdict::Valid)
}

/// Checks that a relation makes provable what [`key_faults`] says, with the proof that the table of its file has.
fn exploit(key: &Trapdoor, factors: &[(usize, i64)], alpha: i64) {
    let count = key.ic.len() - 1;
    let of = |index: usize| {
        factors
            .iter()
            .find(|(other, _)| *other == index)
            .map_or(0, |(_, factor)| *factor)
    };
    let v: Vec<Fr> = (1..=count).map(|index| fr(of(index))).collect();
    if of(0) == 0 {
        let x: Vec<Fr> = (0..count).map(|index| Fr::from(7 + index as u64)).collect();
        let t = Fr::from(1_234_567u64);
        let moved: Vec<Fr> = x.iter().zip(&v).map(|(x, v)| *x + t * v).collect();
        let (a, b) = (scalar("a"), scalar("b"));
        if alpha == 0 {
            assert!(holds(key, &key.prove(a, b, &x), &moved));
        } else {
            let beta = key.beta - t * fr(alpha) * key.gamma;
            let other = Trapdoor {
                beta,
                ic: key.ic.clone(),
                ..*key
            };
            assert!(holds(key, &other.prove(a, b, &x), &moved));
        }
        return;
    }
    let x: Vec<Fr> = v.iter().map(|v| *v * inverse(of(0))).collect();
    let proof = Points {
        a: g1(key.alpha),
        b: g2(key.beta - key.gamma * fr(alpha) * inverse(of(0))),
        c: g1(Fr::from(0u64)),
    };
    assert!(holds(key, &proof, &x));
}

#[test]
fn relations_of_ic_points_name_the_statement_that_they_make_provable() {
    type Case = (&'static [(usize, i64)], i64, &'static str);
    let cases: &[Case] = &[
        (&[(2, 1)], 0, "ic[2] is the point at infinity: a proof holds whatever the value of public input 2 is"),
        (&[(0, 1)], 0, "ic[0] is the point at infinity: anyone can prove the statement whose public inputs are all 0"),
        (&[(1, 1), (4, -1)], 0, "ic[1] and ic[4] are equal: a proof also holds for other public inputs 1 and 4 of the same sum"),
        (&[(2, 1), (3, 1)], 0, "ic[2] and ic[3] are opposite: a proof also holds for other public inputs 2 and 3 of the same difference"),
        (&[(0, 1), (3, -1)], 0, "ic[0] and ic[3] are equal: anyone can prove the statement whose public input 3 is -1 and all others 0"),
        (&[(1, 5), (3, -1)], 0, "ic[3] is 5 times ic[1]: a proof also holds after adding 5t to public input 1 and -t to public input 3, for every t"),
        (&[(1, 1), (3, 5)], 0, "ic[1] is -5 times ic[3]: a proof also holds after adding t to public input 1 and 5t to public input 3, for every t"),
        (&[(0, 1), (2, 9)], 0, "ic[0] is -9 times ic[2]: anyone can prove the statement whose public input 2 is 9 and all others 0"),
        (&[(0, 7), (2, 1)], 0, "ic[2] is -7 times ic[0]: anyone can prove the statement whose public input 2 is 1/7 mod r and all others 0"),
        (&[(2, 2), (3, -3)], 0, "2·ic[2] - 3·ic[3] is the point at infinity: a proof also holds after adding 2t to public input 2 and -3t to public input 3, for every t"),
        (&[(1, 1), (2, 1), (4, -1)], 0, "ic[1] + ic[2] - ic[4] is the point at infinity: a proof also holds after adding t to public input 1, t to public input 2 and -t to public input 4, for every t"),
        (&[(0, 2), (1, 3), (2, -4), (4, 16)], 0, "2·ic[0] + 3·ic[1] - 4·ic[2] + 16·ic[4] is the point at infinity: anyone can prove the statement whose public input 1 is 3/2 mod r, public input 2 is -2 and public input 4 is 8 and all others 0"),
        (&[(0, 1)], -1, "ic[0] is alpha or its negative: anyone can prove the statement whose public inputs are all 0"),
        (&[(0, 1)], 1, "ic[0] is alpha or its negative: anyone can prove the statement whose public inputs are all 0"),
        (&[(0, 1)], -12, "ic[0] is 12 times alpha: anyone can prove the statement whose public inputs are all 0"),
        (&[(0, -12)], 1, "alpha is 12 times ic[0]: anyone can prove the statement whose public inputs are all 0"),
        (&[(0, 3), (1, 1)], 2, "3·ic[0] + ic[1] + 2·alpha is the point at infinity: anyone can prove the statement whose public input 1 is 1/3 mod r and all others 0"),
        (&[(1, 1)], -4, "ic[1] is 4 times alpha: the value of public input 1 moves beta by a multiple of gamma, so that whoever chooses it chooses the key under which a proof is checked"),
    ];
    for (factors, alpha, says) in cases {
        let key = related(4, factors, *alpha);
        assert_eq!(faults(&key), [*says]);
        exploit(&key, factors, *alpha);
    }
}

/// Relations of two points that are found up to a bound, with every sign and in both directions.
#[test]
fn pairs_are_found_up_to_their_bound() {
    for input_count in [1, 4] {
        for (one, other) in [(0, 1), (1, input_count)] {
            if one == other {
                continue;
            }
            for factor in [
                2, -2, 255, -256, 257, -511, 512, 4097, -65_535, 65_536, -65_536,
            ] {
                for factors in [[(one, factor), (other, 1)], [(one, 1), (other, factor)]] {
                    let found = faults(&related(input_count, &factors, 0));
                    assert_eq!(found.len(), 1, "{input_count} inputs, {factors:?}");
                }
            }
            for factor in [65_793, -65_793, 1 << 20] {
                let factors = [(one, factor), (other, 1)];
                assert!(
                    faults(&related(input_count, &factors, 0)).is_empty(),
                    "{factors:?}"
                );
            }
        }
        for factor in [2, -700, 65_536] {
            assert_eq!(faults(&related(input_count, &[(0, 1)], factor)).len(), 1);
        }
        assert!(faults(&related(input_count, &[(0, 1)], 65_793)).is_empty());
    }
    assert_eq!(faults(&related(32, &[(2, 65_536), (32, 1)], 0)).len(), 1);
    for input_count in [33, 200] {
        for factor in [2, -3, 256, -256] {
            assert_eq!(
                faults(&related(input_count, &[(3, factor), (33, 1)], 0)).len(),
                1
            );
            assert_eq!(faults(&related(input_count, &[(33, factor)], 1)).len(), 1);
        }
        assert!(faults(&related(input_count, &[(3, 600), (33, 1)], 0)).is_empty());
    }
}

#[test]
fn sums_are_found_up_to_the_bound_of_the_number_of_inputs() {
    for (input_count, bound) in [
        (3, 16),
        (16, 16),
        (17, 8),
        (32, 8),
        (33, 4),
        (64, 4),
        (65, 1),
    ] {
        let n = input_count;
        let found =
            |factors: &[(usize, i64)], alpha: i64| faults(&related(n, factors, alpha)).len();
        for signs in 0..8 {
            let sign = |bit: u32| if signs >> bit & 1 == 1 { -bound } else { bound };
            let smaller = (bound - 1).max(1);
            assert_eq!(found(&[(1, sign(0)), (2, sign(1)), (n, smaller)], 0), 1);
            assert_eq!(
                found(&[(0, sign(0)), (1, sign(1)), (2, smaller), (n, sign(2))], 0),
                1
            );
            assert_eq!(found(&[(0, smaller), (2, sign(1))], sign(2)), 1);
        }
        // one term may be alone on its side
        assert_eq!(found(&[(1, bound), (2, -bound), (n, 251)], 0), 1);
        let far = 2 * bound + 1;
        assert_eq!(found(&[(0, far), (1, far), (2, far), (n, far + 1)], 0), 0);
        assert_eq!(found(&[(1, 509), (2, 521), (n, 523)], 0), 0);
    }
}

#[test]
fn a_sum_of_beta_gamma_and_delta_makes_every_statement_provable() {
    let inputs = [5u64, 6, 7, 8].map(Fr::from);
    for [b, c, d] in [
        [1, 1, 1],
        [1, -1, -1],
        [-2, 3, 1],
        [1, 256, -256],
        [256, 255, 254],
        [-256, -256, 255],
        [17, 9, 8],
        [0, 2, -3],
        [2, 0, 3],
        [3, -2, 0],
    ] {
        let mut key = Trapdoor::new(4);
        if d == 0 {
            key.beta = -key.gamma * fr(c) * inverse(b);
        } else {
            key.delta = -(key.beta * fr(b) + key.gamma * fr(c)) * inverse(d);
        }
        let error = key_faults(&key.key().bytes()).expect_err("a forgeable key");
        let KeyError::Sum(factors) = error else {
            panic!("{error}")
        };
        let sign = [b, c, d]
            .into_iter()
            .find(|factor| *factor != 0)
            .map_or(1, i64::signum);
        assert_eq!(factors, [b, c, d].map(|factor| sign * factor));
        assert_eq!(error.code(), "key.forgeable");
        assert!(error.to_string().ends_with(
            " is the point at infinity, so that anyone can forge proofs of any statement"
        ));
        let l = key.l(&inputs);
        let proof = if b == 0 {
            let c = l * fr(d) * inverse(c);
            Points {
                a: g1(key.alpha),
                b: g2(key.beta),
                c: g1(c),
            }
        } else {
            let a = l - key.alpha * fr(c) * inverse(b);
            Points {
                a: g1(a),
                b: g2(key.gamma),
                c: g1(key.alpha * fr(d) * inverse(b)),
            }
        };
        assert!(holds(&key, &proof, &inputs), "{b} {c} {d}");
    }
    for [b, c, d] in [[1, 1, 300], [1000, 1, 1], [1, 1000, 1]] {
        let mut key = Trapdoor::new(4);
        key.delta = -(key.beta * fr(b) + key.gamma * fr(c)) * inverse(d);
        assert!(faults(&key).is_empty());
    }
}

#[test]
fn each_dependent_point_is_named_once() {
    let mut key = Trapdoor::new(6);
    key.ic[3] = key.ic[1];
    key.ic[4] = Fr::from(0u64);
    key.ic[6] = key.ic[1] * Fr::from(2u64);
    let found = faults(&key);
    assert_eq!(found.len(), 3, "{found:?}");
    // all points multiples of one, as many as a key may have
    let mut key = Trapdoor::new(MAX_INPUTS);
    for (index, ic) in key.ic.iter_mut().enumerate() {
        *ic = Fr::from(1_000_000 + index as u64);
    }
    assert_eq!(faults(&key).len(), 1);
    key.ic.fill(Fr::from(5u64));
    assert_eq!(faults(&key).len(), MAX_INPUTS);
}

#[test]
fn random_keys_have_no_fault() {
    let mut sequence = Sequence::new(43);
    for input_count in [0, 1, 2, 4, 4, 4, 15, 16, 17, 33, 65, 129] {
        let mut key = Trapdoor::new(input_count);
        for scalar in [
            &mut key.alpha,
            &mut key.beta,
            &mut key.gamma,
            &mut key.delta,
        ] {
            *scalar = sequence.fr();
        }
        key.ic.fill_with(|| sequence.fr());
        assert!(faults(&key).is_empty());
    }
    assert!(faults(&Trapdoor::new(MAX_INPUTS)).is_empty());
}

#[test]
fn faults_of_single_points_come_first() {
    let mut key = Trapdoor::new(4).key().bytes();
    assert_eq!(key_faults(&key[1..]), Err(KeyError::Length { found: 767 }));
    key[0] ^= 1;
    assert_eq!(
        key_faults(&key).map_err(|error| error.code()),
        Err("key.point_not_on_curve")
    );
}
