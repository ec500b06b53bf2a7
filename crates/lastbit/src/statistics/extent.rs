use core::fmt;

use lastbit_exact::Rational;

use super::StatisticError;
use crate::Bounds;

/// What a mechanism must know about a statistic: where it lies, and how far one person moves it.
///
/// For a vector the range is that of each entry and the sensitivity is in the L1 norm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    range: Range,
    sensitivity: Rational,
}

/// Where a statistic lies; a side may be open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    lower: Option<Rational>,
    upper: Option<Rational>,
}

impl Extent {
    pub(super) fn new(
        lower: impl Into<Option<Rational>>,
        upper: impl Into<Option<Rational>>,
        sensitivity: Rational,
    ) -> Extent {
        Extent {
            range: Range {
                lower: lower.into(),
                upper: upper.into(),
            },
            sensitivity,
        }
    }

    /// The smallest range that holds the statistic of every allowed data set.
    pub fn range(&self) -> &Range {
        &self.range
    }

    /// The largest L1 distance between the statistics of two neighbours. Zero means that the value
    /// is the same for all neighbours: it is public and needs no noise.
    pub fn sensitivity(&self) -> &Rational {
        &self.sensitivity
    }

    /// The range as bounds for a mechanism; an error that names the remedy if a side is open.
    pub fn bounds(&self) -> Result<Bounds, StatisticError> {
        match (&self.range.lower, &self.range.upper) {
            (Some(lower), Some(upper)) => Ok(Bounds::new(lower.clone(), upper.clone())
                .expect("a range holds the statistic of some data set, so lower ≤ upper")),
            _ => Err(StatisticError::Unbounded {
                range: self.range.to_string(),
            }),
        }
    }
}

impl Range {
    /// The smallest value; `None` if there is none.
    pub fn lower(&self) -> Option<&Rational> {
        self.lower.as_ref()
    }

    /// The largest value; `None` if there is none.
    pub fn upper(&self) -> Option<&Rational> {
        self.upper.as_ref()
    }

    /// Whether a value lies in the range.
    pub fn contains(&self, value: &Rational) -> bool {
        self.lower.as_ref().is_none_or(|lower| lower <= value)
            && self.upper.as_ref().is_none_or(|upper| value <= upper)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.lower {
            Some(lower) => write!(f, "[{lower}, ")?,
            None => f.write_str("(−∞, ")?,
        }
        match &self.upper {
            Some(upper) => write!(f, "{upper}]"),
            None => f.write_str("∞)"),
        }
    }
}
