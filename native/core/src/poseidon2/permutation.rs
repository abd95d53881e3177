//! The permutation, on one state or on one in each lane.

use super::constants::Constants;
use super::layers;
use crate::field::{Bn254Scalar, Kernel, Limbs, PrimeLanes};

/// The full rounds on one side, before the partial ones with the external layer in front.
struct FullRounds<'a, F: PrimeLanes, const T: usize> {
    constants: &'a [[F::Entry; T]],
    begins: bool,
    state: &'a mut [F; T],
}

impl<F: PrimeLanes, const T: usize> Kernel for FullRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        if self.begins {
            layers::external(self.state);
        }
        for constants in self.constants {
            for (element, constant) in self.state.iter_mut().zip(constants) {
                *element = power_of_five(&(*element + F::splat(constant)));
            }
            layers::external(self.state);
        }
    }
}

struct PartialRounds<'a, F: PrimeLanes, const T: usize> {
    constants: &'a [F::Entry],
    diagonal_minus_one: &'a [F::Entry; T],
    state: &'a mut [F; T],
}

impl<F: PrimeLanes, const T: usize> Kernel for PartialRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for constant in self.constants {
            self.state[0] = power_of_five(&(self.state[0] + F::splat(constant)));
            layers::internal(self.diagonal_minus_one, self.state);
        }
        // the partial rounds may leave sums of four
        for element in &mut self.state[1..] {
            *element = element.reduce();
        }
    }
}

/// x⁵ of a sum of up to four normal values: the S-box of both families.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn power_of_five<F: PrimeLanes>(x: &F) -> F {
    let x = x.reduce();
    x.square().square().mul_normal(&x)
}

/// The permutation of normal values: the external layer once, four full rounds, the partial rounds,
/// four full rounds.
pub(crate) fn permute<F: PrimeLanes, const T: usize>(
    constants: &Constants<F::Entry, T>,
    state: &mut [F; T],
) {
    let (before, after) = constants.external.split_at(constants.external.len() / 2);
    F::enter(FullRounds {
        constants: before,
        begins: true,
        state,
    });
    F::enter(PartialRounds {
        constants: &constants.internal,
        diagonal_minus_one: &constants.diagonal_minus_one,
        state,
    });
    F::enter(FullRounds {
        constants: after,
        begins: false,
        state,
    });
}

/// Permutes states of canonical words, as many side by side as there are lanes.
pub(super) fn permute_words<F: PrimeLanes<Modulus = Bn254Scalar>, const T: usize>(
    constants: &Constants<F::Entry, T>,
    states: &mut [Limbs],
) {
    let mut words = vec![Limbs::default(); F::LANES];
    for states in states.chunks_mut(T * F::LANES) {
        let count = states.len() / T;
        let mut state = [F::ZERO; T];
        for (i, element) in state.iter_mut().enumerate() {
            for (lane, word) in words[..count].iter_mut().enumerate() {
                *word = states[lane * T + i];
            }
            *element = F::from_words(&words[..count]);
        }
        permute(constants, &mut state);
        for (i, element) in state.iter().enumerate() {
            element.to_words(&mut words[..count]);
            for (lane, word) in words[..count].iter().enumerate() {
                states[lane * T + i] = *word;
            }
        }
    }
}
