mod few;
mod many;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Down, Interval, Rational, Up};
use lastbit_noise::gaussian_mass;

use self::few::{Few, FewTails, Parts};
use self::many::{Many, Sizes};
use super::Noise;
use crate::{Beta, GridExponent, solve};

/// Tails of noise, each quantile found once.
#[derive(Debug, Default)]
pub struct Tails {
    normal: RefCell<HashMap<Beta, Up>>,
    /// Of sums of a few Laplace noises.
    few: RefCell<FewTails>,
    /// Half a step of the grid and the size of the noise that was asked for last.
    units: RefCell<Option<(Noise, GridExponent, [Up; 2])>>,
    /// Of sums of many Laplace noises, by how many there are of each size.
    many: RefCell<HashMap<(Sizes, Beta), Up>>,
    /// Whether these have only the bound of their moments.
    by_moments: bool,
}

/// Noises of one kind and size in a weighted sum.
#[derive(Clone, Debug)]
pub struct Term<'a> {
    /// Their law.
    pub noise: &'a Noise,
    /// The grid that they are rounded to.
    pub grid: GridExponent,
    /// Magnitudes of weights, and how many noises have each.
    pub weights: Vec<(Up, u32)>,
}

/// Weights of a few Laplace noises are rounded up to this many parts of the largest.
const PARTS: u32 = 128;

/// Those of many.
const PARTS_OF_MANY: u32 = 2048;

/// More Laplace noises than these have a series for their tail: the terms of the exact one would
/// cancel.
const FEW: usize = 6;

impl Tails {
    /// Tails that bound sums of many Laplace noises by their moments alone, up to 1.8 times as far
    /// out: those by which earlier versions chose noise.
    pub fn by_moments() -> Tails {
        Tails {
            by_moments: true,
            ..Tails::default()
        }
    }

    /// A `t` with `P(|noise, rounded to the grid| > t) ≤ beta`.
    pub fn beyond(&self, noise: &Noise, grid: GridExponent, beta: &Beta) -> Up {
        let [half_step, size] = self.units(noise, grid);
        half_step
            + match noise {
                Noise::Laplace(_) => {
                    let one = &Rational::ONE / beta.get();
                    size * Interval::from_rational(&one).ln().upper()
                }
                Noise::Gaussian(_) => size * self.normal(beta),
            }
    }

    /// A `t` with `P(|Σ wᵢ·ηᵢ| > t) ≤ beta` for all weights with `|wᵢ| ≤ weights[i]`, where each
    /// `ηᵢ` is the noise, rounded to the grid, and all are independent.
    ///
    /// **Proof.** Rounding moves each `ηᵢ` by at most half a step, so the sum by `Σ|wᵢ|/2` steps.
    /// For Gaussian noise the sum is Gaussian, with variance `σ²·Σwᵢ²`. Laplace noise is symmetric
    /// and unimodal: a larger weight makes its term less peaked, and the sum of independent
    /// symmetric unimodal terms too (Birnbaum 1948), so that weights may be rounded up. For
    /// distinct scales `aᵢ = |wᵢ|·s` the characteristic function `Π 1/(1 + aᵢ²u²)` is
    /// `Σ Aᵢ/(1 + aᵢ²u²)` with `Aᵢ = Π_{j≠i} aᵢ²/(aᵢ² − aⱼ²)`, so that
    /// `P(|Σ wᵢηᵢ| > t) = Σ Aᵢ·e^(−t/aᵢ)`, exactly. Of more than a few it is bounded by a series of
    /// the characteristic function, with a proof of its own, in the private `Many::tail`. ∎
    pub fn combined(&self, noise: &Noise, grid: GridExponent, weights: &[Up], beta: &Beta) -> Up {
        let [half_step, size] = self.units(noise, grid);
        let rounding = weights.iter().copied().sum::<Up>() * half_step;
        rounding
            + match noise {
                Noise::Gaussian(_) => {
                    let squares: Up = weights.iter().map(|&weight| weight * weight).sum();
                    size * squares.sqrt() * self.normal(beta)
                }
                Noise::Laplace(_) => {
                    let tail = match Few::of(weights.iter().map(|&weight| (weight, 1))) {
                        Some(few) => self.few_laplaces(&few, beta),
                        None => {
                            let weights: Vec<(Up, u32)> =
                                weights.iter().map(|&weight| (weight, 1)).collect();
                            self.laplaces(&weights, beta)
                        }
                    };
                    size * tail
                }
            }
    }

