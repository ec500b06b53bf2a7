//! From exact answers to a report.

use std::collections::BTreeSet;

use lastbit_exact::{Down, Rational, Up};
use lastbit_noise::entropy::Entropy;

use super::noise::{Sampler, noisy, quantile};
use super::{ReleaseError, Slot, exact, labels};
use crate::ledger::Reserved;
use crate::plan::{Kind, Neighbours, Plan, Statistic};
use crate::price::{
    Errors, Form, Mechanism, Moment, Price, Prices, Tails, loss_words, ratio_error,
};
use crate::query::{Answer, Exact, Group, KeyValue, Sealed};
use crate::report::{self, Cell, Picture, Receipt, Report};

/// Groups of discovered keys that may be spoken of.
type Published = BTreeSet<Vec<KeyValue>>;

/// Draws all noise and writes the report.
pub fn report(
    plan: &Plan,
    prices: &Prices,
    slots: &[Slot],
    answer: &Sealed<Answer>,
    reserved: &Reserved,
    entropy: &mut dyn Entropy,
) -> Result<Report, ReleaseError> {
    let answer = answer.open(reserved);
    if let Neighbours::ChangeOne { rows: Some(rows) } = plan.neighbours
        && rows != answer.rows
    {
        return Err(ReleaseError::Rows {
            plan: rows,
            data: answer.rows,
        });
    }
    let tails = Tails::default();
    let alpha = plan.confidence.alpha();
    let mut writer = Writer {
        plan,
        errors: Errors {
            tails: &tails,
            alpha: &alpha,
        },
        reserved,
        entropy,
    };
    let mut statistics: Vec<Option<report::Statistic>> = vec![None; plan.statistics.len()];
    let mut published: Vec<(&[String], Published)> = Vec::new();
    // Counts of discovered keys come first: they say which groups the others may speak of.
    let is_counted = |price: &Price| price.threshold.is_some();
    for counted in [true, false] {
        for (index, statistic) in plan.statistics.iter().enumerate() {
            let (price, slot) = (&prices.statistics[index], slots[index]);
            if is_counted(price) != counted {
                continue;
            }
            let groups = answer
                .tables
                .get(slot.table)
                .ok_or_else(ReleaseError::unexpected)?;
            let allowed = match (counted, plan.is_discovered(statistic)) {
                // Without such a count no group may be spoken of; `plan::check` sees to it that there is one.
                (false, true) => Some(
                    published
                        .iter()
                        .find(|(by, _)| *by == &statistic.by[..])
                        .map(|(_, groups)| groups)
                        .ok_or_else(ReleaseError::unexpected)?,
                ),
                _ => None,
            };
            let (cells, passed) = writer.cells(statistic, price, slot, groups, allowed)?;
            if counted {
                published.push((&statistic.by, passed));
            }
            statistics[index] = Some(written(plan, statistic, price, cells));
        }
    }
    Ok(Report {
        schema: 1,
        title: plan.title.clone(),
        notes: labels::notes(plan),
        loss: prices.loss.to_string(),
        accountant: prices.accountant.name().to_owned(),
        confidence: plan.confidence.get().to_string(),
        statistics: statistics.into_iter().flatten().collect(),
        receipt: Receipt {
            plan: reserved.plan().to_owned(),
            data: plan
                .publish_fingerprint
                .then(|| reserved.data().to_owned()),
            ledger_row: reserved.row(),
            ledger_hash: reserved.hash().to_owned(),
            time: reserved.time().to_owned(),
            certificate:
                "exact sampling: every number has the law of its mechanism's theorem, with no rounding term"
                    .to_owned(),
            program: concat!("lastbit ", env!("CARGO_PKG_VERSION")).to_owned(),
        },
    })
}

struct Writer<'a> {
    plan: &'a Plan,
    errors: Errors<'a>,
    reserved: &'a Reserved,
    entropy: &'a mut dyn Entropy,
}

