//! Tower, curve and pairing over lanes against the same source over scalars, lane by lane.

use super::tests::{points, ratio};
use super::*;
use crate::curve::tests::{g1, g2, small_order_point, twist_point, SMALL_ORDERS};
use crate::curve::G2Affine;
use crate::field::lane_tests::{lanes_where, pack, unpack};
use crate::field::tests::Sequence;
use crate::field::{Fp, LaneSet, Portable};
use crate::tower::{Fp12, Fp2, Fp6};

type Scalar = Fp<Portable>;

pub(super) fn random<T>(
    sequence: &mut Sequence,
    make: impl Fn(&mut dyn FnMut() -> Scalar) -> T,
) -> T {
    make(&mut || Scalar::from_be_bytes_mod_order(&sequence.bytes()))
}

pub(super) fn random2(next: &mut dyn FnMut() -> Scalar) -> Fp2<Scalar> {
    Fp2::new(next(), next())
}

fn random6(next: &mut dyn FnMut() -> Scalar) -> Fp6<Scalar> {
    Fp6::new(random2(next), random2(next), random2(next))
}

pub(super) fn random12(next: &mut dyn FnMut() -> Scalar) -> Fp12<Scalar> {
    Fp12::new(random6(next), random6(next))
}

fn pack2<F: BaseLanes>(values: &[Fp2<Scalar>]) -> Fp2<F> {
    let part = |f: fn(&Fp2<Scalar>) -> Scalar| pack(&values.iter().map(f).collect::<Vec<_>>());
    Fp2::new(part(|x| x.c0), part(|x| x.c1))
}

fn pack6<F: BaseLanes>(values: &[Fp6<Scalar>]) -> Fp6<F> {
    let part =
        |f: fn(&Fp6<Scalar>) -> Fp2<Scalar>| pack2(&values.iter().map(f).collect::<Vec<_>>());
    Fp6::new(part(|x| x.c0), part(|x| x.c1), part(|x| x.c2))
}

fn pack12<F: BaseLanes>(values: &[Fp12<Scalar>]) -> Fp12<F> {
    let part =
        |f: fn(&Fp12<Scalar>) -> Fp6<Scalar>| pack6(&values.iter().map(f).collect::<Vec<_>>());
    Fp12::new(part(|x| x.c0), part(|x| x.c1))
}

fn unpack2<F: BaseLanes>(x: &Fp2<F>) -> Vec<Fp2<Scalar>> {
    let parts = unpack(&x.c0).into_iter().zip(unpack(&x.c1));
    parts.map(|(c0, c1)| Fp2::new(c0, c1)).collect()
}

fn unpack6<F: BaseLanes>(x: &Fp6<F>) -> Vec<Fp6<Scalar>> {
    let [c0, c1, c2] = [&x.c0, &x.c1, &x.c2].map(unpack2);
    (0..F::LANES)
        .map(|i| Fp6::new(c0[i], c1[i], c2[i]))
        .collect()
}

fn unpack12<F: BaseLanes>(x: &Fp12<F>) -> Vec<Fp12<Scalar>> {
    let (c0, c1) = (unpack6(&x.c0), unpack6(&x.c1));
    c0.into_iter()
        .zip(c1)
        .map(|(c0, c1)| Fp12::new(c0, c1))
        .collect()
}

fn pack_points<F: BaseLanes>(points: &[G2Affine<Scalar>]) -> G2Affine<F> {
    let part =
        |f: fn(&G2Affine<Scalar>) -> Fp2<Scalar>| pack2(&points.iter().map(f).collect::<Vec<_>>());
    G2Affine {
        x: part(|q| q.x),
        y: part(|q| q.y),
    }
}

fn pack_ratios<F: BaseLanes>(ratios: &[Ratio<Scalar>]) -> Ratio<F> {
    let part = |f: fn(&Ratio<Scalar>) -> Scalar| pack(&ratios.iter().map(f).collect::<Vec<_>>());
    Ratio {
        x_over_y: part(|p| p.x_over_y),
        one_over_y: part(|p| p.one_over_y),
    }
}

/// A prepared point in every lane.
fn splat<F: BaseLanes>(q: &PreparedG2<Scalar>) -> PreparedG2<F> {
    let lines = q.lines.iter().map(|line| UnitLine {
        l1: pack2(&vec![line.l1; F::LANES]),
        l3: pack2(&vec![line.l3; F::LANES]),
    });
    PreparedG2 {
        lines: lines.collect(),
    }
}

