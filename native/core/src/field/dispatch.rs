//! Runs generic work on one arithmetic.
//!
//! The types of back-ends that need a processor's instructions are private to the files of these
//! instructions. Work gets to them as a type parameter, from functions that ask the processor first.
//! The work of [`on_backend`] and [`on_scalar_lanes`] is usually written by
//! [`with_backend!`](crate::field::with_backend) and [`with_lanes!`](crate::tables::with_lanes).

use super::choice::{LaneBackend, ScalarBackend};
#[cfg(target_arch = "x86_64")]
use super::fma;
#[cfg(not(target_arch = "wasm32"))]
use super::fma::{Avx2Emulated, FmaLanes};
#[cfg(not(target_arch = "wasm32"))]
use super::ifma::{IfmaEmulated, IfmaLanes};
use super::{Backend, BaseLanes, Bn254Scalar, FourLanes, Portable, PrimeLanes};

/// Work over a scalar back-end.
pub(crate) trait BackendWork {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<B: Backend>(self) -> Self::Output;
}

/// Work over lanes of the scalar field of BN254 whose tables have entries of type `E`.
pub(crate) trait ScalarLanesWork<E> {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<F: PrimeLanes<Modulus = Bn254Scalar, Entry = E>>(self) -> Self::Output;
}

/// Work over lanes of the base field of BN254.
pub(crate) trait BaseLanesWork {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<F: BaseLanes>(self) -> Self::Output;
}

/// Work over four lanes of the base field of BN254.
pub(crate) trait FourLanesWork {
    /// Result of the work.
    type Output;
    /// Does the work.
    fn run<F: FourLanes>(self) -> Self::Output;
}

/// Runs work on a scalar back-end, the portable one where the processor lacks the other.
pub(crate) fn on_backend<W: BackendWork>(backend: ScalarBackend, work: W) -> W::Output {
    match backend {
        #[cfg(target_arch = "x86_64")]
        ScalarBackend::Adx => super::adx::run(work).unwrap_or_else(|work| work.run::<Portable>()),
        #[cfg(target_arch = "aarch64")]
        ScalarBackend::Arm64 => super::aarch64::run(work),
        _ => work.run::<Portable>(),
    }
}

/// Writes work for [`on_backend`] in place and runs it on the scalar back-end in use: `B` is its type,
/// and the arguments are variables of the caller.
macro_rules! with_backend {
    ($backend:ident, |$($arg:ident: $ty:ty),*| -> $output:ty $body:block) => {{
        struct Work<T>(T);
        impl $crate::field::dispatch::BackendWork for Work<($($ty,)*)> {
            type Output = $output;
            fn run<$backend: $crate::field::Backend>(self) -> $output {
                let ($($arg,)*) = self.0;
                $body
            }
        }
        $crate::field::dispatch::on_backend(
            $crate::field::arithmetic().scalar(),
            Work(($($arg,)*)),
        )
    }};
}
pub(crate) use with_backend;

/// Runs work in lanes, or returns `None` where there are none of this kind.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn on_scalar_lanes<T, W>(lanes: LaneBackend, work: W) -> Option<T>
where
    W: ScalarLanesWork<[u64; 5], Output = T> + ScalarLanesWork<[f64; 5], Output = T>,
{
    match lanes {
        LaneBackend::None | LaneBackend::WasmRelaxed | LaneBackend::WasmSimd => None,
        #[cfg(target_arch = "x86_64")]
        LaneBackend::Ifma => super::ifma::hardware::run(hardware::Scalar(work)),
        #[cfg(target_arch = "x86_64")]
        LaneBackend::Avx2 => fma::avx2::run(hardware::Scalar(work)),
        #[cfg(not(target_arch = "x86_64"))]
        LaneBackend::Ifma | LaneBackend::Avx2 => None,
        LaneBackend::IfmaEmulated => {
            Some(ScalarLanesWork::<[u64; 5]>::run::<IfmaLanes<_, IfmaEmulated>>(work))
        }
        LaneBackend::Avx2Emulated => {
            Some(ScalarLanesWork::<[f64; 5]>::run::<FmaLanes<_, Avx2Emulated>>(work))
        }
    }
}