impl Writer<'_> {
    /// The cells of a statistic in all groups that may be spoken of, and the groups whose count passed a threshold.
    fn cells(
        &mut self,
        statistic: &Statistic,
        price: &Price,
        slot: Slot,
        groups: &[Group],
        allowed: Option<&Published>,
    ) -> Result<(Vec<Cell>, Published), ReleaseError> {
        let mut cells = Vec::new();
        let mut passed = Published::new();
        let sampler = match &price.mechanism {
            Mechanism::Noise { noise, grid } => Some(Sampler::new(noise, *grid)?),
            Mechanism::Selection { .. } => None,
        };
        for group in groups {
            if allowed.is_some_and(|allowed| !allowed.contains(&group.key)) {
                continue;
            }
            let exact = group
                .values
                .get(slot.value)
                .ok_or_else(ReleaseError::unexpected)?;
            let label = labels::group(self.plan, &statistic.by, &group.key);
            let values = match &sampler {
                None => self.selected(statistic, price, exact)?,
                Some(sampler) => {
                    let numbers = self.noisy(price, exact, sampler)?;
                    if let Some(threshold) = &price.threshold {
                        // A key whose count is zero is one that the data lack.
                        if *exact == Exact::Rows(0) || numbers[0] < threshold.least {
                            continue;
                        }
                        passed.insert(group.key.clone());
                    }
                    self.values(statistic, price, &numbers)?
                }
            };
            cells.extend(values.into_iter().map(|cell| Cell {
                group: label.clone(),
                ..cell
            }));
        }
        Ok((cells, passed))
    }

    fn noisy(
        &mut self,
        price: &Price,
        exact: &Exact,
        sampler: &Sampler,
    ) -> Result<Vec<Rational>, ReleaseError> {
        let Mechanism::Noise { grid, .. } = &price.mechanism else {
            return Err(ReleaseError::unexpected());
        };
        exact::numbers(&price.form, exact)?
            .iter()
            .map(|number| noisy(number, sampler, *grid, self.reserved, self.entropy))
            .collect()
    }

    fn selected(
        &mut self,
        statistic: &Statistic,
        price: &Price,
        exact: &Exact,
    ) -> Result<Vec<Cell>, ReleaseError> {
        let (
            Form::Quantiles { x, at, .. },
            Mechanism::Selection { epsilon },
            Exact::Offsets(offsets),
        ) = (&price.form, &price.mechanism, exact)
        else {
            return Err(ReleaseError::unexpected());
        };
        let Kind::Quantiles { .. } = &statistic.kind else {
            return Err(ReleaseError::unexpected());
        };
        // Enough decimals to tell neighbouring steps apart.
        let step = Rational::ONE.scale(i64::from(x.grid.exponent()));
        let places = (1 - crate::price::decimal::digits_before_point(&step)).max(0);
        at.iter()
            .map(|share| {
                let sensitivity = price.form.rank_sensitivity(price.reach, share);
                let offset = quantile(
                    offsets,
                    x.count,
                    share,
                    epsilon,
                    &sensitivity,
                    self.reserved,
                    self.entropy,
                )?;
                let value = x.value(&Rational::from(offset));
                Ok(Cell {
                    group: vec![],
                    label: share.to_string(),
                    value: Some(labels::fixed(&value, places)),
                    error: price.error.and_then(labels::rank_error),
                    error_unit: "rows in rank".to_owned(),
                })
            })
            .collect()
    }

    /// What is published of noisy numbers: clamped to where the exact ones can be, with no more digits than their error deserves.
    fn values(
        &self,
        statistic: &Statistic,
        price: &Price,
        numbers: &[Rational],
    ) -> Result<Vec<Cell>, ReleaseError> {
        let Mechanism::Noise { noise, grid } = &price.mechanism else {
            return Err(ReleaseError::unexpected());
        };
        let one = |value: Option<Rational>, bound: Option<Up>, grid: Option<i64>| {
            let places = labels::places(bound, grid);
            vec![Cell {
                group: vec![],
                label: String::new(),
                value: value.map(|value| labels::fixed(&labels::rounded(&value, places), places)),
                error: bound.and_then(|bound| labels::error(bound, places)),
                error_unit: String::new(),
            }]
        };
        Ok(match &price.form {
            Form::Counts { .. } => {
                let names = match &statistic.kind {
                    Kind::Histogram(column) => labels::bins(self.plan, column),
                    _ => vec![String::new()],
                };
                let error = price.error.and_then(labels::whole_error);
                numbers
                    .iter()
                    .zip(names)
                    .map(|(number, label)| Cell {
                        group: vec![],
                        label,
                        value: Some(number.max(&Rational::ZERO).to_string()),
                        error: error.clone(),
                        error_unit: String::new(),
                    })
                    .collect()
            }
            Form::Sum { x, rows } => {
                let (low, high) = sum_range(&x.lower(), &x.upper(), *rows);
                let value = low.as_ref().map_or(&numbers[0], |low| low.max(&numbers[0]));
                let value = high.as_ref().map_or(value, |high| value.min(high));
                one(Some(value.clone()), price.error, Some(*grid))
            }
            Form::Fixed { moment, .. } => {
                let (low, high) = moment.range();
                one(
                    Some(numbers[0].clamp_to(&low, &high)),
                    price.error,
                    Some(*grid),
                )
            }
            Form::Shared { moment } => {
                let value = exact::ratio(moment, numbers);
                let bound = self.errors.of_corner(moment, noise, *grid);
                let error = value.is_some().then(|| ratio_bound(moment, numbers, bound));
                let (low, high) = moment.range();
                one(value.map(|value| value.clamp_to(&low, &high)), error, None)
            }
            Form::Quantiles { .. } => return Err(ReleaseError::unexpected()),
        })
    }
}

