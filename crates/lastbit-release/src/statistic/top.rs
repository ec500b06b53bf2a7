//! The most frequent values of a column.
//!
//! For public categories or bins, all counts get noise and the largest are shown. For discovered
//! values, only those whose noisy count reaches the threshold can be shown.

use std::cmp::Reverse;
use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Rational, Up};

use super::count::{rows, whole_cells, whole_error};
use super::histogram::{counts, indicators, parts};
use super::{
    Drawn, Errors, Kind, Mark, Method, Noised, Noisy, Published, Reading, Span, Stability, Word,
};
use crate::cell::Cell;
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::ColumnKind;

/// The most frequent of public categories or bins.
#[derive(Clone, Debug)]
struct Top {
    column: String,
    aggregate: Aggregate,
    labels: Vec<String>,
    most: usize,
}

/// The most frequent of discovered values.
#[derive(Clone, Debug)]
struct TopFound {
    column: String,
    most: usize,
}

/// Chosen by noisy counts, the numbers that are shown lean upward.
const CAUTION: &str = "where counts differ by less than their errors, the noise decides which \
                       values are shown and in which order, so the last ones tend to be too large";

pub(super) const WORD: Word = Word::new("top", read).drawn_as(Mark::Bars).counting();

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let column = reading.column()?;
    let name = column.name.clone();
    let most = reading.table.need("most", "most = 10")?;
    let most = usize::try_from(most.count()?).map_err(|_| most.error("`most` is too large"))?;
    let aggregate = match (parts(&column.kind), &column.kind) {
        (Some(aggregate), _) => aggregate,
        (None, ColumnKind::Discovered) => return Ok(Arc::new(TopFound { column: name, most })),
        (None, _) => {
            return Err(reading.error(format!(
                "the most frequent values of `{name}` need bins; add `edges` to [columns.{name}]"
            )));
        }
    };
    let labels = column.labels();
    Ok(Arc::new(Top {
        column: name,
        aggregate,
        most: most.min(labels.len()),
        labels,
    }))
}

impl super::own::Own for Top {}

impl Kind for Top {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.column]
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("most", self.most.to_string())]
    }

    fn caution(&self) -> Option<&'static str> {
        Some(CAUTION)
    }

    fn is_binned(&self) -> bool {
        true
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![self.aggregate.clone()]
    }

    fn span(&self) -> Option<Span> {
        Some(indicators(&self.column, &self.aggregate))
    }

    /// The longest labels, as many as are shown: any category may be one of them.
    fn labels(&self) -> Vec<String> {
        let mut labels = self.labels.clone();
        labels.sort_by_key(|label| Reverse(label.len()));
        labels.truncate(self.most);
        labels
    }

    fn cells_of_group(&self) -> u64 {
        self.most as u64
    }

    fn unit(&self) -> String {
        "rows".to_owned()
    }

    fn typical(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(Rational::ZERO), None)
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for Top {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        counts(exact, self.labels.len())
    }

    fn stability(&self) -> Stability {
        Stability::Shares
    }

    fn count(&self) -> u64 {
        self.labels.len() as u64
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn is_clamped(&self) -> bool {
        true
    }

    /// All counts are within it at once, so the shown ones are too, whichever they are.
    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        let each = errors.beta.part(1, self.labels.len() as u64);
        let all = Errors {
            beta: &each,
            ..errors
        };
        Some(whole_error(noised, all))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let mut labelled: Vec<(&Rational, &String)> = numbers.iter().zip(&self.labels).collect();
        // Equal counts keep the order of the plan.
        labelled.sort_by(|a, b| b.0.cmp(a.0));
        labelled.truncate(self.most);
        let labelled = labelled.into_iter();
        whole_cells(
            labelled.map(|(number, label)| (number, label.as_str())),
            published,
        )
    }
}

impl super::own::Own for TopFound {}

impl Kind for TopFound {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.column]
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("most", self.most.to_string())]
    }

    fn caution(&self) -> Option<&'static str> {
        Some(CAUTION)
    }

    fn keys(&self) -> Vec<&str> {
        vec![&self.column]
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Rows]
    }

    fn unit(&self) -> String {
        "rows".to_owned()
    }

    fn typical(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        (Some(Rational::ZERO), None)
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }

    fn counts_rows(&self) -> bool {
        true
    }

    fn shown(&self, mut drawn: Drawn) -> Drawn {
        // Groups come in the order of their keys, and equal counts keep it.
        drawn.sort_by(|a, b| b.1.cmp(&a.1));
        drawn.truncate(self.most);
        drawn
    }
}

impl Noisy for TopFound {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        rows(exact)
    }

    fn stability(&self) -> Stability {
        Stability::Shares
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn is_clamped(&self) -> bool {
        true
    }

    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        Some(whole_error(noised, errors))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let unlabelled = numbers.iter().map(|number| (number, ""));
        whole_cells(unlabelled, published)
    }
}
