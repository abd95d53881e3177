//! The verdict by arkworks and big integers, written without the crate under test.

use ark_bn254::{Bn254, Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::pairing::{Pairing, PairingOutput};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField};
use num_bigint::BigUint;
use proofgate_core::groth16::Verdict;

use super::word;

/// A key in arkworks' types.
pub struct Key {
    /// α.
    pub alpha: G1Affine,
    /// β.
    pub beta: G2Affine,
    /// γ.
    pub gamma: G2Affine,
    /// δ.
    pub delta: G2Affine,
    /// IC₀ and the others.
    pub ic: Vec<G1Affine>,
}

/// 32 bytes of a coordinate.
pub fn fq_bytes(a: &Fq) -> [u8; 32] {
    a.into_bigint().to_bytes_be().try_into().expect("32 bytes")
}

/// 32 bytes of a scalar.
pub fn fr_bytes(a: &Fr) -> [u8; 32] {
    a.into_bigint().to_bytes_be().try_into().expect("32 bytes")
}

/// 64 bytes, infinity as zeros.
pub fn g1_bytes(point: &G1Affine) -> Vec<u8> {
    let (x, y) = point.xy().unwrap_or((Fq::ZERO, Fq::ZERO));
    [fq_bytes(&x), fq_bytes(&y)].concat()
}

/// 128 bytes, infinity as zeros.
pub fn g2_bytes(point: &G2Affine) -> Vec<u8> {
    let (x, y) = point.xy().unwrap_or((Fq2::ZERO, Fq2::ZERO));
    [&x.c1, &x.c0, &y.c1, &y.c0].map(fq_bytes).concat()
}

impl Key {
    /// The key's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = g1_bytes(&self.alpha);
        for point in [&self.beta, &self.gamma, &self.delta] {
            bytes.extend(g2_bytes(point));
        }
        for point in &self.ic {
            bytes.extend(g1_bytes(point));
        }
        bytes
    }
}

/// p.
pub fn p() -> BigUint {
    BigUint::from_bytes_be(&Fq::MODULUS.to_bytes_be())
}

/// r.
pub fn r() -> BigUint {
    BigUint::from_bytes_be(&Fr::MODULUS.to_bytes_be())
}

fn fq(number: &BigUint) -> Option<Fq> {
    (*number < p()).then(|| Fq::from_be_bytes_mod_order(&word(number)))
}

fn g1(x: Fq, y: Fq) -> G1Affine {
    if x == Fq::ZERO && y == Fq::ZERO {
        G1Affine::identity()
    } else {
        G1Affine::new_unchecked(x, y)
    }
}

fn g2(x: Fq2, y: Fq2) -> G2Affine {
    if x == Fq2::ZERO && y == Fq2::ZERO {
        G2Affine::identity()
    } else {
        G2Affine::new_unchecked(x, y)
    }
}

/// v^((p+1)/4) when it squares back to v.
fn root(v: Fq) -> Option<Fq> {
    let exponent = ((p() + 1u32) / 4u32).to_u64_digits();
    let root = v.pow(exponent);
    (root.square() == v).then_some(root)
}

fn decompress_g1(a: &BigUint) -> Option<G1Affine> {
    if *a == BigUint::ZERO {
        return Some(G1Affine::identity());
    }
    let x = fq(&(a >> 1))?;
    let y = root(x * x * x + Fq::from(3u64))?;
    Some(g1(x, if a.bit(0) { -y } else { y }))
}

