//! From which count on a discovered key is published.

use lastbit::mechanisms::{Delta, Scale, Variance, gaussian_threshold, laplace_threshold};
use lastbit::metrics::Contribution;
use lastbit_exact::Rational;

use super::solve::Item;
use super::{Mechanism, Noise, PriceError, Threshold};

/// The smallest count that may be published of a key that one unit alone can bring or take away.
pub fn threshold(
    item: &Item,
    mechanism: &Mechanism,
    delta: &Rational,
) -> Result<Threshold, PriceError> {
    let Mechanism::Noise { noise, grid } = mechanism else {
        return Err(PriceError::OutOfRange {
            what: "a threshold needs noise".to_owned(),
        });
    };
    let keys =
        u64::try_from(item.reach.groups_changed().ceil()).map_err(|_| PriceError::OutOfRange {
            what: "`most_groups` is out of range".to_owned(),
        })?;
    let contribution = Contribution::new(keys, Rational::from(item.reach.rows))?;
    let bound = Delta::new(delta.clone())?;
    let least = match noise {
        Noise::Laplace { scale, .. } => {
            laplace_threshold(&Scale::new(scale.clone())?, *grid, &contribution, &bound)?
        }
        Noise::Gaussian { variance, .. } => gaussian_threshold(
            &Variance::new(variance.clone())?,
            *grid,
            &contribution,
            &bound,
        )?,
    };
    Ok(Threshold {
        least,
        delta: delta.clone(),
    })
}
