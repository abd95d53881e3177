//! The two source groups of the pairing over BN254: G1, y² = x³ + 3 over Fp, and the twist
//! y² = x³ + 3/ξ over Fp2 whose subgroup of order r is G2.
//!
//! (0, 0) is on neither curve and represents the point at infinity, as in EIP-197.

pub(crate) mod affine;
mod g1;
pub(crate) mod g1_lanes;
mod g2;
pub(crate) mod generators;
#[cfg(test)]
mod lane_tests;
pub(crate) mod shared_inverse;
#[cfg(test)]
pub(crate) mod tests;

pub use g1::{batch_to_affine, G1Affine, G1Jacobian};
pub use g2::G2Affine;
pub use generators::{g1_multiples, g2_multiples};
