use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;

use super::Stability;
use crate::Error;
use crate::mechanisms::exponential::{Exponential, Run, SelectionError};
use crate::quality::{QualityError, StepFunction};

/// The places where a selection meets chance, so that tests can walk through every outcome.
pub(super) trait Chance {
    /// `u(I)`, the largest score of every interval of a cover.
    fn intervals(
        &mut self,
        scores: &StepFunction,
        first: u128,
        length: u128,
    ) -> Result<StepFunction, QualityError> {
        scores.interval_maxima(first, length)
    }

    /// A point, by the exponential mechanism.
    fn exponential(
        &mut self,
        scores: &StepFunction,
        mechanism: &Exponential,
    ) -> Result<u128, Error>;

    /// The best one, if it is stable.
    fn stable(&mut self, best: u128, gap: &Rational) -> Result<Option<u128>, Error>;
}

/// Chance as it is drawn.
pub(super) struct Draws<'a, E> {
    stability: Option<&'a Stability>,
    entropy: &'a mut E,
}

impl<'a, E: Entropy> Draws<'a, E> {
    pub fn new(stability: Option<&'a Stability>, entropy: &'a mut E) -> Draws<'a, E> {
        Draws { stability, entropy }
    }
}

impl<E: Entropy> Chance for Draws<'_, E> {
    fn exponential(
        &mut self,
        scores: &StepFunction,
        mechanism: &Exponential,
    ) -> Result<u128, Error> {
        draw_point(scores, mechanism, self.entropy)
    }

    fn stable(&mut self, best: u128, gap: &Rational) -> Result<Option<u128>, Error> {
        match self.stability {
            Some(stability) if stability.is_stable(gap, self.entropy)? => Ok(Some(best)),
            _ => Ok(None),
        }
    }
}

/// A point of the domain of a step function, by the exponential mechanism over its runs.
pub(crate) fn draw_point(
    scores: &StepFunction,
    mechanism: &Exponential,
    entropy: &mut impl Entropy,
) -> Result<u128, Error> {
    let runs: Vec<Run<i64>> = scores
        .runs()
        .map(|run| Run {
            length: run.length,
            score: run.value,
        })
        .collect();
    let (run, place) = mechanism
        .draw_place(&runs, entropy)
        .map_err(|error| match error {
            SelectionError::Entropy(error) => Error::from(error),
            error => Error::other(error.to_string()),
        })?;
    Ok(scores.run(run).start + place)
}
