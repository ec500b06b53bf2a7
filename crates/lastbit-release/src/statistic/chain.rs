//! The chain of a statistic: from the table to what is published, as a measurement of [`lastbit`].
//!
//! [`table`] is its first stage, the same for all statistics of the same rows; what follows is a
//! tail from the answer. The cost of a statistic is the map of both together at one unit. The two
//! halves run separately, because the answer is sealed until it is paid for.

use std::sync::Arc;

use lastbit::accounting::FixedLosses;
use lastbit::composition::{Composable, sequential};
use lastbit::conversions::gaussian_for_zcdp;
use lastbit::measures::{
    Approximate, Exact, MaxDivergence, Measure, WithDelta, ZeroConcentratedDivergence,
};
use lastbit::metrics::{ContributionDistance, Norms};
use lastbit::tables::{
    self, Aim, AnswerDomain, Counts, Limits, Noise, Reach, ReachDistance, TableDomain,
    UnitDistance, offsets, scan, shares,
};
use lastbit::{Epsilon, Error, GridExponent, Measurement, Transformation};
use lastbit_exact::{Rational, Up};

use super::counted::Counted;
use super::groups::{Drawn, Margin, Pick, by_group, numbers_chain, rows_by_key};
use super::{Kind, Method, Scanned, Selected, Slot, unexpected};
use crate::plan::{Neighbours, Plan};
use crate::query::{Aggregated, Answer, GroupKey};
use crate::schema::Unit;

/// What the loss of a chain is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LossUnit {
    /// Pure losses.
    Epsilon,
    /// Zero-concentrated losses.
    Rho,
}

impl LossUnit {
    /// ε or ρ.
    pub fn symbol(self) -> &'static str {
        match self {
            LossUnit::Epsilon => "ε",
            LossUnit::Rho => "ρ",
        }
    }

    /// The loss of several releases together, exactly, by their composition.
    pub fn compose<'a>(
        self,
        losses: impl IntoIterator<Item = &'a Rational>,
    ) -> Result<Rational, Error> {
        match self {
            LossUnit::Epsilon => Exact(MaxDivergence).compose(losses),
            LossUnit::Rho => Exact(ZeroConcentratedDivergence).compose(losses),
        }
    }
}

/// How noise is added to a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mechanism {
    /// Noise on a grid of `2^grid` is added to each number.
    Noise {
        /// Which noise.
        noise: Noise,
        /// The exponent of the grid.
        grid: GridExponent,
    },
    /// Selections by the exponential mechanism for each share: a value, and the ends of an
    /// interval around it, if there is one.
    Selection {
        /// The bounded range of the value's selection in each group.
        epsilon: Epsilon,
        /// The bounded range of the selection of each end, in each group; `None` without an
        /// interval.
        end: Option<Epsilon>,
        /// For each share, how many rows beyond it the ends aim; empty without an interval.
        margins: Vec<u64>,
    },
}

/// The domain of exact answers in the chains of a release.
pub type Answers = AnswerDomain<Arc<Answer>>;

/// The scan of a table.
pub type TableScan = Transformation<TableDomain<Scan>, UnitDistance, Answers, ReachDistance>;

/// The stage from an answer to the numbers of a statistic.
pub type ToNumbers = tables::ToNumbers<Arc<Answer>>;

/// The stage from an answer to the rows of the keys that occur.
pub type ToCounts = Transformation<Answers, ReachDistance, Counts<GroupKey>, ContributionDistance>;

/// A table that can be scanned.
pub type Scan = Arc<dyn Fn() -> Result<Arc<Answer>, Error> + Send + Sync>;

/// The first stage of every chain of statistics that scan this: the scan, which bounds what a unit
/// reaches. A filter looks at one row, so it does not extend the reach of a unit. The limits are
/// those of [`Plan::limits`], which the engine gets too; they may be below what the plan writes.
pub fn table(plan: &Plan, scanned: &Scanned<'_>) -> Result<TableScan, Error> {
    let metric = match plan.neighbours {
        Neighbours::AddRemove => UnitDistance::Added,
        Neighbours::ChangeOne { .. } => UnitDistance::Changed,
    };
    // By another key, a row of a joined table may match rows of many units.
    let is_unit = |key: &str| matches!(&plan.unit, Unit::Column { name, .. } if name == key);
    if plan.derive.joins.iter().any(|join| !is_unit(&join.key)) {
        return Err(Error::other(
            "private tables are joined by the column of the unit alone",
        ));
    }
    let limits = match scanned.scope.limits(&plan.unit) {
        None => Limits::ONE_ROW,
        Some((most_rows, most_groups)) => Limits::new(most_rows, most_groups)?,
    };
    scan(metric, limits, |scan: &Scan| scan())
}

/// From an answer to what is published, with the loss in one of the currencies.
enum Tail {
    Pure(Tailed<MaxDivergence>),
    Zcdp(Tailed<ZeroConcentratedDivergence>),
}

