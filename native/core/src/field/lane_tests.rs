//! Lanes of any kind against scalars: one suite, every implementation of the lane traits. Values
//! differ from lane to lane.

use super::lanes::kernel;
use super::tests::Sequence;
use super::*;

kernel! {
    Product<'a, F: PrimeLanes>(a: &'a F, b: &'a F) -> F { *a * *b }
}

kernel! {
    ProductOfSums<'a, F: PrimeLanes>(a: &'a F, b: &'a F) -> F { a.mul_sums(b) }
}

kernel! {
    Square<'a, F: PrimeLanes>(a: &'a F) -> F { a.square() }
}

kernel! {
    Reduction<'a, F: PrimeLanes>(a: &'a F) -> F { a.reduce() }
}

kernel! {
    Zeros<'a, F: PrimeLanes>(a: &'a F) -> LaneSet { a.zero_lanes() }
}

kernel! {
    ComplexProduct<'a, F: BaseLanes>(a: [&'a F; 2], b: [&'a F; 2]) -> [F; 2] { F::mul_complex(a, b) }
}

kernel! {
    ComplexProductOfSums<'a, F: BaseLanes>(a: [&'a F; 2], b: [&'a F; 2]) -> [F; 2] {
        F::mul_complex_sums(a, b)
    }
}

kernel! {
    ComplexSum<'a, F: BaseLanes>(a: &'a [[&'a F; 2]], b: &'a [[&'a F; 2]]) -> [F; 2] {
        match a.len() {
            1 => F::sum_of_products([a[0]], [b[0]]),
            2 => F::sum_of_products([a[0], a[1]], [b[0], b[1]]),
            _ => F::sum_of_products([a[0], a[1], a[2]], [b[0], b[1], b[2]]),
        }
    }
}

kernel! {
    ComplexSquare<'a, F: BaseLanes>(a: [&'a F; 2]) -> [F; 2] { F::square_complex(a) }
}

kernel! {
    ComplexScale<'a, F: BaseLanes>(a: [&'a F; 2], k: &'a F) -> [F; 2] { F::scale_complex(a, k) }
}

kernel! {
    TimesXi<'a, F: BaseLanes>(a: [&'a F; 2]) -> [F; 2] { F::mul_by_xi(a) }
}

type Scalar<F> = Field<<F as PrimeLanes>::Modulus, Portable>;

/// 0, 1, −1, 2^−1, powers of two around the limbs of all back-ends, and random ones.
pub(crate) fn samples<M: Modulus>(count: usize) -> Vec<Field<M, Portable>> {
    let one = Field::<M, Portable>::ONE;
    let mut values = vec![
        Field::ZERO,
        one,
        -one,
        one.double(),
        Field::from_canonical(limbs::shift_right(&M::P, 1)),
        -Field::from_canonical(limbs::shift_right(&M::P, 1)),
        Field::from_montgomery_unchecked([1, 0, 0, 0]),
        Field::from_montgomery_unchecked([u64::MAX, u64::MAX, u64::MAX, M::P[3] - 1]),
    ];
    for exponent in [50, 51, 52, 58, 102, 104, 156, 203, 204, 208, 253] {
        let power = Field::from_canonical(limbs::power_of_two(exponent, &M::P));
        values.extend([power, -power, power - one, one - power]);
    }
    let mut sequence = Sequence::new(0x9e37_79b9_7f4a_7c15);
    while values.len() < count {
        values.push(Field::from_be_bytes_mod_order(&sequence.bytes()));
    }
    values
}

/// Lane i from `values[i]`.
pub(crate) fn pack<F: PrimeLanes>(values: &[Scalar<F>]) -> F {
    let words: Vec<Limbs> = values.iter().map(Field::to_canonical).collect();
    F::from_words(&words)
}

/// The values of all lanes.
pub(crate) fn unpack<F: PrimeLanes>(lanes: &F) -> Vec<Scalar<F>> {
    let mut words = vec![[0; 4]; F::LANES];
    lanes.to_words(&mut words);
    words.into_iter().map(Field::from_canonical).collect()
}

/// The set of the lanes for which a condition holds.
pub(crate) fn lanes_where(lanes: usize, condition: impl Fn(usize) -> bool) -> LaneSet {
    (0..lanes).map(|i| LaneSet::from(condition(i)) << i).sum()
}

fn zeros<F: PrimeLanes>(a: &F) -> LaneSet {
    F::enter(Zeros(a))
}

/// Groups of `LANES` values: the samples in order, each group starting at another one.
fn groups<F: PrimeLanes>(offset: usize) -> Vec<Vec<Scalar<F>>> {
    let values = samples::<F::Modulus>(160);
    (0..values.len())
        .map(|start| {
            (0..F::LANES)
                .map(|i| values[(start * (offset + 1) + offset + 7 * i) % values.len()])
                .collect()
        })
        .collect()
}

