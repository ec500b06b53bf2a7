use lastbit_exact::{Integer, Interval, Rational};
use lastbit_noise::Laplace;
use lastbit_noise::entropy::Entropy;

use crate::{Delta, Epsilon, Error};

/// Selection by stability (`A_dist`): the best one if `d + Lap(1/ε)`, rounded to a fine grid,
/// reaches a bar just above `ln(1/δ)/ε`.
///
/// `d = max(0, gap/2 − 1)`, where gap is how far the second best is below the best: at least `d`
/// changes of the data leave the best where it is, and one change moves `d` by at most 1.
#[derive(Clone, Debug)]
pub struct Stability {
    noise: Laplace,
    /// In steps of the grid.
    bar: Integer,
    /// Half a step below the bar: what the real noisy distance must reach.
    cut: Rational,
    delta: Delta,
}

/// The grid is 2^-GRID_BITS/ε or finer: it raises the bar by at most 2^-GRID_BITS/ε.
const GRID_BITS: i64 = 20;

impl Stability {
    /// With ε and δ of one selection.
    pub fn new(epsilon: &Epsilon, delta: &Delta) -> Result<Stability, Error> {
        let scale = &Rational::ONE / epsilon.get();
        // 2^grid_exponent ≤ scale·2^-GRID_BITS, for 2^(ceil_log2 − 1) < scale.
        let grid_exponent = scale.ceil_log2().unwrap_or(0) - 1 - GRID_BITS;
        let noise = Laplace::new(&scale, grid_exponent)?;
        let least = &ln_of_inverse(delta.get())? * &scale;
        let half = Rational::new(1, 2);
        let bar = (least.times_power_of_two(-grid_exponent) + half.clone()).ceil();
        let cut = (Rational::from(bar.clone()) - half).times_power_of_two(grid_exponent);
        Ok(Stability {
            noise,
            bar,
            cut,
            delta: delta.clone(),
        })
    }

    /// δ of one selection.
    pub fn delta(&self) -> &Delta {
        &self.delta
    }

    /// What `d + Lap(1/ε)` must reach: at least `ln(1/δ)/ε`.
    pub fn cut(&self) -> &Rational {
        &self.cut
    }

    /// `d = max(0, gap/2 − 1)`.
    pub fn distance(gap: &Rational) -> Rational {
        let distance = gap.times_power_of_two(-1) - Rational::ONE;
        if distance.is_negative() {
            Rational::ZERO
        } else {
            distance
        }
    }

    /// Whether the best one is let through: `d + Lap(1/ε) ≥ cut`, exactly.
    pub fn is_stable(&self, gap: &Rational, entropy: &mut impl Entropy) -> Result<bool, Error> {
        Ok(self.noise.draw(&Stability::distance(gap), entropy)? >= self.bar)
    }
}

/// A number at or above `ln(1/δ)`.
fn ln_of_inverse(delta: &Rational) -> Result<Rational, Error> {
    let ln = Interval::from_rational(&(&Rational::ONE / delta)).ln().hi();
    Ok(crate::finite("ln(1/delta)", ln)?)
}
