//! Bounds on errors, in the statistic's own unit.
//!
//! A bound holds with the stated probability for each number by itself.

use lastbit::Epsilon;
use lastbit::mechanisms::flat_concave::{Method, loss_of_quality};
use lastbit_exact::{Down, Interval, Rational, Up};

use super::{Form, Moment, Noise, PriceError, Reach, Tails};

/// How a statistic is made noisy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Noise on a grid of `2^grid` is added to each number.
    Noise {
        /// Which noise.
        noise: Noise,
        /// The exponent of the grid.
        grid: i64,
    },
    /// A selection by the exponential mechanism, for each share.
    Selection {
        /// The bounded range of each selection in each group.
        epsilon: Rational,
    },
}

impl Mechanism {
    /// Noise on the grid that suits the form: whole numbers for counts, else one so fine that it does not matter.
    pub fn noise(form: &Form, noise: Noise) -> Mechanism {
        let grid = match form {
            Form::Counts { .. } => 0,
            _ => noise.fine_grid(),
        };
        Mechanism::Noise { noise, grid }
    }
}

/// Bounds on errors at one confidence.
#[derive(Clone, Copy, Debug)]
pub struct Errors<'a> {
    /// Tails of noise.
    pub tails: &'a Tails,
    /// One less the confidence.
    pub alpha: &'a Rational,
}

impl Errors<'_> {
    /// With the confidence, every published number of a group is within this much of the exact one: noise, the grid, and the rounding
    /// of rows. `rows` is the number of rows in the group; without it there is no bound for ratios.
    ///
    /// Quantiles have their error in ranks.
    pub fn bound(
        &self,
        form: &Form,
        reach: Reach,
        mechanism: &Mechanism,
        rows: Option<u64>,
    ) -> Result<Option<Up>, PriceError> {
        match (form, mechanism) {
            (Form::Counts { .. }, Mechanism::Noise { noise, grid }) => {
                // Both numbers are whole, so their distance is too.
                let bound = self.tails.beyond(noise, *grid, self.alpha).get();
                Ok(Some(Up::exact(bound.floor())))
            }
            (Form::Sum { x, rows: public }, Mechanism::Noise { noise, grid }) => {
                let noise = self.tails.beyond(noise, *grid, self.alpha);
                let rows = Rational::from(public.or(rows).unwrap_or(0));
                Ok(Some(noise + Up::from_rational(&(&rows * &x.half_step()))))
            }
            (Form::Fixed { moment, .. }, Mechanism::Noise { noise, grid }) => {
                let noise = self.tails.beyond(noise, *grid, self.alpha);
                Ok(Some(noise + Up::from_rational(&moment.rounding())))
            }
            (Form::Shared { moment }, Mechanism::Noise { noise, grid }) => {
                let Some(rows) = rows else {
                    return Ok(None);
                };
                let most = self.of_corner(moment, noise, *grid);
                let corners = Up::from_rational(&Rational::from(moment.corners()));
                // The noisy number of rows is the sum over the corners.
                let exact = Down::from_rational(&Rational::from(rows));
                Ok(Some(ratio_error(
                    moment,
                    most,
                    exact - corners * most,
                    exact,
                )))
            }
            (Form::Quantiles { .. }, Mechanism::Selection { epsilon }) => {
                self.rank(form, reach, epsilon).map(Some)
            }
            _ => Err(PriceError::OutOfRange {
                what: "this statistic has no such mechanism".to_owned(),
            }),
        }
    }

    /// With the confidence, all corners have less noise than this.
    pub fn of_corner(&self, moment: &Moment, noise: &Noise, grid: i64) -> Up {
        let each = self.alpha / &Rational::from(moment.corners());
        self.tails.beyond(noise, grid, &each)
    }

    fn rank(&self, form: &Form, reach: Reach, epsilon: &Rational) -> Result<Up, PriceError> {
        let Form::Quantiles { x, at, .. } = form else {
            return Ok(Up::ZERO);
        };
        let epsilon = Epsilon::new(epsilon.clone())?;
        let size = u128::from(x.count) + 1;
        let unit = loss_of_quality(size, &Method::Exponential, &epsilon, self.alpha)?;
        let most = at
            .iter()
            .map(|share| form.rank_sensitivity(reach, share))
            .max()
            .unwrap_or(Rational::ZERO);
        Ok(unit * Up::from_rational(&most))
    }
}

