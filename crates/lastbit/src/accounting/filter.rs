//! Budgets in (ε, δ) for analysts who choose the next release after seeing the last.

use lastbit_exact::{Down, Rational};

use super::gaussian_profile::gaussian_mu_squared;
use crate::Error;
use crate::composition::Composable;
use crate::conversions::{gaussian_for_zcdp, gaussian_to_zcdp, zcdp_for_approximate};
use crate::measures::{
    Approximate, Exact, ExactWithDelta, GaussianDivergence, ZeroConcentratedDivergence,
};

/// In what the losses of a ledger add up. It is fixed with the budget: a filter that could change
/// it after seeing results would not be sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Currency {
    /// Sums of ρ.
    Zcdp,
    /// Sums of μ²: Gaussian noise alone.
    Gaussian,
}

impl Currency {
    /// The ρ of an amount, exactly: see [`gaussian_to_zcdp`].
    pub fn to_rho(self, amount: &Rational) -> Rational {
        match self {
            Currency::Zcdp => amount.clone(),
            Currency::Gaussian => gaussian_to_zcdp(amount),
        }
    }

    /// The amount of a ρ, exactly; in [`Currency::Gaussian`], of Gaussian noise that costs this ρ.
    pub fn of_rho(self, rho: &Rational) -> Rational {
        match self {
            Currency::Zcdp => rho.clone(),
            Currency::Gaussian => gaussian_for_zcdp(rho),
        }
    }

    /// The loss of several releases together: the composition in the measure of the currency.
    pub fn compose<'a>(
        self,
        losses: impl IntoIterator<Item = &'a ExactWithDelta>,
    ) -> Result<ExactWithDelta, Error> {
        match self {
            Currency::Zcdp => {
                Exact(Approximate(ZeroConcentratedDivergence)).compose_adaptively(losses)
            }
            Currency::Gaussian => Exact(Approximate(GaussianDivergence)).compose_adaptively(losses),
        }
    }

    /// The most that amounts may add up to for everything to be (ε, δ) private, rounded down.
    ///
    /// ```
    /// use lastbit::accounting::Currency;
    /// use lastbit::Rational;
    /// let (epsilon, delta) = (Rational::ONE, Rational::new(1, 1_000_000));
    /// let rho = Currency::Zcdp.limit(&epsilon, &delta)?;
    /// // As ρ, Gaussian noise may add up to more.
    /// assert!(Currency::Gaussian.limit(&epsilon, &delta)?.get() > 2.0 * rho.get());
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn limit(self, epsilon: &Rational, delta: &Rational) -> Result<Down, Error> {
        match self {
            Currency::Zcdp => {
                zcdp_for_approximate(Down::from_rational(epsilon), Down::from_rational(delta))
            }
            Currency::Gaussian => gaussian_mu_squared(epsilon, delta),
        }
    }
}

/// The loss of a release, as a filter adds it up: exact numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterLoss {
    currency: Currency,
    amount: Rational,
    delta: Rational,
}

impl FilterLoss {
    /// A release that is ρ-zCDP but for events of probability δ.
    pub fn zcdp(rho: Rational, delta: Rational) -> Result<FilterLoss, Error> {
        FilterLoss::new(Currency::Zcdp, rho, delta)
    }

    /// Gaussian noise on what moves by at most μ standard deviations, but for events of probability
    /// δ: `μ²`, which is also `ρ = μ²/2`.
    pub fn gaussian(mu_squared: Rational, delta: Rational) -> Result<FilterLoss, Error> {
        FilterLoss::new(Currency::Gaussian, mu_squared, delta)
    }

    fn new(currency: Currency, amount: Rational, delta: Rational) -> Result<FilterLoss, Error> {
        if amount.is_negative() || delta.is_negative() {
            return Err(Error::distance(format!(
                "a loss must be zero or more, got ({amount}, {delta})"
            )));
        }
        Ok(FilterLoss {
            currency,
            amount,
            delta,
        })
    }

    /// The amount in a currency; `None` if the release has none there.
    fn in_currency(&self, currency: Currency) -> Option<Rational> {
        match (self.currency, currency) {
            (from, to) if from == to => Some(self.amount.clone()),
            (Currency::Gaussian, Currency::Zcdp) => Some(gaussian_to_zcdp(&self.amount)),
            _ => None,
        }
    }
}

