use core::fmt;

use lastbit_exact::Rational;
use lastbit_noise::LazyUniform;
use lastbit_noise::entropy::Entropy;

use super::kernel::Sums;
use super::{Exponential, Run, SelectionError, exact, place_in, rate_f64, score};
use crate::Error;

/// Runs of which those with the highest scores are known, and of the others, before and after them,
/// only their number and a score that none of them exceeds.
///
/// A draw is by the same lazy uniform `U`, over the same runs in the same order, as if all were
/// known. Those in the window are enough to decide it unless `U` falls where the weight of the
/// others matters; then all are asked for, and the same `U` goes on. So the law is that of the
/// exponential mechanism over all runs, whatever the window; the window decides only how often all
/// are asked for.
pub(crate) struct Window<'a> {
    runs: &'a [Run<i64>],
    tails: [Option<&'a Run<i64>>; 2],
    rate: Rational,
    /// The largest score, and the sums; nothing if a tail may have it.
    known: Option<(i64, Sums)>,
}

/// Where a draw was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The first candidate of the run, counted from the first one of all.
    pub start: u128,
    /// The length of the run.
    pub length: u128,
    /// Whether the window was enough.
    pub in_window: bool,
}

impl<'a> Window<'a> {
    /// The runs in the window, and one run for those before and one for those after it, with a
    /// score that is at least that of each of them. A tail of length 0 is none.
    pub(crate) fn new(
        mechanism: &Exponential,
        runs: &'a [Run<i64>],
        tails: &'a [Run<i64>; 2],
    ) -> Result<Window<'a>, SelectionError> {
        let largest = score::largest(runs)?;
        let tails = tails
            .each_ref()
            .map(|tail| Some(tail).filter(|tail| tail.length > 0));
        let lower = tails.iter().flatten().all(|tail| tail.score < largest);
        let rate = mechanism.rate();
        let sums = || Sums::new(runs, &largest, rate_f64(rate)).between(tails, &largest);
        Ok(Window {
            runs,
            tails,
            rate: rate.clone(),
            known: lower.then(|| (largest, sums())),
        })
    }

    /// One candidate, counted from the first one of all. `all` gives all runs.
    pub(crate) fn draw(
        &self,
        all: impl FnOnce() -> Result<Vec<Run<i64>>, Error>,
        entropy: &mut impl Entropy,
    ) -> Result<u128, Error> {
        let run = self.choose(all, entropy)?;
        // The place is below the length, so this is below the number of candidates.
        Ok(run.start + place_in(run.length, entropy)?)
    }

    /// The run of one candidate.
    pub(crate) fn choose(
        &self,
        all: impl FnOnce() -> Result<Vec<Run<i64>>, Error>,
        entropy: &mut impl Entropy,
    ) -> Result<Chosen, Error> {
        let word = entropy.word()?;
        let uniform = &mut LazyUniform::with_prefix(word, 64);
        if let Some((largest, sums)) = &self.known {
            let index = match sums.choose(self.runs, largest, word) {
                Some(index) => Some(index),
                None => exact::choose_among(
                    self.runs, self.tails, largest, &self.rate, uniform, entropy,
                )?,
            };
            if let Some(index) = index {
                let before = self.tails[0].map_or(0, |tail| tail.length);
                return Ok(chosen(self.runs, index, before, true));
            }
        }
        let all = all()?;
        let largest = score::largest(&all)?;
        let index = exact::choose(&all, &largest, &self.rate, uniform, entropy)?;
        Ok(chosen(&all, index, 0, false))
    }
}

impl fmt::Debug for Window<'_> {
    /// Without the scores, which are data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Window of {} runs", self.runs.len())
    }
}

fn chosen(runs: &[Run<i64>], index: usize, before: u128, in_window: bool) -> Chosen {
    let lengths = runs[..index].iter().map(|run| run.length);
    Chosen {
        start: before + lengths.sum::<u128>(),
        length: runs[index].length,
        in_window,
    }
}
