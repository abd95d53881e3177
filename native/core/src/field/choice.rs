//! Which arithmetic runs: found out once per process, or forced by a test.

use core::sync::atomic::{AtomicU8, Ordering};

/// A way to compute by name: what multiplies scalars, and what works in lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Arithmetic {
    /// 8 lanes of AVX-512 IFMA, and the best scalars.
    Ifma,
    /// 4 lanes of AVX2 with FMA, and the best scalars.
    Avx2,
    /// MULX, ADCX and ADOX; x86-64 with bmi2 and adx.
    Adx,
    /// Plain Rust.
    Portable,
    /// The algorithms of [`Arithmetic::Ifma`] without its instructions, for tests.
    IfmaPortable,
    /// The algorithms of [`Arithmetic::Avx2`] without its instructions, for tests.
    Avx2Portable,
    /// 4 lanes of WebAssembly's relaxed SIMD with a fused multiply-add.
    WasmRelaxed,
    /// 4 lanes of WebAssembly's SIMD.
    WasmSimd,
    /// WebAssembly without SIMD.
    WasmScalar,
}

/// What multiplies single elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarBackend {
    /// [`Adx`](super::Adx).
    Adx,
    /// [`Portable`](super::Portable).
    Portable,
}

/// What computes several elements side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneBackend {
    /// Nothing: members of a batch run one by one through the scalars.
    None,
    /// AVX-512 IFMA.
    Ifma,
    /// AVX2 and FMA.
    Avx2,
    /// The stand-in of IFMA.
    IfmaPortable,
    /// The stand-in of AVX2 and FMA.
    Avx2Portable,
    /// Relaxed SIMD.
    WasmRelaxed,
    /// Plain SIMD.
    WasmSimd,
}

impl LaneBackend {
    /// How many of `count` equal pieces of work go into lanes: all full sets of them, and a rest from
    /// the size on at which it is done sooner side by side than by scalars one after the other (by
    /// measurement; a set in lanes takes the same time whatever their number).
    pub const fn share(self, count: usize) -> usize {
        let (lanes, least_rest) = match self {
            Self::None => return 0,
            Self::Ifma | Self::IfmaPortable => (8, 3),
            Self::Avx2 | Self::Avx2Portable => (4, 3),
            Self::WasmRelaxed => (4, 2),
            Self::WasmSimd => (4, 3),
        };
        let rest = count % lanes;
        if rest < least_rest {
            count - rest
        } else {
            count
        }
    }
}

impl Arithmetic {
    /// Every arithmetic, the preferred ones first.
    pub const ALL: [Self; 9] = [
        Self::Ifma,
        Self::Avx2,
        Self::Adx,
        Self::WasmRelaxed,
        Self::WasmSimd,
        Self::WasmScalar,
        Self::Portable,
        Self::IfmaPortable,
        Self::Avx2Portable,
    ];

    /// The name that [`select_arithmetic`] takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ifma => "ifma",
            Self::Avx2 => "avx2",
            Self::Adx => "adx",
            Self::Portable => "portable",
            Self::IfmaPortable => "ifma-portable",
            Self::Avx2Portable => "avx2-portable",
            Self::WasmRelaxed => "wasm-relaxed",
            Self::WasmSimd => "wasm-simd",
            Self::WasmScalar => "wasm-scalar",
        }
    }

    /// What multiplies single elements: the best of this processor, unless the name says portable.
    pub fn scalar(self) -> ScalarBackend {
        match self {
            Self::Adx => ScalarBackend::Adx,
            Self::Ifma | Self::Avx2 if adx_is_present() => ScalarBackend::Adx,
            _ => ScalarBackend::Portable,
        }
    }

    /// What computes in lanes.
    pub const fn lanes(self) -> LaneBackend {
        match self {
            Self::Ifma => LaneBackend::Ifma,
            Self::Avx2 => LaneBackend::Avx2,
            Self::IfmaPortable => LaneBackend::IfmaPortable,
            Self::Avx2Portable => LaneBackend::Avx2Portable,
            Self::WasmRelaxed => LaneBackend::WasmRelaxed,
            Self::WasmSimd => LaneBackend::WasmSimd,
            Self::Adx | Self::Portable | Self::WasmScalar => LaneBackend::None,
        }
    }

    /// Whether this build and this processor run it.
    pub fn is_supported(self) -> bool {
        match self {
            Self::Ifma => super::ifma::is_present(),
            Self::Avx2 => avx2_is_present(),
            Self::IfmaPortable | Self::Avx2Portable => cfg!(not(target_arch = "wasm32")),
            Self::Adx => adx_is_present(),
            Self::Portable => cfg!(not(target_arch = "wasm32")),
            // the three modules of one source, each compiled for one of these
            Self::WasmRelaxed => cfg!(all(target_arch = "wasm32", target_feature = "relaxed-simd")),
            Self::WasmSimd => cfg!(all(
                target_arch = "wasm32",
                target_feature = "simd128",
                not(target_feature = "relaxed-simd")
            )),
            Self::WasmScalar => cfg!(all(target_arch = "wasm32", not(target_feature = "simd128"))),
        }
    }
}

