//! The work with secrets that is checked, and controls that leak on purpose.

use std::hint::black_box;

use proofgate_core::calls;

/// Work on a seed.
pub enum Work {
    /// Key derivation and signing with the selected arithmetic.
    Signing,
    /// Control: branches on a bit of the seed.
    Branch,
    /// Control: reads from an address that depends on the seed.
    Address,
}

/// Public results of the work, 32 bytes each.
pub type Results = Vec<[u8; 32]>;

/// Numbers of messages that are signed by one call: the least that are signed in lanes.
pub const LANES: &[usize] = &[3];
/// One alone, and the least that are signed in lanes.
pub const FEW: &[usize] = &[1, 3];
/// [`FEW`], and lanes of 4 and of 8 filled without a rest, with one that is signed alone, and with one in lanes.
pub const MANY: &[usize] = &[1, 3, 4, 8, 9, 13];

impl Work {
    /// Returns the control of this name, or signing with the arithmetic of this name.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "branch" => Ok(Work::Branch),
            "address" => Ok(Work::Address),
            arithmetic => match calls::select_arithmetic(arithmetic) {
                Ok(()) => Ok(Work::Signing),
                Err(refused) => Err(refused.to_string()),
            },
        }
    }
}

/// Returns one of many seeds.
pub fn seed(number: u8) -> [u8; 32] {
    core::array::from_fn(|i| number.wrapping_mul(i as u8 | 1).wrapping_add(0x5d))
}

/// Returns messages below the modulus.
pub fn messages(count: usize) -> Vec<u8> {
    let byte = |i: usize| {
        if i.is_multiple_of(32) {
            0
        } else {
            (i / 32 + 1) as u8
        }
    };
    (0..32 * count).map(byte).collect()
}

/// Does the work on a seed, which is wiped, and returns its public results: the public key as x, y and the
/// compressed point, then R and s of each signature; each of `counts` is a call.
pub fn derive_and_sign(work: &Work, counts: &[usize], seed: &mut [u8; 32]) -> Results {
    match work {
        Work::Signing => sign(counts, seed),
        Work::Branch => vec![[branch(seed); 32]],
        Work::Address => vec![[address(seed); 32]],
    }
}

fn sign(counts: &[usize], seed: &mut [u8; 32]) -> Results {
    let key = calls::create_signing_key(seed).expect("a seed has 32 bytes");
    let mut results = calls::public_key(key).expect("registered").to_vec();
    for count in counts {
        results.extend(calls::sign(key, &messages(*count)).expect("messages below the modulus"));
    }
    calls::release_signing_key(key);
    let (words, _) = results.as_chunks::<32>();
    words.to_vec()
}

/// Checks every signature against the public key: what was checked is what the addon answers.
pub fn are_valid(counts: &[usize], results: &[[u8; 32]]) -> bool {
    let public_key = &results[2];
    let mut signatures = results[3..].chunks_exact(2);
    counts.iter().all(|count| {
        let messages = messages(*count);
        messages.chunks_exact(32).all(|message| {
            signatures.next().is_some_and(|signature| {
                calls::verify_signature(public_key, message, signature.as_flattened())
            })
        })
    })
}

#[inline(never)]
fn branch(seed: &[u8; 32]) -> u8 {
    let mut sum = 0;
    for byte in seed {
        // the call keeps the compiler from a conditional move
        if byte & 1 == 1 {
            sum += black_box(3);
        }
    }
    sum
}

#[inline(never)]
fn address(seed: &[u8; 32]) -> u8 {
    let table: [u8; 256] = black_box(core::array::from_fn(|i| i as u8));
    seed.iter()
        .fold(0, |sum, byte| sum ^ table[usize::from(*byte)])
}
