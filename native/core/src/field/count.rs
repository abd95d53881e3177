//! What work costs, whatever the machine does: the multiplications that it takes, counted in tests.

use std::cell::Cell;

/// Products of two words in a product of scalars, 4×64 bits, without its reduction.
pub(super) const WIDE_PRODUCT: u64 = 16;

/// The same in a reduction.
pub(super) const REDUCTION: u64 = 20;

thread_local! {
    static INSTRUCTIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts instructions that multiply: of two words, or of as many as a vector has.
pub(super) fn add(instructions: u64) {
    INSTRUCTIONS.set(INSTRUCTIONS.get() + instructions);
}

/// The instructions that multiply in some work on `portable` or an emulated arithmetic.
pub(crate) fn instructions_of(work: impl FnOnce()) -> u64 {
    let before = INSTRUCTIONS.get();
    work();
    INSTRUCTIONS.get() - before
}
