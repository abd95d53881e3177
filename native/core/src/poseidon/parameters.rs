//! Constants and matrices in the form in which they cost least (the Poseidon paper, ePrint 2019/458,
//! appendix B): a matrix M with first row (m, v), first column (m, w) and rest N is
//!
//! ```text
//! ⎛m  v·N⁻¹⎞   ⎛1  0⎞
//! ⎝w    1  ⎠ · ⎝0  N⎠
//! ```
//!
//! and the right factor, which leaves s₀ as it is, can be moved before the S-box of a partial round
//! and into the matrix of the round before. So partial rounds multiply by left factors, which are
//! sparse, and their constants but that of s₀ move to the rounds behind.

use std::sync::LazyLock;

use super::HALF_FULL_ROUNDS;
use crate::field::{Bn254Scalar, Fr, Portable, PrimeLanes};
use crate::grain::Grain;

type Element = Fr<Portable>;
type Matrix<const T: usize> = [[Element; T]; T];

/// The published constants and matrix of one width.
pub(super) struct Published<const T: usize> {
    pub rounds: Vec<[Element; T]>,
    pub matrix: Matrix<T>,
}

impl<const T: usize> Published<T> {
    pub fn generate(partial_rounds: usize) -> Self {
        let mut grain = Grain::new(T, partial_rounds);
        let rounds = (0..2 * HALF_FULL_ROUNDS + partial_rounds)
            .map(|_| [(); T].map(|()| grain.field_element()))
            .collect();
        let x = [(); T].map(|()| grain.reduced_element());
        let y = [(); T].map(|()| grain.reduced_element());
        let cauchy = |sum: Element| sum.inverse().expect("a Cauchy matrix has no zero sum");
        let matrix = x.map(|x| y.map(|y| cauchy(x + y)));
        Published { rounds, matrix }
    }
}

/// A full round: constants are added, then the S-boxes, then the matrix.
pub(super) struct FullRound<C, const T: usize> {
    pub constants: [C; T],
    pub matrix: [[C; T]; T],
}

/// A partial round: a constant is added to s₀, then its S-box, then a matrix that is 1 but for its first
/// row and column.
pub(super) struct PartialRound<C, const T: usize> {
    pub constant: C,
    pub row: [C; T],
    /// The column from its second row on; the first place is unused.
    pub column: [C; T],
}

/// The rounds of one width, as [entries](PrimeLanes::Entry) of a form.
pub(super) struct Rounds<C, const T: usize> {
    pub before: Vec<FullRound<C, T>>,
    pub partial: Vec<PartialRound<C, T>>,
    pub after: Vec<FullRound<C, T>>,
}

/// The rounds of both arities in one form.
pub(crate) struct Arities<C> {
    pub(super) one: LazyLock<Rounds<C, 2>>,
    pub(super) two: LazyLock<Rounds<C, 3>>,
}

impl<C> Arities<C> {
    /// Entries for lanes.
    pub const fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>() -> Self {
        Arities {
            one: LazyLock::new(|| Rounds::new::<F>(&Published::generate(56))),
            two: LazyLock::new(|| Rounds::new::<F>(&Published::generate(57))),
        }
    }
}

impl<C, const T: usize> Rounds<C, T> {
    fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>(published: &Published<T>) -> Self {
        let entry = |element: Element| F::entry(&element.to_canonical());
        let entries = |row: [Element; T]| row.map(entry);
        let (before, rest) = published.rounds.split_at(HALF_FULL_ROUNDS);
        let (partial, after) = rest.split_at(rest.len() - HALF_FULL_ROUNDS);
        // from the last partial round to the first: its sparse matrix, and what is to be done before
        let mut matrix = published.matrix;
        let mut sparse = Vec::with_capacity(partial.len());
        for constants in partial.iter().rev() {
            let (left, right) = split(&matrix);
            sparse.push((left, apply(&right, constants)));
            matrix = product(&right, &published.matrix);
        }
        // from the first to the last: constants of elements without S-box move on
        let mut moved = [Element::ZERO; T];
        let mut rounds = Vec::with_capacity(partial.len());
        for (left, constants) in sparse.iter().rev() {
            let mut sum = *constants;
            for (constant, moved) in sum.iter_mut().zip(moved) {
                *constant += moved;
            }
            rounds.push(PartialRound {
                constant: entry(sum[0]),
                row: entries(left[0]),
                column: entries(left.map(|row| row[0])),
            });
            sum[0] = Element::ZERO;
            moved = apply(left, &sum);
        }
        let full = |constants: &[Element; T], matrix: &Matrix<T>| FullRound {
            constants: entries(*constants),
            matrix: matrix.map(entries),
        };
        let mut first_after = after[0];
        for (constant, moved) in first_after.iter_mut().zip(moved) {
            *constant += moved;
        }
        let last_before = HALF_FULL_ROUNDS - 1;
        Rounds {
            before: (before.iter().enumerate())
                .map(|(i, row)| {
                    full(
                        row,
                        if i == last_before {
                            &matrix
                        } else {
                            &published.matrix
                        },
                    )
                })
                .collect(),
            partial: rounds,
            after: (after.iter().enumerate())
                .map(|(i, row)| full(if i == 0 { &first_after } else { row }, &published.matrix))
                .collect(),
        }
    }
}

fn apply<const T: usize>(matrix: &Matrix<T>, vector: &[Element; T]) -> [Element; T] {
    matrix.map(|row| {
        let mut sum = Element::ZERO;
        for (factor, element) in row.iter().zip(vector) {
            sum += *factor * *element;
        }
        sum
    })
}

fn product<const T: usize>(left: &Matrix<T>, right: &Matrix<T>) -> Matrix<T> {
    transposed(&transposed(right).map(|column| apply(left, &column)))
}

fn transposed<const T: usize>(matrix: &Matrix<T>) -> Matrix<T> {
    core::array::from_fn(|i| core::array::from_fn(|j| matrix[j][i]))
}

/// Both factors of a matrix.
fn split<const T: usize>(matrix: &Matrix<T>) -> (Matrix<T>, Matrix<T>) {
    let one = |i: usize, j: usize| if i == j { Element::ONE } else { Element::ZERO };
    let mut left: Matrix<T> = core::array::from_fn(|i| core::array::from_fn(|j| one(i, j)));
    let mut right = *matrix;
    for i in 0..T {
        left[i][0] = matrix[i][0];
        right[i][0] = one(i, 0);
        right[0][i] = one(0, i);
    }
    // x·N = v, solved by elimination over the columns of N
    let mut columns = transposed(matrix);
    for i in 1..T {
        let inverse = columns[i][i]
            .inverse()
            .expect("minors of the matrix are not zero");
        columns[i] = columns[i].map(|element| element * inverse);
        for j in (1..T).filter(|j| *j != i) {
            let factor = columns[j][i];
            let pivot = columns[i];
            for (element, of_pivot) in columns[j].iter_mut().zip(pivot) {
                *element -= of_pivot * factor;
            }
        }
    }
    // the first place of column i held vᵢ, and now xᵢ
    for i in 1..T {
        left[0][i] = columns[i][0];
    }
    (left, right)
}
