//! 8 lanes of 5×52 bits with R = 2^260, for the multiplication instructions of AVX-512 IFMA.
//!
//! Three kinds of numbers keep carries out of sums and reductions out of sums of products:
//! `Loose` limbs of both signs, which are added without carries; an `Operand`, whose limbs have
//! 52 bits, as the instructions read them; `Wide` columns, which take hundreds of
//! products before one reduction. A normal value is an `Operand` below 2.4·p.
//!
//! Reduction needs 50 multiplications, as many as the product: four of its five rounds replace
//! the lowest column by its equal one column higher, which needs no quotient (`Wide::round`).
//!
//! The instructions are behind [`IfmaOps`](ops::IfmaOps): those of the hardware or the exact
//! [`IfmaEmulated`]. With debug
//! assertions all numbers carry their bounds (`bounds`), and the larger functions are not forced
//! into their callers: kernels with all their checks inside would take minutes to compile.

mod bounds;
mod constants;
mod element;
mod emulated;
#[cfg(target_arch = "x86_64")]
pub(super) mod hardware;
mod lanes;
mod loose;
mod ops;
mod products;
#[cfg(test)]
mod tests;
mod wide;

pub use element::IfmaLanes;
pub use emulated::IfmaEmulated;
#[cfg(test)]
pub use ops::{IfmaOps, Octet};
#[cfg(any(test, target_arch = "x86_64"))]
pub use products::IfmaProducts;

/// Work over any implementation of these operations.
#[cfg(target_arch = "x86_64")]
pub trait IfmaWork {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<O: IfmaProducts>(self) -> Self::Output;
}
