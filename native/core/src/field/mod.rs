//! Prime fields of 251 to 254 bits in Montgomery form.
//!
//! Belongs here: the moduli ([`modulus`]), the element type ([`Field`]) and the back-ends that
//! multiply ([`Backend`]). Which back-end runs is decided once per process ([`arithmetic`]); the
//! public functions of this crate dispatch once per call with [`with_backend!`](crate::with_backend)
//! and everything below them is compiled once per back-end.
//!
//! Addition, subtraction, negation, multiplication and selection have neither branches nor memory
//! accesses that depend on values, so secrets may pass through them. What does not keep that
//! promise says so: [`Field::inverse`], [`Field::sqrt`], and [`Field::pow`] in its exponent.

#[cfg(target_arch = "x86_64")]
mod adx;
mod backend;
mod bytes;
mod choice;
mod element;
mod fma;
pub(crate) mod four_lanes;
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
#[cfg(any(test, all(target_arch = "wasm32", target_feature = "simd128")))]
mod simd29;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(not(target_arch = "wasm32"))]
mod wide;
#[cfg(not(target_arch = "wasm32"))]
mod wide_tower;

#[cfg(target_arch = "x86_64")]
pub use adx::Adx;
pub use backend::{Backend, Portable};
pub(crate) use bytes::words_be;
pub(crate) use choice::with_lanes;
pub use choice::{
    arithmetic, select_arithmetic, Arithmetic, LaneBackend, ScalarBackend, UnknownArithmetic,
};
pub use element::Field;
pub use fma::{FmaLanes, FmaOps, Quad, StandIn};
pub use four_lanes::FourLanes;
#[cfg(test)]
pub use ifma::Octet as IfmaOctet;
pub use ifma::{IfmaHardware, IfmaLanes, IfmaOps, IfmaStandIn};
pub use lanes::{BaseLanes, Kernel, LaneSet, PrimeLanes, TowerConstants, GLV_LAMBDA};
pub(crate) use limbs::is_below;
pub use limbs::Limbs;
pub use modulus::{BabyJubSubgroup, Bn254Base, Bn254Scalar, Modulus};

/// On other processors the name stands for the portable back-end; [`arithmetic`] never chooses it.
#[cfg(not(target_arch = "x86_64"))]
pub type Adx = Portable;

/// Base field of BN254, 254 bits: coordinates of G1.
pub type Fp<B> = Field<Bn254Base, B>;
/// Scalar field of BN254, 254 bits: public inputs, Poseidon, coordinates of BabyJubJub.
pub type Fr<B> = Field<Bn254Scalar, B>;
/// Scalars of the prime subgroup of BabyJubJub, 251 bits.
pub type Fl<B> = Field<BabyJubSubgroup, B>;

/// 4 lanes of [`Fp`] by plain Rust, with the algorithms of AVX2.
pub type FpAvx2Portable = FmaLanes<Bn254Base, StandIn>;
/// 4 lanes of [`Fr`] by plain Rust, with the algorithms of AVX2.
pub type FrAvx2Portable = FmaLanes<Bn254Scalar, StandIn>;
/// 4 lanes of [`Fp`] by AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
pub type FpAvx2 = FmaLanes<Bn254Base, fma::Avx2>;
/// 4 lanes of [`Fr`] by AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
pub type FrAvx2 = FmaLanes<Bn254Scalar, fma::Avx2>;
/// On other processors the name stands for the stand-in; [`arithmetic`] never chooses it.
#[cfg(not(target_arch = "x86_64"))]
pub type FpAvx2 = FpAvx2Portable;
/// On other processors the name stands for the stand-in; [`arithmetic`] never chooses it.
#[cfg(not(target_arch = "x86_64"))]
pub type FrAvx2 = FrAvx2Portable;
/// 8 elements of the base field by AVX-512 IFMA.
pub type FpIfma = IfmaLanes<Bn254Base, IfmaHardware>;
/// 8 elements of the scalar field by AVX-512 IFMA.
pub type FrIfma = IfmaLanes<Bn254Scalar, IfmaHardware>;
/// [`FpIfma`] without its instructions.
pub type FpIfmaPortable = IfmaLanes<Bn254Base, IfmaStandIn>;
/// [`FrIfma`] without its instructions.
pub type FrIfmaPortable = IfmaLanes<Bn254Scalar, IfmaStandIn>;

/// 4 lanes of [`Fr`] by plain Rust, with the algorithms of WebAssembly's SIMD.
#[cfg(test)]
pub type FrSimd29Portable = simd29::Simd29Lanes<Bn254Scalar, simd29::StandIn29>;
/// 4 lanes of [`Fp`] by WebAssembly's SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type FpWasmSimd = simd29::Simd29Lanes<Bn254Base, simd29::Simd128>;
/// 4 lanes of [`Fr`] by WebAssembly's SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub type FrWasmSimd = simd29::Simd29Lanes<Bn254Scalar, simd29::Simd128>;

/// 4 lanes of [`Fp`] by WebAssembly's relaxed SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FpWasmRelaxed = FmaLanes<Bn254Base, fma::RelaxedSimd>;
/// 4 lanes of [`Fr`] by WebAssembly's relaxed SIMD.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FrWasmRelaxed = FmaLanes<Bn254Scalar, fma::RelaxedSimd>;

/// The lanes of the module: the best that its features give.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FpWasm = FpWasmRelaxed;
/// The lanes of the module: the best that its features give.
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    not(target_feature = "relaxed-simd")
))]
pub type FpWasm = FpWasmSimd;

/// The lanes of [`FpWasm`] over the scalar field.
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
pub type FrWasm = FrWasmRelaxed;
/// The lanes of [`FpWasm`] over the scalar field.
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    not(target_feature = "relaxed-simd")
))]
pub type FrWasm = FrWasmSimd;
