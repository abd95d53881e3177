//! The ways to make a proof, valid and invalid, each with the verdict it foretells.

use ark_bn254::{Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field};
use num_bigint::BigUint;
use proofgate_core::groth16::Verdict;

use super::ark::{compress, p, r};
use super::small_order;
use super::trapdoor::{g1, g2, input_bytes, Points, Trapdoor};
use super::{word, Sequence};

/// One case: bytes, and the verdict that the way of making it foretells, where it does.
pub struct Case {
    /// 256 bytes.
    pub proof: [u8; 256],
    /// n × 32 bytes.
    pub inputs: Vec<u8>,
    /// The verdict that the class foretells, where it does.
    pub foretold: Option<Verdict>,
}

/// Material of a case.
pub struct Material<'a> {
    /// The scalars of the key.
    pub trapdoor: &'a Trapdoor,
    /// A = a·G1.
    pub a: Fr,
    /// B = b·G2.
    pub b: Fr,
    /// The inputs.
    pub x: Vec<Fr>,
    /// Random choices within the class.
    pub sequence: &'a mut Sequence,
}

impl Material<'_> {
    fn valid(&self) -> Points {
        self.trapdoor.prove(self.a, self.b, &self.x)
    }

    /// A and B as given and the C that makes the equation hold for the product a·b.
    fn solved(&self, a: G1Affine, b: G2Affine, product: Fr) -> Points {
        let c = g1(self.trapdoor.c(product, &self.x));
        Points { a, b, c }
    }

    fn case(&self, points: &Points, foretold: Verdict) -> Case {
        self.bytes(points.bytes(), Some(foretold))
    }

    fn bytes(&self, proof: [u8; 256], foretold: Option<Verdict>) -> Case {
        Case {
            proof,
            inputs: input_bytes(&self.x),
            foretold,
        }
    }

    fn outside(&mut self) -> G2Affine {
        let inside = g2(self.b);
        small_order::outside(self.sequence, &inside)
    }
}

fn compressed(points: &Points) -> [u8; 256] {
    compress(&points.a, &points.b, &points.c)
}

fn set(proof: &mut [u8; 256], index: usize, number: &BigUint) {
    proof[32 * index..][..32].copy_from_slice(&word(number));
}

fn get(proof: &[u8; 256], index: usize) -> BigUint {
    BigUint::from_bytes_be(&proof[32 * index..][..32])
}

/// A number equal to the given one modulo `modulus`, above it, and still of 32 bytes.
fn respelled(number: &BigUint, modulus: &BigUint, sequence: &mut Sequence) -> BigUint {
    let room: BigUint = ((BigUint::from(1u32) << 256u32) - 1u32 - number) / modulus;
    let times = 1 + sequence.below(room.to_u32_digits()[0] as usize);
    number + modulus * times
}

/// Makes a case of one class.
pub type Class = fn(&mut Material) -> Case;

