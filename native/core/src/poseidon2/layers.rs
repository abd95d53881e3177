//! The linear layers: M_E of the full rounds and M_I of the partial ones. Sums are lazy
//! ([`lanes`](crate::field::PrimeLanes)); between rounds an element is a sum of at most three normal
//! values, so that a round constant can be added before it is reduced.

use crate::field::PrimeLanes;

/// M_E on normal values: sᵢ + Σs for widths 2 and 3; else M4 on each block of four and, from width 8
/// on, the sum over all blocks of the elements at the same place added to each.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn external<F: PrimeLanes, const T: usize>(state: &mut [F; T]) {
    if T < 4 {
        let sum = total(state).reduce();
        for element in state.iter_mut() {
            *element = *element + sum;
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
                sum = sum + state[i];
            }
            let sum = sum.reduce();
            for i in (place..T).step_by(4) {
                state[i] = state[i] + sum;
            }
        }
    }
}

/// M_I: dᵢ·sᵢ + Σs, where d is the diagonal minus one; s₀ is a normal value. Terms of s₀ come
/// last, since the next round waits for s₀.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn internal<F: PrimeLanes, const T: usize>(
    diagonal_minus_one: &[F::Entry; T],
    state: &mut [F; T],
) {
    for element in &mut state[1..] {
        *element = element.reduce();
    }
    let rest = total(&state[1..]).reduce();
    if T < 4 {
        // d = (1, 2) and (1, 1, 2)
        let sum = state[0] + rest;
        state[T - 1] = state[T - 1].double();
        for element in state.iter_mut() {
            *element = *element + sum;
        }
        return;
    }
    let sum = (state[0] + rest).reduce();
    for (element, factor) in state.iter_mut().zip(diagonal_minus_one) {
        *element = element.mul_normal(&F::splat(factor)) + sum;
    }
}

/// The sum of normal values as a sum of at most four.
#[cfg_attr(not(debug_assertions), inline(always))]
fn total<F: PrimeLanes>(elements: &[F]) -> F {
    let mut sum = elements[0];
    for (i, element) in elements.iter().enumerate().skip(1) {
        if i > 3 && i % 3 == 1 {
            sum = sum.reduce();
        }
        sum = sum + *element;
    }
    sum
}

/// M4 = `[[5,7,1,3],[4,6,1,1],[1,3,5,7],[1,1,4,6]]` in additions (Poseidon2, ePrint 2023/323,
/// appendix B), normal values in and out.
#[cfg_attr(not(debug_assertions), inline(always))]
fn block_of_four<F: PrimeLanes>(s: &mut [F]) {
    let t0 = s[0] + s[1];
    let t1 = s[2] + s[3];
    let t2 = (s[1].double() + t1).reduce();
    let t3 = (s[3].double() + t0).reduce();
    let t4 = (t1.double().reduce().double() + t3).reduce();
    let t5 = (t0.double().reduce().double() + t2).reduce();
    s[0] = (t3 + t5).reduce();
    s[1] = t5;
    s[2] = (t2 + t4).reduce();
    s[3] = t4;
}
