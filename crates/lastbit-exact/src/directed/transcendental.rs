//! Enclosures of `exp`, `ln`, `exp_m1`, `ln_1p` by widening.

use crate::directed::ops::step;

fn widen(value: f64) -> (f64, f64) {
    let (mut lo, mut hi) = (value, value);
    for _ in 0..4 {
        lo = lo.next_down();
        hi = hi.next_up();
    }
    (lo, hi)
}

/// `lo ≤ e^x ≤ hi`.
pub(crate) fn exp(x: f64) -> (f64, f64) {
    let (lo, hi) = widen(x.exp());
    if x == 0.0 {
        return (1.0, 1.0);
    }
    if x == f64::NEG_INFINITY {
        return (0.0, 0.0);
    }
    (
        if lo == f64::INFINITY {
            f64::MAX
        } else {
            lo.max(0.0)
        },
        hi,
    )
}

/// `lo ≤ ln x ≤ hi` for `x > 0`.
pub(crate) fn ln(x: f64) -> (f64, f64) {
    if x == 1.0 {
        return (0.0, 0.0);
    }
    if x == f64::INFINITY {
        return (f64::MAX, x);
    }
    widen(x.ln())
}

/// `lo ≤ e^x − 1 ≤ hi`.
pub(crate) fn exp_m1(x: f64) -> (f64, f64) {
    if x == 0.0 {
        return (0.0, 0.0);
    }
    let (lo, hi) = widen(x.exp_m1());
    (
        if lo == f64::INFINITY {
            f64::MAX
        } else {
            lo.max(-1.0)
        },
        hi,
    )
}

/// `lo ≤ ln(1 + x) ≤ hi` for `x > −1`.
pub(crate) fn ln_1p(x: f64) -> (f64, f64) {
    if x == 0.0 {
        return (0.0, 0.0);
    }
    if x == f64::INFINITY {
        return (f64::MAX, x);
    }
    if x.abs() < 1e-300 {
        return (step(x, false, true), x);
    }
    widen(x.ln_1p())
}
