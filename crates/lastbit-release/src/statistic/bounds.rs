//! Private bounds of a column, for the next plan.
//!
//! The wide bounds of the column are cut at powers of two, and the rows of each bin get noise. With
//! the stated confidence no noise exceeds T in any bin. Then a bin whose noisy count is above T is
//! not empty, and any other has at most 2T rows. The bounds are the outer edges of the outermost
//! bins above T.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Interval, Rational, Up};

use super::histogram::counts;
use super::{Errors, Kind, Method, Noised, Noisy, Published, Reading, Stability, Word};
use crate::cell::{Cell, whole_cell};
use crate::plan::PlanError;
use crate::query::{Aggregate, Aggregated};
use crate::schema::{Missing, Numbers};

/// Magnitudes more than this many powers of two below the largest share one bin.
const MAGNITUDES: i64 = 40;

#[derive(Clone, Debug)]
struct PrivateBounds(Arc<Numbers>);

pub(super) const WORD: Word = Word::new("bounds", read);

fn read(reading: &Reading<'_>) -> Result<Arc<dyn Kind>, PlanError> {
    let x = reading.one_of_numbers("bounds")?;
    if x.scale.is_calendar() {
        return Err(reading.error(format!(
            "`{}` has dates or times, and bounds are powers of two; use quantiles",
            x.column
        )));
    }
    let mut binned = (*x).clone();
    binned.edges = Some(edges(&x));
    // The replacement of a missing cell is public already.
    binned.missing = Missing::Drop;
    Ok(Arc::new(PrivateBounds(Arc::new(binned))))
}

/// The bounds, and between them 0 and powers of two, positive and negative.
fn edges(x: &Numbers) -> Vec<Rational> {
    let (lower, upper) = (x.bounds.lower(), x.bounds.upper());
    let largest = lower.abs().max(upper.abs()).ceil_log2().unwrap_or(0);
    let powers = (largest - MAGNITUDES..=largest)
        .map(|exponent| Rational::ONE.times_power_of_two(exponent))
        .collect::<Vec<_>>();
    let mut edges = vec![lower.clone(), Rational::ZERO, upper.clone()];
    edges.extend(powers.iter().cloned());
    edges.extend(powers.iter().map(|power| -power));
    edges.retain(|edge| lower <= edge && edge <= upper);
    edges.sort();
    edges.dedup();
    edges
}

impl PrivateBounds {
    fn edges(&self) -> &[Rational] {
        self.0.edges.as_deref().unwrap_or_default()
    }

    /// With the confidence, no bin's noise exceeds this.
    fn threshold(&self, noised: &Noised<'_>, errors: Errors<'_>) -> Up {
        let each = errors.beta.part(1, self.0.bins() as u64);
        let all = Errors {
            beta: &each,
            ..errors
        };
        all.noise(noised)
    }
}

impl super::own::Own for PrivateBounds {}

impl Kind for PrivateBounds {
    fn word(&self) -> &'static str {
        WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.0.column]
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::Bins(Arc::clone(&self.0))]
    }

    fn labels(&self) -> Vec<String> {
        ["lower", "upper", "rows outside"].map(str::to_owned).into()
    }

    fn cells_of_group(&self) -> u64 {
        3
    }

    fn unit(&self) -> String {
        self.0.unit.clone()
    }

    fn error_unit(&self) -> &'static str {
        "rows"
    }

    fn typical(&self, rows: u64) -> Rational {
        Rational::from(rows)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        let bounds = &self.0.bounds;
        (Some(bounds.lower().clone()), Some(bounds.upper().clone()))
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for PrivateBounds {
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        counts(exact, self.0.bins())
    }

    fn stability(&self) -> Stability {
        Stability::Shares
    }

    fn count(&self) -> u64 {
        self.0.bins() as u64
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn is_clamped(&self) -> bool {
        false
    }

    /// A bin outside the bounds has no more rows than this.
    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        let twice = self.threshold(noised, errors) * Up::exact(2.0);
        Some(Up::exact(twice.get().floor()))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let Published { noised, errors, .. } = published;
        let threshold = self.threshold(&noised, errors).to_rational();
        let is_above = |count: &Rational| threshold.as_ref().is_some_and(|least| count > least);
        let first = numbers.iter().position(is_above);
        let last = numbers.iter().rposition(is_above);
        let labelled = |label: &str, value: Option<String>| Cell {
            label: label.to_owned(),
            value,
            ..Cell::default()
        };
        let (Some(first), Some(last)) = (first, last) else {
            return self
                .labels()
                .iter()
                .map(|label| labelled(label, None))
                .collect();
        };
        let edge = |place: usize| self.edges().get(place).map(Rational::to_string);
        let inside = first..=last;
        let outside = numbers.iter().enumerate();
        let outside = outside.filter(|(bin, _)| !inside.contains(bin));
        let sum = outside.fold(Rational::ZERO, |sum, (_, count)| &sum + count);
        let weight = |bin: usize| Interval::point(f64::from(u8::from(!inside.contains(&bin))));
        let weights: Vec<Interval> = (0..numbers.len()).map(weight).collect();
        // For all choices of two bins at once.
        let bins = numbers.len() as u64;
        let each = errors.beta.part(1, bins).part(1, bins);
        let off = errors.tail(&noised, &weights, &each);
        vec![
            labelled("lower", edge(first)),
            labelled("upper", edge(last + 1)),
            Cell {
                error_unit: "rows".to_owned(),
                ..whole_cell("rows outside".to_owned(), &sum, Some(off))
            },
        ]
    }
}