/// Runs work in lanes, or returns `None` where there are none of this kind.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn on_base_lanes<W: BaseLanesWork>(lanes: LaneBackend, work: W) -> Option<W::Output> {
    match lanes {
        LaneBackend::None | LaneBackend::WasmRelaxed | LaneBackend::WasmSimd => None,
        #[cfg(target_arch = "x86_64")]
        LaneBackend::Ifma => super::ifma::hardware::run(hardware::Base(work)),
        #[cfg(target_arch = "x86_64")]
        LaneBackend::Avx2 => fma::avx2::run(hardware::Base(work)),
        #[cfg(not(target_arch = "x86_64"))]
        LaneBackend::Ifma | LaneBackend::Avx2 => None,
        LaneBackend::IfmaEmulated => Some(work.run::<IfmaLanes<_, IfmaEmulated>>()),
        LaneBackend::Avx2Emulated => Some(work.run::<FmaLanes<_, Avx2Emulated>>()),
    }
}

/// Runs work in the four lanes that go with a kind of lanes, or returns `None` where there are none:
/// AVX2 goes with IFMA, too.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn on_four_lanes<W: FourLanesWork>(lanes: LaneBackend, work: W) -> Option<W::Output> {
    match lanes {
        #[cfg(target_arch = "x86_64")]
        LaneBackend::Ifma | LaneBackend::Avx2 => fma::avx2::run(hardware::Four(work)),
        LaneBackend::Avx2Emulated => Some(work.run::<FmaLanes<_, Avx2Emulated>>()),
        _ => None,
    }
}

/// Work in lanes as work over the operations of the hardware.
#[cfg(target_arch = "x86_64")]
mod hardware {
    use super::super::fma::{FmaLanes, FmaProducts, FmaWork};
    use super::super::ifma::{IfmaLanes, IfmaProducts, IfmaWork};
    use super::{BaseLanesWork, FourLanesWork, ScalarLanesWork};

    pub(super) struct Scalar<W>(pub W);
    pub(super) struct Base<W>(pub W);
    pub(super) struct Four<W>(pub W);

    impl<W: ScalarLanesWork<[u64; 5]>> IfmaWork for Scalar<W> {
        type Output = W::Output;
        fn run<O: IfmaProducts>(self) -> W::Output {
            self.0.run::<IfmaLanes<_, O>>()
        }
    }

    impl<W: ScalarLanesWork<[f64; 5]>> FmaWork for Scalar<W> {
        type Output = W::Output;
        fn run<O: FmaProducts>(self) -> W::Output {
            self.0.run::<FmaLanes<_, O>>()
        }
    }

    impl<W: BaseLanesWork> IfmaWork for Base<W> {
        type Output = W::Output;
        fn run<O: IfmaProducts>(self) -> W::Output {
            self.0.run::<IfmaLanes<_, O>>()
        }
    }

    impl<W: BaseLanesWork> FmaWork for Base<W> {
        type Output = W::Output;
        fn run<O: FmaProducts>(self) -> W::Output {
            self.0.run::<FmaLanes<_, O>>()
        }
    }

    impl<W: FourLanesWork> FmaWork for Four<W> {
        type Output = W::Output;
        fn run<O: FmaProducts>(self) -> W::Output {
            self.0.run::<FmaLanes<_, O>>()
        }
    }
}

/// Lanes of WebAssembly: the one kind that the module is compiled for, whatever is asked for.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm {
    use super::super::{FpWasm, FrWasm};
    use super::*;

    /// Runs work in lanes.
    pub(crate) fn on_scalar_lanes<T, W>(_: LaneBackend, work: W) -> Option<T>
    where
        W: ScalarLanesWork<<FrWasm as PrimeLanes>::Entry, Output = T>,
    {
        Some(work.run::<FrWasm>())
    }

    /// Runs work in lanes.
    pub(crate) fn on_base_lanes<W: BaseLanesWork>(_: LaneBackend, work: W) -> Option<W::Output> {
        Some(work.run::<FpWasm>())
    }

    /// Runs work in four lanes.
    pub(crate) fn on_four_lanes<W: FourLanesWork>(_: LaneBackend, work: W) -> Option<W::Output> {
        Some(work.run::<FpWasm>())
    }
}

