//! The arithmetic in use: detected once per process, or forced by a test.

use core::sync::atomic::{AtomicU8, Ordering};

/// An arithmetic: a back-end of scalars and one of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Arithmetic {
    /// 8 lanes of AVX-512 IFMA, and the best scalars.
    Ifma,
    /// 4 lanes of AVX2 with FMA, and the best scalars.
    Avx2,
    /// MULX, ADCX and ADOX; x86-64 with bmi2 and adx.
    Adx,
    /// MUL and UMULH with chains of the carry flag; AArch64.
    Arm64,
    /// Plain Rust.
    Portable,
    /// The algorithms of [`Arithmetic::Ifma`] without its instructions, for tests.
    IfmaEmulated,
    /// The algorithms of [`Arithmetic::Avx2`] without its instructions, for tests.
    Avx2Emulated,
    /// 4 lanes of WebAssembly's relaxed SIMD with a fused multiply-add.
    WasmRelaxed,
    /// 4 lanes of WebAssembly's SIMD.
    WasmSimd,
    /// WebAssembly without SIMD.
    WasmScalar,
}

/// Back-end of single elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarBackend {
    /// MULX, ADCX and ADOX.
    Adx,
    /// MUL and UMULH with chains of the carry flag.
    Arm64,
    /// [`Portable`](super::Portable).
    Portable,
}

/// Back-end of several elements side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneBackend {
    /// Nothing: members of a batch run one by one through the scalars.
    None,
    /// AVX-512 IFMA.
    Ifma,
    /// AVX2 and FMA.
    Avx2,
    /// IFMA by plain Rust.
    IfmaEmulated,
    /// AVX2 and FMA by plain Rust.
    Avx2Emulated,
    /// Relaxed SIMD.
    WasmRelaxed,
    /// Plain SIMD.
    WasmSimd,
}

/// Proofs of one key from which on they are checked together faster than one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeastMembers {
    /// Combined.
    pub combined: usize,
    /// Each with an equation of its own, side by side in one set of lanes.
    pub side_by_side: usize,
}

impl LaneBackend {
    /// The least numbers of proofs, by measurement (src/docs/engine.md#small-batches): a set in lanes takes the
    /// same time whatever their number.
    pub(crate) const fn least_members(self) -> LeastMembers {
        let (combined, side_by_side) = match self {
            Self::None => (2, 1),
            Self::Ifma | Self::IfmaEmulated => (3, 4),
            Self::Avx2 | Self::Avx2Emulated | Self::WasmRelaxed | Self::WasmSimd => (3, 3),
        };
        LeastMembers {
            combined,
            side_by_side,
        }
    }

    /// Returns how many of `count` equal pieces of work go into lanes: all full sets of them, and a rest
    /// that is large enough to be faster side by side than by scalars (by measurement; a set in lanes
    /// takes the same time whatever their number).
    pub const fn share(self, count: usize) -> usize {
        let (lanes, least_rest) = match self {
            Self::None => return 0,
            Self::Ifma | Self::IfmaEmulated => (8, 3),
            Self::Avx2 | Self::Avx2Emulated => (4, 3),
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
    pub const ALL: [Self; 10] = [
        Self::Ifma,
        Self::Avx2,
        Self::Adx,
        Self::Arm64,
        Self::WasmRelaxed,
        Self::WasmSimd,
        Self::WasmScalar,
        Self::Portable,
        Self::IfmaEmulated,
        Self::Avx2Emulated,
    ];

    /// The name in [`select_arithmetic`](crate::calls::select_arithmetic), settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ifma => "ifma",
            Self::Avx2 => "avx2",
            Self::Adx => "adx",
            Self::Arm64 => "arm64",
            Self::Portable => "portable",
            Self::IfmaEmulated => "ifma-emulated",
            Self::Avx2Emulated => "avx2-emulated",
            Self::WasmRelaxed => "wasm-relaxed",
            Self::WasmSimd => "wasm-simd",
            Self::WasmScalar => "wasm-scalar",
        }
    }

    /// The back-end of single elements, where the processor has its instructions.
    pub(crate) const fn scalar(self) -> ScalarBackend {
        match self {
            Self::Adx | Self::Ifma | Self::Avx2 => ScalarBackend::Adx,
            Self::Arm64 => ScalarBackend::Arm64,
            _ => ScalarBackend::Portable,
        }
    }

    /// The back-end of lanes.
    pub(crate) const fn lanes(self) -> LaneBackend {
        match self {
            Self::Ifma => LaneBackend::Ifma,
            Self::Avx2 => LaneBackend::Avx2,
            Self::IfmaEmulated => LaneBackend::IfmaEmulated,
            Self::Avx2Emulated => LaneBackend::Avx2Emulated,
            Self::WasmRelaxed => LaneBackend::WasmRelaxed,
            Self::WasmSimd => LaneBackend::WasmSimd,
            Self::Adx | Self::Arm64 | Self::Portable | Self::WasmScalar => LaneBackend::None,
        }
    }

    /// Whether this build and this processor run it.
    pub fn is_supported(self) -> bool {
        match self {
            Self::Ifma | Self::Avx2 | Self::Adx => has_instructions(self),
            Self::Arm64 => cfg!(target_arch = "aarch64"),
            Self::Portable | Self::IfmaEmulated | Self::Avx2Emulated => {
                cfg!(not(target_arch = "wasm32"))
            }
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

/// Whether the processor has the instructions of [`Arithmetic::Adx`], `Avx2` or `Ifma`.
#[cfg(target_arch = "x86_64")]
fn has_instructions(arithmetic: Arithmetic) -> bool {
    match arithmetic {
        Arithmetic::Ifma => super::ifma::hardware::is_present(),
        Arithmetic::Avx2 => super::fma::avx2::is_present(),
        _ => super::adx::is_present(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has_instructions(_: Arithmetic) -> bool {
    false
}

fn of_number(number: u8) -> Option<Arithmetic> {
    Arithmetic::ALL
        .into_iter()
        .find(|arithmetic| *arithmetic as u8 == number)
}

/// Returns the arithmetic in use: the fastest supported one, unless [`select_arithmetic`] chose.
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
    // a choice that another thread made meanwhile is kept
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
