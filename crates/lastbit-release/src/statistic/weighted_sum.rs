//! The sum of a column, with its rows weighted by another: a total.

use std::sync::Arc;

use lastbit::Error;
use lastbit_exact::{Rational, Up};

use super::{Errors, Kind, Method, Noised, Noisy, Published, Stability, unexpected};
use crate::cell::{Cell, cell};
use crate::consistent::{Additive, Quantity};
use crate::query::{Aggregate, Aggregated, LOG2_MOST_ROWS};
use crate::schema::{NumberKind, Numbers};

#[derive(Clone, Debug)]
struct WeightedSum {
    x: Arc<Numbers>,
    weights: Arc<Numbers>,
}

pub(super) fn of(x: Arc<Numbers>, weights: Arc<Numbers>) -> Arc<dyn Kind> {
    Arc::new(WeightedSum { x, weights })
}

impl super::own::Own for WeightedSum {}

impl Kind for WeightedSum {
    fn word(&self) -> &'static str {
        super::sum::WORD.text()
    }

    fn of(&self) -> Vec<&str> {
        vec![&self.x.column]
    }

    fn uses(&self) -> Vec<&str> {
        vec![&self.x.column, &self.weights.column]
    }

    fn weights(&self) -> Option<&str> {
        Some(&self.weights.column)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("weights", self.weights.column.clone())]
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        vec![Aggregate::FineProducts(
            Arc::clone(&self.weights),
            Arc::clone(&self.x),
        )]
    }

    fn adds(&self) -> Option<Additive> {
        let (x, weights) = (&self.x.column, &self.weights.column);
        Some(Additive::of(Quantity::Sum(format!("{x:?} by {weights:?}"))))
    }

    fn unit(&self) -> String {
        self.x.unit.clone()
    }

    fn typical(&self, rows: u64) -> Rational {
        &Rational::from(rows) * &(&self.x.typical * &self.weights.typical)
    }

    fn range(&self) -> (Option<Rational>, Option<Rational>) {
        let bounds = &self.x.bounds;
        (
            (!bounds.lower().is_negative()).then_some(Rational::ZERO),
            (!bounds.upper().is_positive()).then_some(Rational::ZERO),
        )
    }

    fn method(&self) -> Method<'_> {
        Method::Noise(self)
    }
}

impl Noisy for WeightedSum {
    /// `Σ(c + r)(a + s) = n·ca + a·Σr + c·Σs + Σrs` for weights r above their lower bound c and
    /// numbers s above theirs, a.
    fn numbers(&self, exact: &[&Aggregated]) -> Result<Vec<Rational>, Error> {
        let [
            Aggregated::Products {
                rows,
                sum_x,
                sum_y,
                products,
            },
        ] = exact
        else {
            return Err(unexpected());
        };
        let (w, x) = (&self.weights.fine, &self.x.fine);
        let (of_w, of_x) = (i64::from(w.exponent()), i64::from(x.exponent()));
        let (c, a) = (w.bounds().lower(), x.bounds().lower());
        let r = Rational::from(sum_x.clone()).times_power_of_two(of_w);
        let s = Rational::from(sum_y.clone()).times_power_of_two(of_x);
        let both = Rational::from(products.clone()).times_power_of_two(of_w + of_x);
        let of_rows = &Rational::from(*rows) * &(c * a);
        Ok(vec![of_rows + a * &r + c * &s + both])
    }

    fn stability(&self) -> Stability {
        Stability::Sums(self.weights.fine.bounds().times(self.x.fine.bounds()))
    }

    fn is_clamped(&self) -> bool {
        self.range() != (None, None)
    }

    /// Rounding moves a weight by at most h and a number by at most k, so a product by at most
    /// `w·k + h·x + hk`.
    fn error(&self, noised: &Noised<'_>, _: Option<u64>, errors: Errors<'_>) -> Option<Up> {
        let rounding = |x: &Numbers| match x.scale {
            NumberKind::Real => x.fine.half_step(),
            // Whole numbers are not rounded.
            _ => Rational::ZERO,
        };
        let (h, k) = (rounding(&self.weights), rounding(&self.x));
        let bounds = self.x.fine.bounds();
        let most = bounds.lower().abs().max(bounds.upper().abs());
        let each = self.weights.fine.bounds().upper() * &k + &h * &most + &h * &k;
        // No table has more rows.
        let rounding = each.times_power_of_two(i64::from(LOG2_MOST_ROWS));
        Some(errors.noise(noised) + Up::from_rational(&rounding))
    }

    fn cells(&self, numbers: &[Rational], published: Published<'_>) -> Vec<Cell> {
        let grid = Some(published.noised.drawn.grid);
        vec![cell(numbers.first(), self.range(), published.error, grid)]
    }
}
