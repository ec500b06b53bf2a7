use core::fmt;

use lastbit_noise::entropy::{Entropy, System};

use super::Composable;
use super::sequential::same_space;
use crate::measures::Measure;
use crate::metrics::Metric;
use crate::{Distance, Error, Measurement, MetricSpace, PrivacyMap};

/// Who decides whether a release may be made, and remembers its loss:
/// [`Declared`](super::Declared), [`Filter`](super::Filter) or [`Odometer`](super::Odometer).
///
/// ```
/// use lastbit::composition::{Account, Filter};
/// use lastbit::measures::MaxDivergence;
/// use lastbit::Up;
/// let mut filter = Filter::new(MaxDivergence, Up::ONE)?;
/// filter.charge(&Up::exact(0.75))?;
/// assert!(filter.charge(&Up::exact(0.5)).unwrap_err().is_budget());
/// filter.charge(&Up::exact(0.25))?; // the refusal cost nothing
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Account: sealed::Accounting + Send + Sync + 'static {
    /// The measure of the losses.
    type Measure: Composable;

    /// The measure of the losses.
    fn measure(&self) -> &Self::Measure;

    /// Records a loss before the release is made, or refuses it and stays as it was.
    fn charge(&mut self, loss: &<Self::Measure as Measure>::Distance) -> Result<(), Error>;
}

pub(super) mod sealed {
    /// The accounts of this crate: each has a proof that what it lets through is within what it
    /// states.
    pub trait Accounting {}
}

/// Data that answers releases one after another, each chosen after seeing the answers before it.
///
/// Made by [`adaptive`](super::adaptive()), [`filtered`](super::filtered()), or [`Queryable::new`]
/// with an [`Odometer`](super::Odometer). It holds the data and never shows it.
///
/// **What an error costs.** The loss is charged before the release is made, and stays charged
/// whatever becomes of it. A refusal, for want of budget or because the release does not fit the
/// data's domain, is decided from public facts and costs nothing. A release that fails once it has
/// begun costs its whole loss, and its cause is not shown: which cast failed, and at which row, is
/// a fact about the data that no map accounts for. The next release can be asked for in either
/// case. No measurement of this crate fails on data of its domain but for want of randomness; one
/// that the caller builds must not either, or its map is false.
///
/// **Several at once.** Answers of several queryables may be interleaved, also of one that was
/// itself an answer: a queryable's loss is paid in whole when it is made. In pure privacy the
/// probability of all answers is a product with one factor for each queryable, so losses add; for
/// (ε, δ), Rényi and zCDP this is concurrent composition (Vadhan and Wang, 2021; Lyu, 2022; Vadhan
/// and Zhang, 2023).
///
/// ```
/// # use lastbit::domains::AtomDomain;
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::DiscreteDistance;
/// # use lastbit::{Measurement, PrivacyMap};
/// # use lastbit::{Rational, Up};
/// # use lastbit_noise::bernoulli;
/// use lastbit::composition::{Odometer, Queryable};
/// # let truth = Rational::new(3, 4);
/// # let randomized_response = Measurement::new(
/// #     AtomDomain::<bool>::new(),
/// #     DiscreteDistance,
/// #     MaxDivergence,
/// #     move |&answer, mut entropy| Ok(answer == bernoulli(&truth, &mut entropy)?),
/// #     PrivacyMap::new(|&d_in| Ok(if d_in == 0 { Up::ZERO } else { Up::exact(3.0).ln() })),
/// # )?;
/// let mut queryable = Queryable::new(
///     AtomDomain::new(),
///     DiscreteDistance,
///     true,
///     1,
///     Odometer::new(MaxDivergence)?,
/// )?;
/// while !queryable.ask(&randomized_response)? {} // until the first yes
/// let spent = queryable.account().spent()?;
/// assert!(spent.get() >= 3f64.ln());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub struct Queryable<DI: MetricSpace<MI>, MI: Metric, A> {
    input_domain: DI,
    input_metric: MI,
    data: DI::Carrier,
    d_in: MI::Distance,
    account: A,
}

