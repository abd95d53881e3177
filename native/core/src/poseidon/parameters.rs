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

use std::sync::{LazyLock, OnceLock};

use super::{FIXED_WIDTHS, HALF_FULL_ROUNDS, MAX_WIDTH};
use crate::field::{Bn254Scalar, Fr, Portable, PrimeLanes};
use crate::grain::Grain;

type Element = Fr<Portable>;
/// Rows of a square matrix.
type Matrix = Vec<Vec<Element>>;

/// Partial rounds of each width in circomlib, from t = 2 on.
const PARTIAL_ROUNDS: [usize; MAX_WIDTH - 1] = [
    56, 57, 56, 60, 60, 63, 64, 63, 60, 66, 60, 65, 70, 60, 64, 68,
];

/// The published constants and matrix of one width.
pub(super) struct Published {
    pub rounds: Vec<Vec<Element>>,
    pub matrix: Matrix,
}

impl Published {
    /// Draws them for states of `width` elements, from 2 to 17.
    pub fn generate(width: usize) -> Self {
        let partial_rounds = PARTIAL_ROUNDS[width - 2];
        let mut grain = Grain::new(width, partial_rounds);
        let rounds = (0..2 * HALF_FULL_ROUNDS + partial_rounds)
            .map(|_| (0..width).map(|_| grain.field_element()).collect())
            .collect();
        let mut reduced =
            || -> Vec<Element> { (0..width).map(|_| grain.reduced_element()).collect() };
        let (x, y) = (reduced(), reduced());
        let cauchy = |sum: Element| sum.inverse().expect("a Cauchy matrix has no zero sum");
        let matrix = (x.iter())
            .map(|x| y.iter().map(|y| cauchy(*x + *y)).collect())
            .collect();
        Published { rounds, matrix }
    }
}

/// A full round: constants are added, then the S-boxes, then the matrix.
pub(super) struct FullRound<R, M> {
    pub constants: R,
    pub matrix: M,
}

/// A partial round: a constant is added to s₀, then its S-box, then a matrix that is 1 but for its first
/// row and column.
pub(super) struct PartialRound<C, R> {
    pub constant: C,
    pub row: R,
    /// The column from its second row on; the first place is unused.
    pub column: R,
}

/// The rounds of one width: `C` is a constant, `R` a row of them, `M` a matrix.
pub(super) struct Rounds<C, R, M> {
    pub before: Vec<FullRound<R, M>>,
    pub partial: Vec<PartialRound<C, R>>,
    pub after: Vec<FullRound<R, M>>,
}

/// A full round of a width that the compiler knows.
pub(super) type FixedFullRound<C, const T: usize> = FullRound<[C; T], [[C; T]; T]>;

/// A full round of any width.
pub(super) type WideFullRound<C> = FullRound<Vec<C>, Vec<C>>;

/// Rounds as [entries](PrimeLanes::Entry) of a form, of a width that the compiler knows.
pub(super) type FixedRounds<C, const T: usize> = Rounds<C, [C; T], [[C; T]; T]>;

/// Rounds as entries of a form, of any width; matrices row by row.
pub(super) type WideRounds<C> = Rounds<C, Vec<C>, Vec<C>>;

/// The rounds of all widths in one form, each made at first use: the widest takes some ten milliseconds
/// and 200 KiB.
pub(crate) struct Arities<C> {
    pub(super) one: LazyLock<FixedRounds<C, 2>>,
    pub(super) two: LazyLock<FixedRounds<C, 3>>,
    wide: [OnceLock<WideRounds<C>>; MAX_WIDTH - FIXED_WIDTHS],
}

impl<C> Arities<C> {
    /// Entries for lanes.
    pub const fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>() -> Self {
        Arities {
            one: LazyLock::new(fixed::<F, 2>),
            two: LazyLock::new(fixed::<F, 3>),
            wide: [const { OnceLock::new() }; MAX_WIDTH - FIXED_WIDTHS],
        }
    }

    /// Rounds for states of `width` elements, from 4 to 17.
    pub(super) fn wide<F>(&self, width: usize) -> &WideRounds<C>
    where
        F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>,
    {
        self.wide[width - FIXED_WIDTHS - 1].get_or_init(|| {
            rounds(width).convert(
                &|element| F::entry(&element.to_canonical()),
                &|row| row,
                &|rows| rows.into_iter().flatten().collect(),
            )
        })
    }
}

fn fixed<F, const T: usize>() -> FixedRounds<F::Entry, T>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
{
    rounds(T).convert(
        &|element| F::entry(&element.to_canonical()),
        &|row| array(row),
        &|rows| array(rows),
    )
}

fn array<V, const T: usize>(values: Vec<V>) -> [V; T] {
    let array = values.try_into().ok();
    array.expect("as many values as the width")
}

