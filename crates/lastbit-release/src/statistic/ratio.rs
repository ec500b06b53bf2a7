//! Errors of ratios: means, variances and covariances over an unknown number of rows.
//!
//! Let `P_i` be the exact sum of corner i, `n = ΣP_i`, `η_i` its noise and `n̂ = n + Ση_i`, which
//! is published and so known. In units of the grid's bounds, with `(s_i, t_i)` the place of corner
//! i:
//!
//! - a mean m is estimated with `(m̂ − m)·n̂ = Σ η_i·(s_i − m)`;
//! - a covariance C, with divisor n − 1 and of columns with means μ and ν, with
//!   `(Ĉ − C)·(n̂ − 1) = Σ η_i·((s_i − μ)(t_i − ν) − C) − D_s·D_t/n̂`, where
//!   `D_s = Σ η_i·(s_i − μ) = (μ̂ − μ)·n̂` and `D_t` likewise;
//! - a variance is the covariance of a column with itself, whose middle corner is at the place ½
//!   for the mean and adds `m² − m` where the others add `(s_i − m)²`.
//!
//! **Proof** of the covariance. `(n̂ − 1)·Ĉ = Q̂ − X̂Ŷ/n̂` and `(n − 1)·C = Q − XY/n` for the sums
//! `Q` of products and `X`, `Y`. With `X̂ = μn̂ + D_s` and `Ŷ = νn̂ + D_t` it is
//! `X̂Ŷ/n̂ = μνn̂ + μD_t + νD_s + D_sD_t/n̂`, and `XY/n = μνn`. So the difference of the two lines,
//! less `C·Ση_i`, is `Ση_i·(s_it_i − μ·t_i − ν·s_i + μν − C) − D_sD_t/n̂`. ∎
//!
//! The weights depend on the exact statistics, which are not random: each sum is within its tail's
//! bound with the stated probability, whatever they are. The possible exact statistics then follow
//! from what was published: those for which the sums are within the bounds. [`Errors::ratio`]
//! encloses them in boxes, each inside the last. Every box follows from the same event, so a
//! further box costs no confidence.
//!
//! A mean of weighted rows has the sum of the weights in place of n. Where the noises `η_i` are
//! themselves sums of another statistic's noises, the weights of those are sums of the weights
//! here.

#[cfg(test)]
mod tests;

use lastbit::Beta;
use lastbit_exact::{Down, Interval, Rational, Up};

use super::errors::PARTS;
use super::{Errors, Moment, Noised, Shape};

/// Means known to within this much are one box.
const NARROW: f64 = 0.03;

/// Sums of places over so many rows. Those that a statistic does not use are zero, and are not
/// divided.
pub(super) fn mean_places(sums: [Rational; 3], rows: &Rational) -> [Rational; 3] {
    sums.map(|sum| if sum.is_zero() { sum } else { &sum / rows })
}

