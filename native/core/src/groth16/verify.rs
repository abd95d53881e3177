//! The verification itself, one proof at a time.

use crate::curve::{G1Affine, G1Jacobian};
use crate::encoding::{self, PROOF_BYTES, WORD_BYTES};
use crate::field::{Backend, Fp, Fr};
use crate::pairing::{
    final_exponentiation, miller_loop, prepared_miller_loop, subgroup_lanes, PreparedPair, Ratio,
};

use super::key::{MemberBytes, Prepared};
use super::proof::Proof;
use super::{BatchError, PreparedKey, Verdict};

/// Checks one proof.
///
/// `inputs` is n × 32 bytes. When several refusals apply, the verdict is the first of:
/// decompression, coordinate range, A, B, C on the curve, B in the subgroup, input range; the
/// equation is checked last. Points at infinity are points.
///
/// # Errors
/// `input.count` when `inputs` does not have n words.
pub fn verify(
    key: &PreparedKey,
    proof: &[u8; PROOF_BYTES],
    inputs: &[u8],
) -> Result<Verdict, BatchError> {
    let expected = key.input_count() * WORD_BYTES;
    if inputs.len() != expected {
        return Err(BatchError::InputCount {
            expected,
            found: inputs.len(),
        });
    }
    Ok(key.checks.check_one((proof, inputs)))
}

/// Checks one proof with as many inputs as the key has.
pub(super) fn check<B: Backend>(key: &Prepared<B>, (proof, inputs): MemberBytes) -> Verdict {
    let proof = match Proof::<B>::decode(proof) {
        Ok(proof) => proof,
        Err(refusal) => return refusal,
    };
    let in_range = encoding::words(inputs).all(|word| Fr::<B>::from_be_bytes(word).is_some());
    // If the Miller loop over B does not run, the membership is checked separately.
    let pairs_b = in_range && !proof.a.is_infinity() && !proof.b.is_infinity();
    if !pairs_b && !proof.b.is_infinity() && subgroup_lanes(&proof.b) == 0 {
        return Verdict::PointNotInSubgroup;
    }
    if !in_range {
        return Verdict::InputRange;
    }

    // e(A,B) · e(−L,γ) · e(−C,δ) = e(α,β); a pair with a point at infinity is 1 and left out
    let sum = key.inputs.sum(encoding::words(inputs));
    let [a, l, c] = ratios([
        pairs_b.then(|| Fraction::from_affine(&proof.a)),
        (!sum.is_infinity()).then(|| Fraction::from_jacobian(&sum).negate()),
        (!proof.c.is_infinity()).then(|| Fraction::from_affine(&proof.c).negate()),
    ]);
    if let Some((a, packed)) = a.zip(key.packed.as_ref()) {
        return packed.verdict(&proof.b, &a, [l, c]);
    }
    let prepared = [
        l.map(|p| PreparedPair { p, q: &key.gamma }),
        c.map(|p| PreparedPair { p, q: &key.delta }),
    ];
    let product = match a {
        Some(a) => {
            let (product, membership) = miller_loop(&proof.b, &a, &prepared);
            if membership == 0 {
                return Verdict::PointNotInSubgroup;
            }
            product
        }
        None => prepared_miller_loop(&prepared),
    };
    match final_exponentiation(&product) {
        Some(value) if value == key.alpha_beta => Verdict::Valid,
        _ => Verdict::False,
    }
}

/// A finite point as (x·scale, scale) over y·scale, so that one inversion serves several points.
struct Fraction<F> {
    x: F,
    one: F,
    y: F,
}

impl<B: Backend> Fraction<Fp<B>> {
    fn from_affine(point: &G1Affine<B>) -> Self {
        Self {
            x: point.x,
            one: Fp::ONE,
            y: point.y,
        }
    }

    /// x/y = X·Z/Y and 1/y = Z³/Y.
    fn from_jacobian(point: &G1Jacobian<B>) -> Self {
        Self {
            x: point.x * point.z,
            one: point.z.square() * point.z,
            y: point.y,
        }
    }

    fn negate(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

/// Divides all by one inversion. No y is 0, since no point of the curve has order 2.
fn ratios<B: Backend>(fractions: [Option<Fraction<Fp<B>>>; 3]) -> [Option<Ratio<Fp<B>>>; 3] {
    let mut product = Fp::ONE;
    let prefixes = fractions.each_ref().map(|fraction| {
        let prefix = product;
        if let Some(fraction) = fraction {
            product *= fraction.y;
        }
        prefix
    });
    let mut inverse = product.inverse().unwrap_or_default();
    let mut out = [None; 3];
    for i in (0..3).rev() {
        if let Some(fraction) = &fractions[i] {
            let one_over_y = inverse * prefixes[i];
            inverse *= fraction.y;
            out[i] = Some(Ratio {
                x_over_y: fraction.x * one_over_y,
                one_over_y: fraction.one * one_over_y,
            });
        }
    }
    out
}
