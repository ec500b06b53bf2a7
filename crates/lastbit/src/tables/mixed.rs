use std::borrow::Cow;

use lastbit_exact::{Interval, Rational, Up};

use super::{Noise, Tails, Term};
use crate::metrics::Norms;
use crate::{Beta, GridExponent};

/// Numbers as sums of others, with factors.
///
/// ```
/// use lastbit::tables::Mix;
/// use lastbit::Rational;
/// // The number of all rows from those of two bins.
/// let all = Mix::Sums(vec![vec![Rational::ONE, Rational::ONE]]);
/// let bins = [Rational::from(3u64), Rational::from(4u64)];
/// assert_eq!(all.apply(&bins), [Rational::from(7u64)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mix {
    /// They are the same numbers.
    Same,
    /// For each, the factors of the others.
    Sums(Vec<Vec<Rational>>),
}

impl Mix {
    /// The numbers, exact or noisy, from the others.
    pub fn apply(&self, numbers: &[Rational]) -> Vec<Rational> {
        let sum = |factors: &Vec<Rational>| {
            let terms = factors.iter().zip(numbers);
            terms.fold(Rational::ZERO, |sum, (factor, number)| {
                &sum + &(factor * number)
            })
        };
        match self {
            Mix::Same => numbers.to_vec(),
            Mix::Sums(all) => all.iter().map(sum).collect(),
        }
    }

    /// How many times the variance of the noise of a number is that of noise of its own, at the
    /// same pure loss: at most this. Neighbours move the numbers that are drawn by the first norms,
    /// and these numbers by the second.
    ///
    /// **Proof.** Noise of a pure loss has a scale in proportion to the L1 norm, independent noises
    /// have variances that add, and a factor counts by its square. ∎
    pub fn growth(&self, drawn: &Norms, own: &Norms) -> Rational {
        let scale = &drawn.l1 / &own.l1;
        &self.largest(|factor| factor * factor) * &(&scale * &scale)
    }

    /// Whether whole numbers stay whole.
    fn is_whole(&self) -> bool {
        let is_whole = |factor: &Rational| *factor == Rational::from(factor.floor());
        self.sums().iter().flatten().all(is_whole)
    }

    /// The weights of the noises of the others in a weighted sum of the noises of these numbers.
    fn spread(&self, weights: &[Interval]) -> Vec<Interval> {
        let Mix::Sums(all) = self else {
            return weights.to_vec();
        };
        let others = all.first().map_or(0, Vec::len);
        let of = |other: usize| {
            let terms = all.iter().zip(weights);
            terms.fold(
                Interval::point(0.0),
                |sum, (factors, &weight)| match factors[other].is_zero() {
                    true => sum,
                    false => sum + Interval::from_rational(&factors[other]) * weight,
                },
            )
        };
        (0..others).map(of).collect()
    }

    fn sums(&self) -> &[Vec<Rational>] {
        match self {
            Mix::Same => &[],
            Mix::Sums(all) => all,
        }
    }

    /// The largest sum over the factors of a number.
    fn largest(&self, of: impl Fn(&Rational) -> Rational) -> Rational {
        let sum = |factors: &Vec<Rational>| {
            let terms = factors.iter().map(&of);
            terms.fold(Rational::ZERO, |sum, term| &sum + &term)
        };
        self.sums().iter().map(sum).max().unwrap_or(Rational::ONE)
    }
}

/// The noise of numbers: their own, or sums of the noises of others.
#[derive(Clone, Copy, Debug)]
pub struct MixedNoise<'a> {
    /// The noise of each number that was drawn, independent of the others.
    pub noise: &'a Noise,
    /// The exponent of its grid.
    pub grid: GridExponent,
    /// How the numbers follow from those that were drawn.
    pub mix: &'a Mix,
}

impl<'a> MixedNoise<'a> {
    /// Whether each number has a noise of its own.
    pub fn is_own(&self) -> bool {
        *self.mix == Mix::Same
    }

    /// Whether whole numbers stay whole with their noise.
    pub fn is_whole(&self) -> bool {
        self.grid >= GridExponent::INTEGERS && self.mix.is_whole()
    }

    /// [`Noise::clamping_bias`] of each number.
    ///
    /// **Proof.** `E max(0, Σwη) ≤ Σ|w|·E max(0, η)`, as noise is symmetric. ∎
    pub fn clamping_bias(&self) -> Up {
        let factor = Up::from_rational(&self.mix.largest(Rational::abs));
        self.noise.clamping_bias(self.grid) * factor
    }

    /// The variance of the noise of one number of each group; `None` if a group has several.
    pub fn variance(&self) -> Option<Rational> {
        let squares = self
            .factors()?
            .iter()
            .fold(Rational::ZERO, |sum, factor| &sum + &(factor * factor));
        Some(&self.noise.variance() * &squares)
    }

    /// The noises in a sum of one number of each group, with these coefficients of so many groups
    /// each; `None` if a group has several numbers.
    pub fn term(&self, coefficients: &[(Rational, u32)]) -> Option<Term<'a>> {
        let factors = self.factors()?;
        let mut weights = Vec::new();
        for (coefficient, count) in coefficients {
            for factor in &factors {
                let weight = (coefficient * factor).abs();
                if !weight.is_zero() {
                    weights.push((Up::from_rational(&weight), *count));
                }
            }
        }
        Some(Term {
            noise: self.noise,
            grid: self.grid,
            weights,
        })
    }

    /// The factors of the noises in one number; `None` if a group has several sums.
    fn factors(&self) -> Option<Vec<Rational>> {
        match self.mix {
            Mix::Same => Some(vec![Rational::ONE]),
            Mix::Sums(numbers) if numbers.len() == 1 => Some(numbers[0].clone()),
            Mix::Sums(_) => None,
        }
    }
}

impl Tails {
    /// A `t` with `P(|η| > t) ≤ beta` for the noise of each number.
    pub fn of_each(&self, noise: &MixedNoise<'_>, beta: &Beta) -> Up {
        match noise.mix {
            Mix::Same => self.beyond(noise.noise, noise.grid, beta),
            Mix::Sums(numbers) => {
                let tails = (0..numbers.len()).map(|number| {
                    let mut weights = vec![Interval::point(0.0); numbers.len()];
                    weights[number] = Interval::point(1.0);
                    self.of_mixed(noise, &weights, beta)
                });
                tails.fold(Up::ZERO, Up::max)
            }
        }
    }

    /// A `t` with `P(|Σ wᵢ·ηᵢ| > t) ≤ beta` for the noises `ηᵢ` of the numbers and all weights in
    /// these intervals: [`combined`](Tails::combined), with the weights of the noises that were
    /// drawn.
    pub fn of_mixed(&self, noise: &MixedNoise<'_>, weights: &[Interval], beta: &Beta) -> Up {
        let spread = match noise.mix {
            Mix::Same => Cow::Borrowed(weights),
            Mix::Sums(_) => Cow::Owned(noise.mix.spread(weights)),
        };
        let weights: Vec<Up> = spread.iter().map(|weight| weight.abs().upper()).collect();
        self.combined(noise.noise, noise.grid, &weights, beta)
    }
}
