//! Several messages under one key: commitments and challenges side by side in lanes, one inversion
//! for all. As in [`signing_key`](super::signing_key) no branch and no address depends on a secret. Neither do
//! they on R and the public key, which are made of secrets: a check of the compiled code
//! (.scripts/constant-time.sh) needs no exception for what is public in the end.

use core::marker::PhantomData;

use zeroize::Zeroizing;

use super::signing_key::{expand, Secrets};
use super::{PublicKey, CHALLENGE_SEPARATOR, SIGNATURE_BYTES};
use crate::babyjubjub::lanes::multiply_generator;
use crate::babyjubjub::{Curve, Point};
use crate::field::dispatch::{on_scalar_lanes, ScalarLanesWork};
use crate::field::{words_be, Backend, Bn254Scalar, Fl, Fr, LaneBackend, Limbs, PrimeLanes};
use crate::hash_words;
use crate::poseidon2::permute;
use crate::tables::Tables;

/// [`sign_many`] in lanes, with the scalars of `B`.
struct InLanes<'a, B> {
    secrets: &'a Secrets,
    public_key: &'a PublicKey,
    messages: &'a [Limbs],
    marker: PhantomData<B>,
}

impl<E: Tables, B: Backend> ScalarLanesWork<E> for InLanes<'_, B> {
    type Output = Vec<[u8; SIGNATURE_BYTES]>;
    fn run<F: PrimeLanes<Modulus = Bn254Scalar, Entry = E>>(self) -> Self::Output {
        sign_many::<F, B>(self.secrets, self.public_key, self.messages)
    }
}

/// Signs messages of canonical words: in lanes as many as pay there, the others one by one. `B` is a
/// [`Secret`](crate::field::Secret) back-end.
pub(super) fn sign_all<B: Backend>(
    secrets: &Secrets,
    public_key: &PublicKey,
    lanes: LaneBackend,
    messages: &[Limbs],
) -> Vec<[u8; SIGNATURE_BYTES]> {
    let (in_lanes, alone) = messages.split_at(lanes.share(messages.len()));
    let work = InLanes::<B> {
        secrets,
        public_key,
        messages: in_lanes,
        marker: PhantomData,
    };
    let mut signatures = on_scalar_lanes(lanes, work).unwrap_or_default();
    signatures.extend(sign_many::<Fr<B>, B>(secrets, public_key, alone));
    signatures
}

/// Signs messages of canonical words, `F::LANES` at a time.
pub(super) fn sign_many<F, B>(
    secrets: &Secrets,
    public_key: &PublicKey,
    messages: &[Limbs],
) -> Vec<[u8; SIGNATURE_BYTES]>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
    B: Backend,
{
    if messages.is_empty() {
        return Vec::new();
    }
    let scalar = Zeroizing::new(Fl::<B>::from_le_bytes_mod_order(&secrets.scalar));
    let nonces = Zeroizing::new(nonces::<B>(secrets, messages));
    let commitments = commitments::<F, B>(&nonces);
    let challenges = challenges::<F, B>(&commitments, public_key, messages);
    nonces
        .iter()
        .zip(&commitments)
        .zip(challenges)
        .map(|((nonce, commitment), challenge)| {
            // it leads from s to the nonce, and from c to the scalar
            let product = Zeroizing::new(challenge * *scalar);
            let response = *nonce + *product;
            let mut signature = [0; SIGNATURE_BYTES];
            signature[..32].copy_from_slice(&commitment.to_bytes());
            signature[32..].copy_from_slice(&response.to_le_bytes());
            signature
        })
        .collect()
}

/// The nonce of each message.
fn nonces<B: Backend>(secrets: &Secrets, messages: &[Limbs]) -> Vec<Fl<B>> {
    let nonce = |message: &Limbs| {
        let mut bytes = hash_words::to_bytes(&[*message]);
        bytes.reverse();
        Fl::from_le_bytes_mod_order(&*expand(&[&secrets.nonce_secret, &bytes]))
    };
    messages.iter().map(nonce).collect()
}

/// nonce·G for each nonce; one inversion in constant time.
fn commitments<F, B>(nonces: &[Fl<B>]) -> Vec<Point<B>>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
    B: Backend,
{
    let points = multiply_generator::<F, B>(nonces);
    let mut product = Zeroizing::new(Fr::ONE);
    let mut before = Zeroizing::new(Vec::with_capacity(points.len()));
    for [_, _, z] in points.iter() {
        before.push(*product);
        *product *= *z;
    }
    let mut inverse = Zeroizing::new(product.invert_ct());
    let mut affine: Vec<_> = points
        .iter()
        .zip(before.iter())
        .rev()
        .map(|([u, v, z], before)| {
            let inverse_z = Zeroizing::new(*inverse * *before);
            *inverse *= *z;
            Point {
                x: *u * *inverse_z * Curve::<B>::INVERSE_SCALE,
                y: *v * *inverse_z,
            }
        })
        .collect();
    affine.reverse();
    affine
}

/// The challenge of each commitment and message.
fn challenges<F, B>(
    commitments: &[Point<B>],
    public_key: &PublicKey,
    messages: &[Limbs],
) -> Vec<Fl<B>>
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
    B: Backend,
{
    // canonical, since the key was made here
    let key = [public_key.x, public_key.y].map(|bytes| {
        let words: Vec<_> = core::iter::repeat_n(words_be(&bytes), F::LANES).collect();
        F::from_words(&words)
    });
    let separator = Fr::<B>::from_be_bytes_mod_order(CHALLENGE_SEPARATOR).to_canonical();
    let separator = F::splat(&F::entry(&separator));
    let mut challenges = Vec::with_capacity(messages.len());
    for (commitments, messages) in commitments.chunks(F::LANES).zip(messages.chunks(F::LANES)) {
        let words_of = |part: fn(&Point<B>) -> Fr<B>| {
            let words: Vec<_> = commitments.iter().map(|r| part(r).to_canonical()).collect();
            F::from_words(&words)
        };
        let [x, y] = [words_of(|r| r.x), words_of(|r| r.y)];
        let message = F::from_words(messages);
        let mut state = [separator, x, y, key[0], key[1], message, F::ZERO, F::ZERO];
        permute(&F::Entry::poseidon2().width_8, &mut state);
        let mut words = vec![Limbs::default(); messages.len()];
        state[1].to_words(&mut words);
        let challenge =
            |words: &Limbs| Fl::from_be_bytes_mod_order(&hash_words::to_bytes(&[*words]));
        challenges.extend(words.iter().map(challenge));
    }
    challenges
}