    /// Half a step of the grid, and the size of the noise: mostly those of the last call.
    fn units(&self, noise: &Noise, grid: GridExponent) -> [Up; 2] {
        if let Some((known, at, units)) = &*self.units.borrow()
            && (known, *at) == (noise, grid)
        {
            return *units;
        }
        let half_step = Up::from_rational(&grid.step().times_power_of_two(-1));
        let units = [half_step, noise.size()];
        *self.units.borrow_mut() = Some((noise.clone(), grid, units));
        units
    }

    /// A `t` with `P(|Σ wᵢ·ηᵢ| > t) ≤ beta` for noises of several kinds and sizes, each rounded to
    /// its grid, all independent, and all weights of at most these magnitudes.
    ///
    /// **Proof.** That of [`combined`](Tails::combined): the Gaussian noises add up to a Gaussian
    /// one, and Laplace noises of any scales were bounded there. If there are both, each part is
    /// beyond its bound with half of the probability. ∎
    pub fn of_sum(&self, terms: &[Term<'_>], beta: &Beta) -> Up {
        let (mut rounding, mut variance) = (Up::ZERO, Up::ZERO);
        let mut laplaces = Vec::new();
        for term in terms {
            let step = Up::from_rational(&term.grid.step().times_power_of_two(-1));
            for &(weight, count) in &term.weights {
                let many = Up::from(count);
                rounding += weight * step * many;
                match term.noise {
                    Noise::Laplace(scale) => {
                        laplaces.push((weight * Up::from_rational(scale.get()), count));
                    }
                    Noise::Gaussian(of_one) => {
                        let of_one = Up::from_rational(of_one.get());
                        variance += weight * weight * of_one * many;
                    }
                }
            }
        }
        let both = variance > Up::ZERO && !laplaces.is_empty();
        let beta = &match both {
            true => beta.part(1, 2),
            false => beta.clone(),
        };
        if variance > Up::ZERO {
            rounding += variance.sqrt() * self.normal(beta);
        }
        rounding + self.laplaces(&laplaces, beta)
    }

    /// The tail of Laplace noises of these scales, so many of each.
    fn laplaces(&self, scales: &[(Up, u32)], beta: &Beta) -> Up {
        if let Some(few) = Few::of(scales.iter().copied()) {
            return self.few_laplaces(&few, beta);
        }
        let steps = match self.by_moments {
            false => PARTS_OF_MANY,
            true => PARTS,
        };
        let (largest, sizes) = parts(scales, steps);
        match largest.is_finite() {
            false => Up::INFINITY,
            true => largest * self.many_laplace(sizes, beta),
        }
    }

    /// The tail of a few Laplace noises.
    fn few_laplaces(&self, few: &Few, beta: &Beta) -> Up {
        few.largest * self.few.borrow_mut().of(&few.parts, beta)
    }

    /// A `z` with `P(|Z| > z) ≤ beta` for a standard normal Z; of 12 digits, and within 2^-40 of
    /// the smallest.
    fn normal(&self, beta: &Beta) -> Up {
        if let Some(known) = self.normal.borrow().get(beta) {
            return *known;
        }
        let half = beta.get().times_power_of_two(-1);
        let enough = |z: f64| {
            Rational::try_from(z)
                .is_ok_and(|z| gaussian_mass(Some(&z), None).upper().is_at_most(&half))
        };
        // P(Z > z) < 2^-1 at 0, and below e^(−z²/2) for z > 0.
        let above = Up::from_rational(&half);
        let most = (-Interval::point(above.get()).ln() * Interval::point(2.0))
            .sqrt()
            .hi();
        let most = most.ceil().max(1.0) + 1.0;
        // P(|Z| > ½) is above ½: with so much the search has fewer doubles before it.
        let least = if *beta.get() <= Rational::new(1, 2) {
            0.5
        } else {
            0.0
        };
        // What lies outside of a narrow bracket is decided by its ends: tails fall.
        let near = quantile_near(Down::from_rational(beta.get()).get() / 2.0);
        let (low, high) = (near * (1.0 - NEAR), near * (1.0 + NEAR));
        let bracket = low > least && high < most && !enough(low) && enough(high);
        let enough = |z: f64| match bracket {
            true if z <= low => Ok(false),
            true if z >= high => Ok(true),
            _ => Ok(enough(z)),
        };
        let found = solve::near_smallest_where(least..=most, 40, enough).unwrap_or(most);
        let found = Rational::try_from(found).unwrap_or(Rational::ONE);
        let z = Up::from_rational(&decimal::up(&found, DIGITS));
        self.normal.borrow_mut().insert(beta.clone(), z);
        z
    }

    /// The tail of many Laplace noises with scales of these sizes, as parts of the largest.
    fn many_laplace(&self, sizes: Sizes, beta: &Beta) -> Up {
        let key = (sizes, beta.clone());
        if let Some(known) = self.many.borrow().get(&key) {
            return *known;
        }
        let found = match self.by_moments {
            true => self.many_by_moments(&key.0, beta),
            false => Many::new(&key.0).by_series(beta),
        };
        self.many.borrow_mut().insert(key, found);
        found
    }

    /// The same by moments. The largest may outweigh all others: then its own tail, at most of the
    /// probability, and theirs at the rest.
    fn many_by_moments(&self, sizes: &[(u32, u32)], beta: &Beta) -> Up {
        let mut others = sizes.to_vec();
        if let Some((_, count)) = others.last_mut() {
            *count -= 1;
        }
        others.retain(|&(_, count)| count > 0);
        let of_others = others.last().map_or(0, |&(size, _)| size);
        let unit = Up::from_rational(&Rational::new(i64::from(of_others), i64::from(PARTS)));
        let (most, rest) = (beta.part(15, 16), beta.part(1, 16));
        let one = self.few.borrow_mut().of(&Parts::one(), &most);
        let apart = one + Many::new(&others).by_moments(&rest) * unit;
        Many::new(sizes).by_moments(beta).min(apart)
    }
}

/// Above what a guess of a quantile is off by, relatively, with room to spare.
const NEAR: f64 = 1e-13;

/// About the `z` with `P(Z > z) = p` for a standard normal Z and `0 < p < ½`. A guess: whoever uses
/// it checks.
#[expect(clippy::disallowed_methods, reason = "for searches")]
fn quantile_near(p: f64) -> f64 {
    // Q(z)/φ(z), by Laplace's continued fraction, or by the series of ½ − Q where that is slow.
    let ratio = |z: f64, density: f64| {
        if z > 1.5 {
            return (1..=150).rev().fold(z, |r, n| z + f64::from(n) / r).recip();
        }
        let (mut term, mut sum) = (z, z);
        for n in 1..60 {
            term *= z * z / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 / density - sum
    };
    // Newton's steps for ln Q, which is concave and falls.
    let mut z = (-2.0 * p.ln()).sqrt();
    for _ in 0..8 {
        let density = (-z * z / 2.0).exp() / (2.0 * core::f64::consts::PI).sqrt();
        let ratio = ratio(z, density);
        z += ratio * (ratio * density / p).ln();
    }
    z
}

/// The largest weight, and all as numbers of so many parts of it, at or above them and in
/// increasing order, with how many there are of each; zeros are left out.
fn parts(weights: &[(Up, u32)], steps: u32) -> (Up, Sizes) {
    let largest = weights
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|&(weight, _)| weight)
        .fold(Up::ZERO, Up::max);
    if largest.get() <= 0.0 || !largest.is_finite() {
        return (largest, vec![]);
    }
    let most = Down::exact(largest.get());
    let mut parts = BTreeMap::<u32, u32>::new();
    for &(weight, count) in weights {
        if weight.get() > 0.0 && count > 0 {
            *parts.entry(part(weight, most, steps)).or_default() += count;
        }
    }
    (largest, parts.into_iter().collect())
}

/// The weight as a number of so many parts of the largest, at or above it.
fn part(weight: Up, most: Down, steps: u32) -> u32 {
    let share = weight * Up::from(steps) / most;
    // Shares are above 0 and at most all steps, up to rounding.
    (share.get().ceil() as u32).clamp(1, steps)
}

#[cfg(test)]
mod tests;
