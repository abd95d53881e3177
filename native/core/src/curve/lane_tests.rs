//! Multiples, sums and inverses in lanes against arkworks, and decompression against the scalar one.

use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::BigInt;

use super::g1_lanes::*;
use super::shared_inverse::invert_all;
use super::tests::{g1, scalar};
use crate::field::dispatch::checks::in_base_lanes;
use crate::field::tests::Sequence;
use crate::field::{BaseLanes, Fp, Limbs, Portable, PrimeLanes, GLV_LAMBDA};

type B = Portable;

/// Digits of a lane by number, the most significant first.
type Digits = [usize; DIGIT_COUNT];

fn digits(sequence: &mut Sequence) -> Digits {
    core::array::from_fn(|_| usize::from(sequence.bytes()[0] & 15))
}

/// 4³² + Σ dᵢ·4ⁱ with ω as λ.
fn multiplier(digits: &Digits) -> ark_bn254::Fr {
    let lambda = ark_bn254::Fr::from(BigInt::new(GLV_LAMBDA));
    digits.iter().fold(ark_bn254::Fr::from(1), |sum, number| {
        let (a, b) = DIGITS[*number];
        sum * ark_bn254::Fr::from(4) + ark_bn254::Fr::from(a) + ark_bn254::Fr::from(b) * lambda
    })
}

fn lanes_of<F: BaseLanes>(points: &[ark_bn254::G1Affine]) -> G1Lanes<F> {
    let words = |y: bool| -> Vec<Limbs> {
        let points = points.iter().map(g1::<B>);
        points
            .map(|point| if y { point.y } else { point.x }.to_canonical())
            .collect()
    };
    G1Lanes::from_words(&words(false), &words(true))
}

/// The affine points, `None` for Z = 0.
fn affine<F: BaseLanes>(t: &JacobianLanes<F>) -> Vec<Option<super::G1Affine<B>>> {
    let [x, y, z] = [t.x, t.y, t.z].map(|part| {
        let mut words = vec![Limbs::default(); F::LANES];
        part.to_words(&mut words);
        words
    });
    (0..F::LANES)
        .map(|lane| {
            let fp = |words: &[Limbs]| <Fp<B> as PrimeLanes>::from_words(&words[lane..=lane]);
            let inverse = fp(&z).inverse()?;
            let square = inverse.square();
            Some(super::G1Affine {
                x: fp(&x) * square,
                y: fp(&y) * square * inverse,
            })
        })
        .collect()
}

fn multiplier_lanes(digits: &[Digits]) -> MultiplierLanes {
    core::array::from_fn(|place| {
        let mut lanes = DigitLanes::NONE;
        for (lane, digits) in digits.iter().enumerate() {
            lanes.set(lane, digits[place]);
        }
        lanes
    })
}

fn multiplies<F: BaseLanes>() {
    let mut sequence = Sequence::new(41);
    let generator = ark_bn254::G1Projective::generator();
    for round in 0..10 {
        let points: Vec<_> = (0..F::LANES)
            .map(|_| (generator * scalar(&mut sequence)).into_affine())
            .collect();
        let digits: Vec<Digits> = (0..F::LANES)
            .map(|lane| match round {
                // every digit in every lane once, the same all along
                0..=4 => [(round * F::LANES + lane) % 16; DIGIT_COUNT],
                _ => digits(&mut sequence),
            })
            .collect();
        let table = &multiples(&[lanes_of::<F>(&points)])[0];
        let found = affine(&multiply(table, &multiplier_lanes(&digits)));
        for lane in 0..F::LANES {
            let expected = (points[lane] * multiplier(&digits[lane])).into_affine();
            assert_eq!(found[lane], Some(g1(&expected)), "{round}, lane {lane}");
        }
    }
}

