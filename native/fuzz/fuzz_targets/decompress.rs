//! Compressed points: what decompresses is on its curve, has the x that was asked, and is the same
//! under every scalar back-end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::decompress;
use proofgate_core::field::{Adx, Arithmetic, Backend, Portable};

type Coordinates = (Option<[[u8; 32]; 2]>, Option<[[u8; 32]; 4]>);

fn check<B: Backend>(a: &[u8; 32], b_c1: &[u8; 32], b_c0: &[u8; 32]) -> Coordinates {
    let g1 = decompress::g1::<B>(a).map(|point| {
        assert!(point.is_on_curve());
        [point.x.to_be_bytes(), point.y.to_be_bytes()]
    });
    let g2 = decompress::g2::<B>(b_c1, b_c0).map(|point| {
        assert!(point.is_on_curve());
        let parts = [point.x.c0, point.x.c1, point.y.c0, point.y.c1];
        parts.map(|part| part.to_be_bytes())
    });
    (g1, g2)
}

fuzz_target!(|data: &[u8]| {
    let mut words = [[0u8; 32]; 3];
    for (word, chunk) in words.iter_mut().zip(data.chunks(32)) {
        word[32 - chunk.len()..].copy_from_slice(chunk);
    }
    let [a, b_c1, b_c0] = &words;
    let portable = check::<Portable>(a, b_c1, b_c0);
    if Arithmetic::Adx.is_supported() {
        assert_eq!(check::<Adx>(a, b_c1, b_c0), portable);
    }
    let mut flipped = *a;
    flipped[31] ^= 1;
    // all zero is infinity, which has no other sign
    if let (Some([x, y]), true, true) = (portable.0, *a != [0; 32], flipped != [0; 32]) {
        let (other, _) = check::<Portable>(&flipped, b_c1, b_c0);
        let [other_x, other_y] = other.expect("one sign decompresses, so does the other");
        assert_eq!(x, other_x);
        assert_ne!(y, other_y);
    }
});