/// The error of a ratio of these noisy shares, of which none is farther than `t` from the exact one.
fn ratio_bound(moment: &Moment, shares: &[Rational], t: Up) -> Up {
    let rows = shares
        .iter()
        .fold(Rational::ZERO, |sum, share| &sum + share);
    let noisy = Down::from_rational(&rows);
    let corners = Up::from_rational(&Rational::from(moment.corners()));
    ratio_error(moment, t, noisy, noisy - corners * t)
}

/// Where a sum of numbers between bounds can be.
fn sum_range(
    lower: &Rational,
    upper: &Rational,
    rows: Option<u64>,
) -> (Option<Rational>, Option<Rational>) {
    match rows {
        Some(rows) => {
            let rows = Rational::from(rows);
            (Some(lower * &rows), Some(upper * &rows))
        }
        None => (
            (!lower.is_negative()).then_some(Rational::ZERO),
            (!upper.is_positive()).then_some(Rational::ZERO),
        ),
    }
}

fn written(
    plan: &Plan,
    statistic: &Statistic,
    price: &Price,
    cells: Vec<Cell>,
) -> report::Statistic {
    let grid = match (&price.form, &price.mechanism) {
        (Form::Quantiles { x, .. }, _) => format!("2^{}", x.grid.exponent()),
        // A ratio of numbers on a grid is on none.
        (Form::Shared { .. }, _) => String::new(),
        (_, Mechanism::Noise { grid, .. }) => format!("2^{grid}"),
        _ => String::new(),
    };
    let bars = matches!(statistic.kind, Kind::Histogram(_)) || !statistic.by.is_empty();
    report::Statistic {
        name: statistic.name.clone(),
        kind: statistic.kind.name().to_owned(),
        of: statistic
            .kind
            .columns()
            .iter()
            .map(|&c| c.to_owned())
            .collect(),
        unit: labels::unit(plan, statistic),
        by: statistic.by.clone(),
        mechanism: labels::mechanism(price).to_owned(),
        loss: loss_words(price),
        grid,
        picture: if bars { Picture::Bars } else { Picture::Table },
        cells,
    }
}
