//! Products of limbs as columns. The head of [`super`] explains the method and its bounds.

use super::constants::RADIX;
use super::ops::{FmaOps, Quad};

/// Limbs in registers.
pub type Limbs<O> = [<O as FmaOps>::Floats; 5];
/// Ten columns: integers of weight 2^(51k) plus patterns of floats that are taken off later.
pub type Columns<O> = [<O as FmaOps>::Ints; 10];

/// 1.5·2^103: a sum with it is a multiple of 2^51.
pub const HIGH: f64 = 3.0 * RADIX * RADIX;
/// 1.5·2^52: a sum with it is a multiple of 1.
pub const LOW: f64 = 3.0 * RADIX;
/// Both, exact.
pub const BOTH: f64 = HIGH + LOW;
/// The pattern of `HIGH`.
pub const HIGH_BITS: u64 = HIGH.to_bits();
/// The pattern of `LOW`.
pub const LOW_BITS: u64 = LOW.to_bits();
/// The exponent of a float between 2^52 and 2^53, whose unit is 1.
pub const UNIT_BITS: u64 = 0x433 << 52;
/// 2^52 + 2^50: the float of a column with value 0, after its bias and `UNIT_BITS`.
pub const UNIT: f64 = 2.0 * RADIX + RADIX / 2.0;

#[inline(always)]
pub fn load<O: FmaOps>(limbs: &[Quad; 5]) -> Limbs<O> {
    [
        O::load(&limbs[0]),
        O::load(&limbs[1]),
        O::load(&limbs[2]),
        O::load(&limbs[3]),
        O::load(&limbs[4]),
    ]
}

#[inline(always)]
pub fn store<O: FmaOps>(limbs: Limbs<O>) -> [Quad; 5] {
    [
        O::store(limbs[0]),
        O::store(limbs[1]),
        O::store(limbs[2]),
        O::store(limbs[3]),
        O::store(limbs[4]),
    ]
}

/// a + b in memory.
#[inline(always)]
pub fn add<O: FmaOps>([a, b]: [&[Quad; 5]; 2]) -> [Quad; 5] {
    let limb = |i: usize| O::store(O::add(O::load(&a[i]), O::load(&b[i])));
    [limb(0), limb(1), limb(2), limb(3), limb(4)]
}

/// The patterns of the two halves of a·b.
#[inline(always)]
fn halves<O: FmaOps>(a: O::Floats, b: O::Floats) -> (O::Ints, O::Ints) {
    let high = O::mul_add(a, b, O::splat(HIGH));
    let low = O::mul_add(a, b, O::sub(O::splat(BOTH), high));
    (O::to_bits(low), O::to_bits(high))
}

/// The columns of a·b by the operations of `O`.
#[inline(always)]
pub fn generic_columns<O: FmaOps>(a: &[Quad; 5], b: &[Quad; 5]) -> Columns<O> {
    let (a, b) = (load::<O>(a), load::<O>(b));
    let mut t = [O::splat_int(0); 10];
    macro_rules! products {
        ($($i:literal $j:literal),*) => { $(
            let (low, high) = halves::<O>(a[$i], b[$j]);
            t[$i + $j] = O::add_int(t[$i + $j], low);
            t[$i + $j + 1] = O::add_int(t[$i + $j + 1], high);
        )* };
    }
    // column by column, so that few are open at a time
    products!(0 0);
    products!(0 1, 1 0);
    products!(0 2, 1 1, 2 0);
    products!(0 3, 1 2, 2 1, 3 0);
    products!(0 4, 1 3, 2 2, 3 1, 4 0);
    products!(1 4, 2 3, 3 2, 4 1);
    products!(2 4, 3 3, 4 2);
    products!(3 4, 4 3);
    products!(4 4);
    t
}
