use core::num::NonZeroU64;

use super::StatisticError;

/// Which two data sets differ by one person, and what is public about the number of rows.
///
/// ```
/// use lastbit::statistics::Neighbours;
/// let census = Neighbours::change_one(1000)?;
/// let survey = Neighbours::add_remove_between(100, Some(5000))?;
/// assert_eq!((survey.least_rows(), survey.most_rows()), (100, Some(5000)));
/// assert_eq!((census.least_rows(), census.most_rows()), (1000, Some(1000)));
/// # Ok::<(), lastbit::statistics::StatisticError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbours {
    /// The same, public number of rows; one row differs.
    ChangeOne {
        /// How many rows every data set has.
        rows: NonZeroU64,
    },
    /// One data set is the other and one row more. The number of rows is not public.
    AddRemove {
        /// What is promised about the number of rows.
        limits: RowLimits,
    },
}

/// A public promise about the number of rows under add/remove.
///
/// The loss that a mechanism states holds for neighbours that both keep the promise. A promise read
/// off the data is no promise: it must hold for every data set that could have been collected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowLimits {
    at_least: u64,
    at_most: Option<u64>,
}

impl Neighbours {
    /// Change-one neighbours with this public number of rows, at least 1.
    pub fn change_one(rows: u64) -> Result<Neighbours, StatisticError> {
        NonZeroU64::new(rows)
            .map(|rows| Neighbours::ChangeOne { rows })
            .ok_or(StatisticError::NoRows)
    }

    /// Add/remove neighbours with no promise about the number of rows.
    pub fn add_remove() -> Neighbours {
        Neighbours::AddRemove {
            limits: RowLimits {
                at_least: 0,
                at_most: None,
            },
        }
    }

    /// Add/remove neighbours that both have at least, and if given at most, so many rows.
    pub fn add_remove_between(
        at_least: u64,
        at_most: Option<u64>,
    ) -> Result<Neighbours, StatisticError> {
        match at_most {
            Some(at_most) if at_most <= at_least => {
                Err(StatisticError::NoRoomForNeighbours { at_least, at_most })
            }
            _ => Ok(Neighbours::AddRemove {
                limits: RowLimits { at_least, at_most },
            }),
        }
    }

    /// The least number of rows that a data set can have.
    pub fn least_rows(self) -> u64 {
        match self {
            Neighbours::ChangeOne { rows } => rows.get(),
            Neighbours::AddRemove { limits } => limits.at_least,
        }
    }

    /// The largest number of rows that a data set can have; `None` if nothing is known.
    pub fn most_rows(self) -> Option<u64> {
        match self {
            Neighbours::ChangeOne { rows } => Some(rows.get()),
            Neighbours::AddRemove { limits } => limits.at_most,
        }
    }

    /// The least number of rows, or an error if the statistic is not defined on so few.
    pub(super) fn need(self, needed: u64, statistic: &'static str) -> Result<u64, StatisticError> {
        let rows = self.least_rows();
        if rows < needed {
            return Err(StatisticError::TooFewRows {
                statistic,
                needed,
                rows,
                public: matches!(self, Neighbours::ChangeOne { .. }),
            });
        }
        Ok(rows)
    }

    /// The divisor in the sensitivity of a mean, variance or covariance: the number of rows of the
    /// larger of two neighbours, where that is smallest. `n` under change-one, `n_min + 1` under
    /// add/remove.
    pub(super) fn rows_of_larger_neighbour(
        self,
        needed: u64,
        statistic: &'static str,
    ) -> Result<u128, StatisticError> {
        let rows = u128::from(self.need(needed, statistic)?);
        Ok(match self {
            Neighbours::ChangeOne { .. } => rows,
            Neighbours::AddRemove { .. } => rows + 1,
        })
    }
}
