//! The constants of every width, generated at first use from the Grain stream.

use std::sync::LazyLock;

use crate::field::{Bn254Scalar, Fr, Portable, PrimeLanes};
use crate::grain::Grain;

/// Four full rounds before and four after the partial ones.
const FULL_ROUNDS: usize = 8;

/// Round constants and internal diagonal of one width, as [entries](PrimeLanes::Entry) of a form.
pub(crate) struct Constants<C, const T: usize> {
    pub external: [[C; T]; FULL_ROUNDS],
    pub internal: Vec<C>,
    pub diagonal_minus_one: [C; T],
}

/// The constants of every width in one form.
pub(crate) struct Widths<C> {
    pub width_2: LazyLock<Constants<C, 2>>,
    pub width_3: LazyLock<Constants<C, 3>>,
    pub width_4: LazyLock<Constants<C, 4>>,
    pub width_8: LazyLock<Constants<C, 8>>,
    pub width_12: LazyLock<Constants<C, 12>>,
    pub width_16: LazyLock<Constants<C, 16>>,
}

// Partial rounds and diagonal candidates: src/docs/spec/credential.md#poseidon2; the minimal-polynomial
// test of the generation script accepts this candidate. Test: `constants_have_the_published_digests`.
impl<C> Widths<C> {
    /// Entries for lanes.
    pub const fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>() -> Self {
        use Diagonal::{Candidate, Fixed};
        Widths {
            width_2: LazyLock::new(|| Constants::generate::<F>(56, Fixed([1, 2]))),
            width_3: LazyLock::new(|| Constants::generate::<F>(56, Fixed([1, 1, 2]))),
            width_4: LazyLock::new(|| Constants::generate::<F>(56, Candidate(4))),
            width_8: LazyLock::new(|| Constants::generate::<F>(57, Candidate(30))),
            width_12: LazyLock::new(|| Constants::generate::<F>(57, Candidate(6))),
            width_16: LazyLock::new(|| Constants::generate::<F>(57, Candidate(6))),
        }
    }
}

/// Source of d, the internal diagonal minus one.
enum Diagonal<const T: usize> {
    /// Small published numbers.
    Fixed([u64; T]),
    /// The candidate of this number in the stream behind the round constants, counted from 0.
    Candidate(usize),
}

impl<C, const T: usize> Constants<C, T> {
    fn generate<F>(partial_rounds: usize, diagonal: Diagonal<T>) -> Self
    where
        F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>,
    {
        let mut grain = Grain::new(T, partial_rounds);
        let row = |grain: &mut Grain| [(); T].map(|()| entry::<F>(grain.field_element()));
        let before = [(); FULL_ROUNDS / 2].map(|()| row(&mut grain));
        let internal = (0..partial_rounds)
            .map(|_| entry::<F>(grain.field_element()))
            .collect();
        let after = [(); FULL_ROUNDS / 2].map(|()| row(&mut grain));
        let [e0, e1, e2, e3] = before;
        let [e4, e5, e6, e7] = after;
        let diagonal_minus_one = match diagonal {
            Diagonal::Fixed(numbers) => numbers.map(Fr::from_u64),
            Diagonal::Candidate(number) => {
                for _ in 0..number * T {
                    grain.reduced_element();
                }
                [(); T].map(|()| grain.reduced_element() - Fr::ONE)
            }
        };
        Constants {
            external: [e0, e1, e2, e3, e4, e5, e6, e7],
            internal,
            diagonal_minus_one: diagonal_minus_one.map(entry::<F>),
        }
    }
}

fn entry<F: PrimeLanes<Modulus = Bn254Scalar>>(element: Fr<Portable>) -> F::Entry {
    F::entry(&element.to_canonical())
}