/// The error of a ratio whose corners have noise of at most `t` each, where the noisy number of rows is at least `noisy` and the exact
/// one at least `exact`.
///
/// **Proof.** Let `P_i` be the exact sum of corner i, `n = ΣP_i`, `η_i` its noise and `n̂ = n + Ση_i > 0`. A mean between the bounds is
/// `m = Σc_i P_i/n` with `c = (0, 1)`; its estimate is off by `Ση_i(c_i − m)/n̂`, and `Σ|c_i − m| = 1`: `t/n̂` at most.
/// A covariance is `C = E[st] − E[s]E[t]`; with `Δs, Δt` the errors of the two means, its estimate is off by
/// `Ση_i b_i/n̂ − Δs·Δt`, `b_i = (s_i − E s)(t_i − E t) − C` at the corners; `Σ|b_i| ≤ 1 + 4|C| ≤ 2`, and `|Δs| ≤ 2t/n̂`.
/// For a variance `b_i = c2_i − 2m·c_i − E[t²] + 2m²` with `c = (0, ½, 1)`, `c2 = (0, 0, 1)`. `Σ|b_i|` is convex in `E[t²]`, so largest at
/// one of its ends `m²` and `m`, where it is `1 − m + m²` and `1 − 2·min(m, 1 − m)²`: at most 1; and `|Δ| ≤ (1 + |½ − m|)t/n̂ ≤ 1.5t/n̂`.
/// The divisor `n − 1` multiplies by `n̂/(n̂−1)`, and where n differs from n̂, by at most `k·t` for k corners, moves the statistic, of
/// magnitude at most ¼, by at most `¼·kt/((n̂−1)(n−1))`. Estimates are clamped to the range of the statistic, which brings
/// them no farther, so that no error is larger than the range. ∎
pub fn ratio_error(moment: &Moment, t: Up, noisy: Down, exact: Down) -> Up {
    let width = Up::from_rational(&moment.width());
    let (low, high) = moment.range();
    let all = Up::from_rational(&(&high - &low));
    let one = Up::ONE;
    if noisy.get() <= 0.0 || !t.is_finite() {
        return all;
    }
    let relative = t / noisy;
    let constant = |x: i64, y: i64| Up::from_rational(&Rational::new(x, y));
    let error = match moment {
        Moment::Mean(_) => relative,
        Moment::Variance(_) | Moment::Covariance(..) => {
            let (linear, square, corners) = match moment {
                Moment::Variance(_) => (one, constant(3, 2), constant(3, 4)),
                _ => (constant(2, 1), constant(2, 1), one),
            };
            let (noisy_less, exact_less) = (noisy - one, exact - one);
            if noisy_less.get() <= 0.0 || exact_less.get() <= 0.0 {
                return all;
            }
            let both = linear * relative + (square * relative) * (square * relative);
            // n̂/(n̂ − 1) = 1 + 1/(n̂ − 1).
            let bessel = one + one / noisy_less;
            both * bessel + corners * t / noisy_less / exact_less
        }
    };
    (width * error + Up::from_rational(&moment.rounding())).min(all)
}

/// The smallest number of rows of a group at which the error is below a tenth of a typical value; `None` if there is none below 2^53.
pub fn rows_for_tenth(
    typical: impl Fn(u64) -> Rational,
    error: impl Fn(u64) -> Result<Option<Up>, PriceError>,
) -> Result<Option<u64>, PriceError> {
    let enough = |rows: u64| -> Result<bool, PriceError> {
        let tenth = Interval::from_rational(&(typical(rows) * Rational::new(1, 10)));
        Ok(error(rows)?.is_some_and(|error| error.get() <= tenth.lo()))
    };
    let (mut low, mut high) = (0u64, 1u64);
    while !enough(high)? {
        if high >= 1 << 53 {
            return Ok(None);
        }
        (low, high) = (high, high * 2);
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(high))
}
