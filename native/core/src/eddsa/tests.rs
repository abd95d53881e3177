//! Known answers, every refusal, and the proof that signing takes the same steps for all secrets.

use core::cell::RefCell;

use super::signing_key::expand;
use super::{verify, SigningKey};
use crate::babyjubjub::fixed_base::multiply_generator;
use crate::babyjubjub::Point;
use crate::field::dispatch::checks::{in_scalar_lanes, on_own_scalars};
use crate::field::tests::Sequence;
use crate::field::{
    Backend, Bn254Scalar, Fl, Fr, FrIfmaEmulated, FrSimd29Emulated, Limbs, Modulus, Portable,
    PrimeLanes, Secret,
};
use crate::hash_error::HashError;
use crate::hash_words;
use crate::poseidon2::poseidon2;
use crate::tables::Tables;
use crate::test_vectors::{hex, number, reversed, rows, text, VECTORS};

fn bytes_32(value: &serde_json::Value) -> [u8; 32] {
    hex(value).try_into().expect("32 bytes")
}

fn words(message: &[u8; 32]) -> Vec<Limbs> {
    hash_words::from_bytes(message).expect("the message is in range")
}

fn known_answers_hold<F, B>()
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
    B: Backend,
{
    for row in rows(&VECTORS["eddsa"]) {
        let key = SigningKey::derive::<B>(&bytes_32(&row["seed_hex"]));
        let coordinates = rows(&row["public_key"]);
        assert_eq!(key.public_key().x, number(&coordinates[0]));
        assert_eq!(key.public_key().y, number(&coordinates[1]));
        assert_eq!(
            key.public_key().compressed,
            bytes_32(&row["public_key_compressed"])
        );
        let message = number(&row["message"]);
        // one set of lanes that is full, and one that is not
        let messages = words(&message).repeat(F::LANES + 1);
        for signature in key.sign_with::<F, B>(&messages) {
            assert_eq!(signature.as_slice(), hex(&row["signature"]));
            assert_eq!(signature[32..], reversed(number(&row["s"])));
            let holds = super::holds::<B>(&key.public_key().compressed, &message, &signature);
            assert_eq!(holds, Some(()));
        }
    }
}

#[test]
fn known_answers_hold_on_scalars_and_lanes() {
    known_answers_hold::<Fr<Portable>, Portable>();
    known_answers_hold::<FrSimd29Emulated, Portable>();
    on_own_scalars!(B => { known_answers_hold::<Fr<B>, B>() });
    known_answers_hold::<Fr<Secret<Portable>>, Secret<Portable>>();
    on_own_scalars!(B => { known_answers_hold::<Fr<Secret<B>>, Secret<B>>() });
    in_scalar_lanes!(IfmaEmulated, F => { known_answers_hold::<F, Portable>() });
    in_scalar_lanes!(Avx2Emulated, F => { known_answers_hold::<F, Portable>() });
    in_scalar_lanes!(Ifma, F => { known_answers_hold::<F, Portable>() });
    in_scalar_lanes!(Avx2, F => { known_answers_hold::<F, Portable>() });
}

#[test]
fn backends_agree_on_keys_and_signatures() {
    on_own_scalars!(B => { agrees_with_portable::<B>() });
    on_own_scalars!(B => { agrees_with_portable::<Secret<B>>() });
    agrees_with_portable::<Secret<Portable>>();
}

fn agrees_with_portable<B: Backend>() {
    let mut seed = [0; 32];
    for _ in 0..100 {
        let (one, other) = (
            SigningKey::derive::<B>(&seed),
            SigningKey::derive::<Portable>(&seed),
        );
        assert_eq!(one.secrets().scalar, other.secrets().scalar);
        assert_eq!(one.secrets().nonce_secret, other.secrets().nonce_secret);
        assert_eq!(one.public_key(), other.public_key());
        let message = one.public_key().y;
        let signatures = one.sign_with::<Fr<B>, B>(&words(&message));
        assert_eq!(
            other.sign_with::<Fr<Portable>, Portable>(&words(&message)),
            signatures
        );
        let key = &one.public_key().compressed;
        assert!(verify(key, &message, &signatures[0]));
        seed = one.public_key().x;
    }
}

/// Different messages, of which each lane must get its own signature.
fn lanes_sign_as_scalars<F>()
where
    F: PrimeLanes<Modulus = Bn254Scalar>,
    F::Entry: Tables,
{
    let mut sequence = Sequence::new(16);
    let key = SigningKey::derive::<Portable>(&sequence.bytes());
    let messages: Vec<Limbs> = (0..3 * F::LANES - 1)
        .map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_canonical())
        .collect();
    assert_eq!(
        key.sign_with::<F, Portable>(&messages),
        key.sign_with::<Fr<Portable>, Portable>(&messages)
    );
}