impl Rounds<Element, Vec<Element>, Matrix> {
    /// The same rounds with constants, rows and matrices of another form.
    fn convert<C, R, M>(
        &self,
        constant: &impl Fn(&Element) -> C,
        row: &impl Fn(Vec<C>) -> R,
        matrix: &impl Fn(Vec<R>) -> M,
    ) -> Rounds<C, R, M> {
        let row = |elements: &Vec<Element>| row(elements.iter().map(constant).collect());
        let full = |rounds: &[FullRound<Vec<Element>, Matrix>]| {
            let converted = rounds.iter().map(|round| FullRound {
                constants: row(&round.constants),
                matrix: matrix(round.matrix.iter().map(row).collect()),
            });
            converted.collect()
        };
        let partial = self.partial.iter().map(|round| PartialRound {
            constant: constant(&round.constant),
            row: row(&round.row),
            column: row(&round.column),
        });
        Rounds {
            before: full(&self.before),
            partial: partial.collect(),
            after: full(&self.after),
        }
    }
}

/// The rounds of one width with sparse matrices in the partial ones.
fn rounds(width: usize) -> Rounds<Element, Vec<Element>, Matrix> {
    let published = Published::generate(width);
    let (before, rest) = published.rounds.split_at(HALF_FULL_ROUNDS);
    let (partial, after) = rest.split_at(rest.len() - HALF_FULL_ROUNDS);
    // from the last partial round to the first: its sparse matrix, and what is to be done before
    let mut matrix = published.matrix.clone();
    let mut sparse = Vec::with_capacity(partial.len());
    for constants in partial.iter().rev() {
        let (left, right) = split(&matrix);
        sparse.push((left, apply(&right, constants)));
        matrix = product(&right, &published.matrix);
    }
    // from the first to the last: constants of elements without S-box move on
    let mut moved = vec![Element::ZERO; width];
    let mut rounds = Vec::with_capacity(partial.len());
    for (left, constants) in sparse.into_iter().rev() {
        let mut sum = sum(&constants, &moved);
        rounds.push(PartialRound {
            constant: sum[0],
            row: left[0].clone(),
            column: left.iter().map(|row| row[0]).collect(),
        });
        sum[0] = Element::ZERO;
        moved = apply(&left, &sum);
    }
    let full = |constants: &Vec<Element>| FullRound {
        constants: constants.clone(),
        matrix: published.matrix.clone(),
    };
    let mut before: Vec<_> = before.iter().map(full).collect();
    before[HALF_FULL_ROUNDS - 1].matrix = matrix;
    let mut after: Vec<_> = after.iter().map(full).collect();
    after[0].constants = sum(&after[0].constants, &moved);
    Rounds {
        before,
        partial: rounds,
        after,
    }
}

fn sum(left: &[Element], right: &[Element]) -> Vec<Element> {
    left.iter()
        .zip(right)
        .map(|(left, right)| *left + *right)
        .collect()
}

fn apply(matrix: &Matrix, vector: &[Element]) -> Vec<Element> {
    let dot = |row: &Vec<Element>| {
        let mut sum = Element::ZERO;
        for (factor, element) in row.iter().zip(vector) {
            sum += *factor * *element;
        }
        sum
    };
    matrix.iter().map(dot).collect()
}

fn product(left: &Matrix, right: &Matrix) -> Matrix {
    let columns = transposed(right);
    transposed(&columns.iter().map(|column| apply(left, column)).collect())
}

fn transposed(matrix: &Matrix) -> Matrix {
    (0..matrix.len())
        .map(|i| matrix.iter().map(|row| row[i]).collect())
        .collect()
}

/// Both factors of a matrix.
fn split(matrix: &Matrix) -> (Matrix, Matrix) {
    let width = matrix.len();
    let one = |i: usize, j: usize| if i == j { Element::ONE } else { Element::ZERO };
    let mut left: Matrix = (0..width)
        .map(|i| (0..width).map(|j| one(i, j)).collect())
        .collect();
    let mut right = matrix.clone();
    for i in 0..width {
        left[i][0] = matrix[i][0];
        right[i][0] = one(i, 0);
        right[0][i] = one(0, i);
    }
    // x·N = v, solved by elimination over the columns of N
    let mut columns = transposed(matrix);
    for i in 1..width {
        let inverse = columns[i][i]
            .inverse()
            .expect("minors of the matrix are not zero");
        for element in &mut columns[i] {
            *element *= inverse;
        }
        let pivot = columns[i].clone();
        for (j, column) in columns.iter_mut().enumerate().skip(1) {
            if j == i {
                continue;
            }
            let factor = column[i];
            for (element, of_pivot) in column.iter_mut().zip(&pivot) {
                *element -= *of_pivot * factor;
            }
        }
    }
    // the first place of column i held vᵢ, and now xᵢ
    for i in 1..width {
        left[0][i] = columns[i][0];
    }
    (left, right)
}
