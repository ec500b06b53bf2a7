//! The pricing of one statistic: from a loss to a mechanism, and from an error to a loss.

use lastbit::conversions::{bounded_range_for_zcdp, laplace_for_zcdp};
use lastbit::mechanisms::Rho;
use lastbit::metrics::Norms;
use lastbit::solve::{self, Decimal};
use lastbit::tables::{Noise, RankSelection};
use lastbit::{Epsilon, Error, GridExponent, Share};
use lastbit_exact::decimal::{self, DIGITS};
use lastbit_exact::{Interval, Rational, Up};

use super::{PriceError, Shared, Threshold};
use crate::plan::Accountant;
use crate::statistic::{
    Chain, Errors, LossUnit, Mechanism, Method, Noised, Noisy, Slot, rows_by_key,
};

/// Losses of statistics are from 2^-200 to 2^200, so that noise and errors neither overflow nor
/// underflow a double.
const LOG2_MOST_LOSS: u64 = 200;

/// Which noise a loss buys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The noise of a pure loss.
    Pure,
    /// The best noise for a ρ.
    Zcdp,
    /// Only Gaussian noise, for a ρ.
    Gaussian,
}

impl Way {
    /// What an accountant buys.
    pub fn of(accountant: Accountant) -> Way {
        match accountant {
            Accountant::Pure | Accountant::Optimal => Way::Pure,
            Accountant::Zcdp | Accountant::Pld => Way::Zcdp,
            Accountant::Gaussian => Way::Gaussian,
        }
    }

    /// What the loss is counted in.
    pub fn loss_unit(self) -> LossUnit {
        match self {
            Way::Pure => LossUnit::Epsilon,
            Way::Zcdp | Way::Gaussian => LossUnit::Rho,
        }
    }
}

/// A statistic to be priced.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub chain: Chain,
    pub norms: Norms,
    /// The statistic whose noise it shares, if it is not drawn by itself.
    pub shared: Option<Shared>,
    /// The public or expected number of rows that count in a group.
    pub rows: Option<u64>,
}

impl Item {
    /// The best mechanism for this loss.
    pub fn mechanism(
        &self,
        way: Way,
        loss: &Rational,
        errors: Errors<'_>,
    ) -> Result<Mechanism, PriceError> {
        if loss
            .ceil_log2()
            .is_none_or(|log2| log2.unsigned_abs() > LOG2_MOST_LOSS)
        {
            return Err(PriceError::OutOfRange {
                what: format!(
                    "a statistic's loss must be between 2^-{LOG2_MOST_LOSS} and 2^{LOG2_MOST_LOSS}"
                ),
            });
        }
        let noisy = match self.chain.kind.method() {
            Method::Noise(noisy) => noisy,
            Method::Selection(_) if way == Way::Gaussian => {
                return Err(PriceError::Accountant {
                    accountant: Accountant::Gaussian.name(),
                    why: format!(
                        "`{}` selects its values, without Gaussian noise",
                        self.chain.kind.word()
                    ),
                });
            }
            Method::Selection(selected) => {
                return self.selection(way.loss_unit(), loss, selected.has_interval());
            }
        };
        let laplace = |epsilon: &Rational| -> Result<Mechanism, PriceError> {
            let epsilon = Epsilon::new(epsilon.clone())?;
            Ok(on_grid(noisy, Noise::laplace(&self.norms, &epsilon)?))
        };
        match way {
            Way::Pure => laplace(loss),
            Way::Zcdp | Way::Gaussian => {
                let rho = Rho::new(loss.clone())?;
                let gaussian = on_grid(noisy, Noise::gaussian(&self.norms, &rho)?);
                if way == Way::Gaussian {
                    return Ok(gaussian);
                }
                let laplace = laplace(&laplace_for_zcdp(loss)?)?;
                let better =
                    self.measure(&laplace, errors)?.get() < self.measure(&gaussian, errors)?.get();
                Ok(if better { laplace } else { gaussian })
            }
        }
    }

