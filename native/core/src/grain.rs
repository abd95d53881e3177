//! The Grain stream from which both Poseidon families draw their constants (src/docs/spec/credential.md#poseidon-constants).
//!
//! Tables are generated at first use, which takes less than a millisecond except for the wide states of
//! circomlib's Poseidon, and not committed: the tests compare their digests, or the hashes made with them,
//! with the published ones.

use crate::field::{Fr, Portable};

/// Bits of a field element, and so of a draw.
const FIELD_BITS: u128 = 254;
/// Full rounds of both families: four before and four after the partial rounds.
const FULL_ROUNDS: u128 = 8;

/// The 80-bit register and its self-shrinking output, for one width and number of partial rounds.
pub struct Grain {
    /// Bit i is bᵢ.
    register: u128,
    /// Emitted bits that were not drawn yet: the `ready` lowest, the oldest of them highest.
    emitted: u32,
    ready: u32,
}

impl Grain {
    /// Starts the stream for states of `width` elements with `partial_rounds` partial rounds.
    pub fn new(width: usize, partial_rounds: usize) -> Self {
        let mut register = 0;
        let mut position = 0;
        let mut put = |value: u128, bits: u32| {
            for shift in (0..bits).rev() {
                register |= ((value >> shift) & 1) << position;
                position += 1;
            }
        };
        put(1, 2);
        put(0, 4);
        put(FIELD_BITS, 12);
        put(width as u128, 12);
        put(FULL_ROUNDS, 10);
        put(partial_rounds as u128, 10);
        put((1 << 30) - 1, 30);
        let mut grain = Grain {
            register,
            emitted: 0,
            ready: 0,
        };
        for _ in 0..160 / 16 {
            grain.sixteen_steps();
        }
        grain
    }

    /// Draws until the value is below the modulus.
    pub fn field_element(&mut self) -> Fr<Portable> {
        loop {
            if let Some(element) = Fr::from_be_bytes(&self.draw()) {
                return element;
            }
        }
    }

    /// Draws once and reduces.
    pub fn reduced_element(&mut self) -> Fr<Portable> {
        Fr::from_be_bytes_mod_order(&self.draw())
    }

    /// 254 emitted bits, most significant first.
    fn draw(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[0] = self.take(6);
        for byte in &mut bytes[1..] {
            *byte = self.take(8);
        }
        bytes
    }

    /// The next emitted bits, at most eight.
    fn take(&mut self, bits: u32) -> u8 {
        while self.ready < bits {
            let drawn = self.sixteen_steps();
            // of each pair the second bit is emitted where the first is set
            for pair in 0..8 {
                let keep = drawn >> (2 * pair) & 1;
                let bit = drawn >> (2 * pair + 1) & 1;
                self.emitted = self.emitted << keep | bit & keep;
                self.ready += keep;
            }
        }
        self.ready -= bits;
        (self.emitted >> self.ready & ((1 << bits) - 1)) as u8
    }

    /// Sixteen steps at once, which the taps allow (none is above b₆₂); the first new bit lowest.
    fn sixteen_steps(&mut self) -> u32 {
        let r = self.register;
        let bits = (r >> 62 ^ r >> 51 ^ r >> 38 ^ r >> 23 ^ r >> 13 ^ r) & 0xffff;
        self.register = r >> 16 | bits << 64;
        bits as u32
    }
}
