//! Nine 29-bit limbs for processors without a 64×64→128 multiplication: the same Montgomery
//! products as [`limbs`](super::limbs), radix 2^256, so that stored values are interchangeable.
//!
//! Bounds: a limb is below 2^29 (a sum of two below 2^30). A column of a product is below
//! 9·2^58, of a complex imaginary part below 18·2^58; the reduction adds less than 9·2^58. All
//! stay below 2^63, so columns are signed and never carried before the reduction.
//! Eight reduction steps take 29 bits each and the ninth 24, which makes 256.

use super::limbs::{self, Limbs};

const MASK: u64 = (1 << 29) - 1;
const LAST_MASK: u64 = (1 << 24) - 1;

type Limbs29 = [u64; 9];
type Columns = [i64; 18];

#[inline(always)]
const fn split(a: &Limbs) -> Limbs29 {
    [
        a[0] & MASK,
        (a[0] >> 29) & MASK,
        ((a[0] >> 58) | (a[1] << 6)) & MASK,
        (a[1] >> 23) & MASK,
        ((a[1] >> 52) | (a[2] << 12)) & MASK,
        (a[2] >> 17) & MASK,
        ((a[2] >> 46) | (a[3] << 18)) & MASK,
        (a[3] >> 11) & MASK,
        a[3] >> 40,
    ]
}

#[inline(always)]
fn columns(a: &Limbs29, b: &Limbs29) -> Columns {
    let mut t = [0i64; 18];
    macro_rules! row {
        ($($i:literal)*) => { $(
            t[$i] = t[$i].wrapping_add(a[$i].wrapping_mul(b[0]) as i64);
            t[$i + 1] = t[$i + 1].wrapping_add(a[$i].wrapping_mul(b[1]) as i64);
            t[$i + 2] = t[$i + 2].wrapping_add(a[$i].wrapping_mul(b[2]) as i64);
            t[$i + 3] = t[$i + 3].wrapping_add(a[$i].wrapping_mul(b[3]) as i64);
            t[$i + 4] = t[$i + 4].wrapping_add(a[$i].wrapping_mul(b[4]) as i64);
            t[$i + 5] = t[$i + 5].wrapping_add(a[$i].wrapping_mul(b[5]) as i64);
            t[$i + 6] = t[$i + 6].wrapping_add(a[$i].wrapping_mul(b[6]) as i64);
            t[$i + 7] = t[$i + 7].wrapping_add(a[$i].wrapping_mul(b[7]) as i64);
            t[$i + 8] = t[$i + 8].wrapping_add(a[$i].wrapping_mul(b[8]) as i64);
        )* };
    }
    row!(0 1 2 3 4 5 6 7 8);
    t
}

/// t·2^−256 mod p, below p, for −p² < t < 2p².
#[inline(always)]
fn reduce(t: Columns, p: &Limbs, inv: u64) -> Limbs {
    let (value, top) = fold(t, p, inv);
    // a negative value is above −p: the wrapped sum is right
    let mask = (top >> 63) as u64;
    let value = limbs::add(
        &value,
        &[p[0] & mask, p[1] & mask, p[2] & mask, p[3] & mask],
    );
    limbs::reduce_once(&value, p)
}

/// t·2^−256 modulo p for −p² < t < 2p², above −p and below 2p, as four words and the part above them.
#[inline(always)]
fn fold(mut t: Columns, p: &Limbs, inv: u64) -> (Limbs, i64) {
    let n = split(p);
    macro_rules! step {
        ($i:literal, $mask:expr) => {
            let m = (t[$i] as u64).wrapping_mul(inv) & $mask;
            t[$i] += (m * n[0]) as i64;
            t[$i + 1] += (m * n[1]) as i64;
            t[$i + 2] += (m * n[2]) as i64;
            t[$i + 3] += (m * n[3]) as i64;
            t[$i + 4] += (m * n[4]) as i64;
            t[$i + 5] += (m * n[5]) as i64;
            t[$i + 6] += (m * n[6]) as i64;
            t[$i + 7] += (m * n[7]) as i64;
            t[$i + 8] += (m * n[8]) as i64;
        };
    }
    macro_rules! steps {
        ($($i:literal)*) => { $(
            step!($i, MASK);
            t[$i + 1] += t[$i] >> 29;
        )* };
    }
    steps!(0 1 2 3 4 5 6 7);
    step!(8, LAST_MASK);
    let mut l = [0u64; 10];
    macro_rules! carries {
        ($($i:literal)*) => { $(
            l[$i] = t[$i + 8] as u64 & MASK;
            t[$i + 9] += t[$i + 8] >> 29;
        )* };
    }
    carries!(0 1 2 3 4 5 6 7 8);
    let top = t[17];
    l[9] = top as u64;
    let value = [
        (l[0] >> 24) | (l[1] << 5) | (l[2] << 34) | (l[3] << 63),
        (l[3] >> 1) | (l[4] << 28) | (l[5] << 57),
        (l[5] >> 7) | (l[6] << 22) | (l[7] << 51),
        (l[7] >> 13) | (l[8] << 16) | (l[9] << 45),
    ];
    (value, top)
}

/// a·b·2^−256 mod p for a, b < p < 2^254.
#[inline(always)]
pub fn montgomery_mul(a: &Limbs, b: &Limbs, p: &Limbs, inv: u64) -> Limbs {
    reduce(columns(&split(a), &split(b)), p, inv)
}

/// [`montgomery_mul`] for secrets. The product is not negative.
#[inline(always)]
pub fn montgomery_mul_secret(a: &Limbs, b: &Limbs, p: &Limbs, inv: u64) -> Limbs {
    let (value, _) = fold(columns(&split(a), &split(b)), p, inv);
    limbs::reduce_once_secret(&value, p)
}

/// (a₀ + a₁u)(b₀ + b₁u) with u² = −1.
#[inline(always)]
pub fn mul_complex(a: [&Limbs; 2], b: [&Limbs; 2], p: &Limbs, inv: u64) -> [Limbs; 2] {
    let (a0, a1) = (split(a[0]), split(a[1]));
    let (b0, b1) = (split(b[0]), split(b[1]));
    let (mut a2, mut b2) = (a0, b0);
    for i in 0..9 {
        a2[i] += a1[i];
        b2[i] += b1[i];
    }
    let w0 = columns(&a0, &b0);
    let w1 = columns(&a1, &b1);
    let w2 = columns(&a2, &b2);
    let (mut real, mut imaginary) = (w0, w2);
    for i in 0..18 {
        real[i] = w0[i].wrapping_sub(w1[i]);
        imaginary[i] = w2[i].wrapping_sub(w0[i]).wrapping_sub(w1[i]);
    }
    [reduce(real, p, inv), reduce(imaginary, p, inv)]
}
