//! One value packed in four lanes against its scalar form.

use super::lane_tests::{mixed_points, random, random12, random2};
use super::tests::{points, ratio};
use super::*;
use crate::curve::tests::{g1, g2};
use crate::field::dispatch::checks::in_four_lanes;
use crate::field::tests::Sequence;
use crate::field::{FourLanes, Fp, Portable};
use crate::tower::{Fp12, Fp2, Fp6, PackedFp12};

type Scalar = Fp<Portable>;
type Value = Fp12<Scalar>;

fn packed<F: FourLanes>(f: &Value) -> PackedFp12<F> {
    PackedFp12::from(f)
}

fn equal<F: FourLanes>(found: &PackedFp12<F>, expected: &Value) {
    assert_eq!(found.to_scalars::<Portable>(), *expected);
    assert!(found.equals(&packed(expected)));
    assert!(!found.equals(&packed(&(*expected * line([Fp2::ONE; 3])))));
}

fn line([l0, l1, l3]: [Fp2<Scalar>; 3]) -> Value {
    Fp12::new(
        Fp6::new(l0, Fp2::ZERO, Fp2::ZERO),
        Fp6::new(l1, l3, Fp2::ZERO),
    )
}

/// Random values, 1, and values of which only parts are not 0.
fn values(sequence: &mut Sequence) -> Vec<Value> {
    let mut values = vec![Value::ONE];
    for _ in 0..6 {
        values.push(random(sequence, random12));
    }
    let f = values[1];
    let minus_one = Fp2::new(-Scalar::ONE, -Scalar::ONE);
    values.extend([
        Fp12::new(f.c0, Fp6::ZERO),
        Fp12::new(Fp6::ZERO, f.c1),
        line([Fp2::ZERO, f.c0.c0, Fp2::ZERO]),
        line([minus_one, minus_one, minus_one]),
        Fp12::new(
            Fp6::new(minus_one, minus_one, minus_one),
            Fp6::new(minus_one, minus_one, minus_one),
        ),
    ]);
    values
}

/// Every operation of the tower.
pub(crate) fn packed_tower_agrees<F: FourLanes>() {
    let mut sequence = Sequence::new(61);
    equal(&PackedFp12::<F>::one(), &Value::ONE);
    let values = values(&mut sequence);
    for (i, x) in values.iter().enumerate() {
        let (a, y) = (packed::<F>(x), &values[(i + 5) % values.len()]);
        let b = packed::<F>(y);
        equal(&a.times(&b), &(*x * *y));
        equal(&a.square(), &x.square());
        equal(&a.conjugate(), &x.conjugate());
        for power in 1..=3 {
            equal(&a.frobenius(power), &x.frobenius(power));
        }
        let parts = [y.c0.c0, y.c1.c0, y.c1.c1];
        let any = random(&mut sequence, random2);
        let found = a.times_line(&Fp2::gather([&parts[0], &parts[1], &parts[2], &any]));
        equal(&found, &(*x * line(parts)));

        let five = Fp12::new(y.c0, Fp6::new(y.c1.c0, y.c1.c1, Fp2::ZERO));
        let m0 = Fp2::gather([&any, &any, &any, &(y.c0.c0 - Fp2::ONE)]);
        let m = Fp2::gather([&y.c1.c0, &y.c0.c1, &y.c1.c1, &y.c0.c2]);
        equal(&a.times_five(&m0, &m), &(*x * five));

        // the results are operands again
        let power = a.times(&b).square().times(&a).conjugate().square();
        equal(&power, &((*x * *y).square() * *x).conjugate().square());
        if let Some(inverse) = x.inverse() {
            let x = x.conjugate() * inverse;
            let x = x.frobenius(2) * x;
            let (a, mut expected) = (packed::<F>(&x), x);
            for count in 0..5 {
                equal(&a.cyclotomic_squares(count), &expected);
                expected = expected.square();
            }
            let power = a.cyclotomic_squares(3).times(&a).cyclotomic_squares(2);
            equal(
                &power,
                &(x.square().square().square() * x).square().square(),
            );
        }
    }
}

/// The Miller loop with a point of any order and prepared ones, and its power.
pub(crate) fn packed_pairing_agrees<F: FourLanes>() {
    let mut sequence = Sequence::new(62);
    let fixed = [0, 1].map(|_| PreparedG2::new(&g2(&points(&mut sequence).1)).expect("order r"));
    let lines = PackedLines::<F>::new(&fixed[0], &fixed[1]);
    for (i, point) in mixed_points(&mut sequence, 8).iter().enumerate() {
        let q = g2::<Portable>(point);
        let [p, g, d] = [0; 3].map(|_| ratio(&g1::<Portable>(&points(&mut sequence).0)));
        let prepared = [(i % 3 != 1).then_some(g), (i % 4 != 2).then_some(d)];
        let pairs = [0, 1].map(|k| prepared[k].map(|p| PreparedPair { p, q: &fixed[k] }));
        let (expected, member) = miller_loop(&q, &p, &pairs);
        let (found, inside) = packed_miller_loop(&q, &p, &lines, prepared);
        equal(&found, &expected);
        assert_eq!(inside, member == 1);
        assert_eq!(inside, point.is_in_correct_subgroup_assuming_on_curve());
        let power = packed_final_exponentiation::<F, Portable>(&found).expect("not 0");
        equal(&power, &final_exponentiation(&expected).expect("not 0"));
    }
    let zero = packed::<F>(&Fp12::new(Fp6::ZERO, Fp6::ZERO));
    assert!(packed_final_exponentiation::<F, Portable>(&zero).is_none());
}

#[test]
fn packed_over_emulated_avx2() {
    in_four_lanes!(Avx2Emulated, F => {
        packed_tower_agrees::<F>();
        packed_pairing_agrees::<F>();
    });
}

#[test]
fn packed_over_avx2() {
    in_four_lanes!(Avx2, F => {
        packed_tower_agrees::<F>();
        packed_pairing_agrees::<F>();
    });
}
