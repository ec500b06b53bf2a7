//! Numbers with given shares of the rows at or below them.

use std::sync::Arc;

use lastbit::tables::{RankSelection, Reach};
use lastbit::{Epsilon, Error, Share};
use lastbit_exact::{Natural, Rational, Up};

use super::{Kind, Method, Reading, Selected, Word};
use crate::cell::{Cell, RANKS, selected_cell};
use crate::loss::decimal;
use crate::plan::PlanError;
use crate::query::{Aggregate, MOST_OFFSETS};
use crate::schema::{NumberKind, Numbers};

/// Shares have at most this denominator, so that it times 2^40 rows fits into 62 bits.
const MOST_PARTS: u32 = 1_000_000;

#[derive(Clone, Debug)]
struct Quantiles {
    x: Arc<Numbers>,
    /// Shares from 0 to 1, increasing.
    at: Vec<Share>,
    /// Whether an interval around each value is selected, too.
    interval: bool,
    /// The public number of rows, if every row counts, in the one group.
    rows: Option<u64>,
}

pub(super) const WORD: Word = Word::new("quantiles", read)
    .labelled("quantile")
    .within_bounds();

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let x = reading.one_of_numbers("quantiles")?;
    if x.grid.count() > MOST_OFFSETS.unsigned_abs() {
        return Err(reading.table.error(format!(
            "column `{}`: a grid of 2^{} has more than 2^{} steps between the bounds; choose a \
             coarser `grid`",
            x.column,
            x.grid.exponent(),
            MOST_OFFSETS.ilog2()
        )));
    }
    let rows = reading.public_rows(&[&x]);
    let at = shares(reading)?;
    let interval = match reading.table.get("interval") {
        Some(interval) => interval.boolean()?,
        None => true,
    };
    Ok(Arc::new(Quantiles {
        x,
        at,
        interval,
        rows,
    }))
}

/// Shares of the rows, increasing; the median if none are given.
fn shares(reading: &Reading<'_>) -> Result<Vec<Share>, PlanError> {
    let Some(at) = reading.table.get("at") else {
        return Ok(vec![Share::half()]);
    };
    let shares = Reading::some_numbers(&at)?;
    if shares.is_empty() {
        return Err(at.error(format!("{} asks for no quantile", reading.table.name())));
    }
    if let Some(outside) = shares
        .iter()
        .find(|share| share.is_negative() || **share > Rational::ONE)
    {
        // Percentages, most probably.
        let all = Rational::from(100u64);
        let hint = match *outside >= Rational::from(2u64) && *outside <= all {
            true => format!("; write {} for {outside} %", decimal(&(outside / &all))),
            false => String::new(),
        };
        return Err(at.error(format!(
            "a quantile is at a share from 0 to 1, got {outside}{hint}"
        )));
    }
    if shares
        .iter()
        .any(|share| share.denominator() > Natural::from(MOST_PARTS))
    {
        return Err(at.error("a quantile is at a share of at most six decimals"));
    }
    if shares.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(at.error("`at` must increase"));
    }
    let share = |share| Share::new(share).map_err(|error| at.error(error.to_string()));
    shares.into_iter().map(share).collect()
}

impl super::own::Own for Quantiles {}

impl Kind for Quantiles {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.x.column]
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        let shares = self.at.iter().map(|share| ("at", share.to_string()));
        let interval = (!self.interval).then(|| ("interval", "false".to_owned()));
        shares.chain(interval).collect()
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Offsets(Arc::clone(&self.x))]
    }

    fn labels(&self) -> Vec<String> {
        self.at.iter().map(Share::to_string).collect()
    }

    fn cells_of_group(&self) -> u64 {
        self.at.len() as u64
    }

    fn unit(&self) -> String {
        self.x.unit.clone()
    }

    fn scale(&self) -> NumberKind {
        self.x.scale
    }

    fn error_unit(&self) -> &'static str {
        RANKS
    }

    fn typical(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    fn public_rows(&self) -> Option<u64> {
        self.rows
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        let bounds = &self.x.bounds;
        (Some(bounds.lower().clone()), Some(bounds.upper().clone()))
    }

    fn method(&self) -> Method<'_> {
        Method::Selection(self)
    }
}

impl Selected for Quantiles {
    fn last(&self) -> u64 {
        self.x.grid.count()
    }

    fn shares(&self) -> &[Share] {
        &self.at
    }

    fn has_interval(&self) -> bool {
        self.interval
    }

    fn selection(
        &self,
        share: &Share,
        groups: Option<u64>,
        epsilon: &Epsilon,
        reach: Reach,
    ) -> Result<RankSelection, Error> {
        let whole = self.rows.is_some();
        RankSelection::new(self.last(), share, groups, whole, epsilon, reach)
    }

    fn cells(&self, offsets: &[Rational], error: Option<Up>) -> Vec<Cell> {
        let value = |offset: &Rational| self.x.grid.value(offset);
        let each = if self.interval { 3 } else { 1 };
        let selected = self.at.iter().zip(offsets.chunks_exact(each));
        selected
            .map(|(share, offsets)| {
                let ends = match offsets {
                    [_, first, second] => Some([value(first), value(second)]),
                    _ => None,
                };
                selected_cell(&self.x, share, error, value(&offsets[0]), ends)
            })
            .collect()
    }
}
