//! WebAssembly module over `proofgate-core`: the addon's functions, names and byte layouts.
//!
//! A refusal is thrown as an `Error` whose message is `code: detail`. A panic is a trap
//! (`panic = "abort"`), which the caller sees as a `WebAssembly.RuntimeError`; the instance is
//! not to be used after one.

use proofgate_core::calls::{self, Refusal};
use wasm_bindgen::prelude::*;

fn thrown(refusal: Refusal) -> JsError {
    JsError::new(&refusal.to_string())
}

/// Names the arithmetic of this build.
#[wasm_bindgen]
pub fn arithmetic() -> String {
    calls::arithmetic().to_owned()
}

/// Forces one field arithmetic; throws `arithmetic.unknown` or `arithmetic.unsupported`.
#[wasm_bindgen(js_name = selectArithmetic)]
pub fn select_arithmetic(name: &str) -> Result<(), JsError> {
    calls::select_arithmetic(name).map_err(thrown)
}

/// Checks and prepares a verifying key; the answer is its handle. Throws `key.*`, naming the point.
#[wasm_bindgen(js_name = prepareKey)]
pub fn prepare_key(key: &[u8]) -> Result<u32, JsError> {
    calls::prepare_key(key).map_err(thrown)
}

/// Finds relations between the points of a verifying key; one sentence in each line. Throws `key.*`.
#[wasm_bindgen(js_name = keyFaults)]
pub fn key_faults(key: &[u8]) -> Result<String, JsError> {
    calls::key_faults(key).map_err(thrown)
}

/// Releases a verifying key; an unknown handle is ignored.
#[wasm_bindgen(js_name = releaseKey)]
pub fn release_key(handle: u32) {
    calls::release_key(handle);
}

/// Checks count × (256 + 32·n) bytes under one key; one verdict byte each,
/// 1 for a valid proof. `seed`: 32 fresh random bytes. Throws `key.unknown`, `batch.length`, `batch.seed`.
#[wasm_bindgen(js_name = verifyBatch)]
pub fn verify_batch(handle: u32, batch: &[u8], seed: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::verify_batch(handle, batch, seed).map_err(thrown)
}

/// Checks proofs as `verifyBatch` does, without combining them: cheaper if many are bad.
/// Throws `key.unknown`, `batch.length`.
#[wasm_bindgen(js_name = verifyEach)]
pub fn verify_each(handle: u32, batch: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::verify_each(handle, batch).map_err(thrown)
}

/// Multiplies the generator of G1 by k public scalars of 32 bytes: k × 64 bytes.
/// Throws `input.count`, `input.range`.
#[wasm_bindgen(js_name = g1Multiples)]
pub fn g1_multiples(scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::g1_multiples(scalars).map_err(thrown)
}

/// Multiplies the generator of G2 by k public scalars of 32 bytes: k × 128 bytes.
/// Throws `input.count`, `input.range`.
#[wasm_bindgen(js_name = g2Multiples)]
pub fn g2_multiples(scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::g2_multiples(scalars).map_err(thrown)
}

/// Hashes 1 to 16 field elements (32 bytes each, big-endian) with circomlib's Poseidon.
#[wasm_bindgen]
pub fn poseidon(inputs: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(calls::poseidon(inputs).map_err(thrown)?.to_vec())
}

/// Hashes k times 1 to 16 field elements with circomlib's Poseidon, k × arity × 32 bytes to k × 32.
#[wasm_bindgen(js_name = poseidonMany)]
pub fn poseidon_many(arity: u32, inputs: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::poseidon_many(arity, inputs).map_err(thrown)
}

/// Permutes k states of `width` elements each, k × width × 32 bytes in and out.
#[wasm_bindgen]
pub fn poseidon2(width: u32, states: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::poseidon2(width, states).map_err(thrown)
}

/// Hashes bytes under a tag with the Poseidon2 sponge.
#[wasm_bindgen(js_name = hashBytes)]
pub fn hash_bytes(tag: &str, data: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(calls::hash_bytes(tag, data).map_err(thrown)?.to_vec())
}

/// Takes a seed of 32 bytes, wipes the caller's copy and returns the key's handle.
/// Throws `signing_key.length`.
#[wasm_bindgen(js_name = createSigningKey)]
pub fn create_signing_key(seed: &mut [u8]) -> Result<u32, JsError> {
    calls::create_signing_key(seed).map_err(thrown)
}

/// The public key as x ‖ y ‖ compressed, 96 bytes. Throws `signing_key.unknown`.
#[wasm_bindgen(js_name = publicKey)]
pub fn public_key(handle: u32) -> Result<Vec<u8>, JsError> {
    Ok(calls::public_key(handle).map_err(thrown)?.to_vec())
}

/// Wipes a signing key; an unknown handle is ignored.
#[wasm_bindgen(js_name = releaseSigningKey)]
pub fn release_signing_key(handle: u32) {
    calls::release_signing_key(handle);
}

/// Signs k messages of 32 bytes: k × 64 bytes.
/// Throws `signing_key.unknown`, `input.count`, `input.range`.
#[wasm_bindgen]
pub fn sign(handle: u32, messages: &[u8]) -> Result<Vec<u8>, JsError> {
    calls::sign(handle, messages).map_err(thrown)
}

/// Whether a signature of 64 bytes holds for a message under a compressed public key; malformed
/// bytes do not.
#[wasm_bindgen(js_name = verifySignature)]
pub fn verify_signature(public_key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    calls::verify_signature(public_key, message, signature)
}
