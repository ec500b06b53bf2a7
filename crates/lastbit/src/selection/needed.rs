//! What must be paid, or how many rows there must be, for an error that is wanted.

use lastbit_exact::{Rational, Up};

use super::{Offer, offers};
use crate::mechanisms::flat_concave::Method;
use crate::quality::QualityError;
use crate::{Alpha, Beta, Delta, Epsilon, Error, solve};

/// An error that is wanted of a quantile with probability at least `1 − β`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// A rank error of at most so many rows.
    RankError(Rational),
    /// A rank error of at most this share of the rows.
    Share(Alpha),
    /// A point between the least and the largest row, by
    /// [`interior_point`](super::interior_point()).
    Interior,
}

/// What one way to select needs for the error that is wanted. From [`needed`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Need {
    /// How to select.
    pub method: Method,
    /// The rank error that this way keeps at the given loss, whatever the data and its size.
    pub rank_error: Up,
    /// The smallest number of rows from which on the error is kept; `None` if no number is enough
    /// at this loss.
    ///
    /// More rows do not improve a rank error: all numbers of rows keep it or none does. With up to
    /// `RankError` rows every point keeps it, so the number is one more.
    pub rows: Option<u64>,
    /// The smallest ε in all at which some number of rows is enough. Infinite if there is none:
    /// stability never loses less than 16/3.
    pub epsilon: Up,
}

/// What each way to select a quantile over `size` points needs for a wanted error, at a loss of ε,
/// and δ if given, in all. In the order of [`offers`]: the way with the smallest rank error first.
/// No data is needed.
///
/// ```
/// use lastbit::selection::{Wanted, needed};
/// let (epsilon, delta, beta) = ("1".parse()?, "1e-6".parse()?, "0.05".parse()?);
/// let needs = |wanted| needed(1 << 64, &epsilon, Some(&delta), &beta, &wanted);
/// // With ε = 1, δ = 1e-6 and 2^64 points, the exponential mechanism keeps a rank error of 100;
/// // Flat-Concave would need a larger ε.
/// let rank = needs(Wanted::RankError(100i64.into()))?;
/// assert_eq!((rank[0].rows, rank[1].rows), (Some(101), None));
/// assert!(rank[0].epsilon.get() < 1.0 && rank[1].epsilon.get() > 5.0);
/// // One row in a hundred: 9462 rows and 52,714.
/// let share = needs(Wanted::Share("0.01".parse()?))?;
/// assert_eq!((share[0].rows, share[1].rows), (Some(9462), Some(52_714)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn needed(
    size: u128,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
    beta: &Beta,
    wanted: &Wanted,
) -> Result<Vec<Need>, Error> {
    wanted.check()?;
    let offers = offers(size, epsilon, delta, beta)?;
    let need = |offer: Offer| {
        let index = kind(&offer.method);
        Ok(Need {
            rank_error: offer.loss_of_quality,
            rows: wanted.rows(&offer),
            epsilon: smallest_epsilon(size, delta, beta, wanted, index)?,
            method: offer.method,
        })
    };
    offers.into_iter().map(need).collect()
}

impl Wanted {
    fn check(&self) -> Result<(), QualityError> {
        match self {
            Wanted::RankError(error) if error.is_negative() => {
                Err(QualityError::NegativeRankError {
                    error: error.clone(),
                })
            }
            _ => Ok(()),
        }
    }

    /// The smallest number of rows from which on the loss of quality of an offer is allowed.
    fn rows(&self, offer: &Offer) -> Option<u64> {
        let lost = offer.loss_of_quality.to_rational()?;
        let rows = match self {
            Wanted::RankError(error) if lost <= *error => error.floor() + 1,
            Wanted::RankError(_) => return None,
            Wanted::Share(alpha) => (&lost / alpha.get()).ceil().max(1.into()),
            // Some point has ⌈n/2⌉ rows on either side, of which one must be left. RecConcave is
            // told that all but one may be lost.
            Wanted::Interior => match offer.method {
                Method::Exponential => lost.floor() * 2 + 1,
                Method::Concave { .. } => lost.ceil() * 2 + 1,
            },
        };
        u64::try_from(rows).ok()
    }
}

/// 0 for the exponential mechanism, else the number of levels: which of [`offers`] it is at any ε.
fn kind(method: &Method) -> u32 {
    match method {
        Method::Exponential => 0,
        Method::Concave { levels, .. } => *levels,
    }
}

/// The smallest ε, of f64, at which the way allows what is wanted for some number of rows.
fn smallest_epsilon(
    size: u128,
    delta: Option<&Delta>,
    beta: &Beta,
    wanted: &Wanted,
    index: u32,
) -> Result<Up, Error> {
    let enough = |epsilon: f64| {
        let epsilon = Epsilon::new(crate::finite("epsilon", epsilon)?)?;
        let offers = offers(size, &epsilon, delta, beta)?;
        let offer = offers.iter().find(|offer| kind(&offer.method) == index);
        Ok(offer.is_some_and(|offer| wanted.rows(offer).is_some()))
    };
    match solve::smallest_where(EPSILONS, enough) {
        Ok(epsilon) => Ok(Up::exact(epsilon)),
        Err(error) if error.is_unsolvable() => Ok(Up::INFINITY),
        Err(error) => Err(error),
    }
}

/// A loss outside of this says nothing.
const EPSILONS: core::ops::RangeInclusive<f64> = 1e-12..=1e12;
