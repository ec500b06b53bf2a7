use core::fmt::Debug;

use super::queryable::{interactive, sealed};
use super::{Account, Budgeted, Interactive};
use crate::metrics::Metric;
use crate::{Distance, Error, MetricSpace};

/// Releases chosen one after another, the i-th of them with a loss of at most `losses[i]` at
/// `d_in`.
///
/// The result is a measurement whose output is a [`Queryable`](super::Queryable);
/// `Σ losses ≤ map(d)` for `d ≤ d_in`. Only in measures whose losses add up adaptively: bounded
/// range is refused, and is to be cast first.
///
/// **Proof.** By induction on the number of releases. Let the first have laws P, Q and answer y,
/// and given y let the rest have laws `R_y`, `S_y`, whose loss is at most r = Σ of the losses after
/// the first, whatever y is.
/// - *Pure.* `P(y)R_y(z) ≤ e^ε Q(y)·e^r S_y(z)`.
/// - *Rényi at one order, and zCDP.*
///   `Σ P(y)^α Q(y)^(1−α) Σ R_y(z)^α S_y(z)^(1−α) ≤ e^((α−1)ε) e^((α−1)r)`.
/// - *Up to δ.* With `P = (1−δ)P′ + δP″` and `R_y = (1−γ)R_y′ + γR_y″`, the part `P′R′` has weight
///   `(1−δ)(1−γ) ≥ 1 − δ − γ`, the same for both data sets, and the cases above hold for it. ∎
///
/// Bounded range has no such proof: the interval of length η that holds the losses of the second
/// release may lie elsewhere for each y, so that the sum is not bounded by the lengths.
///
/// ```
/// # use lastbit::domains::AtomDomain;
/// # use lastbit::measures::{MaxDivergence, RangeDivergence};
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
/// use lastbit::composition::adaptive;
/// let losses = vec![Up::exact(0.5), Up::exact(1.5)];
/// let composition =
///     adaptive(AtomDomain::<bool>::new(), DiscreteDistance, MaxDivergence, 1, losses)?;
/// assert_eq!(composition.map(&1)?.get(), 2.0);
///
/// let mut queryable = composition.invoke(&true)?;
/// let quiet = randomized_response(Rational::new(3, 5))?; // ln(3/2) = 0.41
/// let loud = randomized_response(Rational::new(4, 5))?; // ln 4 = 1.39
/// // the first may cost 0.5; nothing is spent
/// assert!(queryable.ask(&loud).unwrap_err().is_budget());
/// if queryable.ask(&quiet)? {
///     queryable.ask(&loud)?;
/// } else {
///     queryable.ask(&quiet)?;
/// }
/// assert!(queryable.ask(&quiet).unwrap_err().is_composition()); // both are made
///
/// let refused =
///     adaptive(AtomDomain::<bool>::new(), DiscreteDistance, RangeDivergence, 1, vec![Up::ONE])
///         .unwrap_err();
/// assert!(refused.is_composition() && refused.to_string().contains("bounded_range_to_zcdp"));
/// # Ok::<(), Error>(())
/// ```
pub fn adaptive<DI, MI, MO>(
    input_domain: DI,
    input_metric: MI,
    output_measure: MO,
    d_in: MI::Distance,
    losses: Vec<MO::Distance>,
) -> Result<Interactive<DI, MI, Declared<MO>>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric<Distance: PartialOrd>,
    MO: Budgeted,
{
    let account = Declared::new(output_measure, losses)?;
    let total = account.total()?;
    interactive(input_domain, input_metric, d_in, account, total)
}

/// Losses declared in advance, one for each release in turn.
///
/// ```
/// use lastbit::composition::{Account, Declared};
/// use lastbit::measures::ZeroConcentratedDivergence;
/// use lastbit::Up;
/// let mut declared =
///     Declared::new(ZeroConcentratedDivergence, vec![Up::exact(0.25), Up::exact(0.5)])?;
/// declared.charge(&Up::exact(0.125))?; // what a release leaves of its own loss is not passed on
/// assert_eq!(declared.next_loss(), Some(&Up::exact(0.5)));
/// assert_eq!(
///     declared.charge(&Up::exact(0.75)).unwrap_err().to_string(),
///     "over budget: requested 0.75, remaining 0.5, difference 0.25; ask for less, or raise the \
///      budget"
/// );
/// assert_eq!(declared.total()?.get(), 0.75);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Declared<MO: Budgeted> {
    measure: MO,
    losses: Vec<MO::Distance>,
    used: usize,
}

impl<MO: Budgeted> Declared<MO> {
    /// The largest losses of the first, the second and every further release.
    pub fn new(measure: MO, losses: Vec<MO::Distance>) -> Result<Declared<MO>, Error> {
        measure.check_adaptive()?;
        for loss in &losses {
            loss.check()?;
        }
        Ok(Declared {
            measure,
            losses,
            used: 0,
        })
    }

    /// `Σ losses ≤ total`: what all releases together may cost.
    pub fn total(&self) -> Result<MO::Distance, Error> {
        self.measure.compose(&self.losses)
    }

    /// What the next release may cost, if there may be one.
    pub fn next_loss(&self) -> Option<&MO::Distance> {
        self.losses.get(self.used)
    }

    /// How many releases may still be made.
    pub fn releases_left(&self) -> usize {
        self.losses.len() - self.used
    }
}

impl<MO: Budgeted> Account for Declared<MO> {
    type Measure = MO;

    fn measure(&self) -> &MO {
        &self.measure
    }

    fn charge(&mut self, loss: &MO::Distance) -> Result<(), Error> {
        loss.check()?;
        match self.next_loss() {
            Some(allowed) if loss <= allowed => {
                self.used += 1;
                Ok(())
            }
            Some(allowed) => Err(over(&self.measure, loss, allowed)),
            None => Err(Error::composition(format!(
                "all {} declared releases are made; declare more losses in advance, or use a \
                 filter",
                self.losses.len()
            ))),
        }
    }
}

impl<MO: Budgeted> sealed::Accounting for Declared<MO> {}

/// The refusal: requested, remaining, difference.
pub(super) fn over<MO: Budgeted>(
    measure: &MO,
    requested: &MO::Distance,
    remaining: &MO::Distance,
) -> Error {
    Error::budget(requested, remaining, &measure.excess(requested, remaining))
}
