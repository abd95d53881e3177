//! 8 lanes of 5×52 bits with R = 2^260, for the multiplication instructions of AVX-512 IFMA.
//!
//! Three kinds of numbers keep carries out of sums and reductions out of sums of products:
//! `Loose` limbs of both signs, which are added without carries; an `Operand`, whose limbs have
//! 52 bits, since that is what the instructions read; `Wide` columns, which take hundreds of
//! products before one reduction. A normal value is an `Operand` below 2.4·p.
//!
//! Reduction needs 50 multiplications, as many as the product: four of its five rounds replace
//! the lowest column by its equal one column higher, which needs no quotient (`Wide::round`).
//!
//! The instructions are behind [`IfmaOps`]: [`IfmaHardware`] or the exact [`IfmaStandIn`]. With debug
//! assertions all numbers carry their bounds (`bounds`), and the larger functions are not forced
//! into their callers: kernels with all their checks inside would take minutes to compile.

mod bounds;
mod constants;
mod element;
#[cfg(target_arch = "x86_64")]
mod hardware;
mod loose;
mod ops;
mod stand_in;
#[cfg(test)]
mod tests;
mod wide;

pub use element::IfmaLanes;
#[cfg(target_arch = "x86_64")]
pub use hardware::{is_present, IfmaHardware};
pub use ops::IfmaOps;
#[cfg(test)]
pub use ops::Octet;
pub use stand_in::IfmaStandIn;

/// On other processors the name stands for the stand-in;
/// [`arithmetic`](super::arithmetic) never chooses it.
#[cfg(not(target_arch = "x86_64"))]
pub type IfmaHardware = IfmaStandIn;

/// Whether this processor runs [`IfmaHardware`].
#[cfg(not(target_arch = "x86_64"))]
pub fn is_present() -> bool {
    false
}