/// A budget (ε, δ) for releases chosen one after another, each with all earlier results in sight,
/// also in how much it spends.
///
/// Two limits are fixed with the budget: one for the sum of ρ, or of μ², and one, `reserved`, for
/// the sum of the δ of thresholds. A release is admitted if both sums stay within their limits.
/// Then everything together is (ε, δ) private.
///
/// **Proof.** Leave aside events of probability at most `reserved` in all, outside of which each
/// release is what its charge says; they add at most `reserved` to δ
/// ([`Pair::with_delta`](super::Pair::with_delta)). Let Z be the sum of all losses.
/// - *Sums of ρ.* Fix an order `α = 1 + τ`. Given what came before, `E[e^(τ·Z_i)] ≤ e^(τα·ρ_i)`
///   with the `ρ_i` that was chosen; so `e^(τ(Z − α·Σρ))` is a supermartingale,
///   `E[e^(τZ − τα·Σρ)] ≤ 1`, and as `Σρ ≤ R` on every path, `E[e^(τZ)] ≤ e^(ταR)`. That is R-zCDP,
///   and R is [`zcdp_for_approximate`] of ε and `δ − reserved`. (Feldman and Zrnic, 2021.)
/// - *Sums of μ².* A release that is μ-GDP is a function of its own randomness and of a number that
///   is `N(0, 1)` or `N(μ, 1)`: so of the path, over a time of `μ²`, of a Brownian motion with
///   drift 0 or 1. Releases one after another read it piece by piece, each for as long as it was
///   chosen to, and as `Σμ² ≤ B²` on every path all of them together are a function of the path up
///   to the time `B²`. Its likelihood ratio depends on where it ends alone, which is `N(0, B²)` or
///   `N(B², B²)`: B-GDP, and `B²` is [`gaussian_mu_squared`] of ε and `δ − reserved`. (Smith and
///   Thakurta, 2022.) ∎
///
/// The limits must not depend on results. To let the δ of thresholds eat into what Gaussian noise
/// may still spend is not sound: who has seen a large loss buys noise, who has seen a small one
/// buys δ. A test of this crate gives the numbers.
///
/// ```
/// use lastbit::accounting::{AdaptiveFilter, Currency, FilterLoss};
/// use lastbit::Rational;
/// let tenth = Rational::new(1, 10_000_000);
/// let mut filter =
///     AdaptiveFilter::new(Currency::Gaussian, &Rational::from(2i64), &tenth, &Rational::ZERO)?;
/// let release = FilterLoss::gaussian(Rational::new(1, 100), Rational::ZERO)?;
/// assert_eq!(filter.admits(&release)?, 16);
/// filter.charge(&release)?;
/// assert_eq!(filter.admits(&release)?, 15);
/// let large = FilterLoss::gaussian(Rational::ONE, Rational::ZERO)?;
/// assert!(filter.charge(&large).unwrap_err().is_budget());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptiveFilter {
    currency: Currency,
    /// What sums stay within, exactly.
    limit: Rational,
    reserved: Rational,
    spent: ExactWithDelta,
}

impl AdaptiveFilter {
    /// A budget of (ε, δ), `reserved` of whose δ is for thresholds.
    pub fn new(
        currency: Currency,
        epsilon: &Rational,
        delta: &Rational,
        reserved: &Rational,
    ) -> Result<AdaptiveFilter, Error> {
        if reserved.is_negative() || reserved >= delta {
            return Err(Error::distance(format!(
                "the delta reserved for thresholds must be from 0 to below the budget's {delta}, \
                 got {reserved}"
            )));
        }
        super::pair::loss("epsilon", epsilon)?;
        let rest = delta - reserved;
        let limit = currency.limit(epsilon, &rest)?.to_rational();
        let limit =
            limit.ok_or_else(|| Error::unbounded("the budget has no limit; use a smaller one"))?;
        Ok(AdaptiveFilter {
            currency,
            limit,
            reserved: reserved.clone(),
            spent: ExactWithDelta::default(),
        })
    }

    /// In what losses add up.
    pub fn currency(&self) -> Currency {
        self.currency
    }

    /// What may be spent in all: of ρ or μ², and of δ.
    pub fn limit(&self) -> (&Rational, &Rational) {
        (&self.limit, &self.reserved)
    }

    /// What is spent: of ρ or μ², and of δ.
    pub fn spent(&self) -> (&Rational, &Rational) {
        (&self.spent.loss, &self.spent.delta)
    }

    /// What is left: of ρ or μ², and of δ.
    pub fn remaining(&self) -> (Rational, Rational) {
        (
            &self.limit - &self.spent.loss,
            &self.reserved - &self.spent.delta,
        )
    }

    /// How many more such releases fit; `u64::MAX` if there is no end to them.
    pub fn admits(&self, loss: &FilterLoss) -> Result<u64, Error> {
        let (amount, delta) = (self.amount(loss)?, &loss.delta);
        let (left, left_delta) = self.remaining();
        let times = |left: &Rational, each: &Rational| {
            if each.is_zero() {
                u64::MAX
            } else {
                u64::try_from((left / each).floor()).unwrap_or(u64::MAX)
            }
        };
        Ok(times(&left, &amount).min(times(&left_delta, delta)))
    }

    /// Spends a loss if it fits; else nothing is spent and the error says what is left.
    pub fn charge(&mut self, loss: &FilterLoss) -> Result<(), Error> {
        let amount = self.amount(loss)?;
        let (left, left_delta) = self.remaining();
        if amount > left || loss.delta > left_delta {
            let over = |asked: &Rational, left: &Rational| (asked - left).max(Rational::ZERO);
            return Err(Error::budget(
                &format!("({amount}, {})", loss.delta),
                &format!("({left}, {left_delta})"),
                &format!(
                    "({}, {})",
                    over(&amount, &left),
                    over(&loss.delta, &left_delta)
                ),
            ));
        }
        let delta = loss.delta.clone();
        let more = ExactWithDelta {
            loss: amount,
            delta,
        };
        self.spent = self.currency.compose([&self.spent, &more])?;
        Ok(())
    }

    fn amount(&self, loss: &FilterLoss) -> Result<Rational, Error> {
        loss.in_currency(self.currency).ok_or_else(|| {
            Error::composition(
                "a budget that adds up squared distances takes Gaussian noise alone; use one that \
                 adds up rho",
            )
        })
    }
}
