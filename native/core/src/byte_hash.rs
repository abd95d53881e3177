//! The byte hash: a Poseidon2 sponge of width 16 over chunks of 31 bytes (src/docs/spec/credential.md#byte-hash).

use sha3::{Digest, Sha3_256};

use crate::field::{with_backend, Backend, Fr, Portable};
use crate::hash_error::HashError;
use crate::poseidon2::permute;
use crate::tables::Tables;

/// Elements that a permutation takes in; the sixteenth is the capacity.
const RATE: usize = 15;
/// Bytes of a chunk; any 31 bytes are below the modulus.
const CHUNK_BYTES: usize = 31;
/// The length is absorbed in 31 bits.
const MAX_BYTES: usize = (1 << 31) - 1;

/// Hashes bytes under a tag to a field element of 32 bytes, big-endian.
///
/// # Errors
/// `hash.empty` for no bytes, `hash.too_long` above 2³¹ − 1 of them.
pub fn hash_bytes(tag: &str, data: &[u8]) -> Result<[u8; 32], HashError> {
    with_backend!(B, |tag: &str, data: &[u8]| -> Result<[u8; 32], HashError> {
        sponge::<B>(tag, data)
    })
}

fn sponge<B: Backend>(tag: &str, data: &[u8]) -> Result<[u8; 32], HashError> {
    if data.is_empty() {
        return Err(HashError::Empty);
    }
    if data.len() > MAX_BYTES {
        return Err(HashError::TooLong {
            found_bytes: data.len(),
        });
    }
    let mut state = [Fr::<B>::ZERO; RATE + 1];
    state[RATE] = capacity(tag, data.len() as u32);
    for batch in data.chunks(RATE * CHUNK_BYTES) {
        for (element, chunk) in state.iter_mut().zip(batch.chunks(CHUNK_BYTES)) {
            // a short chunk is a shorter number, not a padded one
            *element += Fr::from_be_bytes_mod_order(chunk);
        }
        permute(&Fr::<Portable>::poseidon2().width_16, &mut state);
    }
    Ok(state[0].to_be_bytes())
}

/// SHA3-256 of the input's shape: absorb `len` bytes, squeeze 32, the tag.
fn capacity<B: Backend>(tag: &str, len: u32) -> Fr<B> {
    let digest = Sha3_256::new()
        .chain_update((0x8000_0000 | len).to_be_bytes())
        .chain_update(32u32.to_be_bytes())
        .chain_update(tag.as_bytes())
        .finalize();
    Fr::from_be_bytes_mod_order(&digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::dispatch::checks::on_own_scalars;
    use crate::test_vectors::{hex, number, rows, text, VECTORS};

    fn known_answers_hold<B: Backend>() {
        for row in rows(&VECTORS["byte_hash"]["rows"]) {
            let output = sponge::<B>(text(&row["tag"]), &hex(&row["input"]));
            assert_eq!(output, Ok(number(&row["output"])), "{}", row["description"]);
        }
        for row in rows(&VECTORS["byte_hash"]["capacity"]) {
            let length = row["length"].as_u64().expect("a length") as u32;
            let capacity = capacity::<B>(text(&row["tag"]), length);
            assert_eq!(capacity.to_be_bytes(), number(&row["capacity"]));
        }
    }

    #[test]
    fn known_answers_hold_on_every_backend() {
        known_answers_hold::<Portable>();
        on_own_scalars!(B => { known_answers_hold::<B>() });
    }

    #[test]
    fn claim_vectors_of_both_kinds_hold() {
        let package = text(&VECTORS["package"]["hashes_json"]).as_bytes();
        assert_eq!(
            hash_bytes("CLAIMS_HASH_V1", package),
            Ok(number(&VECTORS["package"]["claim"]))
        );
        let row = &VECTORS["claim_without_package"];
        let output = hash_bytes("CLAIMS_HASH_V1", &hex(&row["preimage"]));
        assert_eq!(output, Ok(number(&row["claim"])));
    }

    #[test]
    fn refuses_no_bytes() {
        assert_eq!(hash_bytes("CLAIMS_HASH_V1", &[]), Err(HashError::Empty));
    }

    #[test]
    fn refuses_more_bytes_than_31_bits_count() {
        let zeros = vec![0; MAX_BYTES + 1];
        let refused = hash_bytes("CLAIMS_HASH_V1", &zeros).expect_err("one byte too many");
        assert_eq!(refused.code(), "hash.too_long");
    }
}
