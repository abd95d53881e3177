//! The optimal ate pairing e: G1 × G2 → Fp12, as one product of several pairings with one final
//! exponentiation.
//!
//! e(P, Q) = (f_{6x+2,Q}(P) · l_{[6x+2]Q, ψ(Q)}(P) · l_{[6x+2]Q+ψ(Q), −ψ²(Q)}(P))^((p¹²−1)/r · c)
//! with x = 4965661367192848881 and the fixed factor c of [`final_exponentiation`](fn@final_exponentiation). Factors in Fp
//! vanish there, so lines are scaled by whatever is cheapest.
//!
//! A line through points of the twist, evaluated at P, is l0 + l1·w + l3·w³. It is divided by
//! P.y, which is never 0, so that P enters as the two numbers of [`Ratio`].

mod ate;
mod final_exponentiation;
#[cfg(test)]
pub(crate) mod lane_tests;
mod lanes;
#[cfg(test)]
mod loop_tests;
mod loops;
mod miller;
mod packed_lines;
mod packed_loop;
mod packed_step;
#[cfg(test)]
pub(crate) mod packed_tests;
mod prepared;
mod step;
#[cfg(test)]
mod tests;

pub use final_exponentiation::final_exponentiation;
pub(crate) use lanes::{
    coefficients, final_exponentiation_in_lanes, from_coefficients, target_equal_lanes,
};
pub use loops::{miller_loops, Pair};
pub use miller::{miller_loop, prepared_miller_loop, subgroup_lanes};
pub use packed_lines::PackedLines;
pub use packed_loop::{packed_final_exponentiation, packed_miller_loop};
pub use prepared::{PreparedG2, UnitLine};
#[cfg(test)]
use step::{Line, TwistProjective};

use crate::field::BaseLanes;

/// A pair (P, Q) whose Q is prepared.
#[derive(Clone, Copy, Debug)]
pub struct PreparedPair<'a, F: BaseLanes> {
    /// P, finite.
    pub p: Ratio<F>,
    /// The lines of Q.
    pub q: &'a PreparedG2<F>,
}

/// A finite point P of G1 as it enters a line: (x/y, 1/y).
#[derive(Clone, Copy, Debug)]
pub struct Ratio<F> {
    /// x / y.
    pub x_over_y: F,
    /// 1 / y.
    pub one_over_y: F,
}
