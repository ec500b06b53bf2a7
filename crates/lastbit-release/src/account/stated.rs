//! The price of each statistic, once its share is known.

use super::pricer::{Assignment, Pricer};
use super::tie::tie;
use super::{Price, PriceError};
use crate::statistic::{Mechanism, Method};

impl Pricer<'_> {
    /// The price of each statistic.
    pub fn prices(&self, assignment: &Assignment) -> Result<Vec<Price>, PriceError> {
        let mut prices: Vec<Price> = (0..self.items.len())
            .map(|index| self.price(index, assignment))
            .collect::<Result<_, _>>()?;
        tie(self.plan, &mut prices, self.errors)?;
        for (item, price) in self.items.iter().zip(&mut prices) {
            if price.tied.is_some() && item.chain.kind.public_rows().is_none() {
                // The error of a number that was made to add up does not depend on its rows.
                price.rows_for_tenth = item.rows_for_tenth(|_| Ok(price.error))?;
            }
        }
        Ok(prices)
    }

    fn price(&self, index: usize, assignment: &Assignment) -> Result<Price, PriceError> {
        let (item, statistic) = (&self.items[index], &self.plan.statistics[index]);
        let (mechanism, loss) = &assignment.choices[index];
        let mechanism = item.aimed(mechanism.clone(), self.errors);
        let mechanism = mechanism.map_err(|error| error.of(&statistic.name))?;
        let kind = &item.chain.kind;
        let bias = match (kind.method(), &mechanism) {
            (Method::Noise(noisy), Mechanism::Noise { noise, grid }) if noisy.is_clamped() => {
                Some(item.noised(noise, *grid).drawn.clamping_bias())
            }
            _ => None,
        };
        let threshold = match kind.counts_rows() && self.plan.is_discovered(statistic) {
            true => Some(item.threshold(&mechanism, &assignment.threshold)?),
            false => None,
        };
        let error = item.error(&mechanism, item.rows, self.errors)?;
        let by_rows = matches!(kind.method(), Method::Noise(noisy) if noisy.needs_rows());
        Ok(Price {
            threshold,
            error,
            bias,
            rows_for_tenth: match kind.public_rows() {
                // The number of rows is public, and cannot be chosen.
                Some(_) => None,
                None if !by_rows => item.rows_for_tenth(|_| Ok(error))?,
                None => {
                    item.rows_for_tenth(|rows| item.error(&mechanism, Some(rows), self.errors))?
                }
            },
            norms: match &item.shared {
                Some(shared) => self.items[shared.host].norms.clone(),
                None => item.norms.clone(),
            },
            shared: item.shared.clone(),
            tied: None,
            rows: item.rows,
            chain: item.chain.clone(),
            mechanism,
            loss_unit: assignment.loss_unit,
            loss: loss.clone(),
        })
    }
}
