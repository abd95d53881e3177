//! Which back-end runs: found out once per process, or forced by a test.

use core::sync::atomic::{AtomicU8, Ordering};

/// A scalar back-end by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// MULX, ADCX and ADOX; x86-64 with bmi2 and adx.
    Adx,
    /// Plain Rust.
    Portable,
}

impl Arithmetic {
    /// `adx` or `portable`, as [`select_arithmetic`] takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Adx => "adx",
            Self::Portable => "portable",
        }
    }
}

/// The asked back-end does not exist or this processor cannot run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownArithmetic;

const UNDECIDED: u8 = 0;
const ADX: u8 = 1;
const PORTABLE: u8 = 2;

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

/// The back-end in use; the fastest one this processor runs unless [`select_arithmetic`] chose.
#[inline]
pub fn arithmetic() -> Arithmetic {
    match CHOICE.load(Ordering::Relaxed) {
        ADX => Arithmetic::Adx,
        PORTABLE => Arithmetic::Portable,
        _ => detect(),
    }
}

#[cold]
fn detect() -> Arithmetic {
    let found = if adx_is_present() { ADX } else { PORTABLE };
    // a choice made meanwhile by another thread stands
    let _ = CHOICE.compare_exchange(UNDECIDED, found, Ordering::Relaxed, Ordering::Relaxed);
    match CHOICE.load(Ordering::Relaxed) {
        ADX => Arithmetic::Adx,
        _ => Arithmetic::Portable,
    }
}

/// Forces a back-end by name for the calls that follow, in all threads: for tests, cross-checks
/// and measurements. A key prepared earlier keeps the back-end it was prepared with.
pub fn select_arithmetic(name: &str) -> Result<Arithmetic, UnknownArithmetic> {
    let chosen = match name {
        "adx" if adx_is_present() => Arithmetic::Adx,
        "portable" => Arithmetic::Portable,
        _ => return Err(UnknownArithmetic),
    };
    let code = match chosen {
        Arithmetic::Adx => ADX,
        Arithmetic::Portable => PORTABLE,
    };
    CHOICE.store(code, Ordering::Relaxed);
    Ok(chosen)
}

/// Evaluates an expression with a type name bound to the back-end in use:
/// `with_backend!(B => poseidon::<B>(inputs))`.
#[macro_export]
macro_rules! with_backend {
    ($backend:ident => $body:expr) => {
        match $crate::field::arithmetic() {
            $crate::field::Arithmetic::Adx => {
                type $backend = $crate::field::Adx;
                $body
            }
            $crate::field::Arithmetic::Portable => {
                type $backend = $crate::field::Portable;
                $body
            }
        }
    };
}
