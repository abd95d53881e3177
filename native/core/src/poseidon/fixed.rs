//! The permutation of a width that the compiler knows.

use super::parameters::{FixedFullRound, FixedRounds, FullRound, PartialRound};
use crate::field::{Kernel, PrimeLanes};
use crate::poseidon2::power_of_five;

struct FullRounds<'a, F: PrimeLanes, const T: usize>(
    &'a [FixedFullRound<F::Entry, T>],
    &'a mut [F; T],
);

impl<F: PrimeLanes, const T: usize> Kernel for FullRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        for FullRound { constants, matrix } in rounds {
            for (element, constant) in state.iter_mut().zip(constants) {
                *element = power_of_five(&(*element + F::splat(constant)));
            }
            multiply(matrix, state);
        }
    }
}

struct PartialRounds<'a, F: PrimeLanes, const T: usize>(
    &'a [PartialRound<F::Entry, [F::Entry; T]>],
    &'a mut [F; T],
);

impl<F: PrimeLanes, const T: usize> Kernel for PartialRounds<'_, F, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self(rounds, state) = self;
        for round in rounds {
            let first = power_of_five(&(state[0] + F::splat(&round.constant)));
            let mut sum = first.mul_normal(&F::splat(&round.row[0]));
            let others = state.iter_mut().zip(&round.row).zip(&round.column);
            for ((element, row), column) in others.skip(1) {
                let normal = element.reduce();
                sum = sum + normal.mul_normal(&F::splat(row));
                *element = normal + first.mul_normal(&F::splat(column));
            }
            state[0] = sum;
        }
    }
}

/// The product of a matrix and a vector of normal values, as sums of `T` of them.
#[cfg_attr(not(debug_assertions), inline(always))]
fn multiply<F: PrimeLanes, const T: usize>(matrix: &[[F::Entry; T]; T], state: &mut [F; T]) {
    let before = *state;
    for (element, row) in state.iter_mut().zip(matrix) {
        let mut sum = before[0].mul_normal(&F::splat(&row[0]));
        for i in 1..T {
            sum = sum + before[i].mul_normal(&F::splat(&row[i]));
        }
        *element = sum;
    }
}

/// Hashes a state of normal values: 0, then the inputs.
pub(super) fn hash<F: PrimeLanes, const T: usize>(
    rounds: &FixedRounds<F::Entry, T>,
    mut state: [F; T],
) -> F {
    F::enter(FullRounds(&rounds.before, &mut state));
    F::enter(PartialRounds(&rounds.partial, &mut state));
    F::enter(FullRounds(&rounds.after, &mut state));
    state[0]
}