fn zip<T: Copy>(a: &[T], b: &[T], f: impl Fn(T, T) -> T) -> Vec<T> {
    a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
}

fn map<T: Copy>(a: &[T], f: impl Fn(T) -> T) -> Vec<T> {
    a.iter().map(|a| f(*a)).collect()
}

/// Every operation of [`PrimeLanes`], on normal and on lazy values.
pub(crate) fn prime_lanes_agree<F: PrimeLanes>() {
    for (i, (x, y)) in groups::<F>(0).iter().zip(&groups::<F>(3)).enumerate() {
        let (a, b) = (pack::<F>(x), pack::<F>(y));
        assert_eq!(unpack(&a), *x);
        assert_eq!(unpack(&(a + b)), zip(x, y, |x, y| x + y));
        assert_eq!(unpack(&(a - b)), zip(x, y, |x, y| x - y));
        assert_eq!(
            unpack(&F::enter(Product(&a, &b))),
            zip(x, y, |x, y| x * y),
            "group {i}"
        );
        assert_eq!(unpack(&-a), map(x, |x| -x));
        assert_eq!(unpack(&a.double()), map(x, |x| x.double()));
        assert_eq!(unpack(&F::enter(Square(&a))), map(x, |x| x.square()));
        let (s, t) = (a - b, b + b);
        let (u, v) = (zip(x, y, |x, y| x - y), map(y, |y| y.double()));
        assert_eq!(unpack(&F::enter(Product(&s, &b))), zip(&u, y, |u, y| u * y));
        assert_eq!(
            unpack(&F::enter(ProductOfSums(&s, &t))),
            zip(&u, &v, |u, v| u * v)
        );
        let four = s + t;
        let reduced = F::enter(Reduction(&four));
        let expected = zip(&u, &v, |u, v| u + v);
        assert_eq!(unpack(&four), expected);
        assert_eq!(unpack(&reduced), expected);
        assert_eq!(
            unpack(&F::enter(Product(&reduced, &a))),
            zip(&expected, x, |s, x| s * x)
        );
        let set = i as LaneSet & F::ALL;
        let chosen = F::select(set, &a, &s);
        let expected: Vec<_> = (0..F::LANES)
            .map(|lane| {
                if set >> lane & 1 == 1 {
                    x[lane]
                } else {
                    u[lane]
                }
            })
            .collect();
        assert_eq!(unpack(&chosen), expected);
        assert_eq!(
            a.equal_lanes(&b),
            lanes_where(F::LANES, |lane| x[lane] == y[lane])
        );
        assert_eq!(a.equal_lanes(&chosen) & set, set);
        assert_eq!(
            zeros(&chosen),
            lanes_where(F::LANES, |lane| expected[lane].is_zero())
        );
    }
}

/// 0 is seen however it came about, in each lane alone.
pub(crate) fn zeros_are_found<F: PrimeLanes>() {
    assert_eq!(zeros(&F::ZERO), F::ALL);
    assert_eq!(zeros(&F::ONE), 0);
    assert_eq!(zeros(&(-F::ZERO)), F::ALL);
    for x in groups::<F>(1) {
        let a = pack::<F>(&x);
        let minus = pack::<F>(&map(&x, |x| -x));
        let expected = lanes_where(F::LANES, |lane| x[lane].is_zero());
        assert_eq!(zeros(&(a + minus)), F::ALL);
        let same = a;
        assert_eq!(zeros(&(a - same)), F::ALL);
        assert_eq!(zeros(&(a + a + minus + minus)), F::ALL);
        assert_eq!(zeros(&(a + a + minus)), expected);
        for lane in 0..F::LANES {
            let alone = F::select(1 << lane, &F::ZERO, &F::ONE);
            assert_eq!(zeros(&F::enter(Product(&a, &alone))), expected | 1 << lane);
        }
    }
}

/// Words for some lanes leave 0 in the others; fewer places than lanes take the first lanes.
pub(crate) fn partial_words_are_taken<F: PrimeLanes>() {
    let values = samples::<F::Modulus>(F::LANES + 1);
    for count in 0..=F::LANES {
        let a = pack::<F>(&values[1..=count]);
        let mut expected = values[1..=count].to_vec();
        expected.resize(F::LANES, Field::ZERO);
        assert_eq!(unpack(&a), expected);
        let mut words = vec![[u64::MAX; 4]; count];
        a.to_words(&mut words);
        let found: Vec<_> = words.into_iter().map(Field::from_canonical).collect();
        assert_eq!(found, expected[..count]);
    }
}