/// The asked arithmetic does not exist or does not run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownArithmetic;

const UNDECIDED: u8 = u8::MAX;

static CHOICE: AtomicU8 = AtomicU8::new(UNDECIDED);

fn adx_is_present() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("adx") && std::arch::is_x86_feature_detected!("bmi2")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

fn avx2_is_present() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        super::fma::avx2_is_present()
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

fn of_number(number: u8) -> Option<Arithmetic> {
    Arithmetic::ALL
        .into_iter()
        .find(|arithmetic| *arithmetic as u8 == number)
}

/// The arithmetic in use; the fastest one that runs here unless [`select_arithmetic`] chose.
#[inline]
pub fn arithmetic() -> Arithmetic {
    of_number(CHOICE.load(Ordering::Relaxed)).unwrap_or_else(detect)
}

#[cold]
fn detect() -> Arithmetic {
    let found = Arithmetic::ALL
        .into_iter()
        .find(|arithmetic| arithmetic.is_supported())
        .unwrap_or(Arithmetic::Portable);
    // a choice made meanwhile by another thread stands
    match CHOICE.compare_exchange(UNDECIDED, found as u8, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => found,
        Err(chosen) => of_number(chosen).unwrap_or(found),
    }
}

/// Forces an arithmetic by name for the calls that follow, in all threads: for tests, cross-checks
/// and measurements. A key prepared earlier keeps the one it was prepared with.
pub fn select_arithmetic(name: &str) -> Result<Arithmetic, UnknownArithmetic> {
    let chosen = Arithmetic::ALL
        .into_iter()
        .find(|arithmetic| arithmetic.name() == name && arithmetic.is_supported())
        .ok_or(UnknownArithmetic)?;
    CHOICE.store(chosen as u8, Ordering::Relaxed);
    Ok(chosen)
}

/// Evaluates an expression with a type name bound to the scalar back-end in use:
/// `with_backend!(B => poseidon::<B>(inputs))`.
#[macro_export]
macro_rules! with_backend {
    ($backend:ident => $body:expr) => {
        match $crate::field::arithmetic().scalar() {
            $crate::field::ScalarBackend::Adx => {
                type $backend = $crate::field::Adx;
                $body
            }
            $crate::field::ScalarBackend::Portable => {
                type $backend = $crate::field::Portable;
                $body
            }
        }
    };
}

/// Evaluates an expression with a type name bound to the lanes of the scalar field of BN254 that are
/// in use, or another one where there are none.
macro_rules! with_lanes {
    ($lanes:ident => $body:expr, $otherwise:expr) => {
        match $crate::field::arithmetic().lanes() {
            #[cfg(target_arch = "x86_64")]
            $crate::field::LaneBackend::Ifma => {
                type $lanes = $crate::field::FrIfma;
                $body
            }
            #[cfg(not(target_arch = "wasm32"))]
            $crate::field::LaneBackend::IfmaPortable => {
                type $lanes = $crate::field::FrIfmaPortable;
                $body
            }
            #[cfg(target_arch = "x86_64")]
            $crate::field::LaneBackend::Avx2 => {
                type $lanes = $crate::field::FrAvx2;
                $body
            }
            #[cfg(not(target_arch = "wasm32"))]
            $crate::field::LaneBackend::Avx2Portable => {
                type $lanes = $crate::field::FrAvx2Portable;
                $body
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            $crate::field::LaneBackend::WasmRelaxed | $crate::field::LaneBackend::WasmSimd => {
                type $lanes = $crate::field::FrWasm;
                $body
            }
            _ => $otherwise,
        }
    };
}
pub(crate) use with_lanes;
