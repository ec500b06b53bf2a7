//! A standard deviation, given by itself or by its square.

use lastbit_exact::{Dyadic, Enclosure, Integer, Natural, Rational, Rounding};

/// `σ > 0`, in steps of the grid.
#[derive(Clone, Debug)]
pub(super) enum Deviation {
    /// `σ` itself.
    Rational(Rational),
    /// `σ²`, not the square of a rational.
    RootOf(Rational),
}

impl Deviation {
    /// `√variance`, for a positive variance.
    pub(super) fn of_variance(variance: &Rational) -> Deviation {
        let numerator = exact_root(&natural(variance.numerator()));
        let denominator = exact_root(&variance.denominator());
        match (numerator, denominator) {
            // In lowest terms, n/d is a square only if n and d are.
            (Some(n), Some(d)) => Deviation::Rational(Rational::new(n, d)),
            _ => Deviation::RootOf(variance.clone()),
        }
    }

    /// `lo ≤ σ ≤ hi` with `hi − lo ≤ 2^-bits · lo`; the same number twice if it is rational.
    pub(super) fn bounds(&self, bits: u32) -> (Rational, Rational) {
        match self {
            Deviation::Rational(sigma) => (sigma.clone(), sigma.clone()),
            Deviation::RootOf(variance) => {
                let root = root(variance, bits);
                (root.lo().into(), root.hi().into())
            }
        }
    }

    /// Encloses `offset/σ` for `offset ≥ 0`, with `hi − lo ≤ 2^-bits · lo`.
    pub(super) fn standardise(&self, offset: &Rational, bits: u32) -> Enclosure {
        if offset.is_zero() {
            return Enclosure::exact(Dyadic::ZERO);
        }
        match self {
            Deviation::Rational(sigma) => {
                let quotient = offset / sigma;
                let end = |way| quotient.round(bits as usize + 1, way);
                Enclosure::new(end(Rounding::Down), end(Rounding::Up)).expect("down is below up")
            }
            Deviation::RootOf(variance) => root(&(&(offset * offset) / variance), bits),
        }
    }

    /// `σ` rounded, off by at most a factor `1 ± 2^-53(1 + 2^-20)`; anything at all outside the
    /// range of normal doubles.
    pub(super) fn to_f64(&self) -> f64 {
        self.bounds(80).0.to_f64(Rounding::NearestEven)
    }

    /// The smallest `e ≥ 0` with `σ ≤ 2^e`.
    pub(super) fn magnitude(&self) -> usize {
        self.bounds(8).1.ceil_log2().unwrap_or(0).max(0) as usize
    }
}

/// Encloses `√x` for `x > 0`, with `hi − lo ≤ 2^-bits · lo`.
fn root(x: &Rational, bits: u32) -> Enclosure {
    // 2^(e−1) < x ≤ 2^e, so √x·2^shift > 2^bits: one unit of the integer root is at most 2^-bits of
    // it.
    let e = x.ceil_log2().expect("callers pass x > 0");
    let shift = i64::from(bits) + 1 - (e - 1).div_euclid(2);
    let scaled = natural(x.times_power_of_two(2 * shift).floor());
    let root = Integer::from(scaled.nth_root(2));
    let end = |value| Dyadic::new(value, -shift);
    Enclosure::new(end(root.clone()), end(root + Integer::ONE)).expect("n ≤ n + 1")
}

fn exact_root(n: &Natural) -> Option<Natural> {
    let root = n.nth_root(2);
    (&root * &root == *n).then_some(root)
}

fn natural(n: Integer) -> Natural {
    Natural::try_from(n).expect("callers pass positive numbers")
}
