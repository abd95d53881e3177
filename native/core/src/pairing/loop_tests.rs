//! The shared loop and the final exponentiation in lanes against the scalar ones.

use ark_ec::{CurveGroup, PrimeGroup};

use super::*;
use crate::curve::tests::{g1, g2, scalar, twist_point};
use crate::curve::G2Affine;
use crate::field::dispatch::checks::in_base_lanes;
use crate::field::tests::Sequence;
use crate::field::{Fp, LaneSet, Limbs, Portable, PrimeLanes};
use crate::tower::{Fp12, Fp2};

type B = Portable;

fn lanes<F: BaseLanes>(scalars: &[Fp<B>]) -> F {
    let words: Vec<Limbs> = scalars.iter().map(Fp::to_canonical).collect();
    F::from_words(&words)
}

fn lane<F: BaseLanes>(f: &Fp12<F>, lane: usize) -> Fp12<Fp<B>> {
    from_coefficients(&coefficients(f).map(|coefficient| {
        let mut words = vec![Limbs::default(); F::LANES];
        coefficient.to_words(&mut words);
        <Fp<B> as PrimeLanes>::from_words(&words[lane..=lane])
    }))
}

fn pair_lanes<F: BaseLanes>(pairs: &[Pair<Fp<B>>]) -> Pair<F> {
    let gather =
        |part: &dyn Fn(&Pair<Fp<B>>) -> Fp<B>| lanes(&pairs.iter().map(part).collect::<Vec<_>>());
    Pair {
        p: Ratio {
            x_over_y: gather(&|pair| pair.p.x_over_y),
            one_over_y: gather(&|pair| pair.p.one_over_y),
        },
        q: G2Affine {
            x: Fp2::new(gather(&|pair| pair.q.x.c0), gather(&|pair| pair.q.x.c1)),
            y: Fp2::new(gather(&|pair| pair.q.y.c0), gather(&|pair| pair.q.y.c1)),
        },
    }
}

fn random_pair(sequence: &mut Sequence) -> Pair<Fp<B>> {
    let p = g1::<B>(&(ark_bn254::G1Projective::generator() * scalar(sequence)).into_affine());
    let q = (ark_bn254::G2Projective::generator() * scalar(sequence)).into_affine();
    let one_over_y = p.y.inverse().expect("finite");
    Pair {
        p: Ratio {
            x_over_y: p.x * one_over_y,
            one_over_y,
        },
        q: g2(&q),
    }
}

fn agrees_with_scalars<F: BaseLanes>() {
    let mut sequence = Sequence::new(51);
    let fixed: Vec<_> = (0..F::LANES).map(|_| random_pair(&mut sequence)).collect();
    let prepared: Vec<_> = fixed
        .iter()
        .map(|pair| PreparedG2::new(&pair.q).expect("order r"))
        .collect();
    let with_fixed = F::LANES - F::LANES / 2;
    let q = PreparedG2::<F>::in_lanes(&prepared.iter().take(with_fixed).collect::<Vec<_>>());
    let p = pair_lanes::<F>(&fixed).p;
    for count in 0..4 {
        let mut pairs: Vec<Vec<_>> = (0..count)
            .map(|_| (0..F::LANES).map(|_| random_pair(&mut sequence)).collect())
            .collect();
        let outside = (count == 3).then_some(F::LANES / 3);
        if let Some(lane) = outside {
            pairs[1][lane].q = g2(&twist_point(&mut sequence));
        }
        if count == 2 {
            // counts as 1
            pairs[0][F::LANES - 1].p.x_over_y = Fp::ZERO;
            pairs[0][F::LANES - 1].p.one_over_y = Fp::ZERO;
        }
        let in_lanes: Vec<_> = pairs.iter().map(|group| pair_lanes::<F>(group)).collect();
        let fixed_pair = Some(PreparedPair { p, q: &q });
        let (products, members) = miller_loops(&in_lanes, &[[fixed_pair, None]]);
        let f = products[0];
        let expected: Vec<LaneSet> = (0..count)
            .map(|group| match outside {
                Some(lane) if group == 1 => F::ALL & !(1 << lane),
                _ => F::ALL,
            })
            .collect();
        assert_eq!(members, expected);
        let (value, zeros) = final_exponentiation_in_lanes(&f);
        assert_eq!(zeros, 0);
        for number in (0..F::LANES).filter(|number| outside != Some(*number)) {
            let mut product = Fp12::ONE;
            for (group, pairs) in pairs.iter().enumerate() {
                if count != 2 || group != 0 || number != F::LANES - 1 {
                    let (f, _) = miller_loop(&pairs[number].q, &pairs[number].p, &[]);
                    product = product * f;
                }
            }
            if number < with_fixed {
                let (p, q) = (fixed[number].p, &prepared[number]);
                product = product * prepared_miller_loop(&[Some(PreparedPair { p, q })]);
            }
            let expected = final_exponentiation(&product).expect("not 0");
            assert_eq!(lane(&value, number), expected, "{count}, lane {number}");
        }
        // the same pairs with one product each, of which the first has the prepared pair
        let mut prepared = vec![[None; 2]; count.max(1)];
        prepared[0][1] = fixed_pair;
        let (products, members) = miller_loops(&in_lanes, &prepared);
        assert_eq!(members, expected);
        let product = products.into_iter().reduce(|product, f| product * f);
        let (own, _) = final_exponentiation_in_lanes(&product.expect("at least one"));
        for number in (0..F::LANES).filter(|number| outside != Some(*number)) {
            assert_eq!(
                lane(&own, number),
                lane(&value, number),
                "{count}, lane {number}"
            );
        }
    }
}

fn reports_zeros<F: BaseLanes>() {
    let zero: F = lanes(&vec![Fp::ZERO; F::LANES]);
    let mut one_zero = vec![Fp::from_u64(5); F::LANES];
    one_zero[F::LANES / 2] = Fp::ZERO;
    let mut c = [zero; 12];
    c[3] = lanes(&one_zero);
    let (value, zeros) = final_exponentiation_in_lanes(&from_coefficients(&c));
    assert_eq!(zeros, 1 << (F::LANES / 2));
    // an element of Fp6 goes to 1
    let one = Fp12::<F>::ONE;
    assert_eq!(target_equal_lanes(&value, &one) | zeros, F::ALL);
}

/// All checks of this file.
fn holds_in<F: BaseLanes>() {
    agrees_with_scalars::<F>();
    reports_zeros::<F>();
}

#[test]
fn pairings_in_one_lane() {
    holds_in::<Fp<B>>();
}

#[test]
fn pairings_in_lanes_of_emulated_avx2() {
    in_base_lanes!(Avx2Emulated, F => { holds_in::<F>() });
}

#[test]
fn pairings_in_lanes_of_avx2() {
    in_base_lanes!(Avx2, F => { holds_in::<F>() });
}

#[test]
fn pairings_in_lanes_of_emulated_ifma() {
    in_base_lanes!(IfmaEmulated, F => { holds_in::<F>() });
}

#[test]
fn pairings_in_lanes_of_ifma() {
    in_base_lanes!(Ifma, F => { holds_in::<F>() });
}
