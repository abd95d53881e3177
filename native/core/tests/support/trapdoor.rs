//! Keys with known discrete logarithms, under which a valid proof exists for any inputs
//! (the construction of `trapdoor-4`).

use std::sync::LazyLock;

use ark_bn254::{Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::PrimeGroup;
use ark_ff::{Field, PrimeField};
use sha2::{Digest, Sha256};

use super::ark::{fr_bytes, g1_bytes, g2_bytes, Key};
use super::fixed_base::FixedBase;

static G1: LazyLock<FixedBase<G1Projective>> =
    LazyLock::new(|| FixedBase::new(G1Projective::generator()));
static G2: LazyLock<FixedBase<G2Projective>> =
    LazyLock::new(|| FixedBase::new(G2Projective::generator()));

/// scalar(name) of the construction.
pub fn scalar(name: &str) -> Fr {
    let digest = Sha256::digest(format!("proofgate-test-trapdoor-v1:{name}"));
    Fr::from_be_bytes_mod_order(&digest)
}

/// a·G1.
pub fn g1(a: Fr) -> G1Affine {
    G1.times(a)
}

/// a·G2.
pub fn g2(a: Fr) -> G2Affine {
    G2.times(a)
}

/// The scalars of a key.
pub struct Trapdoor {
    /// α.
    pub alpha: Fr,
    /// β.
    pub beta: Fr,
    /// γ.
    pub gamma: Fr,
    /// δ.
    pub delta: Fr,
    /// ic₀ and the others.
    pub ic: Vec<Fr>,
}

/// The points of a proof.
#[derive(Clone)]
pub struct Points {
    /// A.
    pub a: G1Affine,
    /// B.
    pub b: G2Affine,
    /// C.
    pub c: G1Affine,
}

impl Points {
    /// The uncompressed form.
    pub fn bytes(&self) -> [u8; 256] {
        [g1_bytes(&self.a), g2_bytes(&self.b), g1_bytes(&self.c)]
            .concat()
            .try_into()
            .expect("256 bytes")
    }
}

impl Trapdoor {
    /// The key with this many inputs; with four it is `trapdoor-4`.
    pub fn new(input_count: usize) -> Self {
        Self {
            alpha: scalar("alpha"),
            beta: scalar("beta"),
            gamma: scalar("gamma"),
            delta: scalar("delta"),
            ic: (0..=input_count)
                .map(|index| scalar(&format!("ic{index}")))
                .collect(),
        }
    }

    /// The key itself.
    pub fn key(&self) -> Key {
        Key {
            alpha: g1(self.alpha),
            beta: g2(self.beta),
            gamma: g2(self.gamma),
            delta: g2(self.delta),
            ic: self.ic.iter().map(|scalar| g1(*scalar)).collect(),
        }
    }

    /// l = ic₀ + Σ xⱼ·icⱼ₊₁.
    pub fn l(&self, inputs: &[Fr]) -> Fr {
        let products = self.ic[1..].iter().zip(inputs).map(|(ic, x)| *ic * x);
        self.ic[0] + products.sum::<Fr>()
    }

    /// c for given a and b; a·b = 0 means a point at infinity among A and B.
    pub fn c(&self, product: Fr, inputs: &[Fr]) -> Fr {
        let rest = product - self.alpha * self.beta - self.gamma * self.l(inputs);
        rest * self.delta.inverse().expect("not 0")
    }

    /// A valid proof.
    pub fn prove(&self, a: Fr, b: Fr, inputs: &[Fr]) -> Points {
        Points {
            a: g1(a),
            b: g2(b),
            c: g1(self.c(a * b, inputs)),
        }
    }
}

/// The words of inputs.
pub fn input_bytes(inputs: &[Fr]) -> Vec<u8> {
    inputs.iter().flat_map(fr_bytes).collect()
}