    /// All of the loss for the value; or half of it, and a quarter for each end of its interval.
    /// [`Item::aimed`] says where the ends aim.
    fn selection(
        &self,
        unit: LossUnit,
        loss: &Rational,
        has_interval: bool,
    ) -> Result<Mechanism, PriceError> {
        let whole = loss / &self.selections();
        let range = |loss: &Rational| -> Result<Epsilon, PriceError> {
            Ok(Epsilon::new(match unit {
                LossUnit::Epsilon => loss.clone(),
                LossUnit::Rho => bounded_range_for_zcdp(loss)?,
            })?)
        };
        Ok(Mechanism::Selection {
            epsilon: match has_interval {
                true => range(&whole.times_power_of_two(-1))?,
                false => range(&whole)?,
            },
            end: match has_interval {
                true => Some(range(&whole.times_power_of_two(-2))?),
                false => None,
            },
            margins: vec![],
        })
    }

    /// The mechanism, with its intervals aimed for a confidence.
    pub fn aimed(&self, mechanism: Mechanism, errors: Errors<'_>) -> Result<Mechanism, PriceError> {
        match (self.chain.kind.method(), mechanism) {
            (
                Method::Selection(selected),
                Mechanism::Selection {
                    epsilon,
                    end: Some(end),
                    ..
                },
            ) => {
                let Chain { groups, reach, .. } = &self.chain;
                let margin = |share: &Share| {
                    let selection = selected.selection(share, *groups, &end, *reach)?;
                    selection.margin(errors.beta)
                };
                let margins = selected.shares().iter().map(margin);
                Ok(Mechanism::Selection {
                    margins: margins.collect::<Result<_, Error>>()?,
                    epsilon,
                    end: Some(end),
                })
            }
            (_, mechanism) => Ok(mechanism),
        }
    }

    /// A mechanism of this ε, and what it costs.
    pub fn fixed_epsilon(
        &self,
        epsilon: &Rational,
        way: Way,
        errors: Errors<'_>,
    ) -> Result<(Mechanism, Rational), PriceError> {
        let mechanism = self.mechanism(Way::Pure, epsilon, errors)?;
        match way {
            Way::Pure => Ok((mechanism, epsilon.clone())),
            Way::Zcdp => {
                let rho = self.rho(&mechanism, errors)?;
                Ok((mechanism, rho))
            }
            Way::Gaussian => Err(PriceError::Accountant {
                accountant: Accountant::Gaussian.name(),
                why: "Gaussian noise has no loss in ε alone; give a `weight` or an `error`"
                    .to_owned(),
            }),
        }
    }

    /// What a mechanism costs in ρ, rounded up.
    pub fn rho(&self, mechanism: &Mechanism, errors: Errors<'_>) -> Result<Rational, PriceError> {
        let aimed = self.aimed(mechanism.clone(), errors)?;
        let cost = self.chain.loss(LossUnit::Rho, &aimed, None)?;
        Ok(decimal::up(cost.loss(), DIGITS))
    }

    /// The smallest decimal loss at which the error is at most the target; `None` if there is none.
    pub fn loss_for_error(
        &self,
        way: Way,
        target: &Rational,
        errors: Errors<'_>,
    ) -> Result<Option<Rational>, PriceError> {
        let enough = |loss: Decimal| -> Result<bool, PriceError> {
            let mechanism = self.mechanism(way, &loss.get(), errors)?;
            let error = self.error(&mechanism, self.rows, errors)?;
            Ok(error.is_some_and(|error| error.is_at_most(target)))
        };
        let range = Decimal::at_least(&decimal::power_of_ten(-12))
            ..=Decimal::at_most(&decimal::power_of_ten(6));
        let found = solve::find_smallest(range, enough)?;
        Ok(found.map(Decimal::get))
    }