/// A statistic with its place in the answer.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The kind of the statistic.
    pub(crate) kind: Arc<dyn Kind>,
    /// The scan.
    pub(crate) table: TableScan,
    /// What one unit reaches, after the scan: its map at one unit.
    pub(crate) reach: Reach,
    /// How many groups there are; `None` if they are discovered.
    pub groups: Option<u64>,
    /// How its groups follow from those of a finer table, to which the limits apply, if they do.
    pub(crate) margin: Option<Margin>,
}

impl Chain {
    /// The chain of the statistic of a plan at this place.
    pub fn new(plan: &Plan, index: usize) -> Result<Chain, Error> {
        let statistic = &plan.statistics[index];
        let table = table(plan, &Scanned::new(plan, index))?;
        Ok(Chain {
            kind: Arc::clone(&statistic.kind),
            reach: table.map(&1)?,
            table,
            groups: plan.public_groups(statistic),
            margin: plan.margin(index),
        })
    }

    /// The kind of the statistic.
    pub fn kind(&self) -> &Arc<dyn Kind> {
        &self.kind
    }

    /// How far one unit moves the numbers that noise is added to; for quantiles, the numbers of
    /// rows behind their ranks.
    pub fn norms(&self) -> Result<Norms, Error> {
        let nothing = Slot::default();
        match self.kind.method() {
            Method::Noise(_) => numbers_chain(self, &nothing, Pick::All)?.map(&self.reach),
            Method::Selection(_) => {
                shares(self.groups, |_: &Arc<Answer>| Ok(vec![]))?.map(&self.reach)
            }
        }
    }

    /// The loss of the mechanism, and its δ if `threshold` decides which keys are published: the
    /// map of the chain at one unit.
    pub fn loss(
        &self,
        loss_unit: LossUnit,
        mechanism: &Mechanism,
        threshold: Option<&Rational>,
    ) -> Result<WithDelta<Rational>, Error> {
        let nothing = Slot::default();
        match self.tail(loss_unit, mechanism, threshold, &nothing, Pick::All)? {
            Tail::Pure(tail) => tail.map(&self.reach),
            Tail::Zcdp(tail) => tail.map(&self.reach),
        }
    }

    /// The loss of the mechanism by its law, without the δ of a threshold: the map of the chain at
    /// one unit, or for selections the bounded range of each.
    pub fn losses(
        &self,
        mechanism: &Mechanism,
        threshold: Option<&Rational>,
    ) -> Result<FixedLosses, Error> {
        let loss = |loss_unit| -> Result<Rational, Error> {
            let cost = self.loss(loss_unit, mechanism, threshold)?;
            Ok(cost.loss().clone())
        };
        match (self.kind.method(), mechanism) {
            (_, Mechanism::Noise { noise, .. }) => Ok(match noise {
                Noise::Gaussian(_) => {
                    FixedLosses::gaussian(gaussian_for_zcdp(&loss(LossUnit::Rho)?))
                }
                Noise::Laplace(_) => FixedLosses::laplace(loss(LossUnit::Epsilon)?),
            }),
            (Method::Selection(selected), Mechanism::Selection { epsilon, end, .. }) => {
                let mut all = FixedLosses::default();
                for share in selected.shares() {
                    for epsilon in [Some(epsilon), end.as_ref(), end.as_ref()] {
                        let Some(epsilon) = epsilon else { continue };
                        let one = selected.selection(share, self.groups, epsilon, self.reach)?;
                        all.add(&one.losses(&self.reach)?);
                    }
                }
                Ok(all)
            }
            _ => Err(Error::other("this statistic has no such mechanism")),
        }
    }

    fn tail(
        &self,
        loss_unit: LossUnit,
        mechanism: &Mechanism,
        threshold: Option<&Rational>,
        slot: &Slot,
        pick: Pick,
    ) -> Result<Tail, Error> {
        Ok(match loss_unit {
            LossUnit::Epsilon => {
                Tail::Pure(self.counted::<MaxDivergence>(mechanism, threshold, slot, pick)?)
            }
            LossUnit::Rho => Tail::Zcdp(
                self.counted::<ZeroConcentratedDivergence>(mechanism, threshold, slot, pick)?,
            ),
        })
    }

