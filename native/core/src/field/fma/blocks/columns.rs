//! The columns of a product.

use super::super::ops::Quad;
use super::for_each;
use super::ops::{BlockOps, Pair};
use super::scratch::Columns;
use super::tables::{BOTH_PAIR, HIGH_PAIR};

#[inline(always)]
fn plus<O: BlockOps>(sum: Option<O::Vector>, term: O::Vector) -> Option<O::Vector> {
    Some(match sum {
        Some(sum) => O::add_int(sum, term),
        None => term,
    })
}

/// The columns of a·b in one half of the lanes, five to a block, added to those in `out` if `ADD`.
/// A limb is read once a block, when it is first needed.
#[inline(never)]
pub fn columns<O: BlockOps, const HALF: usize, const ADD: bool>(
    a: &[Quad; 5],
    b: &[Quad; 5],
    between: &mut Pair,
    out: &mut Columns,
) {
    let flags = O::flags();
    for_each!(BLOCK in [0 1] {
        let (high_unit, both) = (O::read(&HIGH_PAIR), O::read(&BOTH_PAIR));
        let (mut a_limbs, mut b_limbs) = ([None; 5], [None; 5]);
        let mut above = (BLOCK != 0).then(|| O::read(between));
        for_each!(STEP in [0 1 2 3 4] {
            let k = 5 * BLOCK + STEP;
            let mut column = above;
            above = None;
            for i in 0..5 {
                if k >= i && k - i < 5 {
                    let x = *a_limbs[i].get_or_insert_with(|| O::half::<HALF>(&a[i]));
                    let y = *b_limbs[k - i].get_or_insert_with(|| O::half::<HALF>(&b[k - i]));
                    let high = O::mul_add(x, y, high_unit);
                    let low = O::mul_add(x, y, O::sub(both, high));
                    column = plus::<O>(column, low);
                    above = plus::<O>(above, high);
                }
            }
            if let Some(mut column) = column {
                if ADD {
                    column = O::add_int(column, O::read(&out[k]));
                }
                O::write(&mut out[k], column);
            }
        });
        if let Some(above) = above {
            O::write(between, above);
        }
        O::cut(flags, BLOCK as u32);
    });
}
