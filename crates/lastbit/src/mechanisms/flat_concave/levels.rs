use lastbit_exact::Rational;

use super::RecConcave;
use super::chance::Chance;
use crate::mechanisms::exponential::Exponential;
use crate::quality::{QualityError, StepFunction};
use crate::{Error, Sensitivity};

/// A selection within the recursion: scores counted in units, so that they are integers, and what
/// is promised of them.
pub(super) struct Level {
    /// `unit` times the quality.
    pub scores: StepFunction,
    /// At least 1. The quality has sensitivity 1, so the scores have sensitivity `unit`.
    pub unit: i64,
    pub promise: Rational,
    pub alpha: Rational,
}

/// The finest unit. Qualities of up to 2^22 are then counted without a clamp.
const LARGEST_UNIT: i64 = 1 << 40;

/// Scores of lengths are clamped to within this, so that they and their differences are counted in
/// 64 bits.
const LARGEST_SCORE: i64 = 1 << 62;

/// The share of its promise that the selection of a length may lose.
fn next_alpha() -> Rational {
    Rational::new(1, 4)
}

/// The levels that are left when domains of at most `base_size` points are left to the exponential
/// mechanism.
pub(super) fn needed_levels(size: u128, levels: u32, base_size: u128) -> u32 {
    if levels <= 1 || size <= base_size {
        1
    } else {
        1 + needed_levels(length_count(size), levels - 1, base_size)
    }
}

/// How many lengths there are to select from: `log2 T' + 1`.
pub(super) fn length_count(size: u128) -> u128 {
    u128::from(size.next_power_of_two().ilog2()) + 1
}

impl Level {
    /// The eight steps.
    pub fn draw(
        &self,
        levels: u32,
        setting: &RecConcave,
        chance: &mut impl Chance,
    ) -> Result<Option<u128>, Error> {
        let by_score = self.exponential(setting)?;
        let size = self.scores.size();
        // 1. The base case.
        if levels <= 1 || size <= setting.base_size {
            return chance.exponential(&self.scores, &by_score).map(Some);
        }
        // 2. A power of two of points.
        let scores = self.scores.extend_to_power_of_two();
        // 3.–5. The length of a good interval.
        let lengths = self.lengths(&scores)?;
        let Some(exponent) = lengths.draw(levels - 1, setting, chance)? else {
            return Ok(None);
        };
        // 6. Two covers by intervals of 8K points, K = 2^exponent, or of all points if these are
        //    fewer.
        let whole = scores.size();
        let length = times_power_of_two(8, exponent).min(whole);
        let first = times_power_of_two(4, exponent).min(whole);
        let covers = [
            Cover {
                first: length,
                length,
            },
            Cover { first, length },
        ];
        // 7. An interval of each.
        let mut chosen = Vec::with_capacity(2);
        for cover in covers {
            let qualities = chance.intervals(&scores, cover.first, cover.length)?;
            let interval = match setting.stability {
                None => Some(chance.exponential(&qualities, &by_score)?),
                Some(_) => match qualities.top_gap() {
                    // The only interval, whatever the data.
                    (only, None) => Some(only),
                    (best, Some(gap)) => {
                        let gap = &Rational::from(gap) / &Rational::from(self.unit);
                        chance.stable(best, &gap)?
                    }
                },
            };
            chosen.extend(interval.map(|interval| cover.interval(interval, whole)));
        }
        // 8. A point of either.
        let pieces = union(chosen);
        if pieces.is_empty() {
            return Ok(None);
        }
        let inside = scores.restrict_to(pieces.iter().copied())?;
        let place = chance.exponential(&inside, &by_score)?;
        // The points added in step 2 are no better than the last one.
        Ok(Some(locate(&pieces, place).min(size - 1)))
    }

    /// The exponential mechanism at loss ε, for scores of sensitivity `unit`.
    fn exponential(&self, setting: &RecConcave) -> Result<Exponential, Error> {
        let sensitivity = Sensitivity::new(Rational::from(self.unit))?;
        Ok(Exponential::new(&setting.epsilon, &sensitivity))
    }

