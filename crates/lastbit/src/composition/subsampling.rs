use lastbit_exact::Rational;
use lastbit_noise::entropy::Entropy;
use lastbit_noise::{bernoulli, uniform_u64_below};

use super::Amplified;
use super::amplification::check_rate;
use crate::domains::{Domain, VectorDomain};
use crate::metrics::{ChangeOneDistance, Metric, SymmetricDistance};
use crate::{Error, Measurement, MetricSpace, PrivacyMap};

/// The release made from a Poisson sample: every row is in it with probability `rate`, by itself.
///
/// At distance 1 the loss is `ln(1 + q(e^ε − 1))`, and qδ, by the theorem of [`Amplified`]; at
/// larger distances by steps of 1. The sample is drawn afresh in every call and is not shown, so
/// several such releases compose like any others. To make several releases from *one* sample,
/// compose first and sample then: their losses add up before they are amplified.
///
/// The time of a call depends on the size of the sample, as it does on the number of rows.
///
/// ```
/// # use lastbit::domains::{AtomDomain, VectorDomain};
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::SymmetricDistance;
/// # use lastbit::{Error, Measurement, PrivacyMap};
/// # use lastbit::{Rational, Up};
/// # fn count() -> Result<
/// #     Measurement<VectorDomain<AtomDomain<i64>>, SymmetricDistance, MaxDivergence, usize>,
/// #     Error,
/// # > {
/// #     Measurement::new(
/// #         VectorDomain::new(AtomDomain::new()),
/// #         SymmetricDistance,
/// #         MaxDivergence,
/// #         |rows, _| Ok(rows.len()),
/// #         PrivacyMap::new(|&d_in| {
/// #             Ok(Up::exact(9.0).ln() * Up::from_rational(&Rational::from(d_in)))
/// #         }),
/// #     )
/// # }
/// use lastbit::composition::{poisson_subsample, sequential};
/// let rate = Rational::new(1, 10);
/// let sampled = poisson_subsample(&count()?, &rate)?; // count() alone costs ln 9
/// assert!((sampled.map(&1)?.get() - 1.8f64.ln()).abs() < 1e-15);
///
/// let one_sample_each = sequential([sampled.clone(), sampled])?;
/// assert!((one_sample_each.map(&1)?.get() - 3.24f64.ln()).abs() < 1e-15);
/// let one_sample_for_both = poisson_subsample(&sequential([count()?, count()?])?, &rate)?;
/// assert!((one_sample_for_both.map(&1)?.get() - 9f64.ln()).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn poisson_subsample<D, MO, TO>(
    release: &Measurement<VectorDomain<D>, SymmetricDistance, MO, TO>,
    rate: &Rational,
) -> Result<Measurement<VectorDomain<D>, SymmetricDistance, MO, TO>, Error>
where
    D: Domain,
    MO: Amplified,
    TO: 'static,
{
    check_rate(rate)?;
    if let Some(size) = release.input_domain().size() {
        return Err(Error::composition(format!(
            "a Poisson sample has no fixed size, and the release wants {size} rows; give it a \
             domain without a size, or sample without replacement"
        )));
    }
    let (sampled, chance) = (release.clone(), rate.clone());
    Measurement::new(
        release.input_domain().clone(),
        SymmetricDistance,
        release.output_measure().clone(),
        move |rows: &Vec<D::Carrier>, mut entropy: &mut dyn Entropy| {
            let mut sample = Vec::new();
            for row in rows {
                if bernoulli(&chance, &mut entropy)? {
                    sample.push(row.clone());
                }
            }
            sampled.invoke_with(&sample, entropy)
        },
        amplified_map(release, rate),
    )
}

/// The release made from a uniform sample of the rows without replacement: of `population` rows, as
/// many as the release wants.
///
/// At distance 1 the loss is `ln(1 + q(e^ε − 1))`, and qδ, for `q = size/population`, by the
/// theorem of [`Amplified`]; at larger distances by steps of 1. The sample is drawn afresh in every
/// call and is not shown: see [`poisson_subsample`] for what that means for composition.
///
/// ```
/// # use lastbit::domains::{AtomDomain, VectorDomain};
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::ChangeOneDistance;
/// # use lastbit::{Measurement, PrivacyMap};
/// # use lastbit::{Rational, Up};
/// # let rows = VectorDomain::new(AtomDomain::<i64>::new()).with_size(10);
/// # let release = Measurement::new(
/// #     rows,
/// #     ChangeOneDistance,
/// #     MaxDivergence,
/// #     |rows: &Vec<i64>, _| Ok(rows.len()),
/// #     PrivacyMap::new(|&d_in| {
/// #         Ok(Up::exact(9.0).ln() * Up::from_rational(&Rational::from(d_in)))
/// #     }),
/// # )?;
/// use lastbit::composition::subsample_without_replacement;
/// // `release` is from 10 rows and costs ln 9.
/// let sampled = subsample_without_replacement(&release, 100)?;
/// assert_eq!(sampled.input_domain().size(), Some(100));
/// assert!((sampled.map(&1)?.get() - 1.8f64.ln()).abs() < 1e-15);
/// assert!(subsample_without_replacement(&release, 5).is_err());
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn subsample_without_replacement<D, MO, TO>(
    release: &Measurement<VectorDomain<D>, ChangeOneDistance, MO, TO>,
    population: usize,
) -> Result<Measurement<VectorDomain<D>, ChangeOneDistance, MO, TO>, Error>
where
    D: Domain,
    MO: Amplified,
    TO: 'static,
{
    // Change-one distance has a public size, or the release could not have been built.
    let size = release.input_domain().size().unwrap_or(0);
    if population == 0 || size > population {
        return Err(Error::composition(format!(
            "cannot sample {size} of {population} rows without replacement; give a population of \
             at least {}",
            size.max(1)
        )));
    }
    let rate = Rational::new(size as u64, population as u64);
    let sampled = release.clone();
    Measurement::new(
        release.input_domain().clone().with_size(population),
        ChangeOneDistance,
        release.output_measure().clone(),
        move |rows: &Vec<D::Carrier>, mut entropy: &mut dyn Entropy| {
            let mut sample = Vec::with_capacity(size);
            for (i, row) in rows.iter().enumerate() {
                // Of the rows from here on, each is equally likely to be among those still wanted.
                let (left, wanted) = (population - i, size - sample.len());
                if uniform_u64_below(left as u64, &mut entropy)? < wanted as u64 {
                    sample.push(row.clone());
                }
            }
            sampled.invoke_with(&sample, entropy)
        },
        amplified_map(release, &rate),
    )
}

fn amplified_map<DI, MI, MO, TO>(
    release: &Measurement<DI, MI, MO, TO>,
    rate: &Rational,
) -> PrivacyMap<MI, MO>
where
    DI: MetricSpace<MI>,
    MI: Metric<Distance = u64>,
    MO: Amplified,
    TO: 'static,
{
    let (map, measure, rate) = (
        release.privacy_map().clone(),
        release.output_measure().clone(),
        rate.clone(),
    );
    PrivacyMap::new(move |&d_in| {
        let one = measure.amplify(&[map.eval(&1)?], &rate)?;
        measure.group(&one, d_in)
    })
}