impl<DI, MI, A> Queryable<DI, MI, A>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    A: Account,
{
    /// Data in a domain, of which neighbours at distance at most `d_in` are to be
    /// indistinguishable.
    pub fn new(
        input_domain: DI,
        input_metric: MI,
        data: DI::Carrier,
        d_in: MI::Distance,
        account: A,
    ) -> Result<Self, Error> {
        input_domain.check_space(&input_metric)?;
        d_in.check()?;
        if !input_domain.contains(&data) {
            return Err(crate::measurement::outside(&input_domain));
        }
        Ok(Queryable {
            input_domain,
            input_metric,
            data,
            d_in,
            account,
        })
    }

    /// One release with the system's randomness, if the account allows its loss at `d_in`.
    pub fn ask<TO: 'static>(
        &mut self,
        release: &Measurement<DI, MI, A::Measure, TO>,
    ) -> Result<TO, Error> {
        self.ask_with(release, &mut System::default())
    }

    /// One release with a given source of randomness, as tests need it.
    pub fn ask_with<TO: 'static>(
        &mut self,
        release: &Measurement<DI, MI, A::Measure, TO>,
        entropy: &mut dyn Entropy,
    ) -> Result<TO, Error> {
        let space = (
            &self.input_domain,
            &self.input_metric,
            self.account.measure(),
        );
        same_space(space, release)?;
        let loss = release.map(&self.d_in)?;
        // Before the release: whatever ends it, the loss is on record.
        self.account.charge(&loss)?;
        let answer = release.invoke_with(&self.data, entropy);
        answer.map_err(|_| Error::failed())
    }

    /// What was spent, and what may be.
    pub fn account(&self) -> &A {
        &self.account
    }

    /// The distance at which losses are charged.
    pub fn d_in(&self) -> &MI::Distance {
        &self.d_in
    }
}

impl<DI, MI, A> fmt::Debug for Queryable<DI, MI, A>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    A: fmt::Debug,
{
    /// Without the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queryable")
            .field("input_domain", &self.input_domain)
            .field("input_metric", &self.input_metric)
            .field("d_in", &self.d_in)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

/// A measurement whose output answers further releases.
///
/// ```
/// use lastbit::composition::{Filter, Interactive, filtered};
/// use lastbit::domains::AtomDomain;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::metrics::DiscreteDistance;
/// use lastbit::Up;
/// let composition: Interactive<AtomDomain<bool>, DiscreteDistance, Filter<MaxDivergence>> =
///     filtered(AtomDomain::new(), DiscreteDistance, MaxDivergence, 1, Up::ONE)?;
/// assert!(composition.map(&2).unwrap_err().is_unbounded()); // it was built for distance 1
/// # Ok::<(), lastbit::Error>(())
/// ```
pub type Interactive<DI, MI, A> =
    Measurement<DI, MI, <A as Account>::Measure, Queryable<DI, MI, A>>;

/// Data put under an account whose losses at `d_in` are together within `total`.
pub(super) fn interactive<DI, MI, A>(
    input_domain: DI,
    input_metric: MI,
    d_in: MI::Distance,
    account: A,
    total: <A::Measure as Measure>::Distance,
) -> Result<Interactive<DI, MI, A>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric<Distance: PartialOrd>,
    A: Account + Clone,
{
    d_in.check()?;
    let map = up_to(d_in.clone(), total);
    let (domain, metric) = (input_domain.clone(), input_metric.clone());
    Measurement::new(
        input_domain,
        input_metric,
        account.measure().clone(),
        move |data: &DI::Carrier, _| {
            let (domain, metric) = (domain.clone(), metric.clone());
            let (data, d_in) = (data.clone(), d_in.clone());
            Queryable::new(domain, metric, data, d_in, account.clone())
        },
        map,
    )
}

/// One loss for every distance up to `largest`, and none beyond it.
fn up_to<MI, MO>(largest: MI::Distance, loss: MO::Distance) -> PrivacyMap<MI, MO>
where
    MI: Metric<Distance: PartialOrd>,
    MO: Measure,
{
    PrivacyMap::new(move |d_in: &MI::Distance| {
        if *d_in <= largest {
            return Ok(loss.clone());
        }
        Err(Error::unbounded(format!(
            "the losses were set for distances up to {largest}, and say nothing at {d_in}; build \
             the composition for the larger distance"
        )))
    })
}