impl Errors<'_> {
    /// With the confidence, the exact statistic is within this much of `published`, which is the
    /// statistic of these noisy shares, clamped to `Moment::range`. `None` if the shares have no
    /// such statistic.
    pub fn ratio(
        &self,
        moment: &dyn Moment,
        noised: &Noised<'_>,
        shares: &[Rational],
        published: &Rational,
    ) -> Option<Up> {
        let rows = moment.rows(shares);
        if rows <= Rational::from(moment.least_rows() - 1) {
            return None;
        }
        let seen = Seen {
            errors: *self,
            noised,
            rows: Interval::from_rational(&rows),
            less_one: Interval::from_rational(&(&rows - &Rational::ONE)),
        };
        let (low, high) = moment.range();
        let all = Up::from_rational(&(&high - &low));
        let published = Interval::from_rational(published);
        let width = Interval::from_rational(&moment.width());
        let places = moment.places(shares)?;
        let [x, y, both] = mean_places(places, &rows).map(|place| Interval::from_rational(&place));
        let main = self.part(PARTS - 1);
        let (beta, uneven) = match moment.weight_rounding() {
            None => (self.beta, Up::ZERO),
            Some(rounding) => {
                let all_rows = Interval::from_rational(&sum(shares));
                (&main, seen.weights_rounded(all_rows, &rounding, width))
            }
        };
        let possible = match moment.shape() {
            // The statistic at the place 0 is the lower bound of the grid.
            Shape::Mean => {
                let nothing = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
                let lower = moment.of_places(&nothing, &rows);
                Interval::from_rational(&lower) + width * seen.mean(shares.len(), x, beta)
            }
            shape => width * seen.covariance(shape, [x, y], both),
        };
        let off = (published - possible).abs().upper();
        Some((off + uneven + Up::from_rational(&moment.rounding())).min(all))
    }

    /// [`Errors::ratio`] before the release, for any data of so many rows in a group.
    ///
    /// **Proof.** Noises are independent, symmetric and log-concave, so the more unequal the
    /// weights of a sum, the less peaked it is (Proschan 1965): with weights that add up to at most
    /// S, its tail is at most that of one noise times S. The weights of a mean add up to 1. Those
    /// of a variance, `(m² − V, m² − m − V, (1 − m)² − V)` for the variance V with divisor n, have
    /// a sum of magnitudes of at most 1: it is convex in V, and `1 − m + m²` at V = 0 and
    /// `1 − 2·min(m, 1 − m)²` at `V = m − m²`. Those of a covariance, with divisor n, have 1 + 2(C
    /// − p) at most, where p is the smaller of the products that C exceeds: at most 5/4, as
    /// `C − p ≤ μ(1 − 2ν)` for `μ ≤ ν`, which is largest at ¼. The divisor n − 1 adds at most
    /// `¼/(n − 1)` to each. The weights of `D_s` are dominated by (1, ½) for a variance and by
    /// (1, 1) for a covariance. ∎
    pub fn ratio_planned(&self, moment: &dyn Moment, noised: &Noised<'_>, rows: u64) -> Up {
        let (low, high) = moment.range();
        let all = Up::from_rational(&(&high - &low));
        let small = self.part(1);
        let corners = moment.corners().len();
        let is_weighted = moment.weight_rounding().is_some();
        let one = Interval::point(1.0);
        let mut counted = vec![one; corners];
        if is_weighted {
            counted[corners - 1] = Interval::point(0.0);
        }
        let all_rows = Up::from_rational(&Rational::from(rows));
        let rows = Down::from_rational(&moment.typical_rows(rows));
        let noisy = rows - self.tail(noised, &counted, &small);
        let shape = moment.shape();
        let error = match shape {
            Shape::Mean => {
                if noisy.get() <= 0.0 {
                    return all;
                }
                let main = self.part(PARTS - 1);
                self.planned_mean(noised, corners, &main) / noisy
            }
            _ => {
                let (noisy_less, less) = (noisy - Up::ONE, rows - Up::ONE);
                if noisy_less.get() <= 0.0 || less.get() <= 0.0 {
                    return all;
                }
                let square = match shape {
                    Shape::Covariance => self.planned_places(shape, noised, &small.part(1, 2)),
                    _ => self.planned_places(shape, noised, &small),
                };
                let main = self.planned_products(shape, noised, less, &self.part(PARTS - 2));
                (main + square * square / noisy) / noisy_less
            }
        };
        let width = Up::from_rational(&moment.width());
        let uneven = moment.weight_rounding().map_or(Up::ZERO, |rounding| {
            Up::from_rational(&rounding) * all_rows / noisy
        });
        (width * (error + uneven) + Up::from_rational(&moment.rounding())).min(all)
    }

    /// The tail of a mean's sum, at any mean. If the noises are sums of others, the worst over
    /// boxes that cover the means.
    fn planned_mean(&self, noised: &Noised<'_>, corners: usize, beta: &Beta) -> Up {
        if noised.drawn.is_own() {
            return self.tails.of_each(&noised.drawn, beta);
        }
        let tails = sliced(Interval::UNIT, 8)
            .into_iter()
            .map(|place| self.tail(noised, &mean_weights(corners, place), beta));
        tails.fold(Up::ZERO, Up::max)
    }

    /// The tail of `D_s` of a moment of products, at any mean.
    fn planned_places(&self, shape: Shape, noised: &Noised<'_>, beta: &Beta) -> Up {
        let one = Interval::point(1.0);
        if noised.drawn.is_own() {
            let weights = match shape {
                Shape::Variance => [one, Interval::point(0.5)],
                _ => [one, one],
            };
            return self.tail(noised, &weights, beta);
        }
        let of = |place: Interval| {
            let sides = [0, 1].map(|side| shape.place_weights(side, place));
            let [left, right] = sides.map(|weights| self.tail(noised, &weights, beta));
            left.max(right)
        };
        sliced(Interval::UNIT, 8)
            .into_iter()
            .map(of)
            .fold(Up::ZERO, Up::max)
    }

    /// The tail of the sum of a moment of products with divisor n − 1 ≥ `less`, at any means and
    /// statistic.
    fn planned_products(&self, shape: Shape, noised: &Noised<'_>, less: Down, beta: &Beta) -> Up {
        let quarter = Up::exact(0.25);
        if noised.drawn.is_own() {
            let (linear, corners) = match shape {
                Shape::Variance => (Up::ONE, Up::exact(3.0)),
                _ => (Up::exact(1.25), Up::exact(4.0)),
            };
            let weights = linear + corners * quarter / less;
            return weights * self.tails.of_each(&noised.drawn, beta);
        }
        let mut most = Up::ZERO;
        let parts = if shape == Shape::Variance { 8 } else { 4 };
        for mu in sliced(Interval::UNIT, parts) {
            let others = match shape {
                Shape::Variance => vec![mu],
                _ => sliced(Interval::UNIT, parts),
            };
            for nu in others {
                for statistic in sliced(shape.range([mu, nu]), 4) {
                    let weights = shape.weights([mu, nu], statistic);
                    most = most.max(self.tail(noised, &weights, beta));
                }
            }
        }
        most
    }
}

