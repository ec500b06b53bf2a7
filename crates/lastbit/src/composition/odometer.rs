use super::queryable::sealed;
use super::{Account, Composable};
use crate::Error;

/// A running total that refuses nothing, with every part of the loss: ε *and* δ.
///
/// What it states: for every bound b **fixed in advance**, the releases up to the first one that
/// would take the total above b are together within b. **Proof.** Stopping there is what a
/// [`Filter`](super::Filter) with budget b does. ∎
///
/// In pure privacy more holds: the answers seen are at most `e^total` times as likely for one data
/// set as for a neighbour, whenever the total is read. In the other measures a total that depends
/// on the answers is not a bound chosen in advance; to stop at a loss and claim it, use a filter.
///
/// ```
/// use lastbit::composition::{Account, Odometer};
/// use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence, RangeDivergence};
/// use lastbit::Up;
/// let loss = EpsilonDelta::new(Up::exact(0.5), Up::exact(0.125))?;
/// let mut odometer = Odometer::new(Approximate(MaxDivergence))?;
/// odometer.charge(&loss)?;
/// odometer.charge(&loss)?;
/// assert_eq!(odometer.spent()?.to_string(), "(1, 0.25)");
/// assert_eq!(odometer.releases(), 2);
///
/// assert!(
///     Odometer::new(RangeDivergence).unwrap_err().to_string().contains("bounded_range_to_zcdp")
/// );
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Odometer<MO: Composable> {
    measure: MO,
    spent: MO::Total,
    releases: u64,
}

impl<MO: Composable> Odometer<MO> {
    /// A total of nothing.
    pub fn new(measure: MO) -> Result<Odometer<MO>, Error> {
        measure.check_adaptive()?;
        Ok(Odometer {
            measure,
            spent: MO::Total::default(),
            releases: 0,
        })
    }

    /// `Σ losses ≤ spent`; an error if the sum says nothing any more, such as a δ above 1.
    pub fn spent(&self) -> Result<MO::Distance, Error> {
        self.measure.read(&self.spent)
    }

    /// How many releases were charged.
    pub fn releases(&self) -> u64 {
        self.releases
    }
}

impl<MO: Composable> Account for Odometer<MO> {
    type Measure = MO;

    fn measure(&self) -> &MO {
        &self.measure
    }

    fn charge(&mut self, loss: &MO::Distance) -> Result<(), Error> {
        self.measure.add(&mut self.spent, loss)?;
        self.releases += 1;
        Ok(())
    }
}

impl<MO: Composable> sealed::Accounting for Odometer<MO> {}
