//! Limbs and columns at their bounds, the constants, and the emulation against the hardware.

use super::bounds::Bounds;
use super::columns::generic_columns;
use super::constants::{Constants, RADIX};
use super::reduction::reduce_columns;
use super::tests::on_hardware;
use super::*;
use crate::field::tests::Sequence;
#[cfg(target_arch = "x86_64")]
use crate::field::Kernel;
use crate::field::{BaseLanes, Bn254Base, Bn254Scalar, Field, Fp, Portable, PrimeLanes};

/// Σ limbs[i]·2^(51i) modulo P.
fn number<M: Modulus>(limbs: &[i64]) -> Field<M, Portable> {
    let radix = Field::from_u64(1 << 51);
    limbs.iter().rev().fold(Field::ZERO, |sum, limb| {
        let absolute = Field::from_u64(limb.unsigned_abs());
        sum * radix + if *limb < 0 { -absolute } else { absolute }
    })
}

fn integers(limbs: &[Quad; 5], lane: usize) -> [i64; 5] {
    [0, 1, 2, 3, 4].map(|i| {
        let integer = limbs[i].0[lane] as i64;
        assert_eq!(integer as f64, limbs[i].0[lane], "an integer");
        integer
    })
}

/// Limbs at and near their bounds: `scale`·2^50 below, what a value of `scale`·P leaves on top.
pub(super) fn extreme<M: Modulus, O: FmaOps>(
    sequence: &mut Sequence,
    scale: i64,
) -> FmaLanes<M, O> {
    let mut limbs = [Quad::splat(0.0); 5];
    for (i, limb) in limbs.iter_mut().enumerate() {
        let bound = if i < 4 {
            scale << 50
        } else {
            scale * Constants::<M>::P[4] as i64 - 1
        };
        for lane in &mut limb.0 {
            let inner = (sequence.word() >> 1) as i64 % bound;
            let choices = [bound, -bound, bound - 1, 1 - bound, 0, 1, inner, -inner];
            *lane = choices[sequence.word() as usize % 8] as f64;
        }
    }
    FmaLanes::new(limbs, Bounds::new(scale as f64, scale as f64))
}

fn assert_normal<M: Modulus>(limbs: &[i64; 5], bound: f64) {
    assert!(limbs.iter().all(|limb| limb.abs() <= 1 << 50), "{limbs:?}");
    let top = limbs[4] as f64 + limbs[3] as f64 / RADIX;
    assert!(top.abs() <= bound * Constants::<M>::P[4], "{limbs:?}");
}

fn extremes_agree<M: Modulus, O: FmaProducts>() {
    let mut sequence = Sequence::new(77);
    let radix = Field::<M, Portable>::from_canonical(limbs_of_radix::<M>());
    for round in 0..3000 {
        let scale = [1, 1, 2][round % 3];
        let a = extreme::<M, O>(&mut sequence, scale);
        let b = extreme::<M, O>(&mut sequence, scale);
        let product = a * b;
        let reduced = (a + b).reduce();
        for lane in 0..4 {
            let [x, y, z, s] = [&a, &b, &product, &reduced].map(|v| integers(&v.limbs, lane));
            assert_eq!(number::<M>(&z) * radix, number(&x) * number(&y));
            assert_normal::<M>(&z, 0.752);
            assert_eq!(number::<M>(&s), number(&x) + number(&y));
            assert_normal::<M>(&s, 0.51);
        }
    }
}

fn limbs_of_radix<M: Modulus>() -> crate::field::Limbs {
    crate::field::limbs::power_of_two(204, &M::P)
}

#[test]
fn limbs_at_their_bounds_agree() {
    extremes_agree::<Bn254Base, Avx2Emulated>();
    extremes_agree::<Bn254Scalar, Avx2Emulated>();
    on_hardware!(O => {
        extremes_agree::<Bn254Base, O>();
        extremes_agree::<Bn254Scalar, O>();
    });
}

fn complex_extremes_agree<O: FmaProducts>() {
    let mut sequence = Sequence::new(78);
    let radix = Fp::<Portable>::from_canonical(limbs_of_radix::<Bn254Base>());
    for _ in 0..3000 {
        let mut next = || extreme::<Bn254Base, O>(&mut sequence, 1);
        let [a0, a1, b0, b1] = [next(), next(), next(), next()];
        let [real, imaginary] = FmaLanes::mul_complex([&a0, &a1], [&b0, &b1]);
        // the sum of twice the same, at the limit of the value's bound
        let (a, b) = ([[&a0, &a1]; 2], [[&b0, &b1]; 2]);
        let twice = FmaLanes::sum_of_products(a, b);
        for lane in 0..4 {
            let [x0, x1, y0, y1] =
                [&a0, &a1, &b0, &b1].map(|v| number::<Bn254Base>(&integers(&v.limbs, lane)));
            let [z0, z1] = [&real, &imaginary].map(|v| integers(&v.limbs, lane));
            for (twice, once) in twice.iter().zip([&z0, &z1]) {
                let twice = integers(&twice.limbs, lane);
                assert_eq!(number::<Bn254Base>(&twice), number(once).double());
                assert_normal::<Bn254Base>(&twice, 0.752);
            }
            assert_eq!(number::<Bn254Base>(&z0) * radix, x0 * y0 - x1 * y1);
            assert_eq!(number::<Bn254Base>(&z1) * radix, x0 * y1 + x1 * y0);
            assert_normal::<Bn254Base>(&z0, 0.752);
            assert_normal::<Bn254Base>(&z1, 0.752);
        }
    }
}

