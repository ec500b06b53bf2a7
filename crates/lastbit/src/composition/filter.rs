use super::adaptive::over;
use super::queryable::{interactive, sealed};
use super::{Account, Budgeted, Interactive};
use crate::metrics::Metric;
use crate::{Distance, Error, MetricSpace};

/// Releases chosen one after another, with losses chosen as freely, until a budget is used up at
/// `d_in`.
///
/// The result is a measurement whose output is a [`Queryable`](super::Queryable); `map(d) = budget`
/// for `d ≤ d_in`. The proof is with [`Filter`].
///
/// ```
/// # use lastbit::domains::AtomDomain;
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::DiscreteDistance;
/// # use lastbit::{Error, Measurement, PrivacyMap};
/// # use lastbit::{Rational, Up};
/// # use lastbit_noise::bernoulli;
/// # fn randomized_response(
/// #     truth: Rational,
/// # ) -> Result<Measurement<AtomDomain<bool>, DiscreteDistance, MaxDivergence, bool>, Error> {
/// #     let ratio = Up::from_rational(&(&truth / &(&Rational::ONE - &truth)));
/// #     Measurement::new(
/// #         AtomDomain::new(),
/// #         DiscreteDistance,
/// #         MaxDivergence,
/// #         move |&answer, mut entropy| Ok(answer == bernoulli(&truth, &mut entropy)?),
/// #         PrivacyMap::new(move |&d_in| Ok(if d_in == 0 { Up::ZERO } else { ratio.ln() })),
/// #     )
/// # }
/// use lastbit::composition::filtered;
/// let composition =
///     filtered(AtomDomain::<bool>::new(), DiscreteDistance, MaxDivergence, 1, Up::exact(2.5))?;
/// assert_eq!(composition.map(&1)?.get(), 2.5);
///
/// let mut queryable = composition.invoke(&true)?;
/// let loud = randomized_response(Rational::new(4, 5))?; // ln 4 = 1.39
/// queryable.ask(&loud)?;
/// assert!(queryable.ask(&loud).unwrap_err().is_budget());
/// let quiet = randomized_response(Rational::new(2, 3))?; // ln 2 = 0.69 still fits
/// queryable.ask(&quiet)?;
/// # Ok::<(), Error>(())
/// ```
pub fn filtered<DI, MI, MO>(
    input_domain: DI,
    input_metric: MI,
    output_measure: MO,
    d_in: MI::Distance,
    budget: MO::Distance,
) -> Result<Interactive<DI, MI, Filter<MO>>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric<Distance: PartialOrd>,
    MO: Budgeted,
{
    let account = Filter::new(output_measure, budget)?;
    let total = account.budget().clone();
    interactive(input_domain, input_metric, d_in, account, total)
}

/// A budget that cannot be exceeded: a loss that does not fit is refused, and nothing is spent on
/// it.
///
/// Sums are exact: a loss is accepted if and only if the exact sum with it is at most the budget.
/// The smallest f64 that bounds 1/10 lies above it, so ten of them do *not* fit in 1. For a known
/// list, set the budget to what [`compose`](super::Composable::compose) says.
///
/// Two Rényi curves have no order that can be decided, so there is no filter over them: convert to
/// zCDP or (ε, δ) first.
///
/// Releases whose losses, each chosen after seeing the answers before it, pass one filter are
/// together within the budget.
///
/// **Proof.** By induction on the number of releases left: let any way to choose them under a
/// budget r be within r. Under a budget b, the first release has a loss ε ≤ b that was known before
/// its answer y, and the rest are within `b − ε` whatever y is. The proof of
/// [`adaptive`](super::adaptive()) with `r = b − ε` bounds all of them by b. With δ, the parts of
/// both add up in the same way. ∎ (Rogers, Roth, Ullman and Vadhan, 2016; for Rényi, Feldman and
/// Zrnic, 2021.)
///
/// ```
/// use lastbit::composition::{Account, Filter};
/// use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
/// use lastbit::Up;
/// let loss = |epsilon, delta| EpsilonDelta::new(Up::exact(epsilon), Up::exact(delta));
/// let mut filter = Filter::new(Approximate(MaxDivergence), loss(1.0, 0.5)?)?;
/// filter.charge(&loss(0.5, 0.125)?)?;
/// assert_eq!(filter.remaining()?, loss(0.5, 0.375)?);
/// assert_eq!(
///     filter.charge(&loss(0.75, 0.125)?).unwrap_err().to_string(),
///     "over budget: requested (0.75, 0.125), remaining (0.5, 0.375), difference (0.25, 0); \
///      ask for less, or raise the budget"
/// );
/// assert_eq!(filter.spent()?, loss(0.5, 0.125)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Filter<MO: Budgeted> {
    measure: MO,
    budget: MO::Distance,
    // spent ≤ budget in every part, exactly.
    spent: MO::Total,
}

impl<MO: Budgeted> Filter<MO> {
    /// A budget of which nothing is spent.
    pub fn new(measure: MO, budget: MO::Distance) -> Result<Filter<MO>, Error> {
        measure.check_adaptive()?;
        budget.check()?;
        Ok(Filter {
            measure,
            budget,
            spent: MO::Total::default(),
        })
    }

    /// The budget.
    pub fn budget(&self) -> &MO::Distance {
        &self.budget
    }

    /// `Σ losses ≤ spent ≤ budget`.
    pub fn spent(&self) -> Result<MO::Distance, Error> {
        self.measure.read(&self.spent)
    }

    /// The largest loss that will be accepted: what to solve a noise scale for.
    pub fn remaining(&self) -> Result<MO::Distance, Error> {
        self.measure.remaining(&self.budget, &self.spent)
    }
}

impl<MO: Budgeted> Account for Filter<MO> {
    type Measure = MO;

    fn measure(&self) -> &MO {
        &self.measure
    }

    fn charge(&mut self, loss: &MO::Distance) -> Result<(), Error> {
        loss.check()?;
        let remaining = self.remaining()?;
        if *loss <= remaining {
            self.measure.add(&mut self.spent, loss)
        } else {
            Err(over(&self.measure, loss, &remaining))
        }
    }
}

impl<MO: Budgeted> sealed::Accounting for Filter<MO> {}
