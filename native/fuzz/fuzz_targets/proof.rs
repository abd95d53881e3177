//! One proof with arbitrary bytes, or a true one with changes: no panic and one verdict everywhere.
#![no_main]

use libfuzzer_sys::fuzz_target;
use proofgate_core::groth16::verify;
use proofgate_fuzz::{assert_same, changed, KEYS, MEMBERS, MEMBER_BYTES};

fuzz_target!(|data: &[u8]| {
    let member = match data {
        [which, changes @ ..] if data.len() < MEMBER_BYTES => {
            changed(&MEMBERS[usize::from(*which) % MEMBERS.len()], changes)
        }
        _ => match data.first_chunk::<MEMBER_BYTES>() {
            Some(member) => *member,
            None => return,
        },
    };
    let (proof, inputs) = member.split_first_chunk().expect("a whole member");
    let verdicts: Vec<_> = KEYS
        .iter()
        .map(|key| verify(key, proof, inputs).expect("four inputs"))
        .collect();
    assert_same(&verdicts);
    for key in KEYS.iter() {
        assert!(verify(key, proof, &inputs[1..]).is_err());
    }
});
