//! The three prime moduli and the Montgomery constants that follow from each at compile time.

use super::limbs::{self, Limbs};

/// A prime modulus below 2^254, with R = 2^256 as the Montgomery radix of every back-end.
///
/// Only `P` and `NONRESIDUE` are given; the rest is computed from them.
pub trait Modulus: Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// The prime, least significant word first.
    const P: Limbs;
    /// A small quadratic non-residue (Euler's criterion; test: `nonresidues_have_no_root`).
    const NONRESIDUE: u64;
    /// −P⁻¹ mod 2^64.
    const INV: u64 = limbs::negated_inverse(Self::P[0]);
    /// R mod P: the number one in Montgomery form.
    const R: Limbs = limbs::power_of_two(256, &Self::P);
    /// R² mod P: brings a number into Montgomery form.
    const R2: Limbs = limbs::power_of_two(512, &Self::P);
    /// R³ mod P: repairs the form after an inversion of the stored limbs.
    const R3: Limbs = limbs::power_of_two(768, &Self::P);
    /// P − 2, the exponent of Fermat's inversion.
    const P_MINUS_2: Limbs = limbs::minus_small(&Self::P, 2);
    /// s in P − 1 = 2^s · q with q odd.
    const TWO_ADICITY: u32 = limbs::trailing_zeros(&limbs::minus_small(&Self::P, 1));
    /// (q − 1) / 2.
    const ODD_PART_MINUS_1_HALVED: Limbs = limbs::shift_right(&Self::P, Self::TWO_ADICITY + 1);
    /// `NONRESIDUE`^q in Montgomery form: a generator of the 2^s-th roots of unity.
    const ROOT_OF_UNITY: Limbs = limbs::montgomery_pow(
        &limbs::montgomery_mul(&[Self::NONRESIDUE, 0, 0, 0], &Self::R2, &Self::P, Self::INV),
        &limbs::shift_right(&Self::P, Self::TWO_ADICITY),
        &Self::R,
        &Self::P,
        Self::INV,
    );
}

/// p, the base field of BN254 (EIP-196).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bn254Base;

impl Modulus for Bn254Base {
    // 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47
    const P: Limbs = [
        0x3c208c16d87cfd47,
        0x97816a916871ca8d,
        0xb85045b68181585d,
        0x30644e72e131a029,
    ];
    const NONRESIDUE: u64 = 3;
}

/// r, the order of the groups of BN254 (EIP-196).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bn254Scalar;

impl Modulus for Bn254Scalar {
    // 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001
    const P: Limbs = [
        0x43e1f593f0000001,
        0x2833e84879b97091,
        0xb85045b68181585d,
        0x30644e72e131a029,
    ];
    const NONRESIDUE: u64 = 5;
}

/// L, the order of the prime subgroup of BabyJubJub (EIP-2494).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BabyJubSubgroup;

impl Modulus for BabyJubSubgroup {
    // 2736030358979909402780800718157159386076813972158567259200215660948447373041
    const P: Limbs = [
        0x677297dc392126f1,
        0xab3eedb83920ee0a,
        0x370a08b6d0302b0b,
        0x060c89ce5c263405,
    ];
    const NONRESIDUE: u64 = 19;
}
