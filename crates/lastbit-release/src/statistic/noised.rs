//! Noise on the numbers of a statistic: their own, or sums of the noises of another statistic's
//! numbers.

use lastbit::GridExponent;
use lastbit::tables::Noise;
use lastbit_exact::{Interval, Rational, Up};

use super::Errors;

/// Numbers of one statistic as sums of the numbers of another.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Mix {
    /// They are the same numbers.
    Same,
    /// For each, the factors of the others.
    Sums(Vec<Vec<Rational>>),
}

impl Mix {
    /// The numbers, exact or noisy, from those of the other statistic.
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

    /// The weights of the other statistic's noises in a weighted sum of the noises of these
    /// numbers.
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

    /// Whether whole numbers stay whole.
    fn is_whole(&self) -> bool {
        let is_whole = |factor: &Rational| *factor == Rational::from(factor.floor());
        self.sums().iter().flatten().all(is_whole)
    }

    /// The largest sum of squared factors of a number: how much larger the variance of its noise
    /// is.
    pub fn largest_square(&self) -> Rational {
        self.largest(|factor| factor * factor)
    }

    /// The largest sum of the factors' magnitudes of a number: an upper bound on how much larger
    /// the mean magnitude of its noise is.
    pub fn largest_sum(&self) -> Rational {
        self.largest(Rational::abs)
    }

    fn sums(&self) -> &[Vec<Rational>] {
        match self {
            Mix::Same => &[],
            Mix::Sums(all) => all,
        }
    }

    fn largest(&self, of: impl Fn(&Rational) -> Rational) -> Rational {
        let sum = |factors: &Vec<Rational>| {
            let terms = factors.iter().map(&of);
            terms.fold(Rational::ZERO, |sum, term| &sum + &term)
        };
        self.sums().iter().map(sum).max().unwrap_or(Rational::ONE)
    }
}

/// The noise on the numbers of a statistic.
#[derive(Clone, Copy, Debug)]
pub struct Noised<'a> {
    /// The noise of each number that was drawn, independent of the others.
    pub noise: &'a Noise,
    /// The exponent of its grid.
    pub grid: GridExponent,
    /// How the numbers follow from those that were drawn, if they are others.
    pub mix: Option<&'a Mix>,
    /// If they were made to add up: each is within this much of the exact one, with the confidence
    /// of the plan.
    pub made: Option<Up>,
}

impl Noised<'_> {
    /// Whether whole numbers stay whole with their noise.
    pub fn is_whole(&self) -> bool {
        // Numbers that add up were rounded; `made` includes that.
        self.made.is_some()
            || self.grid >= GridExponent::INTEGERS && self.mix.is_none_or(Mix::is_whole)
    }
}

impl Errors<'_> {
    /// The noise of each number is within this much of zero.
    pub fn noise(&self, noised: &Noised<'_>) -> Up {
        if let Some(off) = noised.made {
            return off;
        }
        match noised.mix {
            None | Some(Mix::Same) => self.tails.beyond(noised.noise, noised.grid, self.alpha),
            Some(Mix::Sums(numbers)) => {
                let tails = (0..numbers.len()).map(|number| {
                    let mut weights = vec![Interval::point(0.0); numbers.len()];
                    weights[number] = Interval::point(1.0);
                    self.tail(noised, &weights, self.alpha)
                });
                tails.fold(Up::ZERO, Up::max)
            }
        }
    }

    /// A weighted sum of the noises is within this much of zero, except with probability `alpha`,
    /// for all weights in these intervals.
    pub fn tail(&self, noised: &Noised<'_>, weights: &[Interval], alpha: &Rational) -> Up {
        let spread = noised.mix.map(|mix| mix.spread(weights));
        let weights: Vec<Up> = spread
            .as_deref()
            .unwrap_or(weights)
            .iter()
            .map(|weight| weight.abs().upper())
            .collect();
        self.tails
            .combined(noised.noise, noised.grid, &weights, alpha)
    }
}
