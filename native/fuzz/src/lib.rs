//! Shared by the fuzz targets: the keys of the repository on every arithmetic of this machine, and
//! initial bytes that reach deep into the decoders.

use std::sync::LazyLock;

use proofgate_core::calls::{select_arithmetic, Arithmetic};
use proofgate_core::groth16::PreparedKey;

#[path = "../../core/tests/support/mod.rs"]
pub mod support;

use support::files::{real_proofs, semaphore_key};

/// A member of a batch under the key: 256 bytes of proof and 128 of inputs.
pub const MEMBER_BYTES: usize = 384;

/// The public depth-30 key, laid out as `proofgate_core::encoding` says.
pub static KEY_BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| semaphore_key("30"));

/// The key, prepared for every arithmetic that runs here.
pub static KEYS: LazyLock<Vec<PreparedKey>> = LazyLock::new(|| {
    on_each_arithmetic(|| PreparedKey::from_bytes(&KEY_BYTES).expect("a public key"))
});

/// True proofs under the key, uncompressed and compressed.
pub static MEMBERS: LazyLock<Vec<[u8; MEMBER_BYTES]>> = LazyLock::new(|| {
    let member = |proof: &[u8; 256], inputs: &[u8]| {
        let bytes = [&proof[..], inputs].concat();
        bytes.try_into().expect("four inputs")
    };
    real_proofs()
        .iter()
        .filter(|proof| proof.depth == "30")
        .flat_map(|proof| {
            let compressed = proof.compressed.as_ref();
            [Some(&proof.proof), compressed]
                .into_iter()
                .flatten()
                .map(|bytes| member(bytes, &proof.inputs))
                .collect::<Vec<_>>()
        })
        .collect()
});

/// Returns the answers of a call under each arithmetic; the best is last and stays selected.
pub fn on_each_arithmetic<T>(mut call: impl FnMut() -> T) -> Vec<T> {
    let mut names = Arithmetic::ALL.map(Arithmetic::name);
    names.reverse();
    names
        .into_iter()
        .filter(|name| select_arithmetic(name).is_ok())
        .map(|name| {
            select_arithmetic(name).expect("it worked before");
            call()
        })
        .collect()
}

/// The member with a few bytes replaced, as the fuzzer's bytes say: pairs of a place and a byte.
pub fn changed(member: &[u8; MEMBER_BYTES], changes: &[u8]) -> [u8; MEMBER_BYTES] {
    let mut out = *member;
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % MEMBER_BYTES;
        out[place] ^= change[2];
    }
    out
}

/// Asserts that all answers are the same.
pub fn assert_same<T: PartialEq + core::fmt::Debug>(answers: &[T]) {
    for answer in answers {
        assert_eq!(answer, &answers[0]);
    }
}
