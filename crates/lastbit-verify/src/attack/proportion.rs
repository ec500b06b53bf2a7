//! A count among trials, with its Clopper–Pearson bounds.

use lastbit_exact::{Down, Up};

use crate::audit::binomial::{lower_bound, upper_bound};

/// A share, and bounds of the probability behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Proportion {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub trials: u64,
    /// The probability is at least this,
    pub low: Down,
    /// and at most this; both together with the confidence asked for.
    pub high: Up,
}

impl Proportion {
    /// Bounds that fail with probability at most `beta`, half on each side. `count ≤ trials`,
    /// `trials > 0`.
    pub fn new(count: u64, trials: u64, beta: f64) -> Proportion {
        Proportion {
            count,
            trials,
            low: lower_bound(count, trials, beta / 2.0),
            high: upper_bound(count, trials, beta / 2.0),
        }
    }

    /// The share itself.
    pub fn share(&self) -> f64 {
        self.count as f64 / self.trials as f64
    }
}
