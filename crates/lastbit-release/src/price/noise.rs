//! Noise, its cost and its tails.

use std::cell::RefCell;
use std::collections::HashMap;

use lastbit::conversions::{bounded_range_to_zcdp, laplace_to_zcdp};
use lastbit_exact::{Interval, Rational, Rounding, Up};
use lastbit_noise::gaussian_mass;

use super::decimal::{self, DIGITS};
use super::{PriceError, Sensitivity};

/// Noise added to every exact number of a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Laplace noise: ε = L1/scale.
    Laplace {
        /// The loss.
        epsilon: Rational,
        /// The scale, in the unit of the numbers.
        scale: Rational,
    },
    /// Gaussian noise: ρ = L2²/(2·variance).
    Gaussian {
        /// The loss.
        rho: Rational,
        /// The variance, in the square of the unit of the numbers.
        variance: Rational,
    },
}

impl Noise {
    pub(super) fn laplace(sensitivity: &Sensitivity, epsilon: &Rational) -> Noise {
        Noise::Laplace {
            scale: &sensitivity.l1 / epsilon,
            epsilon: epsilon.clone(),
        }
    }

    pub(super) fn gaussian(sensitivity: &Sensitivity, rho: &Rational) -> Noise {
        Noise::Gaussian {
            variance: &sensitivity.l2_squared / &rho.scale(1),
            rho: rho.clone(),
        }
    }

    /// The exponent of a grid at least 2^10 times finer than the noise.
    pub(super) fn fine_grid(&self) -> i64 {
        let magnitude = match self {
            Noise::Laplace { scale, .. } => scale.ceil_log2(),
            // σ ≤ 2^k if σ² ≤ 2^(2k).
            Noise::Gaussian { variance, .. } => {
                variance.ceil_log2().map(|log2| (log2 + 1).div_euclid(2))
            }
        };
        magnitude.unwrap_or(0) - 11
    }

    /// The scale of Laplace noise or the standard deviation of Gaussian noise, rounded up.
    pub fn scale(&self) -> Up {
        match self {
            Noise::Laplace { scale, .. } => Up::from_rational(scale),
            Noise::Gaussian { variance, .. } => Up::from_rational(variance).sqrt(),
        }
    }

    /// A bound on how far clamping the noisy number to the range of the exact one can move its mean: `E max(0, noise)`, which is
    /// s/2 of Laplace noise and σ/√(2π) of Gaussian noise.
    pub fn clamping_bias(&self) -> Up {
        let factor = match self {
            Noise::Laplace { .. } => Rational::new(1, 2),
            Noise::Gaussian { .. } => Rational::new(2, 5),
        };
        self.scale() * Up::from_rational(&factor)
    }
}

/// Tails of noise, each quantile of the normal law found once.
#[derive(Debug, Default)]
pub struct Tails {
    normal: RefCell<HashMap<Rational, Rational>>,
}

impl Tails {
    /// `P(|noise, rounded to the grid| > t) ≤ alpha`.
    pub fn beyond(&self, noise: &Noise, grid_exponent: i64, alpha: &Rational) -> Up {
        let half_step = Up::from_rational(&Rational::ONE.scale(grid_exponent - 1));
        let one = &Rational::ONE / alpha;
        half_step
            + match noise {
                Noise::Laplace { scale, .. } => {
                    Up::from_rational(scale) * Interval::from_rational(&one).ln().upper()
                }
                Noise::Gaussian { .. } => noise.scale() * Up::from_rational(&self.normal(alpha)),
            }
    }

    /// A `z` with `P(|Z| > z) ≤ alpha` for a standard normal Z; of 12 digits, and within 2^-40 of the smallest.
    fn normal(&self, alpha: &Rational) -> Rational {
        if let Some(known) = self.normal.borrow().get(alpha) {
            return known.clone();
        }
        let half = Up::from_rational(&alpha.scale(-1));
        let enough = |z: &Rational| {
            let tail = gaussian_mass(Some(z), None).upper().get();
            Rational::try_from(tail).is_ok_and(|tail| tail <= alpha.scale(-1))
        };
        // P(Z > z) < 2^-1 at 0, and below e^(−z²/2) for z > 0.
        let most = (-Interval::point(half.get()).ln() * Interval::point(2.0))
            .sqrt()
            .hi();
        let (mut low, mut high) = (0.0, most.ceil().max(1.0) + 1.0);
        while high - low > high * 2f64.powi(-41) {
            let middle = 0.5 * (low + high);
            match Rational::try_from(middle) {
                Ok(z) if enough(&z) => high = middle,
                _ => low = middle,
            }
        }
        let high = Rational::try_from(high).unwrap_or(Rational::ONE);
        let z = decimal::up(&high, DIGITS);
        self.normal.borrow_mut().insert(alpha.clone(), z.clone());
        z
    }
}

/// An ε of 12 digits at which Laplace noise costs at most ρ, near the largest.
pub fn laplace_epsilon_for_rho(rho: &Rational) -> Result<Rational, PriceError> {
    largest_for_rho(rho, |x| x + (-x).exp_m1(), laplace_to_zcdp)
}

/// An η of 12 digits at which a selection costs at most ρ, near the largest.
pub fn range_for_rho(rho: &Rational) -> Result<Rational, PriceError> {
    let approximate = |eta: f64| {
        let tight = {
            let x = eta / eta.exp_m1();
            x - 1.0 - x.ln()
        };
        // The tight bound cancels for small η, where η²/8 is as good.
        if eta < 1e-3 {
            eta * eta / 8.0
        } else {
            tight.min(eta * eta / 8.0)
        }
    };
    largest_for_rho(rho, approximate, bounded_range_to_zcdp)
}

/// The function is searched in f64, and what is found is lowered until the rounded-up cost is within ρ.
fn largest_for_rho(
    rho: &Rational,
    approximate: impl Fn(f64) -> f64,
    cost: impl Fn(Up) -> Result<Up, lastbit::Error>,
) -> Result<Rational, PriceError> {
    let target = rho.to_f64(Rounding::Down);
    let (mut low, mut high) = (1e-150f64, 1e150f64);
    for _ in 0..600 {
        let middle = low.sqrt() * high.sqrt();
        if middle <= low || middle >= high {
            break;
        }
        if approximate(middle) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut found = decimal::down(&Rational::try_from(low).unwrap_or(Rational::ZERO), DIGITS);
    let less = Rational::new(999_999, 1_000_000);
    for _ in 0..100 {
        if !found.is_positive() {
            break;
        }
        let spent = cost(Up::from_rational(&found))?;
        if Rational::try_from(spent.get()).is_ok_and(|spent| spent <= *rho) {
            return Ok(found);
        }
        found = decimal::down(&(&found * &less), DIGITS);
    }
    Err(PriceError::OutOfRange {
        what: format!("ρ = {rho} is out of range"),
    })
}