    /// Steps 3 and 4: the problem of selecting j, by `q(j) = min(L(j) − (1 − α)r, r − L(j+1))`,
    /// clamped to ±[`LARGEST_SCORE`].
    ///
    /// The clamp keeps the proof: it is monotone, so q stays quasi-concave, and moves no two scores
    /// farther apart, so q counted in units keeps its sensitivity of one unit. It costs no quality:
    /// the promise is within it.
    pub(super) fn lengths(&self, scores: &StepFunction) -> Result<Level, Error> {
        let counted = Counted::new(self.unit, &self.promise, &self.alpha)?;
        let finer = i128::from(counted.unit / self.unit);
        let mut levels = scores.levels();
        // The domain has a point, so there is a last level; beyond it L is min(0, that).
        let beyond = levels.last().map_or(0, |&last| last.min(0));
        levels.push(beyond);
        let quality = |pair: &[i64]| {
            // |L·finer| < 2^63·2^40 and |lower|, |upper| ≤ 2^62: no overflow.
            let rises = i128::from(pair[0]) * finer - i128::from(counted.lower);
            let falls = i128::from(counted.upper) - i128::from(pair[1]) * finer;
            let most = i128::from(LARGEST_SCORE);
            rises.min(falls).clamp(-most, most) as i64
        };
        let qualities = levels.windows(2).map(quality);
        Ok(Level {
            scores: StepFunction::from_values(qualities)?,
            unit: counted.unit,
            promise: counted.next_promise,
            alpha: next_alpha(),
        })
    }
}

/// What the selection of a length needs in whole units, from public parameters alone.
struct Counted {
    unit: i64,
    /// `(1 − α)r`.
    lower: i64,
    /// `r`.
    upper: i64,
    next_promise: Rational,
}

impl Counted {
    fn new(unit: i64, promise: &Rational, alpha: &Rational) -> Result<Counted, QualityError> {
        let lower = &(&Rational::ONE - alpha) * promise;
        let unit = common_unit(unit, [&lower, promise])?;
        let in_units = |x: &Rational| {
            let units = i64::try_from((x * &Rational::from(unit)).floor()).ok();
            units
                .filter(|&units| units <= LARGEST_SCORE)
                .ok_or(QualityError::UnitTooFine)
        };
        Ok(Counted {
            unit,
            lower: in_units(&lower)?,
            upper: in_units(promise)?,
            next_promise: (promise * alpha).times_power_of_two(-1),
        })
    }
}

/// Refuses promises and shares that cannot be counted at some level: what is left depends on no
/// data.
pub(super) fn check_units(
    size: u128,
    levels: u32,
    base_size: u128,
    (unit, promise, alpha): (i64, &Rational, &Rational),
) -> Result<(), QualityError> {
    if levels <= 1 || size <= base_size {
        return Ok(());
    }
    let counted = Counted::new(unit, promise, alpha)?;
    let next = (counted.unit, &counted.next_promise, &next_alpha());
    check_units(length_count(size), levels - 1, base_size, next)
}

/// `factor·2^exponent`, or the largest number if that is larger.
fn times_power_of_two(factor: u128, exponent: u128) -> u128 {
    let power = u32::try_from(exponent)
        .ok()
        .and_then(|e| 1u128.checked_shl(e));
    power.map_or(u128::MAX, |power| factor.saturating_mul(power))
}

/// A partition of the domain: `first` points, then `length` points in each interval.
struct Cover {
    first: u128,
    length: u128,
}

impl Cover {
    /// `(start, length)` of an interval, cut at the end of the domain.
    fn interval(&self, number: u128, size: u128) -> (u128, u128) {
        let (start, length) = match number.checked_sub(1) {
            None => (0, self.first),
            Some(whole) => (self.first + whole * self.length, self.length),
        };
        (start, length.min(size - start))
    }
}

/// The union of at most two intervals, as disjoint ones in order.
fn union(mut intervals: Vec<(u128, u128)>) -> Vec<(u128, u128)> {
    intervals.sort_unstable();
    match intervals[..] {
        [(a, n), (b, m)] if b <= a + n => vec![(a, (a + n).max(b + m) - a)],
        _ => intervals,
    }
}

/// The point at a place in the pieces put one after the other.
fn locate(pieces: &[(u128, u128)], mut place: u128) -> u128 {
    for &(start, length) in pieces {
        if place < length {
            return start + place;
        }
        place -= length;
    }
    // A place is below the sum of lengths.
    unreachable!("a place beyond the pieces")
}

/// The smallest multiple of `unit` of which the numbers are whole multiples.
fn common_unit(unit: i64, numbers: [&Rational; 2]) -> Result<i64, QualityError> {
    numbers.into_iter().try_fold(unit, |unit, number| {
        // The denominator that is left when the number is counted in units.
        let left = (number * &Rational::from(unit)).denominator();
        let left = i64::try_from(left).map_err(|_| QualityError::UnitTooFine)?;
        unit.checked_mul(left)
            .filter(|&unit| unit <= LARGEST_UNIT)
            .ok_or(QualityError::UnitTooFine)
    })
}
