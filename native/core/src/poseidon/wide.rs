//! The permutation of any width. Compiled once for all of them: a copy for each width would grow the
//! addon and the WASM modules more than it would save.

use super::parameters::{FullRound, PartialRound, WideFullRound, WideRounds};
use super::MAX_WIDTH;
use crate::field::{Kernel, PrimeLanes};
use crate::poseidon2::power_of_five;

struct FullRounds<'a, F: PrimeLanes>(&'a [WideFullRound<F::Entry>], &'a mut [F]);

impl<F: PrimeLanes> Kernel for FullRounds<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        let mut powers = [F::ZERO; MAX_WIDTH];
        let powers = &mut powers[..state.len()];
        for FullRound { constants, matrix } in rounds {
            for ((power, element), constant) in powers.iter_mut().zip(&*state).zip(constants) {
                *power = power_of_five(&(*element + F::splat(constant)));
            }
            for (element, row) in state.iter_mut().zip(matrix.chunks(powers.len())) {
                let mut sum = ShortSum::new(powers[0].mul_normal(&F::splat(&row[0])));
                for (power, factor) in powers.iter().zip(row).skip(1) {
                    sum.add(power.mul_normal(&F::splat(factor)));
                }
                *element = sum.value;
            }
        }
    }
}

struct PartialRounds<'a, F: PrimeLanes>(&'a [PartialRound<F::Entry, Vec<F::Entry>>], &'a mut [F]);

impl<F: PrimeLanes> Kernel for PartialRounds<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        for round in rounds {
            let first = power_of_five(&(state[0] + F::splat(&round.constant)));
            let mut sum = ShortSum::new(first.mul_normal(&F::splat(&round.row[0])));
            let others = state.iter_mut().zip(&round.row).zip(&round.column);
            for ((element, row), column) in others.skip(1) {
                let normal = element.reduce();
                sum.add(normal.mul_normal(&F::splat(row)));
                *element = normal + first.mul_normal(&F::splat(column));
            }
            state[0] = sum.value;
        }
    }
}

/// A sum of at most three normal values, so that a round's constant can be added to it: reduced
/// before it becomes longer.
struct ShortSum<F> {
    value: F,
    terms: usize,
}

impl<F: PrimeLanes> ShortSum<F> {
    #[inline(always)]
    fn new(value: F) -> Self {
        ShortSum { value, terms: 1 }
    }

    #[inline(always)]
    fn add(&mut self, term: F) {
        if self.terms == 3 {
            *self = ShortSum::new(self.value.reduce());
        }
        self.value = self.value + term;
        self.terms += 1;
    }
}

/// Hashes a state of normal values: 0, then the inputs.
pub(super) fn hash<F: PrimeLanes>(rounds: &WideRounds<F::Entry>, state: &mut [F]) -> F {
    F::enter(FullRounds(&rounds.before, state));
    F::enter(PartialRounds(&rounds.partial, state));
    F::enter(FullRounds(&rounds.after, state));
    state[0]
}
