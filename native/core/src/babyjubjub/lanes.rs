//! Multiples of the generator by several secret scalars side by side in lanes: the table of
//! [`fixed_base`], read whole, with masks that keep a different entry in every
//! lane. Neither a branch nor an address depends on a scalar.

use core::hint::black_box;
use std::sync::LazyLock;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::extended::Addend;
use super::fixed_base::{self, ROW, TABLE};
use super::windows::{fixed_windows, FIXED_WINDOWS};
use crate::field::lanes::kernel;
use crate::field::{Backend, Bn254Scalar, Fl, Fr, LaneSet, Limbs, Portable, PrimeLanes};
use crate::tables::Tables;

/// The table in one form: sum, difference and product of every entry.
pub(crate) struct Comb<C>(LazyLock<Vec<[[C; 3]; ROW]>>);

impl<C> Comb<C> {
    /// Entries for lanes.
    pub const fn new<F: PrimeLanes<Modulus = Bn254Scalar, Entry = C>>() -> Self {
        Comb(LazyLock::new(|| {
            let row =
                |row: &[Addend<Portable>; ROW]| row.each_ref().map(|addend| addend.entries::<F>());
            TABLE.iter().map(row).collect()
        }))
    }
}

/// The lanes that take each entry, and those that take its negative, in every window. Secret.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Choices {
    entries: [[LaneSet; ROW]; FIXED_WINDOWS],
    negative: [LaneSet; FIXED_WINDOWS],
}

impl Choices {
    fn new<B: Backend>(scalars: &[Fl<B>]) -> Self {
        let mut choices = Choices {
            entries: [[0; ROW]; FIXED_WINDOWS],
            negative: [0; FIXED_WINDOWS],
        };
        for (lane, scalar) in scalars.iter().enumerate() {
            let bytes = Zeroizing::new(scalar.to_le_bytes());
            let windows = Zeroizing::new(fixed_windows(&bytes));
            for (i, window) in windows.iter().enumerate() {
                let sign = window >> 7;
                let magnitude = LaneSet::from(((window ^ sign) - sign) as u8);
                for (set, number) in choices.entries[i].iter_mut().zip(1..) {
                    // the top bit of x − 1 is set for 0 alone
                    let is_chosen = (magnitude ^ number).wrapping_sub(1) >> (LaneSet::BITS - 1);
                    *set |= is_chosen << lane;
                }
                choices.negative[i] |= LaneSet::from(sign as u8 & 1) << lane;
            }
        }
        choices
    }
}

kernel! {
    Sum<'a, F: PrimeLanes>(table: &'a [[[F::Entry; 3]; ROW]], choices: &'a Choices) -> [F; 3] {
        let (mut u, mut v, mut t, mut z) = (F::ZERO, F::ONE, F::ZERO, F::ONE);
        for ((row, sets), negative) in table.iter().zip(&choices.entries).zip(choices.negative) {
            let [sum, difference, product] = choose(row, sets, negative);
            let a = (v - u).reduce().mul_normal(&difference);
            let b = (v + u).reduce().mul_normal(&sum);
            let c = t.mul_normal(&product);
            let twice_z = z.double();
            let (e, h) = ((b - a).reduce(), (b + a).reduce());
            let (f, g) = ((twice_z - c).reduce(), (twice_z + c).reduce());
            u = e.mul_normal(&f);
            v = g.mul_normal(&h);
            t = e.mul_normal(&h);
            z = f.mul_normal(&g);
        }
        [u, v, z]
    }
}

/// The entry of each lane, 0 where none is chosen, or its negative.
#[cfg_attr(not(debug_assertions), inline(always))]
fn choose<F: PrimeLanes>(
    row: &[[F::Entry; 3]; ROW],
    sets: &[LaneSet; ROW],
    negative: LaneSet,
) -> [F; 3] {
    let (mut sum, mut difference, mut product) = (F::ONE, F::ONE, F::ZERO);
    for ([entry_sum, entry_difference, entry_product], set) in row.iter().zip(sets) {
        sum = F::select(*set, &F::splat(entry_sum), &sum);
        difference = F::select(*set, &F::splat(entry_difference), &difference);
        product = F::select(*set, &F::splat(entry_product), &product);
    }
    [
        F::select(negative, &difference, &sum),
        F::select(negative, &sum, &difference),
        F::select(negative, &(-product).reduce(), &product),
    ]
}

/// scalar·G for each scalar as the U, V and Z of [`Extended`](super::Extended), in time that depends
/// on the number of scalars only. Until they are divided by Z they leak information about the scalar.
pub(crate) fn multiply_generator<F, B>(scalars: &[Fl<B>]) -> Zeroizing<Vec<[Fr<B>; 3]>>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
    B: Backend,
{
    let mut points = Zeroizing::new(Vec::with_capacity(scalars.len()));
    if F::LANES == 1 {
        points.extend(scalars.iter().map(|scalar| {
            let point = Zeroizing::new(fixed_base::multiply_generator(scalar));
            [point.u, point.v, point.z]
        }));
        return points;
    }
    for scalars in scalars.chunks(F::LANES) {
        let mut point: [F; 3] = F::enter(Sum(&F::Entry::generator().0, &Choices::new(scalars)));
        let [u, v, z] = point.each_ref().map(|part| {
            let mut words = Zeroizing::new(vec![Limbs::default(); scalars.len()]);
            part.to_words(&mut words);
            words
        });
        // lanes have no `Zeroize`; the compiler keeps writes to what it believes to be read
        black_box(&mut point).fill(F::ZERO);
        black_box(&mut point);
        let scalar = |words: &[Limbs]| <Fr<B> as PrimeLanes>::from_words(words);
        points.extend((0..scalars.len()).map(|i| [&u, &v, &z].map(|part| scalar(&part[i..]))));
    }
    points
}