/// Every operation of the tower.
pub(crate) fn tower_agrees<F: BaseLanes>() {
    let mut sequence = Sequence::new(31);
    for _ in 0..20 {
        let mut many = |_| random(&mut sequence, random12);
        let x: Vec<Fp12<Scalar>> = (0..F::LANES).map(&mut many).collect();
        let y: Vec<Fp12<Scalar>> = (0..F::LANES).map(&mut many).collect();
        let (a, b) = (pack12::<F>(&x), pack12::<F>(&y));
        let lanes = |f: &dyn Fn(usize) -> Fp12<Scalar>| (0..F::LANES).map(f).collect::<Vec<_>>();
        assert_eq!(unpack12(&a), x);
        assert_eq!(unpack12(&(a * b)), lanes(&|i| x[i] * y[i]));
        assert_eq!(unpack12(&a.square()), lanes(&|i| x[i].square()));
        // repeated with the results as operands: bounds do not grow
        let mut power = a;
        let mut expected = x.clone();
        for _ in 0..6 {
            power = (power * b).square();
            expected = (0..F::LANES)
                .map(|i| (expected[i] * y[i]).square())
                .collect();
        }
        assert_eq!(unpack12(&power), expected);
        let line = |f: &Fp12<Scalar>| (f.c0.c0, f.c1.c0, f.c1.c2);
        let found = a.mul_by_line(&b.c0.c0, &b.c1.c0, &b.c1.c2);
        let expected = lanes(&|i| {
            let (l0, l1, l3) = line(&y[i]);
            x[i].mul_by_line(&l0, &l1, &l3)
        });
        assert_eq!(unpack12(&found), expected);
        let found = a.mul_by_unit_line(&b.c1.c0, &b.c1.c2);
        let expected = lanes(&|i| x[i].mul_by_unit_line(&y[i].c1.c0, &y[i].c1.c2));
        assert_eq!(unpack12(&found), expected);
        assert_eq!(unpack12(&a.conjugate()), lanes(&|i| x[i].conjugate()));
        for power in 1..=3 {
            assert_eq!(
                unpack12(&a.frobenius(power)),
                lanes(&|i| x[i].frobenius(power))
            );
        }
        let cyclotomic: Vec<_> = x
            .iter()
            .map(|x| x.conjugate() * x.inverse().expect("random, not 0"))
            .map(|x| x.frobenius(2) * x)
            .collect();
        let found = pack12::<F>(&cyclotomic).cyclotomic_square();
        assert_eq!(unpack12(&found), lanes(&|i| cyclotomic[i].square()));
        let found = a.c0 * b.c1;
        let expected: Vec<_> = (0..F::LANES).map(|i| x[i].c0 * y[i].c1).collect();
        assert_eq!(unpack6(&found), expected);
    }
}

/// Points of every kind: of order r, of small orders, and sums of both.
pub(super) fn mixed_points(sequence: &mut Sequence, count: usize) -> Vec<ark_bn254::G2Affine> {
    use ark_ec::CurveGroup;
    (0..count)
        .map(|i| {
            let (_, inside) = points(sequence);
            let all = SMALL_ORDERS;
            match i % 8 {
                1 => twist_point(sequence),
                2 => small_order_point(sequence, &all[..1]),
                3 => (inside + small_order_point(sequence, &all[..1])).into_affine(),
                5 => small_order_point(sequence, &all[1..2]),
                6 => (inside + small_order_point(sequence, &all[2..])).into_affine(),
                _ => inside,
            }
        })
        .collect()
}

/// The check of the equation and of the subgroup, for mixtures in every rotation.
pub(crate) fn membership_agrees<F: BaseLanes>() {
    let mut sequence = Sequence::new(32);
    let mixed = mixed_points(&mut sequence, 16);
    for start in 0..8 {
        let q: Vec<_> = (0..F::LANES)
            .map(|i| g2::<Portable>(&mixed[(start + i) % 16]))
            .collect();
        let expected = lanes_where(F::LANES, |i| subgroup_lanes(&q[i]) == 1);
        assert_eq!(subgroup_lanes(&pack_points::<F>(&q)), expected);
        let inside = lanes_where(F::LANES, |i| {
            mixed[(start + i) % 16].is_in_correct_subgroup_assuming_on_curve()
        });
        assert_eq!(expected, inside);
        let mut off_curve = q.clone();
        off_curve[start % F::LANES].y.c1 += Scalar::ONE;
        let packed = pack_points::<F>(&off_curve);
        let off: LaneSet = 1 << (start % F::LANES);
        assert_eq!(packed.on_curve_lanes(), F::ALL & !off);
    }
    assert_eq!(
        pack_points::<F>(&[G2Affine::INFINITY]).infinity_lanes(),
        F::ALL
    );
}

