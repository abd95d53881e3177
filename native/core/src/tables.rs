//! Tables of constants in the form of each kind of lanes, made at first use.

use crate::babyjubjub::Comb;
#[cfg(any(test, not(target_arch = "wasm32"), target_feature = "simd128"))]
use crate::field;
use crate::field::{Fr, Portable};
use crate::poseidon::Arities;
use crate::poseidon2::Widths;

/// A form of table entries ([`PrimeLanes::Entry`](field::PrimeLanes::Entry)) with the tables in it.
pub(crate) trait Tables: Sized + 'static {
    /// Constants of Poseidon2.
    fn poseidon2() -> &'static Widths<Self>;
    /// Constants of circomlib's Poseidon.
    fn poseidon() -> &'static Arities<Self>;
    /// Multiples of the generator of BabyJubJub.
    fn generator() -> &'static Comb<Self>;
}

/// Writes work in the lanes of the scalar field in place and runs it on those in use: `F` is their
/// type, and the arguments are variables of the caller. `None` where there are no lanes.
macro_rules! with_lanes {
    ($lanes:ident, |$($arg:ident: $ty:ty),*| -> $output:ty $body:block) => {{
        struct Work<T>(T);
        impl<E: $crate::tables::Tables> $crate::field::dispatch::ScalarLanesWork<E>
            for Work<($($ty,)*)>
        {
            type Output = $output;
            fn run<$lanes>(self) -> $output
            where
                $lanes: $crate::field::PrimeLanes<Modulus = $crate::field::Bn254Scalar, Entry = E>,
            {
                let ($($arg,)*) = self.0;
                $body
            }
        }
        $crate::field::dispatch::on_scalar_lanes(
            $crate::field::arithmetic().lanes(),
            Work(($($arg,)*)),
        )
    }};
}
pub(crate) use with_lanes;

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
    [u64; 5] = field::FrIfmaEmulated,
    [f64; 5] = field::FrAvx2Emulated
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
tables!([i32; 9] = field::FrSimd29Emulated);
