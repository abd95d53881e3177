//! The full check of one proof with what arkworks offers: decoding, range, curve and subgroup checks, then
//! `Groth16::verify_proof` under a prepared key.

use ark_bn254::{Bn254, Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ff::{AdditiveGroup, BigInt, PrimeField};
use ark_groth16::{prepare_verifying_key, Groth16, PreparedVerifyingKey, Proof, VerifyingKey};

const PROOF_BYTES: usize = 256;
const KEY_BYTES_BEFORE_IC: usize = 64 + 3 * 128;

/// A key with e(α,β) and the line coefficients of −γ and −δ.
pub struct Verifier {
    key: PreparedVerifyingKey<Bn254>,
}

/// A big-endian word of 32 bytes, or nothing when it is not below the modulus.
fn element<F: PrimeField<BigInt = BigInt<4>>>(bytes: &[u8]) -> Option<F> {
    let mut limbs = [0u64; 4];
    for (limb, word) in limbs.iter_mut().rev().zip(bytes.chunks_exact(8)) {
        *limb = u64::from_be_bytes(word.try_into().ok()?);
    }
    F::from_bigint(BigInt(limbs))
}

/// 64 bytes, x then y. The cofactor of G1 is 1: on the curve is in the group. (0, 0) is infinity.
fn g1(bytes: &[u8]) -> Option<G1Affine> {
    let (x, y): (Fq, Fq) = (element(&bytes[..32])?, element(&bytes[32..64])?);
    if x == Fq::ZERO && y == Fq::ZERO {
        return Some(G1Affine::identity());
    }
    let point = G1Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point)
}

/// 128 bytes, x then y, c1 before c0 in each; on the twist and of order r.
fn g2(bytes: &[u8]) -> Option<G2Affine> {
    let pair = |at: usize| {
        Some(Fq2::new(
            element(&bytes[at + 32..at + 64])?,
            element(&bytes[at..at + 32])?,
        ))
    };
    let (x, y) = (pair(0)?, pair(64)?);
    if x == Fq2::ZERO && y == Fq2::ZERO {
        return Some(G2Affine::identity());
    }
    let point = G2Affine::new_unchecked(x, y);
    (point.is_on_curve() && point.is_in_correct_subgroup_assuming_on_curve()).then_some(point)
}

impl Verifier {
    /// Takes α(64) ‖ β(128) ‖ γ(128) ‖ δ(128) ‖ IC₀..ICₙ (64 each); nothing for bytes that are no key.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < KEY_BYTES_BEFORE_IC + 64 || !bytes.len().is_multiple_of(64) {
            return None;
        }
        let key = VerifyingKey::<Bn254> {
            alpha_g1: g1(bytes)?,
            beta_g2: g2(&bytes[64..])?,
            gamma_g2: g2(&bytes[192..])?,
            delta_g2: g2(&bytes[320..])?,
            gamma_abc_g1: bytes[KEY_BYTES_BEFORE_IC..]
                .chunks_exact(64)
                .map(g1)
                .collect::<Option<_>>()?,
        };
        Some(Self {
            key: prepare_verifying_key(&key),
        })
    }

    /// Bytes of a proof with its inputs: A(64) ‖ B(128) ‖ C(64) ‖ 32 for each input.
    pub fn member_bytes(&self) -> usize {
        PROOF_BYTES + 32 * (self.key.vk.gamma_abc_g1.len() - 1)
    }

    /// Whether the proof holds; nothing when a coordinate, a point or an input is none.
    pub fn verify(&self, member: &[u8]) -> Option<bool> {
        let proof = Proof::<Bn254> {
            a: g1(member)?,
            b: g2(&member[64..])?,
            c: g1(&member[192..])?,
        };
        let inputs = member[PROOF_BYTES..]
            .chunks_exact(32)
            .map(element)
            .collect::<Option<Vec<Fr>>>()?;
        Groth16::<Bn254>::verify_proof(&self.key, &proof, &inputs).ok()
    }
}
