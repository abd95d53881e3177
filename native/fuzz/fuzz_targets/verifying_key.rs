//! Verifying keys of arbitrary bytes, or the public one with changes: no panic, one answer under
//! every arithmetic, and an accepted key can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::encoding::WORD_BYTES;
use proofgate_core::groth16::{verify, PreparedKey};
use proofgate_fuzz::{assert_same, on_each_arithmetic, KEY_BYTES};

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if let [cut, changes @ ..] = data {
        if data.len() < 448 {
            bytes = KEY_BYTES.clone();
            for change in changes.chunks_exact(3) {
                let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % bytes.len();
                bytes[place] ^= change[2];
            }
            bytes.truncate(bytes.len() - usize::from(cut % 4) * 64);
        }
    }
    let answers = on_each_arithmetic(|| {
        PreparedKey::from_bytes(&bytes).map(|key| {
            let inputs = vec![0; key.input_count() * WORD_BYTES];
            let verdict = verify(&key, &[0; 256], &inputs);
            (key.input_count(), verdict)
        })
    });
    assert_same(&answers);
});
