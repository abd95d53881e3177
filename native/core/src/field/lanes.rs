//! The operations that the tower, the curves and the hashes need, so that one source runs on scalars
//! and on several elements side by side in the lanes of vector registers.
//!
//! # Lazy values
//! A value is *normal* after a product, a `reduce` or a conversion. Sums, differences, doubles and
//! negatives are lazy: they only grow, and every back-end guarantees that
//!
//! * a sum of up to four normal values can be reduced, compared and added to,
//! * `mul` takes a sum of two normal values on one side and a normal value on the other,
//! * `mul_sums` takes sums of two normal values on both sides.
//!
//! Scalars are always fully reduced, so for them all of this is the plain operation. Vector lanes
//! carry their bounds along in builds with debug assertions, and panic if one is exceeded.

use core::fmt::Debug;
use core::ops::{Add, Mul, Neg, Sub};

use super::limbs::Limbs;
use super::{Bn254Base, Modulus};

/// A set of lanes: bit i is lane i.
pub type LaneSet = u32;

/// A piece of work that is compiled as one function for the instructions of a back-end. `run` is
/// `#[inline(always)]`, and so is everything it calls that is not a kernel itself.
pub trait Kernel {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Declares a [`Kernel`]: `kernel! { Name<'a, F: Bound>(argument: &'a Type<F>) -> Output { … } }`.
macro_rules! kernel {
    ($(#[$meta:meta])* $name:ident<$($life:lifetime,)? $type:ident: $bound:path>($($arg:ident: $ty:ty),* $(,)?) -> $output:ty $body:block) => {
        $(#[$meta])*
        struct $name<$($life,)? $type: $bound>($($ty),*);

        impl<$($life,)? $type: $bound> $crate::field::Kernel for $name<$($life,)? $type> {
            type Output = $output;
            #[inline(always)]
            fn run(self) -> $output {
                let Self($($arg),*) = self;
                $body
            }
        }
    };
}
pub(crate) use kernel;

/// Elements of one prime field in `LANES` lanes.
pub trait PrimeLanes:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
{
    /// The field.
    type Modulus: Modulus;
    /// Elements side by side, at most 32.
    const LANES: usize;
    /// The set of all lanes.
    const ALL: LaneSet = (u64::MAX >> (64 - Self::LANES)) as LaneSet;
    /// 0 in every lane.
    const ZERO: Self;
    /// 1 in every lane.
    const ONE: Self;
    /// One element as tables hold it; back-ends of one form share theirs.
    type Entry: Copy + Debug + Send + Sync + 'static;

    /// A table's entry from canonical words, least significant first. Values are taken to be public.
    fn entry(words: &Limbs) -> Self::Entry;
    /// The element of an entry in every lane, as a normal value.
    fn splat(entry: &Self::Entry) -> Self;

    /// Twice the value, lazily.
    fn double(&self) -> Self;
    /// The square of a normal value.
    fn square(&self) -> Self;
    /// The product of normal values.
    #[inline(always)]
    fn mul_normal(&self, other: &Self) -> Self {
        *self * *other
    }
    /// The product of two sums of two normal values each.
    fn mul_sums(&self, other: &Self) -> Self;
    /// Reduces to a normal value.
    fn reduce(&self) -> Self;
    /// The negative of a normal value as a normal value.
    #[inline(always)]
    fn negate(&self) -> Self {
        (-*self).reduce()
    }
    /// The lanes that hold 0. Values are taken to be public.
    fn zero_lanes(&self) -> LaneSet;
    /// `yes` in the lanes of the set, `no` in the others, by masks: neither a branch nor an address
    /// depends on the set, except in the emulated back-ends and in scalars.
    fn select(set: LaneSet, yes: &Self, no: &Self) -> Self;
    /// Lane i from the number `words[i]` below the modulus, least significant word first.
    /// Lanes without a number get 0.
    fn from_words(words: &[Limbs]) -> Self;
    /// The canonical numbers of the first `out.len()` lanes.
    fn to_words(&self, out: &mut [Limbs]);
    /// Runs a kernel with the instructions of this back-end.
    fn enter<K: Kernel>(kernel: K) -> K::Output;

    /// The lanes in which two values are equal.
    #[inline(always)]
    fn equal_lanes(&self, other: &Self) -> LaneSet {
        (*self - *other).zero_lanes()
    }
}

/// Elements of the base field of BN254, with products in Fp2 = Fp\[u\]/(u² + 1) as the unit of work:
/// a product there needs two reductions, not three.
pub trait BaseLanes: PrimeLanes<Modulus = Bn254Base> {
    /// Whether a sum of products costs one reduction, so that more products and fewer reductions
    /// win over Karatsuba's way.
    const LAZY_SUMS: bool = false;
    /// The constants of tower and curves.
    const CONSTANTS: &'static TowerConstants<Self>;

    /// (a₀ + a₁u)(b₀ + b₁u) for normal parts.
    fn mul_complex(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2];
    /// [`BaseLanes::mul_complex`] for parts that are sums of two normal values.
    fn mul_complex_sums(a: [&Self; 2], b: [&Self; 2]) -> [Self; 2];
    /// Σ aᵢbᵢ in Fp2 for up to three products of normal parts, as a normal value.
    #[inline(always)]
    fn sum_of_products<const N: usize>(a: [[&Self; 2]; N], b: [[&Self; 2]; N]) -> [Self; 2] {
        let [mut real, mut imaginary] = Self::mul_complex(a[0], b[0]);
        for i in 1..N {
            let product = Self::mul_complex(a[i], b[i]);
            real = real + product[0];
            imaginary = imaginary + product[1];
        }
        [real.reduce(), imaginary.reduce()]
    }
    /// (a₀ + a₁u)² for normal parts.
    fn square_complex(a: [&Self; 2]) -> [Self; 2];
    /// (a₀k, a₁k) for sums of two normal values and a normal k.
    fn scale_complex(a: [&Self; 2], k: &Self) -> [Self; 2];
    /// (9 + u)(a₀ + a₁u) for normal parts, as a normal value.
    fn mul_by_xi(a: [&Self; 2]) -> [Self; 2];

    /// The product of normal elements of Fp6, where the back-end has a better way than by products
    /// in Fp2.
    #[inline(always)]
    fn mul_cubic(_a: [[&Self; 2]; 3], _b: [[&Self; 2]; 3]) -> Option<[[Self; 2]; 3]> {
        None
    }
    /// [`BaseLanes::mul_cubic`] for a second factor b₀ + b₁v.
    #[inline(always)]
    fn mul_cubic_01(_a: [[&Self; 2]; 3], _b: [[&Self; 2]; 2]) -> Option<[[Self; 2]; 3]> {
        None
    }
    /// The square in the cyclotomic subgroup of Fp12, where the back-end has a better way. Coefficients are
    /// in the order of
    /// 1, v, v², w, vw, v²w.
    #[inline(always)]
    fn square_cyclotomic(_f: [[&Self; 2]; 6]) -> Option<[[Self; 2]; 6]> {
        None
    }
}

/// λ with (βx, y) = λ·(x, y) on G1, canonical words; test: `beta_acts_as_lambda`.
pub const GLV_LAMBDA: Limbs = [
    0x8b17ea66b99c90dd,
    0x5bfc41088d8daaa7,
    0xb3c4d79d41a91758,
    0,
];

/// Constants of the tower and the curves in the form of a back-end; pairs are (c0, c1) of Fp2.
#[derive(Clone, Copy, Debug)]
pub struct TowerConstants<F> {
    /// 3, of y² = x³ + 3.
    pub curve_b: F,
    /// β, a cube root of 1: (βx, y) is λ times the point (x, y) of G1, see [`GLV_LAMBDA`].
    pub beta: F,
    /// 3·b′ of the twist y² = x³ + b′, b′ = 3/ξ.
    pub twist_3b: [F; 2],
    /// ξ^(i·(p − 1)/6) for i = 1 to 5.
    pub frobenius_1: [[F; 2]; 5],
    /// ξ^(i·(p² − 1)/6), which is in Fp.
    pub frobenius_2: [F; 5],
    /// ξ^(i·(p³ − 1)/6).
    pub frobenius_3: [[F; 2]; 5],
}

/// [`TowerConstants`] from a `const fn` that takes canonical words.
macro_rules! tower_constants {
    ($constant:path) => {{
        use $crate::tower::constants as words;
        $crate::field::TowerConstants {
            curve_b: $constant([3, 0, 0, 0]),
            beta: $constant(words::POWER_2[3]),
            twist_3b: [$constant(words::TWIST_3B[0]), $constant(words::TWIST_3B[1])],
            frobenius_1: $crate::field::lanes::tower_constants!(pairs $constant, words::POWER_1),
            frobenius_2: [
                $constant(words::POWER_2[0]),
                $constant(words::POWER_2[1]),
                $constant(words::POWER_2[2]),
                $constant(words::POWER_2[3]),
                $constant(words::POWER_2[4]),
            ],
            frobenius_3: $crate::field::lanes::tower_constants!(pairs $constant, words::POWER_3),
        }
    }};
    (pairs $constant:path, $table:expr) => {
        [
            [$constant($table[0][0]), $constant($table[0][1])],
            [$constant($table[1][0]), $constant($table[1][1])],
            [$constant($table[2][0]), $constant($table[2][1])],
            [$constant($table[3][0]), $constant($table[3][1])],
            [$constant($table[4][0]), $constant($table[4][1])],
        ]
    };
}
pub(crate) use tower_constants;
