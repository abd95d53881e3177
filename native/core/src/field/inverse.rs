//! Inverses: the division steps of Bernstein and Yang (<https://eprint.iacr.org/2019/266>) in
//! batches of 62 for public values, Fermat's power for secret ones.

use super::limbs::{negated_inverse, Limbs};
use super::{Backend, Field, Modulus};

const MASK62: u64 = u64::MAX >> 2;

/// Five signed limbs of 62 bits.
type Signed62 = [i64; 5];

/// 2^62 times the matrix of 62 division steps: (f, g) ↦ (u·f + v·g, q·f + r·g) / 2^62.
struct Transition {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

fn to_signed62(a: &Limbs) -> Signed62 {
    [
        (a[0] & MASK62) as i64,
        (((a[0] >> 62) | (a[1] << 2)) & MASK62) as i64,
        (((a[1] >> 60) | (a[2] << 4)) & MASK62) as i64,
        (((a[2] >> 58) | (a[3] << 6)) & MASK62) as i64,
        (a[3] >> 56) as i64,
    ]
}

fn from_signed62(a: &Signed62) -> Limbs {
    let a = a.map(|limb| limb as u64);
    [
        a[0] | (a[1] << 62),
        (a[1] >> 2) | (a[2] << 60),
        (a[2] >> 4) | (a[3] << 58),
        (a[3] >> 6) | (a[4] << 56),
    ]
}

/// 62 division steps on the low words of f (odd) and g, several zero bits at a time.
fn divide_steps(mut eta: i64, f0: u64, g0: u64) -> (i64, Transition) {
    let (mut u, mut v, mut q, mut r) = (1u64, 0u64, 0u64, 1u64);
    let (mut f, mut g) = (f0, g0);
    let mut left = 62u32;
    loop {
        let zeros = (g | (u64::MAX << left)).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            break;
        }
        if eta < 0 {
            eta = -eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
        }
        // w·f cancels as many low bits of g as the steps before the next exchange allow, at most 6
        let bits = (eta + 1).min(i64::from(left)).min(6) as u32;
        let w = g.wrapping_mul(negated_inverse_6(f)) & (u64::MAX >> (64 - bits));
        g = g.wrapping_add(f.wrapping_mul(w));
        q = q.wrapping_add(u.wrapping_mul(w));
        r = r.wrapping_add(v.wrapping_mul(w));
    }
    let matrix = Transition {
        u: u as i64,
        v: v as i64,
        q: q as i64,
        r: r as i64,
    };
    (eta, matrix)
}

/// −f⁻¹ mod 2^6 for odd f: f·(f² − 2) is right to six bits, since f² ≡ 1 mod 8.
fn negated_inverse_6(f: u64) -> u64 {
    f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2))
}

/// (f, g) ← matrix · (f, g) / 2^62; the division is exact.
fn update_fg(f: &mut Signed62, g: &mut Signed62, t: &Transition) {
    let combine = |a: i64, b: i64, i: usize, f: &Signed62, g: &Signed62| {
        i128::from(a) * i128::from(f[i]) + i128::from(b) * i128::from(g[i])
    };
    let mut cf = combine(t.u, t.v, 0, f, g) >> 62;
    let mut cg = combine(t.q, t.r, 0, f, g) >> 62;
    for i in 1..5 {
        cf += combine(t.u, t.v, i, f, g);
        cg += combine(t.q, t.r, i, f, g);
        f[i - 1] = cf as i64 & MASK62 as i64;
        g[i - 1] = cg as i64 & MASK62 as i64;
        cf >>= 62;
        cg >>= 62;
    }
    f[4] = cf as i64;
    g[4] = cg as i64;
}

/// (d, e) ← matrix · (d, e) / 2^62 mod p, kept in (−2p, p).
fn update_de(d: &mut Signed62, e: &mut Signed62, t: &Transition, p: &Signed62, p_inverse: u64) {
    let negative_d = d[4] >> 63;
    let negative_e = e[4] >> 63;
    // multiples of p that make up for negative d, e and clear the low 62 bits
    let mut md = (t.u & negative_d) + (t.v & negative_e);
    let mut me = (t.q & negative_d) + (t.r & negative_e);
    let low = |a: i64, b: i64, d: &Signed62, e: &Signed62| {
        (a.wrapping_mul(d[0])).wrapping_add(b.wrapping_mul(e[0])) as u64
    };
    let clear =
        |low: u64, m: i64| m - (p_inverse.wrapping_mul(low).wrapping_add(m as u64) & MASK62) as i64;
    md = clear(low(t.u, t.v, d, e), md);
    me = clear(low(t.q, t.r, d, e), me);
    let combine = |a: i64, b: i64, m: i64, i: usize, d: &Signed62, e: &Signed62| {
        i128::from(a) * i128::from(d[i])
            + i128::from(b) * i128::from(e[i])
            + i128::from(p[i]) * i128::from(m)
    };
    let mut cd = combine(t.u, t.v, md, 0, d, e) >> 62;
    let mut ce = combine(t.q, t.r, me, 0, d, e) >> 62;
    for i in 1..5 {
        cd += combine(t.u, t.v, md, i, d, e);
        ce += combine(t.q, t.r, me, i, d, e);
        d[i - 1] = cd as i64 & MASK62 as i64;
        e[i - 1] = ce as i64 & MASK62 as i64;
        cd >>= 62;
        ce >>= 62;
    }
    d[4] = cd as i64;
    e[4] = ce as i64;
}

/// a + b over signed limbs where `condition`, carried so that all limbs but the last are
/// non-negative.
fn add_signed(a: &Signed62, b: &Signed62) -> Signed62 {
    let mut out = [0; 5];
    let mut carry = 0;
    for i in 0..5 {
        let sum = a[i] + b[i] + carry;
        if i < 4 {
            out[i] = sum & MASK62 as i64;
            carry = sum >> 62;
        } else {
            out[i] = sum;
        }
    }
    out
}

/// x⁻¹ mod p for 0 < x < p, p an odd prime. Time depends on x.
fn invert_limbs(x: &Limbs, p: &Limbs) -> Limbs {
    let modulus = to_signed62(p);
    let p_inverse = negated_inverse(p[0]).wrapping_neg();
    let (mut d, mut e) = ([0; 5], [1, 0, 0, 0, 0]);
    let (mut f, mut g) = (modulus, to_signed62(x));
    let mut eta = -1;
    while g != [0; 5] {
        let (next, matrix) = divide_steps(eta, f[0] as u64, g[0] as u64);
        eta = next;
        update_de(&mut d, &mut e, &matrix, &modulus, p_inverse);
        update_fg(&mut f, &mut g, &matrix);
    }
    // f = ±1 and d = ±x⁻¹ in (−2p, p)
    if d[4] < 0 {
        d = add_signed(&d, &modulus);
    }
    if f[4] < 0 {
        d = add_signed(&d.map(|limb| -limb), &[0; 5]);
    }
    if d[4] < 0 {
        d = add_signed(&d, &modulus);
    }
    from_signed62(&d)
}

impl<M: Modulus, B: Backend> Field<M, B> {
    /// The inverse, `None` for 0. Time depends on the value: for public values only.
    pub fn inverse(&self) -> Option<Self> {
        if self.is_zero() {
            return None;
        }
        let inverse = invert_limbs(self.montgomery(), &M::P);
        Some(Self::from_montgomery_unchecked(B::mul::<M>(
            &inverse,
            &M::R3,
        )))
    }

    /// The inverse, 0 for 0, in constant time: self^(P−2).
    pub fn invert_ct(&self) -> Self {
        self.pow(&M::P_MINUS_2)
    }
}
