//! Tables of constants in every form that some lanes read, each made at first use.

use crate::babyjubjub::Comb;
use crate::field::{self, Fr, Portable};
use crate::poseidon::Arities;
use crate::poseidon2::Widths;

/// A form of table entries ([`PrimeLanes::Entry`](field::PrimeLanes::Entry)) with the tables in it.
pub(crate) trait Tables: Sized + 'static {
    /// Of Poseidon2.
    fn poseidon2() -> &'static Widths<Self>;
    /// Of circomlib's Poseidon.
    fn poseidon() -> &'static Arities<Self>;
    /// Multiples of the generator of BabyJubJub.
    fn generator() -> &'static Comb<Self>;
}

macro_rules! tables {
    ($($entry:ty = $lanes:ty),*) => { $(
        impl Tables for $entry {
            fn poseidon2() -> &'static Widths<Self> {
                static TABLES: Widths<$entry> = Widths::new::<$lanes>();
                &TABLES
            }

            fn poseidon() -> &'static Arities<Self> {
                static TABLES: Arities<$entry> = Arities::new::<$lanes>();
                &TABLES
            }

            fn generator() -> &'static Comb<Self> {
                static TABLE: Comb<$entry> = Comb::new::<$lanes>();
                &TABLE
            }
        }
    )* };
}

tables!(Fr<Portable> = Fr<Portable>);
#[cfg(not(target_arch = "wasm32"))]
tables!(
    [u64; 5] = field::FrIfmaPortable,
    [f64; 5] = field::FrAvx2Portable
);
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
tables!([f64; 5] = field::FrWasm);
#[cfg(all(
    target_arch = "wasm32",
    target_feature = "simd128",
    not(target_feature = "relaxed-simd")
))]
tables!([i32; 9] = field::FrWasm);
#[cfg(test)]
tables!([i32; 9] = field::FrSimd29Portable);