#[test]
fn signatures_in_lanes_are_those_of_scalars() {
    lanes_sign_as_scalars::<FrSimd29Emulated>();
    in_scalar_lanes!(IfmaEmulated, F => { lanes_sign_as_scalars::<F>() });
    in_scalar_lanes!(Avx2Emulated, F => { lanes_sign_as_scalars::<F>() });
    in_scalar_lanes!(Ifma, F => { lanes_sign_as_scalars::<F>() });
    in_scalar_lanes!(Avx2, F => { lanes_sign_as_scalars::<F>() });
}

#[test]
fn a_call_of_any_size_signs_each_message_as_alone() {
    let mut sequence = Sequence::new(17);
    let key = SigningKey::from_seed(&mut sequence.bytes());
    let messages: Vec<u8> = (0..40)
        .flat_map(|_| Fr::<Portable>::from_be_bytes_mod_order(&sequence.bytes()).to_be_bytes())
        .collect();
    let one_by_one: Vec<u8> = messages
        .chunks_exact(32)
        .flat_map(|message| key.sign_many(message).expect("the message is in range"))
        .collect();
    for count in 0..=40 {
        let signatures = key.sign_many(&messages[..count * 32]);
        assert_eq!(signatures, Ok(one_by_one[..count * 64].to_vec()));
    }
    let mut refused = messages;
    refused[13 * 32..14 * 32].fill(0xff);
    assert_eq!(
        key.sign_many(&refused),
        Err(HashError::InputRange { index: 13 })
    );
}

#[test]
fn derivation_matches_the_upstream_steps() {
    let row = &rows(&VECTORS["eddsa"])[0];
    let mut seed = bytes_32(&row["seed_hex"]);
    assert_eq!(
        expand(&[&seed]).as_slice(),
        hex(&row["blake3_xof64_of_seed"])
    );
    let key = SigningKey::from_seed(&mut seed);
    assert_eq!(seed, [0; 32], "the seed is wiped");
    let secrets = key.secrets();
    assert_eq!(reversed(secrets.scalar), number(&row["secret_scalar"]));
    assert_eq!(reversed(secrets.nonce_secret), number(&row["nonce_secret"]));
}

#[test]
fn every_invalid_signature_is_refused() {
    for row in rows(&VECTORS["eddsa_invalid"]["rows"]) {
        let key = bytes_32(&row["public_key_compressed"]);
        let holds = verify(&key, &number(&row["message"]), &hex(&row["signature"]));
        assert!(!holds, "{}", row["why"]);
    }
}

#[test]
fn a_changed_bit_anywhere_is_refused() {
    let row = &rows(&VECTORS["eddsa"])[1];
    let key = bytes_32(&row["public_key_compressed"]);
    let message = number(&row["message"]);
    let signature = hex(&row["signature"]);
    assert!(verify(&key, &message, &signature));
    for bit in 0..512 {
        let mut changed = signature.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(
            !verify(&key, &message, &changed),
            "bit {bit} of the signature"
        );
    }
    for bit in 0..256 {
        let (mut other_key, mut other_message) = (key, message);
        other_key[bit / 8] ^= 1 << (bit % 8);
        other_message[bit / 8] ^= 1 << (bit % 8);
        assert!(
            !verify(&other_key, &message, &signature),
            "bit {bit} of the key"
        );
        assert!(
            !verify(&key, &other_message, &signature),
            "bit {bit} of the message"
        );
    }
    let longer = [signature.as_slice(), &[0]].concat();
    assert!(!verify(&key, &message, &longer));
}

#[test]
fn a_message_out_of_range_is_neither_signed_nor_verified() {
    let row = &rows(&VECTORS["eddsa"])[0];
    let key = SigningKey::from_seed(&mut bytes_32(&row["seed_hex"]));
    let modulus = number(&VECTORS["field"]["P"]);
    assert_eq!(
        key.sign_many(&modulus).map_err(|error| error.code()),
        Err("input.range")
    );
    let signature_of_zero = key.sign_many(&[0; 32]).expect("zero is in range");
    assert!(verify(
        &key.public_key().compressed,
        &[0; 32],
        &signature_of_zero
    ));
    assert!(!verify(
        &key.public_key().compressed,
        &modulus,
        &signature_of_zero
    ));
}

#[test]
fn credentials_hash_and_verify() {
    let separator = VECTORS["domain_separators"]
        .as_array()
        .and_then(|list| list.iter().find(|row| row["text"] == "POSEIDON2+EDDSA-BJJ"))
        .map(|row| number(&row["value"]))
        .expect("the separator of the credential hash");
    let (mut signed, mut verified) = (0, 0);
    for row in rows(&VECTORS["credentials"]) {
        let claims: Vec<u8> = rows(&row["claims"]).iter().flat_map(number).collect();
        let claims_hash = poseidon2(16, &claims).expect("sixteen claims")[32..64].to_vec();
        assert_eq!(claims_hash, number(&row["claims_hash"]));
        let state = [
            separator.to_vec(),
            number(&row["issuer_schema_id"]).to_vec(),
            number(&row["sub"]).to_vec(),
            number(&row["genesis_issued_at"]).to_vec(),
            number(&row["expires_at"]).to_vec(),
            claims_hash,
            number(&row["associated_data_hash"]).to_vec(),
            number(&row["id"]).to_vec(),
        ]
        .concat();
        let hash: [u8; 32] = poseidon2(8, &state).expect("eight elements")[32..64]
            .try_into()
            .expect("one element");
        assert_eq!(hash, number(&row["hash"]), "{}", row["description"]);
        if let Some(seed) = row.pointer("/signing_key/seed") {
            let key = SigningKey::from_seed(&mut bytes_32(seed));
            let signature = key.sign_many(&hash).expect("a hash is in range");
            assert_eq!(signature.as_slice(), hex(&row["signature"]));
            signed += 1;
        }
        if row.get("s").is_some() {
            let s = reversed(number(&row["s"]));
            let signature = [compressed(&row["R"]), s].concat();
            assert!(
                verify(&compressed(&row["public_key"]), &hash, &signature),
                "{}",
                row["description"]
            );
            verified += 1;
        }
    }
    assert_eq!(
        (signed, verified),
        (1, 2),
        "the vectors hold one seed and two signatures"
    );
}

