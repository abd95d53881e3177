//! EdDSA over BabyJubJub with Poseidon2 as the challenge hash (src/docs/spec/credential.md#eddsa-poseidon2).
//!
//! Belongs here: verification and the shared parts of both sides (this file), and signing
//! ([`signing_key`], and `sign_many` for several messages), whose scalar path is constant-time.

#[cfg(test)]
mod lane_steps;
mod sign_many;
pub mod signing_key;
#[cfg(test)]
mod tests;

pub use signing_key::{PublicKey, SigningKey};

use crate::babyjubjub::fixed_base::multiply_generator;
use crate::babyjubjub::{Extended, Point};
use crate::field::{with_backend, Backend, Fl, Fr, Portable};
use crate::poseidon2::permute;
use crate::tables::Tables;

/// Bytes of a signature: the point R, then s little-endian.
pub const SIGNATURE_BYTES: usize = 64;

/// Domain separator of the challenge, as the big-endian integer of its bytes.
const CHALLENGE_SEPARATOR: &[u8] = b"EdDSA Signature";

/// Whether a signature holds for a message under a public key. Variable time.
///
/// `public_key` is a compressed point, `message` a field element, big-endian. Anything malformed
/// does not hold: a length other than 64, R or the key outside the prime subgroup or in a second
/// spelling, the identity as key, s not below L, a message not below the modulus.
pub fn verify(public_key: &[u8; 32], message: &[u8; 32], signature: &[u8]) -> bool {
    with_backend!(B, |public_key: &[u8; 32],
                      message: &[u8; 32],
                      signature: &[u8]|
     -> bool {
        holds::<B>(public_key, message, signature).is_some()
    })
}

/// `Some` when every check of the specification passed.
fn holds<B: Backend>(public_key: &[u8; 32], message: &[u8; 32], signature: &[u8]) -> Option<()> {
    let signature: &[u8; SIGNATURE_BYTES] = signature.try_into().ok()?;
    let (commitment, response) = signature.split_at(32);
    let response = Fl::<B>::from_le_bytes(response.try_into().ok()?)?;
    let message = Fr::from_be_bytes(message)?;
    let commitment = Point::from_bytes(commitment.try_into().ok()?).ok()?;
    let key = Point::from_bytes(public_key)
        .ok()
        .filter(|key| *key != Point::IDENTITY)?;
    let challenge = challenge(&commitment, &key, message);
    let difference = multiply_generator(&response)
        .add(&Extended::from_affine(&commitment).negate())
        .add(
            &Extended::from_affine(&key)
                .negate()
                .times_public(&challenge),
        );
    difference
        .double()
        .double()
        .double()
        .is_identity()
        .then_some(())
}

/// The challenge c of a commitment R, a public key and a message, reduced modulo L.
fn challenge<B: Backend>(commitment: &Point<B>, key: &Point<B>, message: Fr<B>) -> Fl<B> {
    let separator = Fr::from_be_bytes_mod_order(CHALLENGE_SEPARATOR);
    let (r, a) = (commitment, key);
    let mut state = [separator, r.x, r.y, a.x, a.y, message, Fr::ZERO, Fr::ZERO];
    permute(&Fr::<Portable>::poseidon2().width_8, &mut state);
    Fl::from_be_bytes_mod_order(&state[1].to_be_bytes())
}
