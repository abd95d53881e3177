//! Signing in lanes takes the same vector operations, in the same order, whatever the key is.

use core::cell::Cell;

use super::SigningKey;
use crate::field::{Bn254Scalar, IfmaEmulated, IfmaLanes, IfmaOps, IfmaProducts, Kernel, Portable};

thread_local! {
    /// How many operations there were, and a digest of their order.
    static STEPS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn step(operation: u64) {
    let (count, digest) = STEPS.get();
    // FNV-1a
    let digest = (digest ^ operation).wrapping_mul(0x0000_0100_0000_01b3);
    STEPS.set((count + 1, digest));
}

type Vector = <IfmaEmulated as IfmaOps>::Vector;
type Octet = crate::field::IfmaOctet;

/// Emulated IFMA that records its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Traced;

impl IfmaOps for Traced {
    type Vector = Vector;

    fn load(from: &Octet) -> Vector {
        step(1);
        IfmaEmulated::load(from)
    }

    fn store(vector: Vector) -> Octet {
        step(2);
        IfmaEmulated::store(vector)
    }

    fn splat(word: u64) -> Vector {
        step(3);
        IfmaEmulated::splat(word)
    }

    fn madd_low(sum: Vector, a: Vector, b: Vector) -> Vector {
        step(4);
        IfmaEmulated::madd_low(sum, a, b)
    }

    fn madd_high(sum: Vector, a: Vector, b: Vector) -> Vector {
        step(5);
        IfmaEmulated::madd_high(sum, a, b)
    }

    fn add(a: Vector, b: Vector) -> Vector {
        step(6);
        IfmaEmulated::add(a, b)
    }

    fn sub(a: Vector, b: Vector) -> Vector {
        step(7);
        IfmaEmulated::sub(a, b)
    }

    fn and(a: Vector, b: Vector) -> Vector {
        step(8);
        IfmaEmulated::and(a, b)
    }

    fn shift_right<const BITS: u32>(a: Vector) -> Vector {
        step(10 << 32 | u64::from(BITS));
        IfmaEmulated::shift_right::<BITS>(a)
    }

    fn look_up(table: &[Octet; 2], index: Vector) -> Vector {
        step(11);
        IfmaEmulated::look_up(table, index)
    }

    fn equal(a: Vector, b: Vector) -> u8 {
        step(12);
        IfmaEmulated::equal(a, b)
    }

    fn select(set: u8, yes: Vector, no: Vector) -> Vector {
        step(13);
        IfmaEmulated::select(set, yes, no)
    }

    fn enter<K: Kernel>(kernel: K) -> K::Output {
        step(14);
        kernel.run()
    }
}

impl IfmaProducts for Traced {}

#[test]
fn signing_in_lanes_takes_the_same_steps_for_every_key_and_message() {
    let steps = |seed: &[u8; 32], messages: &[[u64; 4]]| {
        let key = SigningKey::derive::<Portable>(seed);
        STEPS.set((0, 0));
        let signatures = key.sign_with::<IfmaLanes<Bn254Scalar, Traced>, Portable>(messages);
        assert_eq!(signatures.len(), messages.len());
        STEPS.get()
    };
    let messages = [[0; 4], [1, 0, 0, 0], [7, 8, 9, 10], [u64::MAX, 2, 3, 4]];
    let expected = steps(&[0; 32], &messages);
    assert!(expected.0 > 100_000, "the steps are recorded: {expected:?}");
    for seed in 1..6u8 {
        let seed = core::array::from_fn(|i| seed.wrapping_mul(i as u8 | 1));
        assert_eq!(steps(&seed, &messages), expected);
    }
    let other_messages = messages.map(|[a, b, c, d]| [d, c, b, a & 0xffff]);
    assert_eq!(steps(&[0; 32], &other_messages), expected);
    assert_ne!(steps(&[0; 32], &messages.repeat(3)), expected);
}
