//! Poseidon, Poseidon2 and the byte hash on arbitrary bytes: no panic, one answer everywhere.
//! Bytes: a width, then the input.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::calls;
use proofgate_fuzz::{assert_same, on_each_arithmetic};

fuzz_target!(|data: &[u8]| {
    let [width, input @ ..] = data else {
        return;
    };
    let width = u32::from(*width % 20);
    let tag = String::from_utf8_lossy(&input[..input.len().min(8)]).into_owned();
    assert_same(&on_each_arithmetic(|| {
        (
            calls::poseidon(input),
            calls::poseidon_many(width, input),
            calls::poseidon2(width, input),
            calls::hash_bytes(&tag, input),
        )
    }));
});