    fn counted<M: Counted>(
        &self,
        mechanism: &Mechanism,
        threshold: Option<&Rational>,
        slot: &Slot,
        pick: Pick,
    ) -> Result<Tailed<M>, Error>
    where
        Exact<M>: Composable<Distance = Rational>,
    {
        match (self.kind.method(), mechanism, threshold) {
            (Method::Noise(_), Mechanism::Noise { noise, grid }, Some(threshold)) => {
                let above = (rows_by_key(slot)? >> M::above(noise, *grid, threshold)?)?;
                Ok(above.post(|counts| {
                    let one = |(key, count): (GroupKey, i64)| (key, vec![Rational::from(count)]);
                    Ok(counts.into_iter().map(one).collect())
                }))
            }
            (Method::Noise(noisy), Mechanism::Noise { noise, grid }, None) => {
                let numbers = numbers_chain(self, slot, pick.clone())?;
                let drawn = (numbers >> M::noise(noise, *grid)?)?;
                let each = noisy.count() as usize;
                Ok(exactly(by_group(&drawn, self, slot, pick, each)?))
            }
            (
                Method::Selection(selected),
                Mechanism::Selection {
                    epsilon,
                    end,
                    margins,
                },
                None,
            ) => self.selections::<M>(selected, (epsilon, end.as_ref(), margins), slot, pick),
            _ => Err(Error::other("this statistic has no such mechanism")),
        }
    }

    /// The selections of all shares, one after the other.
    fn selections<M: Counted>(
        &self,
        selected: &dyn Selected,
        (epsilon, end, margins): (&Epsilon, Option<&Epsilon>, &[u64]),
        slot: &Slot,
        pick: Pick,
    ) -> Result<Tailed<M>, Error>
    where
        Exact<M>: Composable<Distance = Rational>,
    {
        let mut draws = Vec::new();
        for (index, share) in selected.shares().iter().enumerate() {
            let of =
                |epsilon: &Epsilon| selected.selection(share, self.groups, epsilon, self.reach);
            draws.push(M::ranks(&of(epsilon)?, Aim::Value)?);
            if let Some(end) = end {
                let margin = *margins.get(index).ok_or_else(unexpected)?;
                draws.push(M::ranks(&of(end)?, Aim::Lower(margin))?);
                draws.push(M::ranks(&of(end)?, Aim::Upper(margin))?);
            }
        }
        let each = draws.len();
        let all = sequential(draws)?.post(move |draws: Vec<Vec<u64>>| {
            // First by group, then by draw.
            let groups = draws.first().map_or(0, Vec::len);
            let by_group = (0..groups)
                .flat_map(|group| draws.iter().map(move |draw| Rational::from(draw[group])));
            Ok(by_group.collect())
        });
        let (picked, place) = (pick.clone(), slot.clone());
        let groups = offsets(selected.last(), move |answer: &Arc<Answer>| {
            let groups = picked.groups(answer, &place).into_iter();
            groups
                .map(|(_, group)| match group.map(|group| place.of(group)) {
                    None => Ok(vec![]),
                    Some(values) => match values.as_deref() {
                        Some([Aggregated::Offsets(offsets)]) => Ok(offsets.clone()),
                        _ => Err(unexpected()),
                    },
                })
                .collect()
        })?;
        Ok(exactly(by_group(
            &(groups >> all)?,
            self,
            slot,
            pick,
            each,
        )?))
    }
}

/// A statistic that can be drawn from a paid answer, by a [`Drawing`](super::Drawing).
pub struct Paid<'a> {
    /// Its chain.
    pub(crate) chain: &'a Chain,
    /// How it is made noisy.
    pub(crate) mechanism: &'a Mechanism,
    /// For discovered keys: the smallest count that is published.
    pub(crate) threshold: Option<&'a Rational>,
    /// Where its integers are.
    pub(crate) slot: Slot,
}

/// A whole chain: from the table to what a statistic publishes.
pub type WholeChain<M> = Measurement<TableDomain<Scan>, UnitDistance, Approximate<Exact<M>>, Drawn>;

impl Paid<'_> {
    /// The whole chain, its loss in ε. Its map at one unit is what the statistic costs.
    pub fn pure(&self, pick: Pick) -> Result<WholeChain<MaxDivergence>, Error> {
        self.whole(pick)
    }

    /// The whole chain, its loss in ρ.
    pub fn zcdp(&self, pick: Pick) -> Result<WholeChain<ZeroConcentratedDivergence>, Error> {
        self.whole(pick)
    }

    pub(super) fn whole<M: Counted>(&self, pick: Pick) -> Result<WholeChain<M>, Error>
    where
        Exact<M>: Composable<Distance = Rational>,
    {
        let Paid {
            chain,
            mechanism,
            threshold,
            slot,
            ..
        } = self;
        chain.table.clone() >> chain.counted::<M>(mechanism, *threshold, slot, pick)?
    }
}

type Tailed<M> = FromAnswer<Approximate<Exact<M>>, Drawn>;
type FromAnswer<M, T> = Measurement<AnswerDomain<Arc<Answer>>, ReachDistance, M, T>;

/// A loss without a δ.
fn exactly<M: Measure>(drawn: FromAnswer<Exact<M>, Drawn>) -> Tailed<M>
where
    Exact<M>: Measure<Distance = Rational>,
{
    let measure = Approximate(drawn.output_measure().clone());
    drawn.cast(measure, |loss| WithDelta::new(loss.clone(), Up::ZERO))
}
