//! Compressed points, one word for G1 and two for G2:
//!
//! ```text
//! G1  a    = x << 1 | s                       0 is infinity
//! G2  b_c1 = x.c1,  b_c0 = x.c0 << 2 | hint << 1 | s      both 0 is infinity
//! ```
//!
//! s is set if the wanted root is the negative of the power to (p+1)/4; hint selects the root of the
//! norm that leads to a square.

use crate::curve::{G1Affine, G2Affine};
use crate::field::{Backend, Fp};
use crate::tower::Fp2;

// (p+1)/2 = 1/2, then 27/82 and 3/82, the parts of 3/ξ up to sign; test: `constants_are_fractions`
pub(crate) const HALF: [u64; 4] = [
    0x9e10460b6c3e7ea4,
    0xcbc0b548b438e546,
    0xdc2822db40c0ac2e,
    0x183227397098d014,
];
pub(crate) const B_REAL: [u64; 4] = [
    0x3267e6dc24a138e5,
    0xb5b4c5e559dbefa3,
    0x81be18991be06ac3,
    0x2b149d40ceb8aaae,
];
pub(crate) const B_IMAGINARY: [u64; 4] = [
    0x577dcf1052b9e775,
    0xf031ca0c8344b23a,
    0xeb23960892a85a68,
    0x2fcd3ac2a640a154,
];

/// A number shifted right by up to 7 bits, and the bits that fell out.
fn shift(word: &[u8; 32], bits: u32) -> ([u8; 32], u8) {
    let mut out = [0; 32];
    let mut carry = 0u8;
    for (shifted, byte) in out.iter_mut().zip(word) {
        *shifted = (byte >> bits) | (carry << (8 - bits));
        carry = byte & ((1 << bits) - 1);
    }
    (out, carry)
}

/// The point of G1, `None` when x is not below p or no point has it.
pub(crate) fn g1<B: Backend>(word: &[u8; 32]) -> Option<G1Affine<B>> {
    if word == &[0; 32] {
        return Some(G1Affine::INFINITY);
    }
    let (x, sign) = shift(word, 1);
    let x = Fp::from_be_bytes(&x)?;
    let root = (x.square() * x + Fp::from_u64(3)).sqrt()?;
    let y = if sign == 1 { -root } else { root };
    Some(G1Affine { x, y })
}

/// The point of the twist, `None` when a part of x is not below p or the root that the hint names
/// does not exist. The subgroup is not checked.
pub(crate) fn g2<B: Backend>(b_c1: &[u8; 32], b_c0: &[u8; 32]) -> Option<G2Affine<Fp<B>>> {
    if b_c1 == &[0; 32] && b_c0 == &[0; 32] {
        return Some(G2Affine::INFINITY);
    }
    let (x0, flags) = shift(b_c0, 2);
    let x0 = Fp::<B>::from_be_bytes(&x0)?;
    let x1 = Fp::from_be_bytes(b_c1)?;
    // y² = x³ + 3/ξ by parts
    let product = x0 * x1;
    let n = -(product.double() + product);
    let real = Fp::from_canonical(B_REAL) + x0.square() * x0 + n * x1;
    let imaginary = -(Fp::from_canonical(B_IMAGINARY) + x1.square() * x1 + n * x0);

    let norm = (real.square() + imaginary.square()).sqrt()?;
    let norm = if flags & 2 == 2 { -norm } else { norm };
    let y0 = ((real + norm) * Fp::from_canonical(HALF)).sqrt()?;
    let y1 = imaginary * y0.double().inverse().unwrap_or_default();
    let holds = y0.square() - y1.square() == real && (y0 * y1).double() == imaginary;
    let y = Fp2::new(y0, y1);
    let y = if flags & 1 == 1 { -y } else { y };
    holds.then_some(G2Affine {
        x: Fp2::new(x0, x1),
        y,
    })
}

/// Coordinates x and y of a compressed point of G1, zeros for infinity, on the scalar back-end in use.
///
/// # Panics
/// When the point is not on its curve.
#[cfg(feature = "fuzz")]
pub fn g1_coordinates(word: &[u8; 32]) -> Option<[[u8; 32]; 2]> {
    crate::field::with_backend!(B, |word: &[u8; 32]| -> Option<[[u8; 32]; 2]> {
        let point = g1::<B>(word)?;
        assert!(point.is_on_curve());
        Some([point.x, point.y].map(|part| part.to_be_bytes()))
    })
}

/// Parts x.c0, x.c1, y.c0 and y.c1 of a compressed point of the twist, zeros for infinity, on the
/// scalar back-end in use.
///
/// # Panics
/// When the point is not on the twist.
#[cfg(feature = "fuzz")]
pub fn g2_coordinates(b_c1: &[u8; 32], b_c0: &[u8; 32]) -> Option<[[u8; 32]; 4]> {
    crate::field::with_backend!(B, |b_c1: &[u8; 32],
                                    b_c0: &[u8; 32]|
     -> Option<[[u8; 32]; 4]> {
        let point = g2::<B>(b_c1, b_c0)?;
        assert!(point.is_on_curve());
        let parts = [point.x.c0, point.x.c1, point.y.c0, point.y.c1];
        Some(parts.map(|part| part.to_be_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Portable;

    #[test]
    fn constants_are_fractions() {
        let fp = |words| Fp::<Portable>::from_canonical(words);
        let small = |n| Fp::<Portable>::from_u64(n);
        assert_eq!(fp(HALF) * small(2), Fp::ONE);
        assert_eq!(fp(B_REAL) * small(82), small(27));
        assert_eq!(fp(B_IMAGINARY) * small(82), small(3));
    }
}