/// Every operation of [`BaseLanes`].
pub(crate) fn base_lanes_agree<F: BaseLanes>() {
    type Complex<F> = [Vec<Scalar<F>>; 2];
    let lanes = [0, 1, 2, 5].map(groups::<F>);
    let product = |[a0, a1]: &Complex<F>, [b0, b1]: &Complex<F>| -> Complex<F> {
        let part = |a: &[_], b: &[_]| zip(a, b, |a, b| a * b);
        [
            zip(&part(a0, b0), &part(a1, b1), |x, y| x - y),
            zip(&part(a0, b1), &part(a1, b0), |x, y| x + y),
        ]
    };
    let plus = |[a0, a1]: &Complex<F>, [b0, b1]: &Complex<F>| -> Complex<F> {
        [zip(a0, b0, |x, y| x + y), zip(a1, b1, |x, y| x + y)]
    };
    let [first, second, third, fourth] = lanes;
    for (((x0, x1), y0), y1) in first.into_iter().zip(second).zip(third).zip(fourth) {
        let [a0, a1, b0, b1] = [&x0, &x1, &y0, &y1].map(|values| pack::<F>(values));
        let (x, y) = ([x0, x1], [y0, y1]);
        let found = |parts: [F; 2]| parts.map(|part| unpack(&part));
        assert_eq!(
            found(F::enter(ComplexProduct([&a0, &a1], [&b0, &b1]))),
            product(&x, &y)
        );
        assert_eq!(found(F::enter(ComplexSquare([&a0, &a1]))), product(&x, &x));
        let (s0, s1, t0, t1) = (a0 + b0, a1 + b1, b0 + b0, b1 + b1);
        let (s, t) = (plus(&x, &y), plus(&y, &y));
        assert_eq!(
            found(F::enter(ComplexProductOfSums([&s0, &s1], [&t0, &t1]))),
            product(&s, &t)
        );
        assert_eq!(
            found(F::enter(ComplexProductOfSums([&a0, &a1], [&t0, &t1]))),
            product(&x, &t)
        );
        let zero = vec![Field::ZERO; F::LANES];
        let factor = [y[0].clone(), zero.clone()];
        assert_eq!(
            found(F::enter(ComplexScale([&s0, &s1], &b0))),
            product(&s, &factor)
        );
        let xi = [
            vec![Field::from_u64(9); F::LANES],
            vec![Field::ONE; F::LANES],
        ];
        assert_eq!(found(F::enter(TimesXi([&a0, &a1]))), product(&x, &xi));
        let (left, right) = (
            [[&a0, &a1], [&b0, &b1], [&a1, &b0]],
            [[&b1, &a0], [&a1, &b1], [&a1, &b0]],
        );
        let values = |parts: &[&F; 2]| parts.map(unpack);
        let mut sum = [zero.clone(), zero];
        for count in 1..=3 {
            let product = product(&values(&left[count - 1]), &values(&right[count - 1]));
            sum = plus(&sum, &product);
            let lazy = F::enter(ComplexSum(&left[..count], &right[..count]));
            assert_eq!(found(lazy), sum);
        }
        // results of products and reductions are normal: every operation takes them again
        let again = F::enter(ComplexProductOfSums([&s0, &s1], [&t0, &t1]));
        let xi_again = F::enter(TimesXi([&again[0], &again[1]]));
        let expected = product(&product(&s, &t), &xi);
        assert_eq!(found(xi_again), expected);
        assert_eq!(
            found(F::enter(ComplexSquare([&xi_again[0], &xi_again[1]]))),
            product(&expected, &expected)
        );
    }
}

/// The constants are those of the scalars in every lane.
pub(crate) fn constants_agree<F: BaseLanes>() {
    let (found, expected) = (F::CONSTANTS, Fp::<Portable>::CONSTANTS);
    let check = |lanes: &F, scalar: &Fp<Portable>| {
        assert_eq!(unpack(lanes), vec![*scalar; F::LANES]);
    };
    check(&F::ONE, &Field::ONE);
    check(&found.curve_b, &expected.curve_b);
    check(&found.beta, &expected.beta);
    for part in 0..2 {
        check(&found.twist_3b[part], &expected.twist_3b[part]);
        for i in 0..5 {
            check(&found.frobenius_1[i][part], &expected.frobenius_1[i][part]);
            check(&found.frobenius_2[i], &expected.frobenius_2[i]);
            check(&found.frobenius_3[i][part], &expected.frobenius_3[i][part]);
        }
    }
}

#[test]
fn scalars_pass_the_suite_of_lanes_as_one_lane() {
    prime_lanes_agree::<Fr<Portable>>();
    zeros_are_found::<Fp<Portable>>();
    partial_words_are_taken::<Fp<Portable>>();
    base_lanes_agree::<Fp<Portable>>();
    constants_agree::<Fp<Portable>>();
}
