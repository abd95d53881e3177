//! Batches of true proofs with changes: under every arithmetic each member gets the verdict of the
//! single check. Bytes: a seed (32), then members as (which, number of changes, changes of 3 bytes).
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::groth16::{verify, verify_batch, verify_each};
use proofgate_fuzz::{changed, KEYS, MEMBERS, MEMBER_BYTES};

const MAX_MEMBERS: usize = 40;

fuzz_target!(|data: &[u8]| {
    let Some((seed, mut rest)) = data.split_at_checked(32) else {
        for key in KEYS.iter() {
            assert!(verify_batch(key, data, &[1; 32]).is_err() || data.is_empty());
        }
        return;
    };
    let mut batch = Vec::new();
    while let Some(([which, count], tail)) = rest.split_first_chunk() {
        let length = 3 * usize::from(count % 4).min(tail.len() / 3);
        let (changes, tail) = tail.split_at(length);
        let member = &MEMBERS[usize::from(*which) % MEMBERS.len()];
        batch.extend_from_slice(&changed(member, changes));
        rest = tail;
        if batch.len() == MAX_MEMBERS * MEMBER_BYTES {
            break;
        }
    }
    let Ok(expected) = batch
        .chunks_exact(MEMBER_BYTES)
        .map(|bytes| {
            let (proof, inputs) = bytes.split_first_chunk().expect("a whole member");
            verify(&KEYS[0], proof, inputs).map(|verdict| verdict as u8)
        })
        .collect::<Result<Vec<_>, _>>()
    else {
        unreachable!("every member has four inputs");
    };
    for key in KEYS.iter() {
        let singly = verify_each(key, &batch);
        assert_eq!(singly.as_deref(), Ok(&expected[..]));
        let found = verify_batch(key, &batch, seed);
        if seed.iter().all(|byte| *byte == 0) {
            assert!(found.is_err());
        } else {
            assert_eq!(
                found.as_deref(),
                Ok(&expected[..]),
                "{:?}",
                key.arithmetic()
            );
        }
    }
});
