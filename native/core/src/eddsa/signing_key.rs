//! Signing keys: derivation from a seed, public key, deterministic signatures.
//!
//! From the seed to s (`sign_many`) no branch and no address depends on a secret: elements are those of
//! [`Secret`] back-ends, reductions are Horner's rule over whole words, multiplications of the generator read
//! whole table rows, the inversion is a fixed power. Tests: `signing_takes_the_same_steps_for_every_key_and_message`,
//! and .scripts/constant-time.sh on the compiled code. Every named secret is wiped when it goes out of scope.

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::sign_many::sign_all;
use super::SIGNATURE_BYTES;
use crate::babyjubjub::fixed_base::multiply_generator;
use crate::field::{self, with_backend, Backend, Fl, LaneBackend, Limbs, Secret};
use crate::hash_error::HashError;
use crate::hash_words;

/// A secret scalar and nonce secret with the public key that belongs to them; wiped when dropped.
pub struct SigningKey {
    /// Boxed, so that moving the key leaves no copy behind.
    secrets: Box<Secrets>,
    public_key: PublicKey,
}

/// Both little-endian and below L.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Secrets {
    pub scalar: [u8; 32],
    pub nonce_secret: [u8; 32],
}

/// A public key in both of its forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// Affine x, big-endian.
    pub x: [u8; 32],
    /// Affine y, big-endian.
    pub y: [u8; 32],
    /// y little-endian with the sign flag of x.
    pub compressed: [u8; 32],
}

/// Names the public key only.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("public_key", &self.public_key)
            .finish_non_exhaustive()
    }
}

impl SigningKey {
    /// Derives the key from a seed and wipes the seed.
    pub fn from_seed(seed: &mut [u8; 32]) -> Self {
        let secret: &[u8; 32] = seed;
        let key = with_backend!(B, |secret: &[u8; 32]| -> SigningKey {
            SigningKey::derive::<Secret<B>>(secret)
        });
        seed.zeroize();
        key
    }

    /// The public key, computed once with the key.
    pub fn public_key(&self) -> &PublicKey {
        &self.public_key
    }

    /// Signs field elements of 32 bytes each, big-endian, side by side where there are lanes; a rest of
    /// the bytes is dropped. A signature is R compressed, then s little-endian.
    ///
    /// # Errors
    /// `input.range` for the first message that is not below the modulus.
    pub fn sign_many(&self, messages: &[u8]) -> Result<Vec<u8>, HashError> {
        let words = hash_words::from_bytes(messages)?;
        let lanes = field::arithmetic().lanes();
        let (secrets, key, words) = (&*self.secrets, &self.public_key, &words[..]);
        let signatures = with_backend!(B, |secrets: &Secrets,
                                           key: &PublicKey,
                                           lanes: LaneBackend,
                                           words: &[Limbs]|
         -> Vec<[u8; SIGNATURE_BYTES]> {
            sign_all::<Secret<B>>(secrets, key, lanes, words)
        });
        Ok(signatures.concat())
    }

    /// `B` is a [`Secret`] back-end, except in tests.
    pub(super) fn derive<B: Backend>(seed: &[u8; 32]) -> Self {
        let mut expanded = expand(&[seed]);
        let (scalar, nonce_secret) = expanded.split_at_mut(32);
        scalar[0] &= 0xf8;
        scalar[31] &= 0x7f;
        scalar[31] |= 0x40;
        let scalar = Zeroizing::new(Fl::<B>::from_le_bytes_mod_order(scalar));
        let nonce_secret = Zeroizing::new(Fl::<B>::from_le_bytes_mod_order(nonce_secret));
        let point = Zeroizing::new(multiply_generator(&scalar)).to_affine();
        let mut secrets = Box::new(Secrets {
            scalar: [0; 32],
            nonce_secret: [0; 32],
        });
        secrets
            .scalar
            .copy_from_slice(&*Zeroizing::new(scalar.to_le_bytes()));
        secrets
            .nonce_secret
            .copy_from_slice(&*Zeroizing::new(nonce_secret.to_le_bytes()));
        SigningKey {
            secrets,
            public_key: PublicKey {
                x: point.x.to_be_bytes(),
                y: point.y.to_be_bytes(),
                compressed: point.to_bytes(),
            },
        }
    }

    #[cfg(test)]
    pub(super) fn sign_with<F, B>(&self, messages: &[Limbs]) -> Vec<[u8; SIGNATURE_BYTES]>
    where
        F: crate::field::PrimeLanes<Modulus = crate::field::Bn254Scalar>,
        F::Entry: crate::tables::Tables,
        B: Backend,
    {
        super::sign_many::sign_many::<F, B>(&self.secrets, &self.public_key, messages)
    }

    #[cfg(test)]
    pub(super) fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

/// 64 bytes of BLAKE3's extendable output over the concatenated parts.
pub(super) fn expand(parts: &[&[u8]]) -> Zeroizing<[u8; 64]> {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    let mut reader = hasher.finalize_xof();
    let mut expanded = Zeroizing::new([0; 64]);
    reader.fill(&mut *expanded);
    reader.zeroize();
    hasher.zeroize();
    expanded
}