#[test]
fn complex_products_of_limbs_at_their_bounds_agree() {
    complex_extremes_agree::<Avx2Emulated>();
    on_hardware!(O => { complex_extremes_agree::<O>() });
}

/// The reduction alone, for columns without patterns that fill their bounds.
fn full_columns_agree<M: Modulus>() {
    let mut sequence = Sequence::new(79);
    let radix = Field::<M, Portable>::from_canonical(limbs_of_radix::<M>());
    for _ in 0..20_000 {
        let mut t = [[0i64; 4]; 10];
        for (k, column) in t.iter_mut().enumerate() {
            // T9 decides over the quotient: c·v ≤ 4 leaves it 2^51 less the folds
            let bound = if k == 9 {
                (1.6 * RADIX / 2.0) as i64
            } else {
                1 << 57
            };
            for lane in column {
                let inner = sequence.word() as i64 % bound;
                let choices = [
                    0,
                    -1,
                    1 << 50,
                    (1 << 50) - 1,
                    -1 << 50,
                    bound,
                    -bound,
                    inner,
                ];
                *lane = choices[sequence.word() as usize % 8];
            }
        }
        let set = t.map(|column| column.map(|lane| lane as u64));
        let [limbs] = reduce_columns::<M, Avx2Emulated, 1>([set], [0]);
        for lane in 0..4 {
            let z = [0, 1, 2, 3, 4].map(|i| limbs[i][lane] as i64);
            let value = number::<M>(&t.map(|column| column[lane]));
            assert_eq!(number::<M>(&z) * radix, value);
            assert_normal::<M>(&z, 0.752);
        }
    }
}

#[test]
fn columns_at_their_bounds_are_reduced() {
    full_columns_agree::<Bn254Base>();
    full_columns_agree::<Bn254Scalar>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn emulation_gives_the_bits_of_the_hardware() {
    struct Trace<'a, O: FmaProducts>(&'a [FmaLanes<Bn254Base, O>; 4]);

    impl<O: FmaProducts> Kernel for Trace<'_, O> {
        type Output = Vec<[Quad; 5]>;

        fn run(self) -> Vec<[Quad; 5]> {
            let [a, b, c, d] = self.0;
            let mut values = vec![
                *a * *b,
                (*a + *c).mul_sums(&(*b - *d)),
                (*a + *b).reduce(),
                -*c,
            ];
            values.extend(FmaLanes::mul_complex([a, b], [c, d]));
            values.extend(FmaLanes::square_complex([a, b]));
            values.extend(FmaLanes::scale_complex([a, b], c));
            values.extend(FmaLanes::mul_complex_sums([&(*a + *b), c], [d, a]));
            values.extend(FmaLanes::sum_of_products(
                [[a, b], [c, d]],
                [[d, c], [a, a]],
            ));
            let normal = [a.reduce(), b.reduce()];
            values.extend(FmaLanes::mul_by_xi([&normal[0], &normal[1]]));
            values.extend((0..16).map(|set| FmaLanes::select(set, a, b)));
            values.iter().map(|value| value.limbs).collect()
        }
    }

    on_hardware!(O => {
        let mut sequence = Sequence::new(80);
        for _ in 0..2000 {
            let mut next = || extreme::<Bn254Base, Avx2Emulated>(&mut sequence, 1);
            let values = [next(), next(), next(), next()];
            let same = values.map(|v| FmaLanes::<Bn254Base, O>::new(v.limbs, v.bounds));
            assert_eq!(Avx2Emulated::enter(Trace(&values)), O::enter(Trace(&same)));
        }
    });
}

fn constants_hold<M: Modulus>() {
    let half_p = Constants::<M>::P[4] / 2.0;
    for (i, fold) in Constants::<M>::FOLDS.iter().enumerate() {
        let power = crate::field::limbs::power_of_two(204 - 51 * i as u32, &M::P);
        let value = number::<M>(&fold.map(|digit| digit as i64));
        assert_eq!(value * Field::from_canonical(power), Field::ONE);
        assert!(fold[4].abs() <= half_p + 1.0, "centred");
        assert!(fold[..4].iter().all(|digit| digit.abs() <= RADIX / 2.0));
    }
    assert!(number::<M>(&Constants::<M>::P.map(|digit| digit as i64)).is_zero());
    // 2^255/P by other means; both moduli have the same upper half
    let [factor, missing] = Constants::<M>::QUOTIENT_9;
    assert_eq!(factor.to_bits(), 0x4005_291d_1898_8e81);
    assert!(
        (missing * 2f64.powi(54) - 1.3099).abs() < 0.001,
        "{missing:e}"
    );
}

#[test]
fn constants_follow_from_the_modulus() {
    constants_hold::<Bn254Base>();
    constants_hold::<Bn254Scalar>();
}

#[test]
fn columns_are_those_of_the_products() {
    // one pattern set per product: what `reduce_columns` takes off
    let a = extreme::<Bn254Base, Avx2Emulated>(&mut Sequence::new(81), 1);
    let t = generic_columns::<Avx2Emulated>(&a.limbs, &a.limbs);
    assert_eq!(
        t[9],
        [0, 1, 2, 3].map(|lane| {
            (a.limbs[4].0[lane].mul_add(a.limbs[4].0[lane], 3.0 * RADIX * RADIX)).to_bits()
        })
    );
}
