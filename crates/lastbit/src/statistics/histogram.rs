use lastbit_exact::Rational;

use super::{Extent, Neighbours, StatisticError, count};

/// One bin of a histogram: a count of the rows that fall into it, range `[0, n]`, sensitivity 1
/// under both relations.
///
/// *Proof.* A bin is a [`count`](count()). ∎
pub fn histogram_bin(neighbours: Neighbours) -> Extent {
    count(neighbours)
}

/// A whole histogram of disjoint bins: each entry in `[0, n]`; L1 sensitivity 2 under change-one (1
/// with a single bin), 1 under add/remove.
///
/// *Proof.* A row is in at most one bin. Adding it raises one entry by 1. Changing it lowers at
/// most one entry by 1 and raises at most one by 1; a move between two bins reaches 2. A single bin
/// has no second entry to move to. ∎
///
/// ```
/// use lastbit::statistics::{Neighbours, histogram};
/// assert_eq!(histogram(10, Neighbours::change_one(50)?)?.sensitivity().to_string(), "2");
/// assert_eq!(histogram(10, Neighbours::add_remove())?.sensitivity().to_string(), "1");
/// # Ok::<(), lastbit::statistics::StatisticError>(())
/// ```
pub fn histogram(bins: u64, neighbours: Neighbours) -> Result<Extent, StatisticError> {
    if bins == 0 {
        return Err(StatisticError::NoBins);
    }
    let sensitivity = match neighbours {
        Neighbours::ChangeOne { .. } => bins.min(2),
        Neighbours::AddRemove { .. } => 1,
    };
    Ok(Extent::new(
        Rational::ZERO,
        neighbours.most_rows().map(Rational::from),
        Rational::from(sensitivity),
    ))
}
