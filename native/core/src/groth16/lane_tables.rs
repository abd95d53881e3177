//! The tables of a key for batches in lanes.

use std::sync::OnceLock;

use crate::curve::g1_lanes::G1Lanes;
use crate::curve::shared_inverse::LANES_MAX;
use crate::curve::{batch_to_affine, G1Affine, G1Jacobian};
use crate::field::{Backend, BaseLanes, Fp, LeastMembers};
use crate::pairing::PreparedG2;

/// The lines of γ and δ in lanes.
#[derive(Debug)]
pub(super) struct LaneTables<F> {
    /// γ in lane 0 and δ in lane 1, or one after the other where there is only one lane.
    pub combined: Vec<PreparedG2<F>>,
    /// The sizes from which on lanes are used.
    pub least: LeastMembers,
    /// (1, 2), where the sums of multiples start.
    pub start: G1Lanes<F>,
    /// γ and δ in every lane; made when the first batch fails.
    each: OnceLock<[PreparedG2<F>; 2]>,
}

impl<F: BaseLanes> LaneTables<F> {
    pub(super) fn new<B: Backend>(
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
        least: LeastMembers,
    ) -> Self {
        let combined = if F::LANES == 1 {
            vec![
                PreparedG2::in_lanes(&[gamma]),
                PreparedG2::in_lanes(&[delta]),
            ]
        } else {
            vec![PreparedG2::in_lanes(&[gamma, delta])]
        };
        let [x, y] = [1, 2].map(|word| [[word, 0, 0, 0]; LANES_MAX]);
        Self {
            combined,
            least,
            start: G1Lanes::from_words(&x[..F::LANES], &y[..F::LANES]),
            each: OnceLock::new(),
        }
    }

    /// γ and δ in every lane, from the scalar lines of the same key.
    pub(super) fn each<B: Backend>(
        &self,
        gamma: &PreparedG2<Fp<B>>,
        delta: &PreparedG2<Fp<B>>,
    ) -> &[PreparedG2<F>; 2] {
        self.each.get_or_init(|| {
            [gamma, delta].map(|point| PreparedG2::in_lanes(&[point; LANES_MAX][..F::LANES]))
        })
    }
}

/// −2^doublings·(1, 2): takes the start out of a sum in lanes that was doubled so often since.
pub(super) fn end_of_sum<B: Backend>(doublings: usize) -> G1Affine<B> {
    let generator = G1Affine {
        x: Fp::ONE,
        y: Fp::ONE.double(),
    };
    let mut end = G1Jacobian::from(generator.negate());
    for _ in 0..doublings {
        end = end.double();
    }
    batch_to_affine(&[end])[0]
}
