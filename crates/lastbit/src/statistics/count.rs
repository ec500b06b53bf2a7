use lastbit_exact::Rational;

use super::{Extent, Neighbours};

/// The number of rows that meet a condition: range `[0, n]`, sensitivity 1 under both relations.
///
/// Under add/remove `n` is the promised largest number of rows; without a promise the range is open
/// above.
///
/// *Proof.* One row changed, added or removed changes the count by at most 1, and by 1 when only
/// one of the neighbours has a row there that meets the condition. ∎
pub fn count(neighbours: Neighbours) -> Extent {
    Extent::new(
        Rational::ZERO,
        neighbours.most_rows().map(Rational::from),
        Rational::ONE,
    )
}

/// The number of all rows: public under change-one (sensitivity 0), sensitivity 1 under add/remove.
///
/// *Proof.* Neighbours have the same number of rows under change-one, and numbers that differ by 1
/// under add/remove. ∎
pub fn row_count(neighbours: Neighbours) -> Extent {
    let sensitivity = match neighbours {
        Neighbours::ChangeOne { .. } => Rational::ZERO,
        Neighbours::AddRemove { .. } => Rational::ONE,
    };
    Extent::new(
        Rational::from(neighbours.least_rows()),
        neighbours.most_rows().map(Rational::from),
        sensitivity,
    )
}
