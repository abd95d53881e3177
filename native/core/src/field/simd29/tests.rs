//! The lanes of 29-bit limbs against scalars, and at their bounds.

use super::bounds::Bounds;
use super::constants::{digits, Constants, HALF};
use super::*;
use crate::field::lane_tests::*;
use crate::field::tests::Sequence;
use crate::field::{BaseLanes, Bn254Base, Bn254Scalar, Field, Modulus, Portable, PrimeLanes};
use crate::pairing::lane_tests::*;
use crate::pairing::packed_tests::*;

type FpLanes = Simd29Lanes<Bn254Base, Simd29Emulated>;
type FrLanes = Simd29Lanes<Bn254Scalar, Simd29Emulated>;

#[test]
fn lanes_agree_with_scalars() {
    prime_lanes_agree::<FpLanes>();
    prime_lanes_agree::<FrLanes>();
    zeros_are_found::<FpLanes>();
    zeros_are_found::<FrLanes>();
    partial_words_are_taken::<FpLanes>();
    partial_words_are_taken::<FrLanes>();
    base_lanes_agree::<FpLanes>();
    constants_agree::<FpLanes>();
}

#[test]
fn tower_agrees_with_scalars() {
    tower_agrees::<FpLanes>();
    steps_agree::<FpLanes>();
}

#[test]
fn pairing_agrees_with_scalars() {
    miller_loops_agree::<FpLanes>();
    membership_agrees::<FpLanes>();
}

#[test]
fn packed_values_agree_with_scalars() {
    packed_tower_agrees::<FpLanes>();
    packed_pairing_agrees::<FpLanes>();
}

/// Σ limbs[i]·2^(29i) modulo P in one lane.
fn number<M: Modulus, O: LimbOps>(value: &Simd29Lanes<M, O>, lane: usize) -> Field<M, Portable> {
    let radix = Field::from_u64(1 << 29);
    value.limbs.iter().rev().fold(Field::ZERO, |sum, limb| {
        let absolute = Field::from_u64(u64::from(limb.0[lane].unsigned_abs()));
        sum * radix
            + if limb.0[lane] < 0 {
                -absolute
            } else {
                absolute
            }
    })
}

/// Limbs at and near their bounds: `scale`·2^28 below, what a value of `scale`·P leaves on top.
fn extreme<M: Modulus>(sequence: &mut Sequence, scale: i32) -> Simd29Lanes<M, Simd29Emulated> {
    let mut limbs = [Four::splat(0); 9];
    for (i, limb) in limbs.iter_mut().enumerate() {
        let bound = if i < 8 {
            scale << 28
        } else {
            scale * digits(&M::P, 1)[8] - 1
        };
        for lane in &mut limb.0 {
            let inner = (sequence.word() >> 33) as i32 % bound;
            let choices = [bound, -bound, bound - 1, 1 - bound, 0, 1, inner, -inner];
            *lane = choices[sequence.word() as usize % 8];
        }
    }
    Simd29Lanes::new(limbs, Bounds::new(f64::from(scale), f64::from(scale)))
}

fn assert_normal<M: Modulus>(value: &Simd29Lanes<M, Simd29Emulated>, bound: f64) {
    for lane in 0..4 {
        let limbs = value.limbs.map(|limb| limb.0[lane]);
        assert!(
            limbs[..8].iter().all(|limb| (-HALF..HALF).contains(limb)),
            "{limbs:?}"
        );
        assert!(
            f64::from(limbs[8].abs()) - 0.5 <= bound * Constants::<M>::TOP,
            "{limbs:?}"
        );
    }
}

fn extremes_agree<M: Modulus>(bound: f64) {
    let mut sequence = Sequence::new(77);
    let radix = Field::<M, Portable>::from_canonical(crate::field::limbs::power_of_two(261, &M::P));
    for round in 0..3000 {
        let scale = [1, 1, 2, 3][round % 4];
        let a = extreme::<M>(&mut sequence, scale);
        let b = extreme::<M>(&mut sequence, scale);
        let product = a * b;
        assert_normal(&product, bound);
        for lane in 0..4 {
            let (x, y) = (number(&a, lane), number(&b, lane));
            assert_eq!(number(&product, lane) * radix, x * y);
        }
        let sum =
            extreme::<M>(&mut sequence, 1) + extreme(&mut sequence, 1) - extreme(&mut sequence, 1);
        let reduced = sum.reduce();
        assert_normal(&reduced, 0.55);
        for lane in 0..4 {
            assert_eq!(number(&reduced, lane), number(&sum, lane));
        }
    }
}

#[test]
fn limbs_at_their_bounds_agree() {
    extremes_agree::<Bn254Base>(0.63);
    extremes_agree::<Bn254Scalar>(0.81);
}

#[test]
fn complex_products_of_limbs_at_their_bounds_agree() {
    let mut sequence = Sequence::new(78);
    let radix = Field::from_canonical(crate::field::limbs::power_of_two(261, &Bn254Base::P));
    for round in 0..3000 {
        let mut next = || extreme::<Bn254Base>(&mut sequence, 1 + round % 2);
        let [a0, a1, b0, b1] = [next(), next(), next(), next()];
        let [real, imaginary] = FpLanes::mul_complex([&a0, &a1], [&b0, &b1]);
        assert_normal(&real, 0.63);
        assert_normal(&imaginary, 0.63);
        for lane in 0..4 {
            let [x0, x1, y0, y1] = [&a0, &a1, &b0, &b1].map(|v| number(v, lane));
            assert_eq!(number(&real, lane) * radix, x0 * y0 - x1 * y1);
            assert_eq!(number(&imaginary, lane) * radix, x0 * y1 + x1 * y0);
        }
    }
}

#[test]
fn nine_times_limbs_at_their_bounds_agree() {
    let mut sequence = Sequence::new(79);
    let nine = Field::from_u64(9);
    for _ in 0..3000 {
        // the value of a normal element is bounded more tightly than its limbs
        let mut next = || {
            let mut value = extreme::<Bn254Base>(&mut sequence, 1);
            value.limbs[8] = Four(value.limbs[8].0.map(|top| top / 8 * 5));
            Simd29Lanes::new(value.limbs, Bounds::new(1.0, 0.63))
        };
        let [a0, a1] = [next(), next()];
        let found = FpLanes::mul_by_xi([&a0, &a1]);
        for part in &found {
            assert_normal(part, 0.6);
        }
        for lane in 0..4 {
            let (x0, x1) = (number(&a0, lane), number(&a1, lane));
            assert_eq!(number(&found[0], lane), nine * x0 - x1);
            assert_eq!(number(&found[1], lane), nine * x1 + x0);
        }
    }
}

#[cfg(debug_assertions)]
mod refusals {
    use super::*;

    fn sum(count: usize) -> FpLanes {
        (1..count).fold(FpLanes::ONE, |sum, _| sum + FpLanes::ONE)
    }

    #[test]
    #[should_panic(expected = "limbs of a product")]
    fn a_sum_of_four_times_a_sum_of_four_is_refused() {
        let _ = sum(4) * sum(4);
    }

    #[test]
    #[should_panic(expected = "limbs of a sum")]
    fn a_sum_of_eight_is_refused() {
        let _ = sum(8);
    }

    #[test]
    #[should_panic(expected = "limbs of a reduction")]
    fn a_reduction_of_a_sum_of_seven_is_refused() {
        let _ = sum(7).reduce();
    }

    #[test]
    #[should_panic(expected = "multiplied by 8")]
    fn nine_times_a_sum_is_refused() {
        let _ = FpLanes::mul_by_xi([&sum(2), &sum(1)]);
    }
}
