//! What releases cost together, by the best of what is known of them.

use lastbit_exact::{Down, Interval, Rational, Up};

use super::composition::between;
use super::{Composition, Divergences, Pair};
use crate::Error;

/// Bounds of what releases cost together whose losses are fixed beforehand: from above by the laws
/// of their losses, and by their Rényi divergences where these may say less; from below by what
/// certain releases of these kinds cost, as in [`Composition`].
///
/// The laws say the most, but for [bounded ranges](Pair::bounded_range): no one release has the
/// pair of a range, so a product of such pairs is above every release, and the sum of divergences
/// may be smaller. It is taken where a range occurs and the divergences of all are known: of
/// [samples](Pair::poisson_sampled) they are not. One law alone, such as that of Gaussian noise,
/// needs no grid: its own profile is taken too.
///
/// ```
/// use lastbit::accounting::{BestBounds, Pair};
/// use lastbit::{Down, Rational};
/// let range = Pair::bounded_range(&Rational::ONE)?;
/// let delta = Rational::new(1, 1_000_000);
/// let all = BestBounds::new(&[(range, 100)], Down::from_rational(&delta))?;
/// assert!(all.epsilon(&delta)?.hi() < 36.37); // by the laws alone 41.5
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Debug)]
pub struct BestBounds {
    laws: Composition,
    divergences: Option<Divergences>,
}

impl BestBounds {
    /// The bounds of pairs, each so often; the laws are tight for δ down to `smallest`, and all is
    /// sound for every δ.
    pub fn new(releases: &[(Pair, u64)], smallest: Down) -> Result<BestBounds, Error> {
        Ok(BestBounds {
            laws: Composition::new(releases, smallest)?,
            divergences: divergences(releases)?,
        })
    }

    /// The bounds by the laws of the losses alone.
    pub fn by_laws(releases: &[(Pair, u64)], smallest: Down) -> Result<BestBounds, Error> {
        Ok(BestBounds {
            laws: Composition::new(releases, smallest)?,
            divergences: None,
        })
    }

    /// At or above the smallest ε at δ; infinite where no finite ε is known to hold.
    pub fn epsilon_above(&self, delta: &Rational) -> Result<Up, Error> {
        let mut least = self.laws.epsilon_above(Down::from_rational(delta))?;
        if let Some(laws) = self.laws.alone() {
            // The law of one order may have no finite ε.
            let each = laws.map(|law| law.epsilon(delta).unwrap_or(Up::INFINITY));
            least = least.min(each.fold(Up::ZERO, Up::max));
        }
        if let Some(sum) = &self.divergences {
            least = least.min(sum.epsilon(delta)?);
        }
        Ok(least)
    }

    /// The smallest ε at δ, between two bounds; the upper is infinite where no finite ε is known to
    /// hold.
    pub fn epsilon(&self, delta: &Rational) -> Result<Interval, Error> {
        let lower = self.laws.epsilon_below(Up::from_rational(delta));
        between(lower, self.epsilon_above(delta)?)
    }

    /// At or above the smallest δ at ε.
    pub fn delta_above(&self, epsilon: &Rational) -> Result<Up, Error> {
        let mut least = self.laws.delta_above(epsilon)?;
        if let Some(laws) = self.laws.alone() {
            let z = Interval::from_rational(epsilon);
            let each = laws.map(|law| law.profile(z).upper());
            least = least.min(each.fold(Up::ZERO, Up::max));
        }
        if let Some(sum) = &self.divergences {
            least = least.min(sum.delta(epsilon)?);
        }
        Ok(least)
    }

    /// The smallest δ at ε, between two bounds.
    pub fn delta(&self, epsilon: &Rational) -> Result<Interval, Error> {
        let lower = self.laws.delta(epsilon)?.lower();
        between(lower, self.delta_above(epsilon)?)
    }

    /// The power of the best test at a level, between two bounds: see [`Composition::power`].
    pub fn power(&self, level: &Rational) -> Result<Interval, Error> {
        let by_laws = self.laws.power(level)?;
        match &self.divergences {
            Some(sum) => between(by_laws.lower(), by_laws.upper().min(sum.power(level)?)),
            None => Ok(by_laws),
        }
    }
}

/// The divergences of all, if a bounded range occurs and they are known.
fn divergences(releases: &[(Pair, u64)]) -> Result<Option<Divergences>, Error> {
    let releases = || releases.iter().filter(|(_, count)| *count > 0);
    // Only a range has a pair that no release has.
    if !releases().any(|(pair, _)| pair.attained.is_some()) {
        return Ok(None);
    }
    let known = |(pair, count): &(Pair, u64)| {
        let (loss, own) = pair.divergence.clone()?;
        Some((loss, own, *count))
    };
    let known: Option<Vec<_>> = releases().map(known).collect();
    known.map(Divergences::new).transpose()
}