/// Every class with its name.
pub const CLASSES: [(&str, Class); 32] = [
    ("valid", |m| m.case(&m.valid(), Verdict::Valid)),
    ("valid, compressed", |m| {
        m.bytes(compressed(&m.valid()), Some(Verdict::Valid))
    }),
    ("valid, A and B negated", |m| {
        let v = m.valid();
        m.case(
            &Points {
                a: -v.a,
                b: -v.b,
                c: v.c,
            },
            Verdict::Valid,
        )
    }),
    ("valid, A and B scaled", |m| {
        let (v, s) = (m.valid(), m.sequence.fr());
        let a = g1(m.a * s.inverse().expect("random"));
        let b = g2(m.b * s);
        m.case(&Points { a, b, ..v }, Verdict::Valid)
    }),
    ("valid, B moved by δ", |m| {
        let t = m.sequence.fr();
        let b = g2(m.b + t * m.trapdoor.delta);
        let c = g1(m.trapdoor.c(m.a * m.b, &m.x) + m.a * t);
        m.case(&Points { a: g1(m.a), b, c }, Verdict::Valid)
    }),
    ("valid, A at infinity", |m| {
        m.case(
            &m.solved(G1Affine::identity(), g2(m.b), Fr::ZERO),
            Verdict::Valid,
        )
    }),
    ("valid, B at infinity", |m| {
        m.case(
            &m.solved(g1(m.a), G2Affine::identity(), Fr::ZERO),
            Verdict::Valid,
        )
    }),
    ("valid, A and B at infinity", |m| {
        let points = m.solved(G1Affine::identity(), G2Affine::identity(), Fr::ZERO);
        m.case(&points, Verdict::Valid)
    }),
    ("valid, A and B at infinity, compressed", |m| {
        let points = m.solved(G1Affine::identity(), G2Affine::identity(), Fr::ZERO);
        m.bytes(compressed(&points), Some(Verdict::Valid))
    }),
    ("valid, C at infinity", |m| {
        let product = m.trapdoor.alpha * m.trapdoor.beta + m.trapdoor.gamma * m.trapdoor.l(&m.x);
        m.b = product * m.a.inverse().expect("random");
        let points = m.valid();
        assert!(points.c.is_zero());
        m.case(&points, Verdict::Valid)
    }),
    ("valid, sum of the inputs at infinity", |m| {
        let l = m.trapdoor.l(&m.x);
        if let (Some(x), Some(ic)) = (m.x.last_mut(), m.trapdoor.ic[1..].last()) {
            *x -= l * ic.inverse().expect("random");
            assert!(m.trapdoor.l(&m.x) == Fr::ZERO);
        }
        m.case(&m.valid(), Verdict::Valid)
    }),
    // Without randomisers one of each sign would be a valid pair.
    ("C + G1 or C - G1", |m| {
        let v = m.valid();
        let one = [1i8, -1][m.sequence.below(2)];
        let c = (v.c + g1(Fr::from(one))).into_affine();
        m.case(&Points { c, ..v }, Verdict::False)
    }),
    ("C + G1, compressed", |m| {
        let v = m.valid();
        let c = (v.c + g1(Fr::from(1u64))).into_affine();
        m.bytes(compressed(&Points { c, ..v }), Some(Verdict::False))
    }),
    ("only A negated", |m| {
        let v = m.valid();
        m.case(&Points { a: -v.a, ..v }, Verdict::False)
    }),
    ("an input changed", |m| {
        let proof = m.valid().bytes();
        let place = m.sequence.below(m.x.len().max(1));
        let foretold = match m.x.get_mut(place) {
            Some(x) => {
                *x += Fr::from(1u64);
                Verdict::False
            }
            None => Verdict::Valid,
        };
        m.bytes(proof, Some(foretold))
    }),
    ("C replaced by A", |m| {
        let v = m.valid();
        m.case(&Points { c: v.a, ..v }, Verdict::False)
    }),
    ("a point of a valid proof zeroed", |m| {
        let mut proof = m.valid().bytes();
        let (start, end) = [(0, 64), (64, 192), (192, 256)][m.sequence.below(3)];
        proof[start..end].fill(0);
        m.bytes(proof, Some(Verdict::False))
    }),
    ("all zero", |m| m.bytes([0; 256], Some(Verdict::False))),
    ("B and C zeroed, read as compressed", |m| {
        let mut proof = m.valid().bytes();
        proof[64..].fill(0);
        m.bytes(proof, None)
    }),
    ("words 4 to 7 zeroed, read as compressed", |m| {
        let mut proof = m.valid().bytes();
        proof[128..].fill(0);
        m.bytes(proof, None)
    }),
    ("compressed, a flag flipped", |m| {
        let mut proof = compressed(&m.valid());
        let (place, bit) = [(31, 1), (95, 1), (95, 2), (127, 1)][m.sequence.below(4)];
        proof[place] ^= bit;
        let foretold = if bit == 2 {
            Verdict::Decompression
        } else {
            Verdict::False
        };
        m.bytes(proof, Some(foretold))
    }),
    ("compressed, x = p or 4", |m| {
        let mut proof = compressed(&m.valid());
        let index = [0, 1, 2, 3][m.sequence.below(4)];
        let shift = [1u32, 0, 2, 1][index];
        let x = if index == 0 || index == 3 {
            [p(), BigUint::from(4u32)]
        } else {
            [p(), p()]
        };
        set(&mut proof, index, &(&x[m.sequence.below(2)] << shift));
        m.bytes(proof, Some(Verdict::Decompression))
    }),
    ("compressed, a word random", |m| {
        let mut proof = compressed(&m.valid());
        let bytes = m.sequence.bytes();
        proof[32 * m.sequence.below(4)..][..32].copy_from_slice(&bytes);
        m.bytes(proof, None)
    }),
    ("a coordinate respelled", |m| {
        let mut proof = m.valid().bytes();
        let index = m.sequence.below(8);
        let number = respelled(&get(&proof, index), &p(), m.sequence);
        set(&mut proof, index, &number);
        m.bytes(proof, Some(Verdict::CoordinateRange))
    }),
    ("a coordinate changed", |m| {
        let mut proof = m.valid().bytes();
        let index = m.sequence.below(8);
        let number = (get(&proof, index) + 1u32) % p();
        set(&mut proof, index, &number);
        m.bytes(proof, Some(Verdict::PointNotOnCurve))
    }),
    ("c0 and c1 exchanged, or B before A", |m| {
        let proof = m.valid().bytes();
        let order = [[0, 1, 3, 2, 5, 4, 6, 7], [2, 3, 4, 5, 0, 1, 6, 7]][m.sequence.below(2)];
        let mut changed = proof;
        for (to, from) in order.into_iter().enumerate() {
            set(&mut changed, to, &get(&proof, from));
        }
        m.bytes(changed, Some(Verdict::PointNotOnCurve))
    }),
    ("B outside the subgroup", |m| {
        let b = m.outside();
        m.case(&Points { b, ..m.valid() }, Verdict::PointNotInSubgroup)
    }),
    ("B outside the subgroup, compressed", |m| {
        let b = m.outside();
        let proof = compressed(&Points { b, ..m.valid() });
        m.bytes(proof, Some(Verdict::PointNotInSubgroup))
    }),
    (
        "forgery: B outside, A at infinity, the equation holds",
        |m| {
            let b = m.outside();
            let points = m.solved(G1Affine::identity(), b, Fr::ZERO);
            let proof = if m.sequence.below(2) == 0 {
                points.bytes()
            } else {
                compressed(&points)
            };
            m.bytes(proof, Some(Verdict::PointNotInSubgroup))
        },
    ),
    ("an input respelled, alone or behind another fault", |m| {
        let b = m.outside();
        let valid = m.valid();
        let (proof, foretold) = match m.sequence.below(4) {
            0 => (Points { b, ..valid }.bytes(), Verdict::PointNotInSubgroup),
            1 => (
                Points {
                    a: G1Affine::identity(),
                    ..valid
                }
                .bytes(),
                Verdict::InputRange,
            ),
            2 => (
                Points {
                    b: G2Affine::identity(),
                    ..valid
                }
                .bytes(),
                Verdict::InputRange,
            ),
            _ => (valid.bytes(), Verdict::InputRange),
        };
        let mut case = m.bytes(proof, Some(foretold));
        if m.x.is_empty() {
            case.foretold = None;
            return case;
        }
        let place = 32 * m.sequence.below(m.x.len());
        let word_at = &mut case.inputs[place..place + 32];
        let number = respelled(&BigUint::from_bytes_be(word_at), &r(), m.sequence);
        word_at.copy_from_slice(&word(&number));
        case
    }),
    ("a bit flipped", |m| {
        let mut proof = m.valid().bytes();
        let bit = m.sequence.below(2048);
        proof[bit / 8] ^= 1 << (bit % 8);
        m.bytes(proof, None)
    }),
    ("random bytes, or several faults", |m| {
        let mut proof = m.valid().bytes();
        for _ in 0..1 + m.sequence.below(8) {
            let bytes = match m.sequence.below(4) {
                0 => [0; 32],
                1 => word(&p()),
                2 => m.sequence.bytes(),
                _ => word(&BigUint::from(m.sequence.below(9))),
            };
            proof[32 * m.sequence.below(8)..][..32].copy_from_slice(&bytes);
        }
        m.bytes(proof, None)
    }),
];
