//! The lanes of f64 against scalars, and at their bounds.

use crate::field::dispatch::checks::{in_base_lanes, in_scalar_lanes};
use crate::field::lane_tests::*;
use crate::field::{BaseLanes, FpAvx2Emulated, FrAvx2Emulated, PrimeLanes};
use crate::pairing::lane_tests::*;

/// Runs a test over the operations of the hardware where there is one.
macro_rules! on_hardware {
    ($ops:ident => $body:block) => {
        #[cfg(target_arch = "x86_64")]
        {
            struct Work;
            impl $crate::field::fma::FmaWork for Work {
                type Output = ();
                fn run<$ops: $crate::field::fma::FmaProducts>(self) $body
            }
            if $crate::field::fma::avx2::run(Work).is_none() {
                println!("skipped: this processor has no avx2 and fma");
            }
        }
    };
}

pub(super) use on_hardware;

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
    base_field_agrees::<FpAvx2Emulated>();
    scalar_field_agrees::<FrAvx2Emulated>();
}

#[test]
fn avx2_lanes_agree_with_scalars() {
    in_base_lanes!(Avx2, F => { base_field_agrees::<F>() });
    in_scalar_lanes!(Avx2, F => { scalar_field_agrees::<F>() });
}

#[test]
fn emulated_tower_agrees_with_scalars() {
    tower_agrees::<FpAvx2Emulated>();
    steps_agree::<FpAvx2Emulated>();
}

#[test]
fn avx2_tower_agrees_with_scalars() {
    in_base_lanes!(Avx2, F => {
        tower_agrees::<F>();
        steps_agree::<F>();
    });
}

#[test]
fn emulated_pairing_agrees_with_scalars() {
    miller_loops_agree::<FpAvx2Emulated>();
    membership_agrees::<FpAvx2Emulated>();
}

#[test]
fn avx2_pairing_agrees_with_scalars() {
    in_base_lanes!(Avx2, F => {
        miller_loops_agree::<F>();
        membership_agrees::<F>();
    });
}

#[cfg(debug_assertions)]
mod refusals {
    use crate::field::fma::bounds::Bounds;
    use crate::field::{BaseLanes, Bn254Base, FpAvx2Emulated, PrimeLanes};

    fn one() -> FpAvx2Emulated {
        FpAvx2Emulated::ONE
    }

    #[test]
    #[should_panic(expected = "limbs of a product")]
    fn a_sum_of_three_times_a_sum_of_two_is_refused() {
        let _ = (one() + one() + one()) * (one() + one());
    }

    #[test]
    #[should_panic(expected = "limbs of a sum")]
    fn a_sum_of_eight_is_refused() {
        let four = one().double().double();
        let _ = four + four;
    }

    #[test]
    #[should_panic(expected = "limbs of a reduction")]
    fn a_reduction_of_a_sum_of_seven_is_refused() {
        let four = one().double().double();
        let _ = (four + one().double() + one()).reduce();
    }

    #[test]
    #[should_panic(expected = "value of a sum of products")]
    fn a_value_above_its_bound_is_refused() {
        let _ = Bounds::reduced::<Bn254Base>(5.8);
    }

    #[test]
    #[should_panic(expected = "limbs of a reduction")]
    fn nine_times_a_sum_of_three_is_refused() {
        let three = one().double() + one();
        let _ = FpAvx2Emulated::mul_by_xi([&three, &one()]);
    }
}
