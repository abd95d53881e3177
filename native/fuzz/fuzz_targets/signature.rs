//! Signatures of arbitrary bytes, and of our own with changes: no panic, one answer everywhere, and
//! our signatures verify and changed ones do not. Bytes: seed (32), message (32), the rest.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::calls;
use proofgate_fuzz::{assert_same, on_each_arithmetic};

fuzz_target!(|data: &[u8]| {
    let Some((seed, rest)) = data.split_first_chunk::<32>() else {
        return;
    };
    let message = rest.get(..32).unwrap_or(rest);
    let tail = rest.get(32..).unwrap_or_default();
    assert_same(&on_each_arithmetic(|| {
        let handle = calls::create_signing_key(&mut { *seed }).expect("32 bytes");
        let public_key = calls::public_key(handle).expect("a live handle");
        let signed = calls::sign(handle, message);
        let many = calls::sign(handle, rest);
        if let Ok(signature) = &signed {
            let holds = |bytes: &[u8]| calls::verify_signature(&public_key[64..], message, bytes);
            assert_eq!(holds(signature), message.len() == 32);
            if let [place, mask, ..] = tail {
                if *mask != 0 && message.len() == 32 {
                    let mut changed = signature.clone();
                    changed[usize::from(*place) % 64] ^= mask;
                    assert!(!holds(&changed));
                }
            }
        }
        calls::release_signing_key(handle);
        let stranger = calls::verify_signature(seed, message, tail);
        (public_key, signed, many, stranger)
    }));
});