/// What was published of a ratio.
struct Seen<'a> {
    errors: Errors<'a>,
    noised: &'a Noised<'a>,
    /// n̂ > 0.
    rows: Interval,
    /// n̂ − 1.
    less_one: Interval,
}

impl Seen<'_> {
    fn tail(&self, weights: &[Interval], beta: &Beta) -> Up {
        self.errors.tail(self.noised, weights, beta)
    }

    /// An interval for a mean, with weights `(−m, 1 − m)`. The bound grows with the distance of m
    /// from ½ (Proschan 1965), so it is largest at an end of the box; this fails if the noises are
    /// sums of others.
    fn mean(&self, corners: usize, estimate: Interval, beta: &Beta) -> Interval {
        let next = |from: Interval, place: Interval| {
            let far = if !self.noised.drawn.is_own() {
                place
            } else if place.hi() > 1.0 - place.lo() {
                Interval::point(place.hi())
            } else {
                Interval::point(place.lo())
            };
            let off = self.tail(&mean_weights(corners, far), beta);
            around(from, off, self.rows)
        };
        let found = Interval::UNIT.contracted(|place| next(estimate, place));
        found.unwrap_or_else(|| {
            let place = nearest(estimate, Interval::UNIT);
            within(next(place, place), Interval::UNIT)
        })
    }

    /// How far the rounding of weights moves a mean: `Σ δ_i·(x_i − m)/Σw_i` for roundings of at
    /// most δ, where weights are parts of the largest. The sum of the weights and the number of
    /// rows are each within their bound, except with half a part of the probability.
    fn weights_rounded(&self, all_rows: Interval, rounding: &Rational, width: Interval) -> Up {
        let half = self.errors.part(1).part(1, 2);
        let (one, zero) = (Interval::point(1.0), Interval::point(0.0));
        let most = all_rows.upper() + self.tail(&[one; 3], &half);
        let least = self.rows.lower() - self.tail(&[one, one, zero], &half);
        if least.get() <= 0.0 {
            return Up::INFINITY;
        }
        Up::from_rational(rounding) * most.max(Up::ZERO) * width.upper() / least
    }

    /// An interval for a covariance, from the estimates of both means and of the mean product. A
    /// wide interval of means is taken in slices.
    fn covariance(&self, shape: Shape, estimates: [Interval; 2], product: Interval) -> Interval {
        let small = self.errors.part(1);
        let estimate = (product - estimates[0] * estimates[1]) * self.rows / self.less_one;
        let slices: Vec<[Interval; 2]> = match shape {
            Shape::Covariance => {
                let half = small.part(1, 2);
                let [x, y] = [0, 1].map(|side| {
                    let weights = |m: Interval| shape.place_weights(side, m);
                    sliced(self.place(estimates[side], weights, &half), 4)
                });
                x.iter().flat_map(|x| y.iter().map(|y| [*x, *y])).collect()
            }
            _ => {
                let weights = |m: Interval| shape.place_weights(0, m);
                let mean = self.place(estimates[0], weights, &small);
                sliced(mean, 8).into_iter().map(|m| [m, m]).collect()
            }
        };
        let main = self.errors.part(PARTS - 1);
        let next = |means: [Interval; 2], statistic: Interval| {
            let off = self.tail(&shape.weights(means, statistic), &main);
            Interval::point(off.get()) / self.less_one
        };
        let found = slices.into_iter().filter_map(|means| {
            let off = |index: usize| (means[index] - estimates[index]) * self.rows;
            // D_s·D_t/n̂; a square is not negative.
            let second = match shape {
                Shape::Covariance => off(0) * off(1) / self.rows,
                _ => off(0).abs() * off(0).abs() / self.rows,
            };
            shape.range(means).contracted(|statistic| {
                let off = next(means, statistic);
                estimate + (-off).hull(off) + second / self.less_one
            })
        });
        found.reduce(Interval::hull).unwrap_or_else(|| {
            let statistic = nearest(estimate, shape.all());
            let off = next(
                estimates.map(|mean| nearest(mean, Interval::UNIT)),
                statistic,
            );
            within(statistic + (-off).hull(off), shape.all())
        })
    }

    /// An interval for a mean, from weights that depend on it.
    fn place(
        &self,
        estimate: Interval,
        weights: impl Fn(Interval) -> Vec<Interval>,
        beta: &Beta,
    ) -> Interval {
        let found = Interval::UNIT
            .contracted(|place| around(estimate, self.tail(&weights(place), beta), self.rows));
        found.unwrap_or(Interval::UNIT)
    }
}