fn sums<F: BaseLanes>() {
    let mut sequence = Sequence::new(42);
    let generator = ark_bn254::G1Projective::generator();
    let start = lanes_of::<F>(&vec![generator.into_affine(); F::LANES]);
    let end = ark_bn254::Fr::from(1u128 << 64);
    for round in 0..6usize {
        let mut expected = vec![generator * end; F::LANES];
        let mut members = Vec::new();
        let mut meets_equal_points = 0;
        let same = (generator * scalar(&mut sequence)).into_affine();
        for group in 0..round {
            let count = if group + 1 == round {
                1 + F::LANES / 2
            } else {
                F::LANES
            };
            let mut points: Vec<_> = (0..F::LANES)
                .map(|_| (generator * scalar(&mut sequence)).into_affine())
                .collect();
            if round == 3 {
                points.fill(same);
            }
            if round == 4 && group == 0 {
                // added to the start, they are equal and opposite
                points[0] = generator.into_affine();
                points[F::LANES - 1] = -points[0];
                meets_equal_points = 1 | 1 << (F::LANES - 1);
            }
            let digits: Vec<_> = (0..count).map(|_| digits(&mut sequence)).collect();
            for lane in 0..count {
                expected[lane] += points[lane] * multiplier(&digits[lane]);
            }
            let table = multiples(&[lanes_of::<F>(&points)]);
            members.push((
                table,
                multiplier_lanes(&digits),
                ((1u64 << count) - 1) as u32,
            ));
        }
        let groups: Vec<_> = members
            .iter()
            .map(|(table, multipliers, present)| (&table[0], multipliers, *present))
            .collect();
        let found = affine(&sum_of_multiples(&start, &groups));
        for lane in 0..F::LANES {
            let expected =
                (meets_equal_points >> lane & 1 == 0).then(|| g1(&expected[lane].into_affine()));
            assert_eq!(found[lane], expected, "{round}, lane {lane}");
        }
    }
}

fn inverts<F: BaseLanes>() {
    let mut sequence = Sequence::new(43);
    let numbers: Vec<Vec<Limbs>> = (0..5)
        .map(|i| {
            (0..F::LANES)
                .map(|lane| match (i * F::LANES + lane) % 7 {
                    3 => [0; 4],
                    _ => Fp::<B>::from_be_bytes_mod_order(&sequence.bytes()).to_canonical(),
                })
                .collect()
        })
        .collect();
    let mut values: Vec<F> = numbers.iter().map(|words| F::from_words(words)).collect();
    let zeros = invert_all(&mut values);
    for (i, value) in values.iter().enumerate() {
        let mut words = vec![Limbs::default(); F::LANES];
        value.to_words(&mut words);
        for lane in 0..F::LANES {
            let number = <Fp<B> as PrimeLanes>::from_words(&numbers[i][lane..=lane]);
            let expected = number.inverse().unwrap_or_default().to_canonical();
            assert_eq!(words[lane], expected);
            assert_eq!(zeros[i] >> lane & 1 == 1, number.is_zero());
        }
    }
}

fn detects_points_off_the_curve<F: BaseLanes>() {
    let mut sequence = Sequence::new(44);
    let generator = ark_bn254::G1Projective::generator();
    for off in 0..F::LANES {
        let mut points: Vec<_> = (0..F::LANES)
            .map(|_| (generator * scalar(&mut sequence)).into_affine())
            .collect();
        assert_eq!(lanes_of::<F>(&points).on_curve_lanes(), F::ALL);
        points[off].y += ark_bn254::Fq::from(1);
        assert_eq!(
            lanes_of::<F>(&points).on_curve_lanes(),
            F::ALL & !(1 << off)
        );
    }
}

/// All checks of this file.
fn holds_in<F: BaseLanes>() {
    multiplies::<F>();
    sums::<F>();
    inverts::<F>();
    detects_points_off_the_curve::<F>();
}

#[test]
fn g1_in_one_lane() {
    holds_in::<Fp<B>>();
}

#[test]
fn g1_in_lanes_of_emulated_avx2() {
    in_base_lanes!(Avx2Emulated, F => { holds_in::<F>() });
}

#[test]
fn g1_in_lanes_of_avx2() {
    in_base_lanes!(Avx2, F => { holds_in::<F>() });
}

#[test]
fn g1_in_lanes_of_emulated_ifma() {
    in_base_lanes!(IfmaEmulated, F => { holds_in::<F>() });
}

#[test]
fn g1_in_lanes_of_ifma() {
    in_base_lanes!(Ifma, F => { holds_in::<F>() });
}