/// No lanes.
#[cfg(all(target_arch = "wasm32", not(target_feature = "simd128")))]
mod wasm {
    use super::super::Fr;
    use super::*;

    /// Returns `None`.
    pub(crate) fn on_scalar_lanes<T, W>(_: LaneBackend, _: W) -> Option<T>
    where
        W: ScalarLanesWork<Fr<Portable>, Output = T>,
    {
        None
    }

    /// Returns `None`.
    pub(crate) fn on_base_lanes<W: BaseLanesWork>(_: LaneBackend, _: W) -> Option<W::Output> {
        None
    }

    /// Returns `None`.
    pub(crate) fn on_four_lanes<W: FourLanesWork>(_: LaneBackend, _: W) -> Option<W::Output> {
        None
    }
}

#[cfg(target_arch = "wasm32")]
pub(crate) use wasm::{on_base_lanes, on_four_lanes, on_scalar_lanes};

/// Checks on one arithmetic, for tests: `F` or `B` is the type, and a check that cannot run is
/// reported as skipped.
#[cfg(test)]
pub(crate) mod checks {
    use super::super::{Arithmetic, ScalarBackend};

    /// Returns the scalar back-end with instructions of its own that this processor has.
    pub(crate) fn own_scalars() -> Option<ScalarBackend> {
        [Arithmetic::Adx, Arithmetic::Arm64]
            .into_iter()
            .find(|arithmetic| arithmetic.is_supported())
            .map(Arithmetic::scalar)
    }

    /// Runs a check on the scalar back-end with instructions of its own that this processor has.
    macro_rules! on_own_scalars {
        ($backend:ident => $body:block) => {{
            struct Work;
            impl $crate::field::dispatch::BackendWork for Work {
                type Output = ();
                fn run<$backend: $crate::field::Backend>(self) $body
            }
            match $crate::field::dispatch::checks::own_scalars() {
                Some(backend) => $crate::field::dispatch::on_backend(backend, Work),
                None => println!("skipped: no scalar back-end but the portable one runs here"),
            }
        }};
    }

    macro_rules! in_base_lanes {
        ($lanes:ident, $type:ident => $body:block) => {{
            struct Work;
            impl $crate::field::dispatch::BaseLanesWork for Work {
                type Output = ();
                fn run<$type: $crate::field::BaseLanes>(self) $body
            }
            let lanes = $crate::field::LaneBackend::$lanes;
            if $crate::field::dispatch::on_base_lanes(lanes, Work).is_none() {
                println!("skipped: this processor has no {lanes:?}");
            }
        }};
    }

    macro_rules! in_four_lanes {
        ($lanes:ident, $type:ident => $body:block) => {{
            struct Work;
            impl $crate::field::dispatch::FourLanesWork for Work {
                type Output = ();
                fn run<$type: $crate::field::FourLanes>(self) $body
            }
            let lanes = $crate::field::LaneBackend::$lanes;
            if $crate::field::dispatch::on_four_lanes(lanes, Work).is_none() {
                println!("skipped: this processor has no {lanes:?}");
            }
        }};
    }

    macro_rules! in_scalar_lanes {
        ($lanes:ident, $type:ident => $body:block) => {{
            struct Work;
            impl<E: $crate::tables::Tables> $crate::field::dispatch::ScalarLanesWork<E> for Work {
                type Output = ();
                fn run<$type>(self)
                where
                    $type: $crate::field::PrimeLanes<
                        Modulus = $crate::field::Bn254Scalar,
                        Entry = E,
                    >,
                $body
            }
            let lanes = $crate::field::LaneBackend::$lanes;
            if $crate::field::dispatch::on_scalar_lanes(lanes, Work).is_none() {
                println!("skipped: this processor has no {lanes:?}");
            }
        }};
    }

    pub(crate) use {in_base_lanes, in_four_lanes, in_scalar_lanes, on_own_scalars};
}
