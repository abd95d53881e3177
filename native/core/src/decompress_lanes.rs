//! [`decompress`](crate::decompress) of several proofs in lanes: the roots are powers by a fixed
//! exponent.

use crate::curve::shared_inverse::LANES_MAX;
use crate::decompress::{B_IMAGINARY, B_REAL, HALF};
use crate::field::lanes::kernel;
use crate::field::{BaseLanes, Bn254Base, LaneSet, Limbs, Modulus};

/// The numbers of a compressed proof without infinities; each x is below p.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompressedProof {
    /// x of A.
    pub a: Limbs,
    /// x.c0 and x.c1 of B.
    pub b: [Limbs; 2],
    /// x of C.
    pub c: Limbs,
    /// s of A, of B and of C.
    pub signs: [bool; 3],
    /// The hint of B.
    pub hint: bool,
}

/// (p − 3)/4.
const ROOT_EXPONENT: Limbs = Bn254Base::ODD_PART_MINUS_1_HALVED;
const _: () = assert!(Bn254Base::TWO_ADICITY == 1);

kernel! {
    Product<'a, F: BaseLanes>(a: &'a F, b: &'a F) -> F { *a * *b }
}

kernel! {
    SquareFourTimes<'a, F: BaseLanes>(a: &'a F) -> F {
        a.square().square().square().square()
    }
}

/// a^((p−3)/4) by windows of four bits.
fn root_power<F: BaseLanes>(a: &F) -> F {
    let mut table = [F::ONE; 16];
    for i in 1..16 {
        table[i] = F::enter(Product(&table[i - 1], a));
    }
    let digit = |i: usize| (ROOT_EXPONENT[i / 16] >> (4 * (i % 16))) as usize & 15;
    let mut power = table[digit(63)];
    for i in (0..63).rev() {
        power = F::enter(SquareFourTimes(&power));
        if digit(i) != 0 {
            power = F::enter(Product(&power, &table[digit(i)]));
        }
    }
    power
}

/// A root, in the lanes whose number is a square.
struct Root<F> {
    /// a^((p+1)/4).
    root: F,
    /// Its inverse, or 0 for 0.
    inverse: F,
    /// The lanes whose a is a square.
    exists: LaneSet,
}

kernel! {
    Finish<'a, F: BaseLanes>(a: &'a F, inverse: &'a F) -> Root<F> {
        // where a is a square, a·inverse² = a^((p−1)/2) is 1 or 0
        let root = *a * *inverse;
        Root { root, inverse: *inverse, exists: root.square().equal_lanes(a) }
    }
}

fn root<F: BaseLanes>(a: &F) -> Root<F> {
    F::enter(Finish(a, &root_power(a)))
}

kernel! {
    CurveSquare<'a, F: BaseLanes>(x: &'a F) -> F {
        (x.square() * *x + F::CONSTANTS.curve_b).reduce()
    }
}

kernel! {
    Negate<'a, F: BaseLanes>(a: &'a F, lanes: LaneSet) -> F {
        F::select(lanes, &(-*a).reduce(), a)
    }
}

kernel! {
    // x³ + 3/ξ by parts, and its norm
    TwistSquare<'a, F: BaseLanes>(x0: &'a F, x1: &'a F, constants: &'a [F; 2]) -> [F; 3] {
        let product = *x0 * *x1;
        let n = (-(product.double() + product)).reduce();
        let real = (constants[0] + x0.square() * *x0 + n * *x1).reduce();
        let imaginary = (-(constants[1] + x1.square() * *x1 + n * *x0)).reduce();
        [real, imaginary, (real.square() + imaginary.square()).reduce()]
    }
}

kernel! {
    HalfSum<'a, F: BaseLanes>(a: &'a F, b: &'a F, half: &'a F) -> F {
        (*a + *b) * *half
    }
}

kernel! {
    // y1 = imaginary / 2·y0, and whether (y0 + y1·u)² is real + imaginary·u
    TwistRoot<'a, F: BaseLanes>(y0: &'a Root<F>, real: &'a F, imaginary: &'a F, half: &'a F) -> (F, LaneSet) {
        let y1 = *imaginary * *half * y0.inverse;
        let square = (y0.root.square() - y1.square()).equal_lanes(real);
        (y1, square & (y0.root * y1).double().equal_lanes(imaginary))
    }
}