/// A Miller loop over different pairs in the lanes, and prepared pairs, equals the loops
/// of scalars.
pub(crate) fn miller_loops_agree<F: BaseLanes>() {
    let mut sequence = Sequence::new(33);
    let mut prepare = || {
        let (_, q) = points(&mut sequence);
        PreparedG2::new(&g2::<Portable>(&q)).expect("order r")
    };
    let fixed = [prepare(), prepare()];
    let splats = [splat::<F>(&fixed[0]), splat::<F>(&fixed[1])];
    for _ in 0..2 {
        let mixed = mixed_points(&mut sequence, F::LANES);
        let q: Vec<_> = mixed.iter().map(g2::<Portable>).collect();
        let mut ratios = || -> Vec<Ratio<Scalar>> {
            (0..F::LANES)
                .map(|_| ratio(&g1::<Portable>(&points(&mut sequence).0)))
                .collect()
        };
        let p = [ratios(), ratios(), ratios()];
        let pairs = [0, 1].map(|k| {
            Some(PreparedPair {
                p: pack_ratios::<F>(&p[k + 1]),
                q: &splats[k],
            })
        });
        let (found, set) = miller_loop(&pack_points::<F>(&q), &pack_ratios(&p[0]), &pairs);
        let (alone, set_alone) = miller_loop(&pack_points::<F>(&q), &pack_ratios(&p[0]), &[None]);
        assert_eq!(set, set_alone);
        let (found, alone) = (unpack12(&found), unpack12(&alone));
        for lane in 0..F::LANES {
            let pair = |k: usize| {
                Some(PreparedPair {
                    p: p[k + 1][lane],
                    q: &fixed[k],
                })
            };
            let (expected, member) = miller_loop(&q[lane], &p[0][lane], &[pair(0), pair(1)]);
            assert_eq!(found[lane], expected, "lane {lane}");
            assert_eq!(set >> lane & 1, member);
            let (expected, _) = miller_loop(&q[lane], &p[0][lane], &[]);
            assert_eq!(alone[lane], expected, "lane {lane}");
        }
    }
}

/// Steps on the twist: the coordinates and the line, and unpacked lanes of Fp2.
pub(crate) fn steps_agree<F: BaseLanes>() {
    let mut sequence = Sequence::new(34);
    let q: Vec<_> = (0..F::LANES)
        .map(|_| g2::<Portable>(&points(&mut sequence).1))
        .collect();
    let packed = pack_points::<F>(&q);
    let mut scalars: Vec<_> = q.iter().map(TwistProjective::from).collect();
    let mut lanes = TwistProjective::from(&packed);
    for round in 0..12 {
        let add = round % 3 == 2;
        let found = if add {
            lanes.add_step(&packed)
        } else {
            lanes.double_step()
        };
        let expected: Vec<_> = scalars
            .iter_mut()
            .zip(&q)
            .map(|(t, q)| if add { t.add_step(q) } else { t.double_step() })
            .collect();
        let part = |f: fn(&Line<Scalar>) -> Fp2<Scalar>| expected.iter().map(f).collect::<Vec<_>>();
        assert_eq!(unpack2(&found.l0), part(|line| line.l0));
        assert_eq!(unpack2(&found.l1), part(|line| line.l1));
        assert_eq!(unpack2(&found.l3), part(|line| line.l3));
        let part = |f: fn(&TwistProjective<Scalar>) -> Fp2<Scalar>| {
            scalars.iter().map(f).collect::<Vec<_>>()
        };
        assert_eq!(unpack2(&lanes.x), part(|t| t.x));
        assert_eq!(unpack2(&lanes.y), part(|t| t.y));
        assert_eq!(unpack2(&lanes.z), part(|t| t.z));
    }
}
