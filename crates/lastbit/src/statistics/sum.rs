use lastbit_exact::Rational;

use super::{Extent, Neighbours};
use crate::Bounds;

/// The sum of rows in `[a, b]`: under change-one range `[na, nb]`, sensitivity `b − a`; under
/// add/remove sensitivity `max(|a|, |b|)`.
///
/// The range under add/remove goes from the smaller of `n_min·a` and `n_max·a` to the larger of
/// `n_min·b` and `n_max·b`; a side is open if it needs the largest number of rows and none was
/// promised.
///
/// *Proof.* Change-one: the sums differ by `x − x'`. Add/remove: they differ by the row `x`, and
/// `|x|` is largest at an end. The sum of `n` rows lies in `[na, nb]`, and `na`, `nb` are monotone
/// in `n`. ∎
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::statistics::{Neighbours, sum};
/// let incomes = Bounds::parse("1000", "5000")?;
/// assert_eq!(sum(&incomes, Neighbours::change_one(10)?).sensitivity().to_string(), "4000");
/// let unknown = sum(&incomes, Neighbours::add_remove());
/// assert_eq!(unknown.sensitivity().to_string(), "5000");
/// assert_eq!(unknown.range().to_string(), "[0, ∞)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sum(bounds: &Bounds, neighbours: Neighbours) -> Extent {
    let (lower, upper) = (bounds.lower(), bounds.upper());
    let of_least = |end: &Rational| Some(end * &Rational::from(neighbours.least_rows()));
    let of_most = |end: &Rational| {
        neighbours
            .most_rows()
            .map(|rows| end * &Rational::from(rows))
    };
    Extent::new(
        if lower.is_negative() {
            of_most(lower)
        } else {
            of_least(lower)
        },
        if upper.is_positive() {
            of_most(upper)
        } else {
            of_least(upper)
        },
        match neighbours {
            Neighbours::ChangeOne { .. } => upper - lower,
            Neighbours::AddRemove { .. } => lower.abs().max(upper.abs()),
        },
    )
}
