//! The linear layers: M_E of the full rounds and M_I of the partial ones.

use crate::field::{Backend, Fr, Portable};

/// M_E: sᵢ + Σs for widths 2 and 3; else M4 on each block of four and, from width 8 on, the sum
/// over all blocks of the elements at the same place added to each.
#[inline(always)]
pub fn external<const T: usize, B: Backend>(state: &mut [Fr<B>; T]) {
    if T < 4 {
        let sum = total(state);
        for element in state.iter_mut() {
            *element += sum;
        }
        return;
    }
    for block in state.chunks_exact_mut(4) {
        block_of_four(block);
    }
    if T > 4 {
        for place in 0..4 {
            let mut sum = state[place];
            for i in (place + 4..T).step_by(4) {
                sum += state[i];
            }
            for i in (place..T).step_by(4) {
                state[i] += sum;
            }
        }
    }
}

/// M_I: dᵢ·sᵢ + Σs, where d is the diagonal minus one.
#[inline(always)]
pub fn internal<const T: usize, B: Backend>(
    diagonal_minus_one: &[Fr<Portable>; T],
    state: &mut [Fr<B>; T],
) {
    let sum = total(state);
    if T < 4 {
        // d = (1, 2) and (1, 1, 2)
        state[T - 1] = state[T - 1].double();
        for element in state.iter_mut() {
            *element += sum;
        }
        return;
    }
    for (element, factor) in state.iter_mut().zip(diagonal_minus_one) {
        *element = *element * factor.cast() + sum;
    }
}

#[inline(always)]
fn total<const T: usize, B: Backend>(state: &[Fr<B>; T]) -> Fr<B> {
    let mut sum = state[0];
    for element in &state[1..] {
        sum += *element;
    }
    sum
}

/// M4 = [[5,7,1,3],[4,6,1,1],[1,3,5,7],[1,1,4,6]] in additions (Poseidon2, ePrint 2023/323, appendix B).
#[inline(always)]
fn block_of_four<B: Backend>(s: &mut [Fr<B>]) {
    let t0 = s[0] + s[1];
    let t1 = s[2] + s[3];
    let t2 = s[1].double() + t1;
    let t3 = s[3].double() + t0;
    let t4 = t1.double().double() + t3;
    let t5 = t0.double().double() + t2;
    s[0] = t3 + t5;
    s[1] = t5;
    s[2] = t2 + t4;
    s[3] = t4;
}
