//! Field laws, and every back-end against arkworks on random and edge values.

use core::marker::PhantomData;

use ark_ff::{BigInteger, PrimeField};

use super::dispatch::checks::own_scalars;
use super::dispatch::{on_backend, BackendWork};
use super::limbs29;
use super::*;

/// xorshift64*: repeatable values, no claim of quality.
pub(crate) struct Sequence(u64);

impl Sequence {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            chunk.copy_from_slice(&self.word().to_le_bytes());
        }
        bytes
    }
}

fn samples<M: Modulus, B: Backend>() -> Vec<Field<M, B>> {
    let mut values = vec![
        Field::ZERO,
        Field::ONE,
        -Field::ONE,
        Field::from_u64(u64::MAX),
        Field::from_u64(2).inverse().expect("2 is not 0"),
        Field::from_montgomery_unchecked(limbs::minus_small(&M::P, 1)),
        Field::from_montgomery_unchecked([1, 0, 0, 0]),
        Field::from_montgomery_unchecked([u64::MAX, u64::MAX, u64::MAX, M::P[3] - 1]),
        Field::from_montgomery_unchecked([0, 0, 0, M::P[3]]),
    ];
    let mut sequence = Sequence::new(0x1234_5678_9abc_def1);
    for _ in 0..200 {
        values.push(Field::from_be_bytes_mod_order(&sequence.bytes()));
    }
    values
}

fn to_ark<M: Modulus, B: Backend, F: PrimeField>(a: &Field<M, B>) -> F {
    F::from_be_bytes_mod_order(&a.to_be_bytes())
}

fn from_ark<M: Modulus, B: Backend, F: PrimeField>(a: &F) -> Field<M, B> {
    let bytes = a.into_bigint().to_bytes_be();
    Field::from_be_bytes(&bytes.try_into().expect("32 bytes")).expect("canonical")
}

fn agrees_with_ark<M: Modulus, B: Backend, F: PrimeField>() {
    let values = samples::<M, B>();
    for a in &values {
        let x: F = to_ark(a);
        assert_eq!(from_ark::<M, B, F>(&x), *a);
        assert_eq!(a.inverse(), x.inverse().map(|y| from_ark(&y)));
        assert_eq!(a.inverse().unwrap_or_default(), a.invert_ct());
        assert_eq!(a.sqrt().is_some(), x.sqrt().is_some());
        if let Some(root) = a.sqrt() {
            assert_eq!(root.square(), *a);
        }
        assert_eq!(-*a, from_ark(&-x));
        assert_eq!(a.double(), from_ark(&x.double()));
        assert_eq!(a.square(), from_ark(&x.square()));
        for b in values.iter().take(40) {
            let y: F = to_ark(b);
            assert_eq!(*a + *b, from_ark(&(x + y)));
            assert_eq!(*a - *b, from_ark(&(x - y)));
            assert_eq!(*a * *b, from_ark(&(x * y)));
        }
    }
}

fn complex_products_agree<M: Modulus, B: Backend>() {
    let values = samples::<M, B>();
    for pair in values.windows(4) {
        let [a0, a1, b0, b1] = [pair[0], pair[1], pair[2], pair[3]];
        let [real, imaginary] = B::mul_complex::<M>(
            [a0.montgomery(), a1.montgomery()],
            [b0.montgomery(), b1.montgomery()],
        );
        assert_eq!(Field::from_montgomery_unchecked(real), a0 * b0 - a1 * b1);
        assert_eq!(
            Field::from_montgomery_unchecked(imaginary),
            a0 * b1 + a1 * b0
        );
    }
}

fn nine_limbs_agree<M: Modulus>() {
    let values = samples::<M, Portable>();
    for pair in values.windows(4) {
        let [a0, a1, b0, b1] = [0, 1, 2, 3].map(|i| *pair[i].montgomery());
        assert_eq!(
            limbs29::montgomery_mul(&a0, &b0, &M::P, M::INV),
            limbs::montgomery_mul(&a0, &b0, &M::P, M::INV)
        );
        assert_eq!(
            limbs29::montgomery_mul_secret(&a0, &b0, &M::P, M::INV),
            limbs::montgomery_mul(&a0, &b0, &M::P, M::INV)
        );
        assert_eq!(
            limbs29::mul_complex([&a0, &a1], [&b0, &b1], &M::P, M::INV),
            Portable::mul_complex::<M>([&a0, &a1], [&b0, &b1])
        );
    }
}