/// The two candidate square roots of x³ + 3/ξ by hint, from the formulas of the specification.
fn decompress_g2(b_c1: &BigUint, b_c0: &BigUint) -> Option<G2Affine> {
    if *b_c1 == BigUint::ZERO && *b_c0 == BigUint::ZERO {
        return Some(G2Affine::identity());
    }
    let x = Fq2::new(fq(&(b_c0 >> 2))?, fq(b_c1)?);
    let square = x * x * x + Fq2::from(3u64) / Fq2::new(Fq::from(9u64), Fq::from(1u64));
    let norm = root(square.c0 * square.c0 + square.c1 * square.c1)?;
    let norm = if b_c0.bit(1) { -norm } else { norm };
    let c0 = root((square.c0 + norm) / Fq::from(2u64))?;
    let c1 = square.c1 * c0.double().inverse()?;
    let y = Fq2::new(c0, c1);
    (y * y == square).then(|| g2(x, if b_c0.bit(0) { -y } else { y }))
}

/// The compressed form of a proof whose points are on their curves, filled up with zeros.
pub fn compress(a: &G1Affine, b: &G2Affine, c: &G1Affine) -> [u8; 256] {
    let number = |x: &Fq| BigUint::from_bytes_be(&fq_bytes(x));
    // A root that decompression takes is a square itself, since p is 3 modulo 4.
    let flag = |y: &Fq| u32::from(!y.legendre().is_qr());
    let one = |point: &G1Affine| match point.xy() {
        None => BigUint::ZERO,
        Some((x, y)) => (number(&x) << 1u32) + flag(&y),
    };
    let (b_c1, b_c0) = match b.xy() {
        None => (BigUint::ZERO, BigUint::ZERO),
        Some((x, y)) => {
            let hint = flag(&(y.c0.square() + y.c1.square()));
            let flags = 2 * hint + flag(&y.c0);
            (number(&x.c1), (number(&x.c0) << 2u32) + flags)
        }
    };
    let mut bytes = [one(a), b_c1, b_c0, one(c)].map(|n| word(&n)).concat();
    bytes.resize(256, 0);
    bytes.try_into().expect("256 bytes")
}

/// Whether r times the point is infinity: the definition, not a shortcut.
pub fn has_order_r(point: &G2Affine) -> bool {
    point.mul_bigint(Fr::MODULUS).into_affine().is_zero()
}

fn on_twist(point: &G2Affine) -> bool {
    point.is_zero() || point.is_on_curve()
}

/// The verdict for a proof and its inputs under a key.
pub fn verdict(key: &Key, proof: &[u8; 256], inputs: &[u8]) -> Verdict {
    let w: Vec<BigUint> = proof.chunks(32).map(BigUint::from_bytes_be).collect();
    let (a, b, c) = if w[4..].iter().all(|word| *word == BigUint::ZERO) {
        match (
            decompress_g1(&w[0]),
            decompress_g2(&w[1], &w[2]),
            decompress_g1(&w[3]),
        ) {
            (Some(a), Some(b), Some(c)) => (a, b, c),
            _ => return Verdict::Decompression,
        }
    } else {
        let Some(x) = w.iter().map(fq).collect::<Option<Vec<Fq>>>() else {
            return Verdict::CoordinateRange;
        };
        let b = g2(Fq2::new(x[3], x[2]), Fq2::new(x[5], x[4]));
        (g1(x[0], x[1]), b, g1(x[6], x[7]))
    };
    if !a.is_on_curve() || !on_twist(&b) || !c.is_on_curve() {
        return Verdict::PointNotOnCurve;
    }
    if !has_order_r(&b) {
        return Verdict::PointNotInSubgroup;
    }
    let numbers: Vec<BigUint> = inputs.chunks(32).map(BigUint::from_bytes_be).collect();
    if numbers.iter().any(|number| *number >= r()) {
        return Verdict::InputRange;
    }
    let mut sum = key.ic[0].into_group();
    for (point, number) in key.ic[1..].iter().zip(&numbers) {
        sum += point.mul_bigint(number.to_u64_digits());
    }
    let product: PairingOutput<Bn254> = Bn254::multi_pairing(
        [a, -key.alpha, (-sum).into_affine(), -c],
        [b, key.beta, key.gamma, key.delta],
    );
    if product == PairingOutput::ZERO {
        Verdict::Valid
    } else {
        Verdict::False
    }
}