impl Shape {
    /// The range of the statistic over any rows.
    fn all(self) -> Interval {
        let half = Interval::point(0.5);
        match self {
            Shape::Covariance => (-half).hull(half),
            _ => Interval::point(0.0).hull(half),
        }
    }

    /// The range of the statistic over rows with these means. The mean product is from
    /// `max(0, μ + ν − 1)` to `min(μ, ν)`, and the divisor n − 1 at most doubles the covariance.
    fn range(self, [mu, nu]: [Interval; 2]) -> Interval {
        let one = Interval::point(1.0);
        let twice = |x: Interval| Interval::point((x + x).hi().max(0.0));
        let high = twice((mu * (one - nu)).min(nu * (one - mu)));
        let low = match self {
            Shape::Covariance => -twice((mu * nu).min((one - mu) * (one - nu))),
            _ => Interval::point(0.0),
        };
        let range = low.hull(high);
        self.all().intersect(range).unwrap_or(self.all())
    }

    /// The weights of the noises of the corners in `D_s`, or in `D_t`.
    fn place_weights(self, side: usize, m: Interval) -> Vec<Interval> {
        let (left, right) = (-m, Interval::point(1.0) - m);
        match (self, side) {
            (Shape::Mean, _) => vec![left, right],
            (Shape::Variance, _) => vec![left, Interval::point(0.5) - m, right],
            (Shape::Covariance, 0) => vec![left, right, left, right],
            (Shape::Covariance, _) => vec![left, left, right, right],
        }
    }

    /// The weights of the noises of the corners of a moment of products.
    fn weights(self, [mu, nu]: [Interval; 2], statistic: Interval) -> Vec<Interval> {
        let one = Interval::point(1.0);
        match self {
            Shape::Covariance => vec![
                mu * nu - statistic,
                -((one - mu) * nu + statistic),
                -(mu * (one - nu) + statistic),
                (one - mu) * (one - nu) - statistic,
            ],
            _ => vec![
                mu * mu - statistic,
                -(mu * (one - mu) + statistic),
                (one - mu) * (one - mu) - statistic,
            ],
        }
    }
}

/// The weights of the noises in a mean's sum; shares after the first two have none.
fn mean_weights(corners: usize, place: Interval) -> Vec<Interval> {
    let mut weights = vec![Interval::point(0.0); corners];
    weights[..2].copy_from_slice(&[-place, Interval::point(1.0) - place]);
    weights
}

fn sum(shares: &[Rational]) -> Rational {
    shares
        .iter()
        .fold(Rational::ZERO, |sum, share| &sum + share)
}

/// `estimate ± off/rows`.
pub(super) fn around(estimate: Interval, off: Up, rows: Interval) -> Interval {
    estimate + Interval::plus_minus(off) / rows
}

/// The number of a range nearest to an estimate. If nothing is possible, the event did not happen
/// and nothing is promised; then the estimate itself is taken.
fn nearest(estimate: Interval, range: Interval) -> Interval {
    Interval::point(estimate.midpoint().clamp(range.lo(), range.hi()))
}

fn within(interval: Interval, range: Interval) -> Interval {
    interval.intersect(range).unwrap_or(range)
}

/// The interval cut into so many parts that cover it; a narrow one is left whole.
pub(super) fn sliced(whole: Interval, parts: u32) -> Vec<Interval> {
    if whole.width().get() <= NARROW {
        return vec![whole];
    }
    whole.parts(parts)
}