struct Agrees<T>(PhantomData<T>);

impl<M: Modulus, F: PrimeField> BackendWork for Agrees<(M, F)> {
    type Output = ();
    fn run<B: Backend>(self) {
        agrees_with_ark::<M, B, F>();
        agrees_with_ark::<M, Secret<B>, F>();
        complex_products_agree::<M, B>();
        complex_products_agree::<M, Secret<B>>();
    }
}

fn both<M: Modulus, F: PrimeField>() {
    agrees_with_ark::<M, Portable, F>();
    agrees_with_ark::<M, Secret<Portable>, F>();
    complex_products_agree::<M, Portable>();
    complex_products_agree::<M, Secret<Portable>>();
    nine_limbs_agree::<M>();
    match own_scalars() {
        Some(backend) => on_backend(backend, Agrees(PhantomData::<(M, F)>)),
        None => println!("skipped: no scalar back-end but the portable one runs here"),
    }
}

#[test]
fn base_field_agrees_with_arkworks() {
    both::<Bn254Base, ark_bn254::Fq>();
}

#[test]
fn scalar_field_agrees_with_arkworks() {
    both::<Bn254Scalar, ark_bn254::Fr>();
}

#[test]
fn subgroup_field_agrees_with_arkworks() {
    both::<BabyJubSubgroup, ark_ed_on_bn254::Fr>();
}

fn nonresidue_has_no_root<M: Modulus>() {
    assert_eq!(Field::<M, Portable>::from_u64(M::NONRESIDUE).sqrt(), None);
}

#[test]
fn nonresidues_have_no_root() {
    nonresidue_has_no_root::<Bn254Base>();
    nonresidue_has_no_root::<Bn254Scalar>();
    nonresidue_has_no_root::<BabyJubSubgroup>();
}

#[test]
fn the_modulus_and_more_are_refused_as_bytes() {
    let mut largest = (-Fp::<Portable>::ONE).to_be_bytes();
    assert_eq!(Fp::<Portable>::from_be_bytes(&largest), Some(-Fp::ONE));
    largest[31] += 1;
    assert_eq!(Fp::<Portable>::from_be_bytes(&largest), None);
    assert_eq!(Fp::<Portable>::from_be_bytes(&[0xff; 32]), None);
    assert_eq!(Fp::<Portable>::from_le_bytes(&[0xff; 32]), None);
    assert!(Fp::<Portable>::from_be_bytes_mod_order(&largest).is_zero());
}

#[test]
fn long_byte_strings_are_reduced_like_arkworks() {
    let mut sequence = Sequence::new(7);
    for length in 0..=64 {
        let long = [sequence.bytes(), sequence.bytes()].concat();
        let bytes = &long[..length];
        let big = ark_bn254::Fr::from_be_bytes_mod_order(bytes);
        let little = ark_bn254::Fr::from_le_bytes_mod_order(bytes);
        assert_eq!(
            Fr::<Portable>::from_be_bytes_mod_order(bytes),
            from_ark(&big)
        );
        assert_eq!(
            Fr::<Portable>::from_le_bytes_mod_order(bytes),
            from_ark(&little)
        );
    }
}

#[test]
fn xi_is_nine_plus_u() {
    let values = samples::<Bn254Base, Portable>();
    let nine = Fp::<Portable>::from_u64(9);
    for a in &values {
        for b in &values {
            let [real, imaginary] = Fp::mul_by_xi([a, b]);
            assert_eq!(real, nine * *a - *b);
            assert_eq!(imaginary, nine * *b + *a);
        }
    }
}

#[test]
fn powers_match_repeated_multiplication() {
    let base = Fr::<Portable>::from_u64(3);
    let mut product = Fr::ONE;
    for exponent in 0..40u64 {
        assert_eq!(base.pow(&[exponent, 0, 0, 0]), product);
        product *= base;
    }
}

#[test]
fn an_unknown_back_end_is_refused() {
    assert_eq!(select_arithmetic("quantum"), Err(UnknownArithmetic));
}
