//! The lanes of f64 against scalars, at their bounds, and the stand-in against the hardware.

use crate::field::lane_tests::*;
use crate::field::{FpAvx2Portable, FrAvx2Portable};
use crate::pairing::lane_tests::*;

/// Runs a test with the hardware where there is one.
macro_rules! on_hardware {
    ($body:expr) => {
        #[cfg(target_arch = "x86_64")]
        if $crate::field::fma::avx2_is_present() {
            $body
        } else {
            println!("skipped: this processor has no avx2 and fma");
        }
    };
}

pub(super) use on_hardware;

#[test]
fn stand_in_lanes_agree_with_scalars() {
    prime_lanes_agree::<FpAvx2Portable>();
    prime_lanes_agree::<FrAvx2Portable>();
    zeros_are_found::<FpAvx2Portable>();
    zeros_are_found::<FrAvx2Portable>();
    partial_words_are_taken::<FpAvx2Portable>();
    base_lanes_agree::<FpAvx2Portable>();
    constants_agree::<FpAvx2Portable>();
}

#[test]
fn avx2_lanes_agree_with_scalars() {
    on_hardware!({
        use crate::field::{FpAvx2, FrAvx2};
        prime_lanes_agree::<FpAvx2>();
        prime_lanes_agree::<FrAvx2>();
        zeros_are_found::<FpAvx2>();
        zeros_are_found::<FrAvx2>();
        partial_words_are_taken::<FpAvx2>();
        base_lanes_agree::<FpAvx2>();
        constants_agree::<FpAvx2>();
    });
}

#[test]
fn stand_in_tower_agrees_with_scalars() {
    tower_agrees::<FpAvx2Portable>();
    steps_agree::<FpAvx2Portable>();
}

#[test]
fn avx2_tower_agrees_with_scalars() {
    on_hardware!({
        tower_agrees::<crate::field::FpAvx2>();
        steps_agree::<crate::field::FpAvx2>();
    });
}

#[test]
fn stand_in_pairing_agrees_with_scalars() {
    miller_loops_agree::<FpAvx2Portable>();
    membership_agrees::<FpAvx2Portable>();
}

#[test]
fn avx2_pairing_agrees_with_scalars() {
    on_hardware!({
        miller_loops_agree::<crate::field::FpAvx2>();
        membership_agrees::<crate::field::FpAvx2>();
    });
}

#[cfg(debug_assertions)]
mod refusals {
    use crate::field::fma::bounds::Bounds;
    use crate::field::{BaseLanes, Bn254Base, FpAvx2Portable, PrimeLanes};

    fn one() -> FpAvx2Portable {
        FpAvx2Portable::ONE
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
        let _ = FpAvx2Portable::mul_by_xi([&three, &one()]);
    }
}
