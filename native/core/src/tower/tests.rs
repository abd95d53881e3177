//! The tower against arkworks' and against its own definitions.

use ark_ff::{BigInteger, Field as ArkField, PrimeField};

use super::*;
use crate::field::dispatch::checks::on_own_scalars;
use crate::field::tests::Sequence;
use crate::field::{Backend, Fp, Portable};

type ArkFq = ark_bn254::Fq;

pub(crate) fn fp<B: Backend>(a: &ArkFq) -> Fp<B> {
    let bytes = a.into_bigint().to_bytes_be();
    Fp::from_be_bytes(&bytes.try_into().expect("32 bytes")).expect("canonical")
}

pub(crate) fn fp2<B: Backend>(a: &ark_bn254::Fq2) -> Fp2<Fp<B>> {
    Fp2::new(fp(&a.c0), fp(&a.c1))
}

fn fp6<B: Backend>(a: &ark_bn254::Fq6) -> Fp6<Fp<B>> {
    Fp6::new(fp2(&a.c0), fp2(&a.c1), fp2(&a.c2))
}

/// Converts an element of arkworks, whose tower is the same.
pub(crate) fn fp12<B: Backend>(a: &ark_bn254::Fq12) -> Fp12<Fp<B>> {
    Fp12::new(fp6(&a.c0), fp6(&a.c1))
}

fn random_fq2(sequence: &mut Sequence) -> ark_bn254::Fq2 {
    ark_bn254::Fq2::new(
        ArkFq::from_be_bytes_mod_order(&sequence.bytes()),
        ArkFq::from_be_bytes_mod_order(&sequence.bytes()),
    )
}

fn random_fq12(sequence: &mut Sequence) -> ark_bn254::Fq12 {
    let mut fq6 = || {
        ark_bn254::Fq6::new(
            random_fq2(sequence),
            random_fq2(sequence),
            random_fq2(sequence),
        )
    };
    let first = fq6();
    ark_bn254::Fq12::new(first, fq6())
}

fn agrees_with_ark<B: Backend>() {
    let mut sequence = Sequence::new(99);
    for round in 0..60 {
        let (x, y) = (random_fq2(&mut sequence), random_fq2(&mut sequence));
        let (a, b) = (fp2::<B>(&x), fp2::<B>(&y));
        assert_eq!(a * b, fp2(&(x * y)));
        assert_eq!(a.square(), fp2(&x.square()));
        assert_eq!(a.inverse(), x.inverse().map(|i| fp2(&i)));
        let xi = ark_bn254::Fq2::new(ArkFq::from(9u64), ArkFq::from(1u64));
        assert_eq!(a.mul_by_xi(), fp2(&(x * xi)));
        let (s, t) = (random_fq12(&mut sequence), random_fq12(&mut sequence));
        let (f, g) = (fp12::<B>(&s), fp12::<B>(&t));
        assert_eq!(f * g, fp12(&(s * t)));
        assert_eq!(f.square(), fp12(&s.square()));
        assert_eq!(f.inverse(), s.inverse().map(|i| fp12(&i)));
        for power in 1..=3 {
            assert_eq!(f.frobenius(power), fp12(&s.frobenius_map(power)));
        }
        let cyclotomic = f.conjugate() * f.inverse().expect("random, not 0");
        let cyclotomic = cyclotomic.frobenius(2) * cyclotomic;
        assert_eq!(cyclotomic.cyclotomic_square(), cyclotomic.square());
        let line = Fp12::new(
            Fp6::new(a, Fp2::ZERO, Fp2::ZERO),
            Fp6::new(b, a + b, Fp2::ZERO),
        );
        assert_eq!(f.mul_by_line(&a, &b, &(a + b)), f * line, "round {round}");
        let unit = Fp12::new(Fp6::ONE, Fp6::new(a, b, Fp2::ZERO));
        assert_eq!(f.mul_by_unit_line(&a, &b), f * unit, "round {round}");
    }
    assert_eq!(Fp2::<Fp<B>>::ZERO.inverse(), None);
}

#[test]
fn portable_tower_agrees_with_arkworks() {
    agrees_with_ark::<Portable>();
}

#[test]
fn adx_tower_agrees_with_arkworks() {
    on_own_scalars!(B => {
        agrees_with_ark::<B>();
    });
}

