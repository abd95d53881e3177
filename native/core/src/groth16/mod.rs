//! Groth16 over BN254: e(A,B) = e(α,β) · e(IC₀ + Σ xⱼ·ICⱼ, γ) · e(C,δ), with every check on the way
//! (Groth 2016, <https://eprint.iacr.org/2016/260>, section 3.2).
//!
//! [`PreparedKey`] holds what depends on the key alone; [`verify`](fn@verify) and [`verify_batch`] answer with
//! a [`Verdict`]. A false proof and a malformed one are different verdicts; a malformed key is a
//! [`KeyError`].

mod batch;
mod checks;
mod input_tables;
mod key;
mod key_error;
mod key_faults;
mod lane_tables;
mod packed_key;
mod power;
mod proof;
mod randomisers;
mod relations;
mod sums;
#[cfg(test)]
mod tests;
mod verdict;
mod verify;

pub use batch::{verify_batch, verify_each};
pub use key::{PreparedKey, MAX_INPUTS};
pub use key_error::{KeyError, KeyPoint};
pub use key_faults::key_faults;
pub use randomisers::SEED_BYTES;
pub use verdict::{BatchError, Verdict};
pub use verify::verify;
