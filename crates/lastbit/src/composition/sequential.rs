use core::fmt::Display;

use super::Composable;
use crate::metrics::Metric;
use crate::{Error, Measurement, MetricSpace, PrivacyMap};

/// Several releases from the same data, fixed in advance: the losses add up, in the measure of the
/// releases.
///
/// `Σ map_i(d_in) ≤ map(d_in)`, the smallest such loss that the type holds; the proof is with
/// [`Composable`]. Each release draws its own randomness. To choose a release after seeing others,
/// use [`adaptive`](super::adaptive()) or [`filtered`](super::filtered()).
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
/// use lastbit::composition::sequential;
/// // Tell the truth with probability 3/4, and again with probability 2/3.
/// let both = sequential([
///     randomized_response(Rational::new(3, 4))?,
///     randomized_response(Rational::new(2, 3))?,
/// ])?;
/// let answers = both.invoke(&true)?;
/// assert_eq!(answers.len(), 2);
/// assert!((both.map(&1)?.get() - 6f64.ln()).abs() < 1e-15); // ln 3 + ln 2
/// # Ok::<(), Error>(())
/// ```
pub fn sequential<DI, MI, MO, TO>(
    releases: impl IntoIterator<Item = Measurement<DI, MI, MO, TO>>,
) -> Result<Measurement<DI, MI, MO, Vec<TO>>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Composable,
    TO: 'static,
{
    let releases: Vec<Measurement<DI, MI, MO, TO>> = releases.into_iter().collect();
    let Some(first) = releases.first() else {
        return Err(Error::composition(
            "there is no release to compose; give at least one",
        ));
    };
    for release in &releases {
        same(first, release)?;
    }
    let (domain, metric, measure) = space(first);
    let maps: Vec<PrivacyMap<MI, MO>> = releases
        .iter()
        .map(|release| release.privacy_map().clone())
        .collect();
    let adding = measure.clone();
    Measurement::new(
        domain,
        metric,
        measure,
        move |argument, entropy| {
            let answers = releases.iter();
            answers
                .map(|release| release.invoke_with(argument, entropy))
                .collect()
        },
        PrivacyMap::new(move |d_in| {
            let mut total = MO::Total::default();
            for map in &maps {
                adding.add(&mut total, &map.eval(d_in)?)?;
            }
            adding.read(&total)
        }),
    )
}

/// Two releases of different types from the same data: `map_1(d_in) + map_2(d_in) ≤ map(d_in)`.
/// Pairs of pairs make longer ones.
///
/// ```
/// # use lastbit::domains::AtomDomain;
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::DiscreteDistance;
/// # use lastbit::{Measurement, PrivacyMap};
/// # use lastbit::Up;
/// # let release = Measurement::new(
/// #     AtomDomain::<bool>::new(),
/// #     DiscreteDistance,
/// #     MaxDivergence,
/// #     |_, _| Ok(true),
/// #     PrivacyMap::new(|_| Ok(Up::ONE)),
/// # )?;
/// use lastbit::composition::pair;
/// let text = release.post(|answer| Ok(answer.to_string()));
/// let (answer, text): (bool, String) = pair(&release, &text)?.invoke(&true)?;
/// assert_eq!(pair(&release, &release)?.map(&1)?.get(), 2.0);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn pair<DI, MI, MO, TO, TP>(
    first: &Measurement<DI, MI, MO, TO>,
    second: &Measurement<DI, MI, MO, TP>,
) -> Result<Measurement<DI, MI, MO, (TO, TP)>, Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Composable,
    TO: 'static,
    TP: 'static,
{
    same(first, second)?;
    let (domain, metric, measure) = space(first);
    let adding = measure.clone();
    let maps = (first.privacy_map().clone(), second.privacy_map().clone());
    let releases = (first.clone(), second.clone());
    Measurement::new(
        domain,
        metric,
        measure,
        move |argument, entropy| {
            let first = releases.0.invoke_with(argument, entropy)?;
            Ok((first, releases.1.invoke_with(argument, entropy)?))
        },
        PrivacyMap::new(move |d_in| adding.compose(&[maps.0.eval(d_in)?, maps.1.eval(d_in)?])),
    )
}

fn space<DI, MI, MO, TO>(release: &Measurement<DI, MI, MO, TO>) -> (DI, MI, MO)
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Composable,
    TO: 'static,
{
    (
        release.input_domain().clone(),
        release.input_metric().clone(),
        release.output_measure().clone(),
    )
}

fn same<DI, MI, MO, TO, TP>(
    first: &Measurement<DI, MI, MO, TO>,
    other: &Measurement<DI, MI, MO, TP>,
) -> Result<(), Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Composable,
    TO: 'static,
    TP: 'static,
{
    same_space(
        (
            first.input_domain(),
            first.input_metric(),
            first.output_measure(),
        ),
        other,
    )
}

/// Refuses a release over another space, or in another measure, than the others.
pub(super) fn same_space<DI, MI, MO, TO>(
    space: (&DI, &MI, &MO),
    release: &Measurement<DI, MI, MO, TO>,
) -> Result<(), Error>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Composable,
    TO: 'static,
{
    equal("domain", space.0, release.input_domain())?;
    equal("metric", space.1, release.input_metric())?;
    equal("measure", space.2, release.output_measure())
}

pub(super) fn equal<T: PartialEq + Display>(
    what: &str,
    expected: &T,
    given: &T,
) -> Result<(), Error> {
    if expected == given {
        return Ok(());
    }
    Err(Error::composition(format!(
        "cannot compose: the {what} is {expected}, and that of a release {given}; make them \
         equal, or chain a transformation before it"
    )))
}
