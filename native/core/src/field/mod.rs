//! Prime fields of 251 to 254 bits in Montgomery form.
//!
//! Belongs here: the moduli ([`modulus`]), the element type ([`Field`]), the back-ends that multiply
//! ([`Backend`]) and lanes of elements ([`PrimeLanes`]). Which arithmetic runs is decided once per
//! process ([`arithmetic`]); the public functions of this crate dispatch once per call
//! ([`dispatch`]), and everything below them is compiled once per back-end.
//!
//! Secrets pass through elements over [`Secret`] back-ends and through lanes: there addition, subtraction,
//! negation, multiplication, `conditional_select` and the conversions to and from words and bytes have neither
//! branches nor memory accesses that depend on values. The exceptions are [`Field::from_be_bytes`] and
//! `from_le_bytes`, which refuse, [`Field::inverse`], [`Field::sqrt`], [`Field::pow`] in its exponent,
//! [`PrimeLanes::entry`], and the emulated lanes. Over other back-ends the compiler makes branches of masks.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod adx;
mod backend;
mod bytes;
mod choice;
#[cfg(test)]
pub(crate) mod count;
pub(crate) mod dispatch;
mod element;
mod float_mode;
#[cfg(any(not(target_arch = "wasm32"), target_feature = "relaxed-simd"))]
mod fma;
pub(crate) mod four_lanes;
#[cfg(not(target_arch = "wasm32"))]
mod ifma;
mod inverse;
#[cfg(test)]
pub(crate) mod lane_tests;
pub(crate) mod lanes;
mod limbs;
#[cfg(any(test, target_arch = "wasm32"))]
mod limbs29;
pub mod modulus;
mod root;
#[cfg(any(
    test,
    all(
        target_arch = "wasm32",
        target_feature = "simd128",
        not(target_feature = "relaxed-simd")
    )
))]
mod simd29;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(not(target_arch = "wasm32"))]
mod wide;
#[cfg(not(target_arch = "wasm32"))]
mod wide_tower;

pub(crate) use backend::{Backend, Portable, Secret};
pub(crate) use bytes::words_be;
#[cfg(test)]
pub(crate) use choice::ScalarBackend;
pub use choice::{arithmetic, select_arithmetic, Arithmetic, UnknownArithmetic};
pub(crate) use choice::{LaneBackend, LeastMembers};
pub(crate) use dispatch::with_backend;
pub(crate) use element::Field;
pub(crate) use float_mode::in_default_float_mode;
pub(crate) use four_lanes::FourLanes;
#[cfg(test)]
pub(crate) use ifma::{IfmaEmulated, IfmaLanes, IfmaOps, IfmaProducts, Octet as IfmaOctet};
pub(crate) use lanes::{BaseLanes, Kernel, LaneSet, PrimeLanes, TowerConstants, GLV_LAMBDA};
pub(crate) use limbs::is_below;
pub(crate) use limbs::Limbs;
pub(crate) use modulus::{BabyJubSubgroup, Bn254Base, Bn254Scalar, Modulus};

/// Base field of BN254, 254 bits: coordinates of G1.
pub type Fp<B> = Field<Bn254Base, B>;
/// Scalar field of BN254, 254 bits: public inputs, Poseidon, coordinates of BabyJubJub.
pub type Fr<B> = Field<Bn254Scalar, B>;
/// Scalars of the prime subgroup of BabyJubJub, 251 bits.
pub type Fl<B> = Field<BabyJubSubgroup, B>;

/// 4 lanes of [`Fp`] by plain Rust, with the algorithms of AVX2.
#[cfg(test)]
pub type FpAvx2Emulated = fma::FmaLanes<Bn254Base, fma::Avx2Emulated>;
/// 4 lanes of [`Fr`] by plain Rust, with the algorithms of AVX2.
#[cfg(not(target_arch = "wasm32"))]
pub type FrAvx2Emulated = fma::FmaLanes<Bn254Scalar, fma::Avx2Emulated>;
/// 8 lanes of [`Fp`] by plain Rust, with the algorithms of IFMA.
#[cfg(test)]
pub type FpIfmaEmulated = ifma::IfmaLanes<Bn254Base, ifma::IfmaEmulated>;
/// 8 lanes of [`Fr`] by plain Rust, with the algorithms of IFMA.
#[cfg(not(target_arch = "wasm32"))]
pub type FrIfmaEmulated = ifma::IfmaLanes<Bn254Scalar, ifma::IfmaEmulated>;

/// 4 lanes of [`Fr`] by plain Rust, with the algorithms of WebAssembly's SIMD.
#[cfg(test)]
pub type FrSimd29Emulated = simd29::Simd29Lanes<Bn254Scalar, simd29::Simd29Emulated>;
/// The lanes of [`Fp`] by WebAssembly's relaxed SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FpWasm = fma::FmaLanes<Bn254Base, fma::RelaxedSimd>;
/// The lanes of [`Fp`] by WebAssembly's SIMD.
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    not(target_feature = "relaxed-simd")
))]
pub type FpWasm = simd29::Simd29Lanes<Bn254Base, simd29::Simd128>;

/// The lanes of [`Fr`] by WebAssembly's relaxed SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FrWasm = fma::FmaLanes<Bn254Scalar, fma::RelaxedSimd>;
/// The lanes of [`Fr`] by WebAssembly's SIMD.
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    not(target_feature = "relaxed-simd")
))]
pub type FrWasm = simd29::Simd29Lanes<Bn254Scalar, simd29::Simd128>;
