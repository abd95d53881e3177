//! The Grain stream from which both Poseidon families draw their constants (credential.md 3.1).
//!
//! Tables are generated at first use, in about a millisecond for the widest state, and not
//! committed: the tests compare the digests of all of them with the published ones.

use crate::field::{Fr, Portable};

/// Bits of a field element, and so of a draw.
const FIELD_BITS: u128 = 254;
/// Full rounds of both families: four before and four after the partial rounds.
const FULL_ROUNDS: u128 = 8;

/// The 80-bit register and its self-shrinking output, for one width and number of partial rounds.
pub struct Grain {
    /// Bit i is bᵢ.
    register: u128,
}

impl Grain {
    /// Starts the stream for states of `width` elements with `partial_rounds` partial rounds.
    pub fn new(width: usize, partial_rounds: usize) -> Self {
        let mut grain = Grain { register: 0 };
        let mut position = 0;
        let mut put = |value: u128, bits: u32| {
            for shift in (0..bits).rev() {
                grain.register |= ((value >> shift) & 1) << position;
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
        for _ in 0..160 {
            grain.step();
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
        let mut bytes = [0u8; 32];
        for bit in 2..256 {
            bytes[bit / 8] |= self.emit() << (7 - bit % 8);
        }
        bytes
    }

    fn emit(&mut self) -> u8 {
        loop {
            let keep = self.step();
            let bit = self.step();
            if keep == 1 {
                return bit;
            }
        }
    }

    fn step(&mut self) -> u8 {
        let r = self.register;
        let bit = (r >> 62 ^ r >> 51 ^ r >> 38 ^ r >> 23 ^ r >> 13 ^ r) & 1;
        self.register = r >> 1 | bit << 79;
        bit as u8
    }
}
