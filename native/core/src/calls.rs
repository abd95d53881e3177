//! The functions that the addon and the WASM module export, over bytes and handles, so that both
//! stay free of logic. Every refusal is one type whose text is `code: detail`.

use core::fmt;
use std::sync::Arc;

use zeroize::Zeroize;

use crate::eddsa::{self, SigningKey};
pub use crate::field::Arithmetic;
use crate::field::{self, UnknownArithmetic};
use crate::groth16::{KeyError, PreparedKey};
use crate::hash_error::HashError;
use crate::{byte_hash, curve, groth16, keys, signing_keys};

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Stable code, for programs.
    pub code: &'static str,
    /// Expectation and finding, for people; never the bytes themselves.
    pub detail: String,
}

impl Refusal {
    fn new(code: &'static str, detail: impl fmt::Display) -> Self {
        Refusal {
            code,
            detail: detail.to_string(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Refusal {}

impl From<HashError> for Refusal {
    fn from(error: HashError) -> Self {
        Refusal::new(error.code(), error)
    }
}

/// Returns the name of the arithmetic in use, see [`Arithmetic::name`].
pub fn arithmetic() -> &'static str {
    field::arithmetic().name()
}

/// Forces one arithmetic for all calls that follow.
///
/// # Errors
/// `arithmetic.unknown` for a name that does not exist, `arithmetic.unsupported` for an arithmetic that
/// this processor cannot run.
pub fn select_arithmetic(name: &str) -> Result<(), Refusal> {
    let is_known = Arithmetic::ALL.iter().any(|known| known.name() == name);
    match field::select_arithmetic(name) {
        Ok(_) => Ok(()),
        Err(UnknownArithmetic) if is_known => Err(Refusal::new(
            "arithmetic.unsupported",
            format_args!("this build and processor do not run {name}"),
        )),
        Err(UnknownArithmetic) => Err(Refusal::new(
            "arithmetic.unknown",
            format_args!(
                "expected one of {}",
                Arithmetic::ALL.map(Arithmetic::name).join(", ")
            ),
        )),
    }
}

/// Checks and prepares a verifying key and returns its handle.
///
/// # Errors
/// `key.*`; the detail is the name of the point, such as `ic[2]`, or describes the fault if it is not
/// that of a single point.
pub fn prepare_key(key: &[u8]) -> Result<u32, Refusal> {
    keys::register(key).map_err(refused_key)
}

/// Finds relations between the points of a verifying key, which [`prepare_key`] does not look for: one sentence in each
/// line for each fault of the IC points, see [`groth16::key_faults`].
///
/// # Errors
/// `key.*`, as [`prepare_key`].
pub fn key_faults(key: &[u8]) -> Result<String, Refusal> {
    Ok(groth16::key_faults(key).map_err(refused_key)?.join("\n"))
}

fn refused_key(error: KeyError) -> Refusal {
    match error.point() {
        Some(point) => Refusal::new(error.code(), point),
        None => Refusal::new(error.code(), error),
    }
}

/// Releases a verifying key; an unknown handle is ignored.
pub fn release_key(handle: u32) {
    keys::release(handle);
}

/// Checks proofs under one key: count × (256 + 32·n) bytes in, one [`Verdict`](groth16::Verdict) byte
/// each out.
///
/// `seed` is 32 fresh bytes of a cryptographic generator, drawn after the batch is fixed, for the
/// random linear combination.
///
/// # Errors
/// `key.unknown`, `batch.length`, `batch.seed` for a seed of another length or all zero.
pub fn verify_batch(handle: u32, batch: &[u8], seed: &[u8]) -> Result<Vec<u8>, Refusal> {
    let key = key(handle)?;
    groth16::verify_batch(&key, batch, seed).map_err(|error| Refusal::new(error.code(), error))
}

/// Checks proofs as [`verify_batch`] does, but without a combination: cheaper if many members are
/// expected to be false.
///
/// # Errors
/// `key.unknown`, `batch.length`.
pub fn verify_each(handle: u32, batch: &[u8]) -> Result<Vec<u8>, Refusal> {
    let key = key(handle)?;
    groth16::verify_each(&key, batch).map_err(|error| Refusal::new(error.code(), error))
}

fn key(handle: u32) -> Result<Arc<PreparedKey>, Refusal> {
    keys::get(handle).ok_or_else(|| {
        Refusal::new(
            "key.unknown",
            format_args!("no verifying key has handle {handle}"),
        )
    })
}

/// Multiplies the generator of G1 by k public scalars of 32 bytes: k × 64 bytes, x then y, zeros for
/// infinity.
///
/// # Errors
/// `input.count`, `input.range`.
pub fn g1_multiples(scalars: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(curve::g1_multiples(scalars)?)
}

/// Multiplies the generator of G2 by k public scalars of 32 bytes: k × 128 bytes, x.c1, x.c0, y.c1,
/// y.c0, zeros for infinity.
///
/// # Errors
/// `input.count`, `input.range`.
pub fn g2_multiples(scalars: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(curve::g2_multiples(scalars)?)
}

/// Hashes 1 to 16 field elements, 32 bytes each, with circomlib's Poseidon.
///
/// # Errors
/// `input.count`, `input.range`.
pub fn poseidon(inputs: &[u8]) -> Result<[u8; 32], Refusal> {
    Ok(crate::poseidon::poseidon(inputs)?)
}

/// Hashes k times `arity` field elements with circomlib's Poseidon: k × 32 bytes.
///
/// # Errors
/// `input.count`, `input.range`.
pub fn poseidon_many(arity: u32, inputs: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(crate::poseidon::poseidon_many(arity as usize, inputs)?)
}

/// Permutes k states of `width` field elements each with Poseidon2.
///
/// # Errors
/// `hash.width`, `input.count`, `input.range`.
pub fn poseidon2(width: u32, states: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(crate::poseidon2::poseidon2(width as usize, states)?)
}

/// Hashes bytes under a tag to a field element of 32 bytes.
///
/// # Errors
/// `hash.empty`, `hash.too_long`.
pub fn hash_bytes(tag: &str, data: &[u8]) -> Result<[u8; 32], Refusal> {
    Ok(byte_hash::hash_bytes(tag, data)?)
}

/// Derives a signing key from a seed of 32 bytes, wipes the seed and returns the key's handle.
///
/// # Errors
/// `signing_key.length`; the seed is wiped then too.
pub fn create_signing_key(seed: &mut [u8]) -> Result<u32, Refusal> {
    match seed.try_into() {
        Ok(seed) => Ok(signing_keys::register(SigningKey::from_seed(seed))),
        Err(_) => {
            seed.zeroize();
            let detail = format_args!("expected a seed of 32 bytes, got {}", seed.len());
            Err(Refusal::new("signing_key.length", detail))
        }
    }
}

/// Returns the public key of a signing key: x and y big-endian, then the compressed point; 96 bytes.
///
/// # Errors
/// `signing_key.unknown`.
pub fn public_key(handle: u32) -> Result<[u8; 96], Refusal> {
    let key = signing_key(handle)?;
    let parts = key.public_key();
    let mut bytes = [0; 96];
    for (chunk, part) in bytes
        .chunks_exact_mut(32)
        .zip([&parts.x, &parts.y, &parts.compressed])
    {
        chunk.copy_from_slice(part);
    }
    Ok(bytes)
}

/// Releases a signing key, which is wiped; an unknown handle is ignored.
pub fn release_signing_key(handle: u32) {
    signing_keys::release(handle);
}

/// Signs k messages of 32 bytes each and returns k × 64 bytes.
///
/// # Errors
/// `signing_key.unknown`, `input.count` for a length that is not a multiple of 32, `input.range`
/// for a message that is not below the modulus.
pub fn sign(handle: u32, messages: &[u8]) -> Result<Vec<u8>, Refusal> {
    let key = signing_key(handle)?;
    if !messages.len().is_multiple_of(32) {
        return Err(HashError::InputCount {
            expected: "whole messages of 32 bytes",
            found_bytes: messages.len(),
        }
        .into());
    }
    Ok(key.sign_many(messages)?)
}

/// Whether a signature holds for a message under a compressed public key; bytes of a wrong length
/// or form do not.
pub fn verify_signature(public_key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    match (public_key.try_into(), message.try_into()) {
        (Ok(public_key), Ok(message)) => eddsa::verify(public_key, message, signature),
        _ => false,
    }
}

fn signing_key(handle: u32) -> Result<std::sync::Arc<SigningKey>, Refusal> {
    signing_keys::get(handle).ok_or_else(|| {
        Refusal::new(
            "signing_key.unknown",
            format_args!("no signing key has handle {handle}"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eddsa::SIGNATURE_BYTES;

    fn code<T: fmt::Debug>(answer: Result<T, Refusal>) -> &'static str {
        answer.expect_err("the call is refused").code
    }

    #[test]
    fn a_refusal_reads_as_code_and_detail() {
        let refused = poseidon(&[0; 5]).expect_err("five bytes are no element");
        assert_eq!(
            refused.to_string(),
            "input.count: expected 1 to 16 elements of 32 bytes, got 5 bytes"
        );
    }

    #[test]
    fn arithmetic_is_selected_by_name() {
        assert_eq!(code(select_arithmetic("quantum")), "arithmetic.unknown");
        assert_eq!(
            code(select_arithmetic("wasm-simd")),
            "arithmetic.unsupported"
        );
        match select_arithmetic("adx") {
            Ok(()) => assert_eq!(arithmetic(), "adx"),
            Err(refused) => assert_eq!(refused.code, "arithmetic.unsupported"),
        }
    }

    #[test]
    fn signing_keys_are_used_by_handle_until_released() {
        let mut seed = [9; 32];
        let handle = create_signing_key(&mut seed).expect("32 bytes");
        assert_eq!(seed, [0; 32]);
        let public = public_key(handle).expect("registered");
        let messages = [[1; 32], [2; 32]].concat();
        let signatures = sign(handle, &messages).expect("two messages");
        assert_eq!(signatures.len(), 2 * SIGNATURE_BYTES);
        for i in 0..2 {
            let (message, signature) = (&messages[i * 32..][..32], &signatures[i * 64..][..64]);
            assert!(verify_signature(&public[64..], message, signature));
            assert!(!verify_signature(
                &public[64..],
                message,
                &signatures[(1 - i) * 64..][..64]
            ));
        }
        assert_eq!(sign(handle, &[]), Ok(Vec::new()));
        assert_eq!(code(sign(handle, &messages[1..])), "input.count");
        assert_eq!(code(sign(handle, &[0xff; 64])), "input.range");
        release_signing_key(handle);
        assert_eq!(code(sign(handle, &messages)), "signing_key.unknown");
        assert_eq!(code(public_key(handle)), "signing_key.unknown");
    }

    #[test]
    fn a_seed_of_a_wrong_length_is_refused_and_wiped() {
        let mut seed = [9; 33];
        assert_eq!(code(create_signing_key(&mut seed)), "signing_key.length");
        assert_eq!(seed, [0; 33]);
    }

    #[test]
    fn verifying_keys_are_named_by_handle_and_faulty_point() {
        assert_eq!(code(verify_batch(u32::MAX, &[], &[1; 32])), "key.unknown");
        assert_eq!(code(prepare_key(&[0; 447])), "key.length");
        let refused = prepare_key(&[0xff; 512]).expect_err("no coordinate is below p");
        assert_eq!(refused.to_string(), "key.coordinate_range: alpha");
        release_key(u32::MAX);
    }
}
