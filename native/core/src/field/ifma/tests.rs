//! The lanes of IFMA against scalars, at the bounds of their limbs, and the emulation against
//! the hardware. With debug assertions all of this also proves the bounds.

use super::bounds::{Bounds, Range};
use super::constants::{to_limbs, to_words, Constants, MASK};
use super::loose::{Loose, Operand};
use super::ops::Octet;
use super::wide::Wide;
use super::*;
use crate::field::dispatch::checks::{in_base_lanes, in_scalar_lanes};
use crate::field::lane_tests::*;
use crate::field::tests::Sequence;
use crate::field::{
    limbs, BaseLanes, Bn254Base, Bn254Scalar, Field, FpIfmaEmulated, FrIfmaEmulated, Modulus,
    Portable, PrimeLanes,
};
use crate::pairing::lane_tests::*;

/// Runs a test over the operations of the hardware where there is one.
macro_rules! on_hardware {
    ($ops:ident => $body:block) => {
        #[cfg(target_arch = "x86_64")]
        {
            struct Work;
            impl IfmaWork for Work {
                type Output = ();
                fn run<$ops: IfmaProducts>(self) $body
            }
            if hardware::run(Work).is_none() {
                println!("skipped: this processor has no avx512ifma");
            }
        }
    };
}

fn base_field_agrees<F: BaseLanes>() {
    prime_lanes_agree::<F>();
    zeros_are_found::<F>();
    partial_words_are_taken::<F>();
    base_lanes_agree::<F>();
    constants_agree::<F>();
}

fn scalar_field_agrees<F: PrimeLanes>() {
    prime_lanes_agree::<F>();
    zeros_are_found::<F>();
}

#[test]
fn emulated_lanes_agree_with_scalars() {
    base_field_agrees::<FpIfmaEmulated>();
    scalar_field_agrees::<FrIfmaEmulated>();
}

#[test]
fn ifma_lanes_agree_with_scalars() {
    in_base_lanes!(Ifma, F => { base_field_agrees::<F>() });
    in_scalar_lanes!(Ifma, F => { scalar_field_agrees::<F>() });
}

#[test]
fn emulated_tower_agrees_with_scalars() {
    tower_agrees::<FpIfmaEmulated>();
    steps_agree::<FpIfmaEmulated>();
}

#[test]
fn ifma_tower_agrees_with_scalars() {
    in_base_lanes!(Ifma, F => {
        tower_agrees::<F>();
        steps_agree::<F>();
    });
}

#[test]
fn emulated_pairing_agrees_with_scalars() {
    miller_loops_agree::<FpIfmaEmulated>();
    membership_agrees::<FpIfmaEmulated>();
}

#[test]
fn ifma_pairing_agrees_with_scalars() {
    in_base_lanes!(Ifma, F => {
        miller_loops_agree::<F>();
        membership_agrees::<F>();
    });
}

/// Σ limbs[i]·2^(52i) modulo p, the limbs being signed.
fn number<M: Modulus>(limbs: &[u64]) -> Field<M, Portable> {
    let radix = Field::from_u64(1 << 52);
    limbs.iter().rev().fold(Field::ZERO, |sum, limb| {
        let absolute = Field::from_u64((*limb as i64).unsigned_abs());
        sum * radix
            + if (*limb as i64) < 0 {
                -absolute
            } else {
                absolute
            }
    })
}

fn lane<O: IfmaOps, const N: usize>(limbs: &[O::Vector; N], lane: usize) -> [u64; N] {
    core::array::from_fn(|i| O::store(limbs[i]).0[lane])
}

/// Words at, near and within a bound, some of them negative.
fn extremes<O: IfmaOps>(sequence: &mut Sequence, least: i64, most: i64) -> O::Vector {
    O::load(&Octet(core::array::from_fn(|_| {
        let inner = (sequence.word() as i64).rem_euclid(most) + least / 2;
        let choices = [least, most, least + 1, most - 1, 0, 1, inner, inner];
        choices[sequence.word() as usize % 8].clamp(least, most) as u64
    })))
}

fn range(low: f64, high: f64, least: i64, most: i64) -> Bounds {
    Bounds::new(Range {
        low,
        high,
        least: least.into(),
        most: most.into(),
    })
}

