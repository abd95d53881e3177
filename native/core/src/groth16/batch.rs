//! Many proofs under one key.

use crate::encoding::{PROOF_BYTES, WORD_BYTES};

use super::verify::verify;
use super::{BatchError, PreparedKey};

/// Bytes of the seed of the random linear combination.
pub const SEED_BYTES: usize = 32;

/// Checks the members of a batch, each 256 + 32·n bytes: one [`Verdict`](super::Verdict) number
/// each, in order. Every member gets the verdict that [`verify`] gives it.
///
/// `seed` is 32 fresh bytes of a cryptographic generator, drawn after the batch is fixed.
///
/// # Errors
/// `batch.length` when the bytes are no whole number of members, `batch.seed` for a seed of another
/// length or all zero.
pub fn verify_batch(key: &PreparedKey, batch: &[u8], seed: &[u8]) -> Result<Vec<u8>, BatchError> {
    let member = PROOF_BYTES + key.input_count() * WORD_BYTES;
    if !batch.len().is_multiple_of(member) {
        return Err(BatchError::Length {
            member,
            found: batch.len(),
        });
    }
    if seed.len() != SEED_BYTES || seed.iter().all(|byte| *byte == 0) {
        return Err(BatchError::Seed { found: seed.len() });
    }
    batch
        .chunks_exact(member)
        .map(|bytes| {
            let (proof, inputs) = bytes
                .split_first_chunk::<PROOF_BYTES>()
                .expect("a member is longer than a proof");
            Ok(verify(key, proof, inputs)? as u8)
        })
        .collect()
}
