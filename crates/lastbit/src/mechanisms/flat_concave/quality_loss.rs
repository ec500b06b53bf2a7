//! What must be promised, or how much quality is lost, before any data is seen.

use lastbit_exact::{Interval, Rational, Up};

use super::levels::{length_count, needed_levels};
use super::{BASE_SIZE, IntervalSelection, Stability};
use crate::quality::{LARGEST_SIZE, QualityError};
use crate::{Alpha, Beta, Epsilon, Error};

/// A way to select a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// The exponential mechanism over all points.
    Exponential,
    /// [`RecConcave`](super::RecConcave) with this many levels.
    Concave {
        /// N.
        levels: u32,
        /// How intervals are selected.
        selection: IntervalSelection,
    },
}

/// How much quality a selection may lose: with probability at least `1 − beta` the selected point
/// is at most this far below the promise, if the best point has the promised quality.
///
/// The quality is one of sensitivity 1 over `size` points, quasi-concave unless the method is the
/// exponential mechanism. ε and δ are those of each selection, as in
/// [`RecConcave::new`](super::RecConcave::new). The promise is that times 1/α: [`needed_promise`].
///
/// ```
/// use lastbit::mechanisms::flat_concave::{Method, loss_of_quality};
/// let loss = loss_of_quality(1 << 64, &Method::Exponential, &"1".parse()?, &"0.05".parse()?)?;
/// assert!((loss.get() - 94.6).abs() < 0.1);                // 2·(ln 2^64 + ln 19)
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn loss_of_quality(
    size: u128,
    method: &Method,
    epsilon: &Epsilon,
    beta: &Beta,
) -> Result<Up, Error> {
    if size == 0 {
        return Err(QualityError::EmptyDomain.into());
    }
    if size > LARGEST_SIZE {
        return Err(QualityError::DomainTooLarge.into());
    }
    let beta = beta.get();
    let loss = QualityLoss {
        epsilon,
        selection: &IntervalSelection::Exponential,
        stability: None,
    };
    match method {
        Method::Exponential => Ok(loss.exponential(size - 1, beta)),
        Method::Concave { levels: 0, .. } => Err(QualityError::NoLevels.into()),
        Method::Concave { levels, selection } => {
            let stability = match selection {
                IntervalSelection::Exponential => None,
                IntervalSelection::Stability(delta) => Some(Stability::new(epsilon, delta)?),
            };
            let loss = QualityLoss {
                selection,
                stability,
                ..loss
            };
            Ok(loss.concave(size, needed_levels(size, *levels, BASE_SIZE), beta))
        }
    }
}

/// The promise at which a selection has quality `(1 − alpha)·promise` or more with probability at
/// least `1 − beta`.
///
/// ```
/// use lastbit::mechanisms::flat_concave::{IntervalSelection, Method, needed_promise};
/// let (half, beta) = ("0.5".parse()?, "0.05".parse()?);
/// let flat =
///     Method::Concave { levels: 2, selection: IntervalSelection::Stability("1e-6".parse()?) };
/// let promise = needed_promise(1 << 64, &flat, &"0.25".parse()?, &half, &beta)?;
/// println!("an interior point needs {:.0} data points", 2.0 * promise.get());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn needed_promise(
    size: u128,
    method: &Method,
    epsilon: &Epsilon,
    alpha: &Alpha,
    beta: &Beta,
) -> Result<Up, Error> {
    let loss = loss_of_quality(size, method, epsilon, beta)?;
    Ok(loss * Up::from_rational(&(&Rational::ONE / alpha.get())))
}

struct QualityLoss<'a> {
    epsilon: &'a Epsilon,
    selection: &'a IntervalSelection,
    stability: Option<Stability>,
}

impl QualityLoss<'_> {
    /// The exponential mechanism, where at most `bad` points are bad for each good one:
    /// `(2/ε)·ln(bad·(1/β − 1))`.
    fn exponential(&self, bad: u128, beta: &Rational) -> Up {
        let odds = &(&Rational::ONE / beta) - &Rational::ONE;
        let odds = odds * Rational::from(lastbit_exact::Integer::from(bad));
        if odds <= Rational::ONE {
            return Up::ZERO;
        }
        let two = Up::from_rational(&(&Rational::from(2i64) / self.epsilon.get()));
        two * Interval::from_rational(&odds).ln().upper()
    }

    /// αr of the proof, for N = `levels`.
    fn concave(&self, size: u128, levels: u32, beta: &Rational) -> Up {
        if levels <= 1 {
            return self.exponential(size - 1, beta);
        }
        let third = beta / &Rational::from(3i64);
        // Step 5 selects a length with promise αr/2 and loses at most a quarter of it.
        let length = self.concave(length_count(size), levels - 1, &third) * Up::from(4);
        let promise = length * Up::from(2);
        // Then the gap of step 7, and the margin of step 8, is at least 3αr/8.
        let margin = self
            .interval(size, &third)
            .max(self.exponential(15, &third));
        let eight_thirds = Up::from_rational(&Rational::new(8, 3));
        promise.max(margin * eight_thirds)
    }

    /// The gap at which step 7 selects the best interval with probability at least `1 − beta`.
    fn interval(&self, size: u128, beta: &Rational) -> Up {
        match (&self.selection, &self.stability) {
            (IntervalSelection::Stability(_), Some(stability)) => {
                // d ≥ cut + ln(1/(2β))/ε, d = gap/2 − 1.
                let ln = Interval::from_rational(&(&Rational::new(1, 2) / beta)).ln();
                let below = ln.upper().max(Up::ZERO)
                    * Up::from_rational(&(&Rational::ONE / self.epsilon.get()));
                (Up::from_rational(stability.cut()) + below + Up::ONE) * Up::from(2)
            }
            // Intervals of 8 points or more, and one more in the shifted cover.
            _ => self.exponential(size.next_power_of_two().div_ceil(8), beta),
        }
    }
}