/// A number whose limbs fill their words and whose value fills `low`·p to `high`·p.
fn loose<M: Modulus, O: IfmaOps>(sequence: &mut Sequence, low: f64, high: f64) -> Loose<M, O> {
    let top = Constants::<M>::P[4] as f64;
    let bound = 1 << 61;
    // limbs below reach less than 2^10 into the top
    let (least, most) = ((low * top) as i64 + 1024, (high * top) as i64 - 1024);
    let mut limbs = [O::splat(0); 5];
    for limb in &mut limbs[..4] {
        *limb = extremes::<O>(sequence, -bound, bound);
    }
    limbs[4] = extremes::<O>(sequence, least, most);
    Loose::new(limbs, range(low, high, -bound, bound))
}

/// That the limbs are carried and the number is below `high`·p.
fn assert_carried<M: Modulus>(limbs: &[u64; 5], high: f64) {
    assert!(limbs.iter().all(|limb| *limb <= MASK), "{limbs:x?}");
    assert!(
        limbs[4] as f64 <= high * Constants::<M>::P[4] as f64,
        "{limbs:x?}"
    );
}

fn reductions_agree<M: Modulus, O: IfmaOps>() {
    let mut sequence = Sequence::new(90);
    for round in 0..4000 {
        let (low, high) = [(0.0, 10.5), (-10.5, 10.5), (-10.5, 0.1), (-0.2, 0.2)][round % 4];
        let value = loose::<M, O>(&mut sequence, low, high);
        let reduced = value.reduce().loose();
        for i in 0..8 {
            let found = lane::<O, 5>(&reduced.limbs, i);
            assert_eq!(number::<M>(&found), number(&lane::<O, 5>(&value.limbs, i)));
            assert_carried::<M>(&found, Constants::<M>::REMAINDER);
        }
        let value = loose::<M, O>(&mut sequence, 0.0, 84.0);
        let carried = value.carry().loose();
        for i in 0..8 {
            let found = lane::<O, 5>(&carried.limbs, i);
            assert_eq!(number::<M>(&found), number(&lane::<O, 5>(&value.limbs, i)));
            assert_carried::<M>(&found, 84.0);
        }
    }
}

fn products_agree<M: Modulus, O: IfmaOps>() {
    let mut sequence = Sequence::new(91);
    let radix = Field::<M, Portable>::from_canonical(limbs::power_of_two(260, &M::P));
    let full = i64::MAX - (12 << 52);
    for _ in 0..4000 {
        let mut operand = || -> Operand<M, O> {
            let limbs = core::array::from_fn(|_| extremes::<O>(&mut sequence, 0, MASK as i64));
            Operand::trusted(Loose::new(limbs, Bounds::carried(Constants::<M>::CAPACITY)))
        };
        let (a, b) = (operand(), operand());
        let reduced = Wide::product(&a, &b).reduce();
        for i in 0..8 {
            let [x, y, z] = [a.loose(), b.loose(), reduced]
                .map(|value| number::<M>(&lane::<O, 5>(&value.limbs, i)));
            assert_eq!(z * radix, x * y);
        }
        // columns that fill their words; the highest decides over the value
        let mut columns = [O::splat(0); 10];
        for column in &mut columns[..9] {
            *column = extremes::<O>(&mut sequence, -full, full);
        }
        columns[9] = extremes::<O>(&mut sequence, 1 << 12, (1 << 50) - (1 << 12));
        let bounds = range(0.0, Constants::<M>::CAPACITY / 4.0, -full, full);
        let sum = Wide::<M, O>::new(columns, bounds);
        let reduced = sum.reduce().carry().loose();
        for i in 0..8 {
            let found = lane::<O, 5>(&reduced.limbs, i);
            let expected = number::<M>(&lane::<O, 10>(&sum.columns, i));
            assert_eq!(number::<M>(&found) * radix, expected);
            assert_carried::<M>(
                &found,
                Constants::<M>::CAPACITY / 4.0 + Constants::<M>::RESIDUE,
            );
        }
    }
}

#[test]
fn limbs_and_columns_at_their_bounds_agree() {
    reductions_agree::<Bn254Base, IfmaEmulated>();
    reductions_agree::<Bn254Scalar, IfmaEmulated>();
    products_agree::<Bn254Base, IfmaEmulated>();
    products_agree::<Bn254Scalar, IfmaEmulated>();
    on_hardware!(O => {
        reductions_agree::<Bn254Base, O>();
        reductions_agree::<Bn254Scalar, O>();
        products_agree::<Bn254Base, O>();
        products_agree::<Bn254Scalar, O>();
    });
}