#[test]
fn frobenius_constants_are_powers_of_xi() {
    // ξ^((p^k − 1)/6) is what the p^k-th power does to w, and w⁶ = ξ
    let w = ark_bn254::Fq12::new(
        ark_bn254::Fq6::default(),
        ark_bn254::Fq6::new(
            ark_bn254::Fq2::from(1u64),
            Default::default(),
            Default::default(),
        ),
    );
    for power in 1..=3 {
        let step = w.frobenius_map(power) * w.inverse().expect("not 0");
        let mut expected = ark_bn254::Fq12::from(1u64);
        for i in 1..=5 {
            expected *= step;
            let found = Fp2::<Fp<Portable>>::frobenius(power, i);
            assert_eq!(found, fp2(&expected.c0.c0), "power {power}, i {i}");
        }
    }
}

#[test]
fn twist_constant_is_9_over_xi() {
    let xi = Fp2::<Fp<Portable>>::new(Fp::from_u64(9), Fp::ONE);
    let nine = Fp2::new(Fp::from_u64(9), Fp::ZERO);
    assert_eq!(Fp2::twist_3b() * xi, nine);
}

/// Elements of Fp6 whose parts, as stored, are 0 or P − 1 by the bits of `pattern`.
fn at_the_bounds<B: Backend>(pattern: usize) -> Fp6<Fp<B>> {
    let part = |i: usize| {
        if (pattern >> i) & 1 == 1 {
            -Fp::from_montgomery_unchecked([1, 0, 0, 0])
        } else {
            Fp::ZERO
        }
    };
    let pair = |i: usize| Fp2::new(part(2 * i), part(2 * i + 1));
    Fp6::new(pair(0), pair(1), pair(2))
}

/// The products that reduce late against their definitions in Fp2, which reduces at once.
fn late_reductions_hold_at_the_bounds<B: Backend>() {
    let mut sequence = Sequence::new(7);
    for pattern in 0..1 << 12 {
        let mut a = at_the_bounds::<B>(pattern & 63);
        let b = at_the_bounds::<B>(pattern >> 6);
        if pattern % 5 == 0 {
            a.c1 = fp2(&random_fq2(&mut sequence));
        }
        let xi = |a: Fp2<Fp<B>>| a.mul_by_xi();
        let product = Fp6::new(
            a.c0 * b.c0 + xi(a.c1 * b.c2 + a.c2 * b.c1),
            a.c0 * b.c1 + a.c1 * b.c0 + xi(a.c2 * b.c2),
            a.c0 * b.c2 + a.c1 * b.c1 + a.c2 * b.c0,
        );
        assert_eq!(a * b, product, "pattern {pattern}");
        let sparse = Fp6::new(
            a.c0 * b.c0 + xi(a.c2 * b.c1),
            a.c0 * b.c1 + a.c1 * b.c0,
            a.c1 * b.c1 + a.c2 * b.c0,
        );
        assert_eq!(a.mul_by_01(&b.c0, &b.c1), sparse, "pattern {pattern}");

        // the formula of Granger and Scott, which is defined outside of the subgroup too
        let fp4 = |x: Fp2<Fp<B>>, y: Fp2<Fp<B>>| (x * x + xi(y * y), (x * y).double());
        let (a0, a1) = fp4(a.c0, b.c1);
        let (b0, b1) = fp4(b.c0, a.c2);
        let (c0, c1) = fp4(a.c1, b.c2);
        let minus = |x: Fp2<Fp<B>>, old: Fp2<Fp<B>>| x.double() + x - old.double();
        let plus = |x: Fp2<Fp<B>>, old: Fp2<Fp<B>>| x.double() + x + old.double();
        let square = Fp12::new(
            Fp6::new(minus(a0, a.c0), minus(b0, a.c1), minus(c0, a.c2)),
            Fp6::new(plus(xi(c1), b.c0), plus(a1, b.c1), plus(b1, b.c2)),
        );
        assert_eq!(
            Fp12::new(a, b).cyclotomic_square(),
            square,
            "pattern {pattern}"
        );
    }
}

#[test]
fn portable_late_reductions_hold_at_the_bounds() {
    late_reductions_hold_at_the_bounds::<Portable>();
}

#[test]
fn adx_late_reductions_hold_at_the_bounds() {
    on_own_scalars!(B => {
        late_reductions_hold_at_the_bounds::<B>();
    });
}
