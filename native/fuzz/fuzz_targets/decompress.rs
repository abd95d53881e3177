//! Compressed points: a decompressed point is on its curve, has the requested x, and is the same under
//! every arithmetic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::decompress;
use proofgate_fuzz::{assert_same, on_each_arithmetic};

fuzz_target!(|data: &[u8]| {
    let mut words = [[0u8; 32]; 3];
    for (word, chunk) in words.iter_mut().zip(data.chunks(32)) {
        word[32 - chunk.len()..].copy_from_slice(chunk);
    }
    let [a, b_c1, b_c0] = &words;
    let answers = on_each_arithmetic(|| {
        (
            decompress::g1_coordinates(a),
            decompress::g2_coordinates(b_c1, b_c0),
        )
    });
    assert_same(&answers);
    let mut flipped = *a;
    flipped[31] ^= 1;
    // all zero is infinity, which has no other sign
    if let (Some([x, y]), true, true) = (answers[0].0, *a != [0; 32], flipped != [0; 32]) {
        let other = decompress::g1_coordinates(&flipped);
        let [other_x, other_y] = other.expect("one sign decompresses, so does the other");
        assert_eq!(x, other_x);
        assert_ne!(y, other_y);
    }
});