fn compressed(coordinates: &serde_json::Value) -> [u8; 32] {
    let coordinate =
        |i: usize| Fr::<Portable>::from_be_bytes(&number(&rows(coordinates)[i])).expect("in range");
    Point {
        x: coordinate(0),
        y: coordinate(1),
    }
    .to_bytes()
}

#[test]
fn subject_vectors_hold() {
    let separator = number(&rows(&VECTORS["domain_separators"])[1]["value"]);
    assert_eq!(
        text(&rows(&VECTORS["domain_separators"])[1]["text"]),
        "H_CS(id, r)"
    );
    for row in rows(&VECTORS["sub"]) {
        let state = [
            separator,
            number(&row["leaf_index"]),
            number(&row["blinding_factor"]),
        ]
        .concat();
        let permuted = poseidon2(3, &state).expect("three elements");
        assert_eq!(permuted[32..64], number(&row["sub"]));
    }
}

thread_local! {
    static STEPS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The portable back-end, writing down each multiplication by its modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traced;

impl Backend for Traced {
    fn mul<M: Modulus>(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        STEPS.with_borrow_mut(|steps| steps.push(M::P[0]));
        Portable::mul::<M>(a, b)
    }

    fn mul_complex<M: Modulus>(a: [&[u64; 4]; 2], b: [&[u64; 4]; 2]) -> [[u64; 4]; 2] {
        STEPS.with_borrow_mut(|steps| steps.push(!M::P[0]));
        Portable::mul_complex::<M>(a, b)
    }

    fn mul_secret<M: Modulus>(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
        Self::mul::<M>(a, b)
    }

    fn reduce_once_secret<M: Modulus>(a: &[u64; 4]) -> [u64; 4] {
        Portable::reduce_once::<M>(a)
    }
}

/// The multiplications that a computation makes, in order.
fn steps<T>(compute: impl FnOnce() -> T) -> Vec<u64> {
    STEPS.with_borrow_mut(Vec::clear);
    core::hint::black_box(compute());
    STEPS.take()
}

#[test]
fn signing_takes_the_same_steps_for_every_key_and_message() {
    let messages: [[u8; 32]; 4] = [
        [0; 32],
        [1; 32],
        [0x2f; 32],
        core::array::from_fn(|i| i as u8),
    ];
    let messages = messages.map(|message| words(&message));
    let first_key = SigningKey::derive::<Traced>(&[0; 32]);
    let derivation = steps(|| SigningKey::derive::<Traced>(&[0; 32]));
    let signing = steps(|| first_key.sign_with::<Fr<Traced>, Traced>(&messages[0]));
    let in_lanes = steps(|| first_key.sign_with::<FrIfmaEmulated, Traced>(&messages[0]));
    assert!(
        derivation.len() > 500 && signing.len() > 1000 && in_lanes.len() > 300,
        "the steps are recorded"
    );
    for seed in 0..64u8 {
        let seed: [u8; 32] = core::array::from_fn(|i| seed.wrapping_mul(i as u8 | 1));
        assert_eq!(steps(|| SigningKey::derive::<Traced>(&seed)), derivation);
        let key = SigningKey::derive::<Traced>(&seed);
        for message in &messages {
            let scalars = steps(|| key.sign_with::<Fr<Traced>, Traced>(message));
            assert_eq!(scalars, signing);
        }
        let lanes = steps(|| key.sign_with::<FrIfmaEmulated, Traced>(&messages[0]));
        assert_eq!(lanes, in_lanes);
    }
}

#[test]
fn extreme_scalars_take_the_same_steps() {
    let scalars = [
        Fl::<Traced>::ZERO,
        Fl::ONE,
        -Fl::<Traced>::ONE,
        Fl::from_u64(8),
        Fl::from_u64(16),
        Fl::from_le_bytes_mod_order(&[0x88; 64]),
        Fl::from_le_bytes_mod_order(&[0x77; 31]),
    ];
    let expected = steps(|| multiply_generator(&scalars[0]).to_affine());
    for scalar in &scalars {
        assert_eq!(steps(|| multiply_generator(scalar).to_affine()), expected);
    }
}
