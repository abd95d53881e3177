//! Constants of the curve, and of its isomorphic form −u² + v² = 1 + k·u²·v² in which the
//! arithmetic runs: u = f·x with f² = −a, v = y, k = −d/a. That form saves the multiplication by a,
//! and k stays a non-square, so the formulas stay complete.

use core::marker::PhantomData;

use super::Point;
use crate::field::{Backend, Fr};

/// Constants for one back-end. Words are least significant first.
pub struct Curve<B>(PhantomData<B>);

// a, d: EIP-2494; the generator is circomlib's Base8. The others follow from them.
// Tests: `isomorphism_constants_follow_from_the_curve`, `generator_is_on_the_curve_and_of_order_l`.
impl<B: Backend> Curve<B> {
    pub const A: Fr<B> = Fr::from_canonical([168700, 0, 0, 0]);
    pub const D: Fr<B> = Fr::from_canonical([168696, 0, 0, 0]);
    /// f, the smaller root of −a.
    pub const SCALE: Fr<B> = Fr::from_canonical([
        0x6c7be2c1d8b2d768,
        0x74a5f6ca321ea117,
        0x2c7ac0ce84e61177,
        0x0e0ff35005d6e54b,
    ]);
    /// 1/f.
    pub const INVERSE_SCALE: Fr<B> = Fr::from_canonical([
        0x21f598c00ff68abf,
        0x660441e60da751f7,
        0x58fa569cbc475e19,
        0x2c2a29993f684b42,
    ]);
    /// 2k = −2d/a.
    pub const TWICE_K: Fr<B> = Fr::from_canonical([
        0x5d099f85f9afd71b,
        0xdf026a6b5db6203e,
        0xc3909ff8b278cb9a,
        0x0578d36fdd1172a8,
    ]);
    pub const GENERATOR: Point<B> = Point {
        x: Self::GENERATOR_X,
        y: Self::GENERATOR_Y,
    };
    /// 5299619240641551281634865583518297030282874472190772894086521144482721001553
    const GENERATOR_X: Fr<B> = Fr::from_canonical([
        0x2893f3f6bb957051,
        0x2ab8d8010534e0b6,
        0x4eacb2e09d6277c1,
        0x0bb77a6ad63e739b,
    ]);
    /// 16950150798460657717958625567821834550301663161624707787222815936182638968203
    const GENERATOR_Y: Fr<B> = Fr::from_canonical([
        0x4b3c257a872d7d8b,
        0xfce0051fb9e13377,
        0x25572e1cd16bf9ed,
        0x25797203f7a0b249,
    ]);
}