#[cfg(target_arch = "x86_64")]
fn all_operations<O: IfmaOps>(words: &[Octet; 3]) -> Vec<Octet> {
    let [a, b, c] = [0, 1, 2].map(|i| O::load(&words[i]));
    let table = [words[1], words[2]];
    let mut found: Vec<Octet> = [
        O::madd_low(a, b, c),
        O::madd_high(a, b, c),
        O::add(a, b),
        O::sub(a, b),
        O::and(a, b),
        O::shift_right::<52>(a),
        O::look_up(&table, a),
        O::splat(words[0].0[3]),
    ]
    .map(O::store)
    .into();
    let mixed = O::select(words[0].0[0] as u8, a, b);
    found.push(O::store(mixed));
    found.push(Octet::splat(O::equal(a, mixed).into()));
    found
}

#[test]
fn emulation_gives_the_bits_of_the_hardware() {
    on_hardware!(O => {
        let mut sequence = Sequence::new(92);
        for _ in 0..2000 {
            let mut words = || {
                Octet(core::array::from_fn(|_| {
                    let word = sequence.word();
                    [word, word & MASK, 0, u64::MAX, 1 << 63, MASK][sequence.word() as usize % 6]
                }))
            };
            let words = [words(), words(), words()];
            assert_eq!(
                all_operations::<IfmaEmulated>(&words),
                all_operations::<O>(&words)
            );
        }
    });
}

fn constants_hold<M: Modulus>() {
    let value = |limbs: [u64; 5]| number::<M>(&limbs);
    assert_eq!(to_words(&Constants::<M>::P), M::P);
    assert_eq!(to_limbs(&M::P), Constants::<M>::P);
    assert_eq!(
        Constants::<M>::P[0].wrapping_mul(Constants::<M>::INVERSE) & MASK,
        MASK
    );
    assert_eq!(
        value(Constants::<M>::SHIFT) * Field::from_u64(1 << 52),
        Field::ONE
    );
    let radix = value(Constants::<M>::montgomery(&[1, 0, 0, 0]));
    assert_eq!(
        radix,
        Field::from_canonical(limbs::power_of_two(260, &M::P))
    );
    assert_eq!(value(Constants::<M>::R2), radix.square());
    assert!(number::<M>(&Constants::<M>::EIGHTH).is_zero());
    assert!(value(Constants::<M>::multiple(3)).is_zero());
    // 2^254/p for both moduli, and what that makes of the quotients
    assert!((Constants::<M>::CAPACITY / 64.0 - 1.32254).abs() < 1e-5);
    assert!(Constants::<M>::REMAINDER < 2.33);
    assert!(Constants::<M>::RESIDUE < 1.13);
    let quotients = [-1, 1, 2, 3, 5, 6, 7, 9, -11, -10, -8, -7, -6, -4, -3, -2];
    for (i, quotient) in quotients.into_iter().enumerate() {
        let entry: [u64; 5] =
            core::array::from_fn(|limb| Constants::<M>::TABLE[limb][i / 8].0[i % 8]);
        let multiple = Constants::<M>::multiple(i64::unsigned_abs(quotient));
        let signed = multiple.map(|limb| limb.wrapping_mul(quotient.signum() as u64));
        assert_eq!(entry, signed, "{i}");
    }
}

#[test]
fn constants_follow_from_the_modulus() {
    constants_hold::<Bn254Base>();
    constants_hold::<Bn254Scalar>();
}

#[cfg(debug_assertions)]
mod refusals {
    use super::*;

    fn one() -> FpIfmaEmulated {
        FpIfmaEmulated::ONE
    }

    fn normal() -> FpIfmaEmulated {
        one().double().reduce()
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_sum_is_no_normal_value() {
        let _ = (one() + one()).square();
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_reduction_of_a_sum_of_five_is_refused() {
        let four = normal().double().double();
        let _ = (four + normal()).reduce();
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_scaled_sum_of_four_is_refused() {
        let four = -normal().double().double();
        let _ = FpIfmaEmulated::scale_complex([&four, &one()], &one());
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_negative_number_is_not_carried() {
        let number = loose::<Bn254Base, IfmaEmulated>(&mut Sequence::new(93), -0.5, 0.5);
        let _ = number.carry();
    }

    #[test]
    #[should_panic(expected = "a limb may overflow")]
    fn columns_that_may_overflow_are_refused() {
        let one = one().normal();
        let mut sum = Wide::product(&one, &one);
        for _ in 0..12 {
            sum = sum.add(&sum);
        }
    }
}