    /// With the confidence, every published number of a group of so many rows is within this much
    /// of the exact one; `None` if that needs the number of rows. Quantiles have their error in
    /// ranks: some number within half a step of the selected one has a rank that is off by no more.
    pub fn error(
        &self,
        mechanism: &Mechanism,
        rows: Option<u64>,
        errors: Errors<'_>,
    ) -> Result<Option<Up>, PriceError> {
        match (self.chain.kind.method(), mechanism) {
            (Method::Noise(noisy), Mechanism::Noise { noise, grid }) => {
                Ok(noisy.error(&self.noised(noise, *grid), rows, errors))
            }
            (Method::Selection(selected), Mechanism::Selection { epsilon, .. }) => {
                let Chain { groups, reach, .. } = &self.chain;
                let mut most = Up::ZERO;
                for share in selected.shares() {
                    let selection = selected.selection(share, *groups, epsilon, *reach)?;
                    most = most.max(selection.rank_error(errors.beta)?);
                }
                Ok(Some(most))
            }
            _ => Err(PriceError::OutOfRange {
                what: "this statistic has no such mechanism".to_owned(),
            }),
        }
    }

    /// The error, for comparing mechanisms of one statistic. If it needs the data, or a number of
    /// rows that the plan does not guess, the noise instead.
    pub fn measure(&self, mechanism: &Mechanism, errors: Errors<'_>) -> Result<Up, PriceError> {
        let rows = self.rows.map(|rows| rows.max(2));
        match (self.chain.kind.method(), mechanism) {
            (Method::Noise(noisy), Mechanism::Noise { noise, grid })
                if rows.is_none() && noisy.needs_rows() =>
            {
                Ok(errors.noise(&self.noised(noise, *grid)))
            }
            (Method::Noise(_), Mechanism::Noise { noise, grid }) => {
                let error = self.error(mechanism, rows, errors)?;
                Ok(error.unwrap_or_else(|| errors.noise(&self.noised(noise, *grid))))
            }
            _ => Ok(self.error(mechanism, rows, errors)?.unwrap_or(Up::INFINITY)),
        }
    }

    /// The smallest number of rows of a group at which this error is below a tenth of a typical
    /// value; `None` if there is none below 2^53.
    pub fn rows_for_tenth(
        &self,
        error: impl Fn(u64) -> Result<Option<Up>, PriceError>,
    ) -> Result<Option<u64>, PriceError> {
        let enough = |rows: u64| -> Result<bool, PriceError> {
            let typical = self.chain.kind.typical(rows);
            let tenth = Interval::from_rational(&(typical * Rational::new(1, 10)));
            Ok(error(rows)?.is_some_and(|error| error.get() <= tenth.lo()))
        };
        // First the power of two that is enough, so that a small number takes few evaluations.
        let Some(log2) = solve::find_smallest(0..=53u64, |log2| enough(1 << log2))? else {
            return Ok(None);
        };
        let least = (1u64 << log2) / 2 + 1;
        solve::find_smallest(least..=1 << log2, enough)
    }

    /// The smallest count that may be published for a key that one unit alone can add or remove.
    pub fn threshold(
        &self,
        mechanism: &Mechanism,
        delta: &Rational,
    ) -> Result<Threshold, PriceError> {
        let Mechanism::Noise { noise, grid } = mechanism else {
            return Err(PriceError::OutOfRange {
                what: "a threshold needs noise".to_owned(),
            });
        };
        let contribution = rows_by_key(&Slot::default())?.map(&self.chain.reach)?;
        let bound = lastbit::mechanisms::Delta::new(delta.clone())?;
        Ok(Threshold {
            least: noise.threshold(*grid, &contribution, &bound)?,
            delta: delta.clone(),
        })
    }

    /// This noise, on the numbers of the statistic.
    pub fn noised<'a>(&'a self, noise: &'a Noise, grid: GridExponent) -> Noised<'a> {
        Shared::noised(noise, grid, self.shared.as_ref())
    }

    /// How many selections one unit takes part in.
    fn selections(&self) -> Rational {
        let groups = RankSelection::of_unit(self.chain.groups, self.chain.reach);
        &Rational::from(self.chain.kind.cells_of_group()) * &Rational::from(groups)
    }
}

/// Noise on the grid that suits the numbers: whole numbers for counts, else so fine that it does
/// not matter.
fn on_grid(noisy: &dyn Noisy, noise: Noise) -> Mechanism {
    let grid = match noisy.is_whole() {
        true => GridExponent::INTEGERS,
        false => noise.fine_grid(),
    };
    Mechanism::Noise { noise, grid }
}