/// The coordinates of up to [`LANES`](crate::field::PrimeLanes::LANES) proofs, in the order of the
/// words of an uncompressed one; `None` for proofs that [`decompress`](crate::decompress)
/// refuses.
pub(crate) fn decompress<F: BaseLanes>(proofs: &[CompressedProof]) -> Vec<Option<[Limbs; 8]>> {
    let lanes_of = |part: &dyn Fn(&CompressedProof) -> Limbs| {
        let words: Vec<Limbs> = proofs.iter().map(part).collect();
        F::from_words(&words)
    };
    let set_of = |flag: &dyn Fn(&CompressedProof) -> bool| {
        let bits = proofs.iter().enumerate();
        bits.fold(0, |set, (lane, proof)| {
            set | LaneSet::from(flag(proof)) << lane
        })
    };
    let [half, real, imaginary] =
        [HALF, B_REAL, B_IMAGINARY].map(|words| F::from_words(&[words; LANES_MAX][..F::LANES]));

    let g1 = |x: &F, sign: LaneSet| {
        let y = root(&F::enter(CurveSquare(x)));
        (F::enter(Negate(&y.root, sign)), y.exists)
    };
    let (a_y, a_exists) = g1(&lanes_of(&|proof| proof.a), set_of(&|proof| proof.signs[0]));
    let (c_y, c_exists) = g1(&lanes_of(&|proof| proof.c), set_of(&|proof| proof.signs[2]));

    let [x0, x1] = [lanes_of(&|proof| proof.b[0]), lanes_of(&|proof| proof.b[1])];
    let [real, imaginary, norm] = F::enter(TwistSquare(&x0, &x1, &[real, imaginary]));
    let norm = root(&norm);
    let signed = F::enter(Negate(&norm.root, set_of(&|proof| proof.hint)));
    let y0 = root(&F::enter(HalfSum(&real, &signed, &half)));
    let (y1, holds) = F::enter(TwistRoot(&y0, &real, &imaginary, &half));
    let sign = set_of(&|proof| proof.signs[1]);
    let b_y = [&y0.root, &y1].map(|part| F::enter(Negate(part, sign)));

    let exists = a_exists & c_exists & norm.exists & y0.exists & holds;
    let [a_y, b_y0, b_y1, c_y] = [a_y, b_y[0], b_y[1], c_y].map(|y| {
        let mut words = vec![Limbs::default(); proofs.len()];
        y.to_words(&mut words);
        words
    });
    proofs
        .iter()
        .enumerate()
        .map(|(i, proof)| {
            let words = [
                proof.a, a_y[i], proof.b[1], proof.b[0], b_y1[i], b_y0[i], proof.c, c_y[i],
            ];
            (exists >> i & 1 == 1).then_some(words)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompress::{g1, g2};
    use crate::field::dispatch::checks::in_base_lanes;
    use crate::field::tests::Sequence;
    use crate::field::{Fp, Portable};

    type B = Portable;

    fn word(x: &Limbs, shift: u32, flags: u64) -> [u8; 32] {
        let mut words = [0; 4];
        for i in 0..4 {
            words[i] = x[i] << shift
                | if i > 0 {
                    x[i - 1] >> (64 - shift)
                } else {
                    flags
                };
        }
        core::array::from_fn(|i| (words[3 - i / 8] >> (56 - 8 * (i % 8))) as u8)
    }

    fn agrees_with_scalars<F: BaseLanes>() {
        let mut sequence = Sequence::new(61);
        let mut x = |special: bool| match special {
            true => [1 + u64::from(sequence.bytes()[0] & 1), 0, 0, 0],
            false => Fp::<B>::from_be_bytes_mod_order(&sequence.bytes()).to_canonical(),
        };
        let mut found_all = 0;
        for round in 0..96 {
            let proofs: Vec<_> = (0..1 + round % F::LANES)
                .map(|lane| {
                    let bits = round * 7 + lane * 3;
                    CompressedProof {
                        a: x(bits % 11 == 0),
                        b: [x(bits % 13 == 0), x(bits % 5 == 0)],
                        c: x(false),
                        signs: [1, 2, 4].map(|bit| bits & bit != 0),
                        hint: bits & 8 != 0,
                    }
                })
                .collect();
            for (proof, found) in proofs.iter().zip(decompress::<F>(&proofs)) {
                let [a_sign, b_sign, c_sign] = proof.signs.map(u64::from);
                let a = g1::<B>(&word(&proof.a, 1, a_sign));
                let c = g1::<B>(&word(&proof.c, 1, c_sign));
                let flags = u64::from(proof.hint) << 1 | b_sign;
                let b_c0 = word(&proof.b[0], 2, flags);
                let b_c1 =
                    core::array::from_fn(|i| (proof.b[1][3 - i / 8] >> (56 - 8 * (i % 8))) as u8);
                let b = g2::<B>(&b_c1, &b_c0);
                let expected = a.zip(b).zip(c).map(|((a, b), c)| {
                    [a.x, a.y, b.x.c1, b.x.c0, b.y.c1, b.y.c0, c.x, c.y].map(|x| x.to_canonical())
                });
                found_all += usize::from(expected.is_some());
                assert_eq!(found, expected, "{proof:?}");
            }
        }
        assert!(found_all > 0, "none of the proofs decompressed");
    }

    #[test]
    fn decompression_in_one_lane_is_the_scalar_one() {
        agrees_with_scalars::<Fp<B>>();
    }

    #[test]
    fn decompression_in_lanes_is_the_scalar_one() {
        in_base_lanes!(Avx2Emulated, F => { agrees_with_scalars::<F>() });
        in_base_lanes!(Avx2, F => { agrees_with_scalars::<F>() });
        in_base_lanes!(IfmaEmulated, F => { agrees_with_scalars::<F>() });
        in_base_lanes!(Ifma, F => { agrees_with_scalars::<F>() });
    }
}
