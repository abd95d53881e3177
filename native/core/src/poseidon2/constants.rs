//! The constants of every width, generated at first use from the Grain stream.

use std::sync::LazyLock;

use crate::field::{Fr, Portable};
use crate::grain::Grain;

/// Four full rounds before and four after the partial ones.
const FULL_ROUNDS: usize = 8;

/// Round constants and internal diagonal of one width.
pub(crate) struct Constants<const T: usize> {
    pub external: [[Fr<Portable>; T]; FULL_ROUNDS],
    pub internal: Vec<Fr<Portable>>,
    pub diagonal_minus_one: [Fr<Portable>; T],
}

// Partial rounds and diagonal candidates: credential.md 3; the candidate is the one that the
// generation script's minimal-polynomial test accepts. Test: `constants_have_the_published_digests`.
pub(crate) static WIDTH_2: LazyLock<Constants<2>> =
    LazyLock::new(|| Constants::generate(56, Diagonal::Fixed([1, 2])));
pub(crate) static WIDTH_3: LazyLock<Constants<3>> =
    LazyLock::new(|| Constants::generate(56, Diagonal::Fixed([1, 1, 2])));
pub(crate) static WIDTH_4: LazyLock<Constants<4>> =
    LazyLock::new(|| Constants::generate(56, Diagonal::Candidate(4)));
pub(crate) static WIDTH_8: LazyLock<Constants<8>> =
    LazyLock::new(|| Constants::generate(57, Diagonal::Candidate(30)));
pub(crate) static WIDTH_12: LazyLock<Constants<12>> =
    LazyLock::new(|| Constants::generate(57, Diagonal::Candidate(6)));
pub(crate) static WIDTH_16: LazyLock<Constants<16>> =
    LazyLock::new(|| Constants::generate(57, Diagonal::Candidate(6)));

/// Where d, the internal diagonal minus one, comes from.
enum Diagonal<const T: usize> {
    /// Small numbers, the same for everybody.
    Fixed([u64; T]),
    /// The candidate of this number in the stream behind the round constants, counted from 0.
    Candidate(usize),
}

impl<const T: usize> Constants<T> {
    fn generate(partial_rounds: usize, diagonal: Diagonal<T>) -> Self {
        let mut grain = Grain::new(T, partial_rounds);
        let mut external = [[Fr::ZERO; T]; FULL_ROUNDS];
        let (before, after) = external.split_at_mut(FULL_ROUNDS / 2);
        before
            .as_flattened_mut()
            .fill_with(|| grain.field_element());
        let internal = (0..partial_rounds).map(|_| grain.field_element()).collect();
        after.as_flattened_mut().fill_with(|| grain.field_element());
        let diagonal_minus_one = match diagonal {
            Diagonal::Fixed(numbers) => numbers.map(Fr::from_u64),
            Diagonal::Candidate(number) => {
                for _ in 0..number * T {
                    grain.reduced_element();
                }
                core::array::from_fn(|_| grain.reduced_element() - Fr::ONE)
            }
        };
        Constants {
            external,
            internal,
            diagonal_minus_one,
        }
    }
}
