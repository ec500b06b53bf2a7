use core::fmt;

use super::Domain;

/// Values of a domain, or none: missing values of types that have no NaN.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain, OptionDomain};
/// let income = OptionDomain::new(AtomDomain::bounded(0_i64, 100_000)?);
/// assert!(
///     income.contains(&None) && income.contains(&Some(31_000)) && !income.contains(&Some(-1))
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OptionDomain<D> {
    some: D,
}

impl<D: Domain> OptionDomain<D> {
    /// The values of `some`, and none.
    pub fn new(some: D) -> OptionDomain<D> {
        OptionDomain { some }
    }

    /// The domain of a value that is there.
    pub fn some(&self) -> &D {
        &self.some
    }
}

impl<D: Domain> Domain for OptionDomain<D> {
    type Carrier = Option<D::Carrier>;

    fn contains(&self, value: &Option<D::Carrier>) -> bool {
        value.as_ref().is_none_or(|value| self.some.contains(value))
    }

    fn same(&self, left: &Option<D::Carrier>, right: &Option<D::Carrier>) -> bool {
        match (left, right) {
            (Some(left), Some(right)) => self.some.same(left, right),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<D: Domain> fmt::Display for OptionDomain<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} or none", self.some)
    }
}
