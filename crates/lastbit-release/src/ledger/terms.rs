//! How the losses of a ledger with a budget in (ε, δ) compose.

use core::fmt;

use lastbit::accounting::AdaptiveFilter;
pub use lastbit::accounting::Currency;
use lastbit_exact::Rational;
use lastbit_exact::decimal::{self, DIGITS};

use crate::loss::{Loss, LossMeasure, decimal as words};

/// The currency in which the releases of a ledger add up, and the δ that is set aside for
/// thresholds. Both are fixed before the first release: changing them after seeing results could
/// exceed the budget (erratum 17).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Sums of ρ, or of μ² if all noise is Gaussian.
    pub currency: Currency,
    /// The most that the δ of thresholds may add up to.
    pub thresholds: Rational,
}

impl Terms {
    /// The terms of a new ledger unless its plan says otherwise: sums of ρ, and a tenth of δ for
    /// thresholds. `None` for budgets that are not in (ε, δ), or too large to compose: their losses
    /// add up plainly.
    pub fn usual(budget: &Loss) -> Option<Terms> {
        let terms = Terms {
            currency: Currency::Zcdp,
            thresholds: &budget.delta / &Rational::from(10i64),
        };
        let composes = budget.measure == LossMeasure::Approximate && budget.delta < Rational::ONE;
        (composes && terms.limit(budget).main.is_positive()).then_some(terms)
    }

    /// The measure of what releases spend.
    pub fn measure(&self) -> LossMeasure {
        match self.currency {
            Currency::Zcdp => LossMeasure::ApproximateZcdp,
            Currency::Gaussian => LossMeasure::ApproximateGaussian,
        }
    }

    /// What may be spent in all if so much of ε and δ is left: the limits of [`AdaptiveFilter`],
    /// rounded down; nothing if no filter is known.
    pub fn limit(&self, left: &Loss) -> Loss {
        let nothing = Loss::zero(self.measure());
        if !left.main.is_positive() || self.thresholds >= left.delta {
            return nothing;
        }
        let filter = AdaptiveFilter::new(self.currency, &left.main, &left.delta, &self.thresholds);
        match filter {
            Ok(filter) => self.limited(&decimal::down(filter.limit().0, DIGITS)),
            Err(_) => nothing,
        }
    }

    /// The limits of a filter for this sum; if noise may spend nothing, thresholds may not either.
    pub(super) fn limited(&self, most: &Rational) -> Loss {
        Loss {
            measure: self.measure(),
            main: most.clone(),
            delta: match most.is_zero() {
                true => Rational::ZERO,
                false => self.thresholds.clone(),
            },
        }
    }

    /// `zcdp` or `gaussian`: the word of a currency in plans and ledgers.
    pub fn word(currency: Currency) -> &'static str {
        match currency {
            Currency::Zcdp => "zcdp",
            Currency::Gaussian => "gaussian",
        }
    }

    /// The currency of that word.
    pub fn currency_of(word: &str) -> Option<Currency> {
        [Currency::Zcdp, Currency::Gaussian]
            .into_iter()
            .find(|currency| Terms::word(*currency) == word)
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, thresholds) = (Terms::word(self.currency), words(&self.thresholds));
        f.pad(&format!(
            "currency \"{word}\" and δ = {thresholds} for thresholds"
        ))
    }
}

/// The terms from an entry on, and the most that may be spent under them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The terms.
    pub terms: Terms,
    /// The most that ρ, or μ², may add up to.
    pub most: Rational,
}

impl Limit {
    /// The limit of these terms if so much of ε and δ is left.
    pub fn new(terms: &Terms, left: &Loss) -> Limit {
        Limit {
            terms: terms.clone(),
            most: terms.limit(left).main,
        }
    }
}
