use super::Budgeted;
use super::sequential::equal;
use crate::domains::{Domain, VectorDomain};
use crate::metrics::SymmetricDistance;
use crate::transformations::RowMetric;
use crate::{Error, Measurement, MetricSpace, PrivacyMap};

/// One release from each of several disjoint parts of the rows: a person in one part costs the
/// largest loss, not the sum.
///
/// `part_of` names the part of a row by its index in `releases`, from the row alone; rows that it
/// gives no index of a release are left out. The number of parts is public, the number of rows in
/// each is not. So the releases are over vectors of any size under symmetric distance, even if the
/// whole has a public size.
///
/// The loss at a distance d is the largest `Σ map_i(d_i)` over whole numbers with `Σ d_i ≤ t`:
///
/// | metric of the whole | t | at d = 1 |
/// |---|---|---|
/// | [`SymmetricDistance`] | d | `max map_i(1)` |
/// | [`ChangeOneDistance`] | 2d | `max map_i(2)`, or the two largest `map_i(1)` if that is more |
///
/// The last because a person may move from one part to another.
///
/// [`ChangeOneDistance`]: crate::metrics::ChangeOneDistance
///
/// **Proof.** Let `x_i`, `y_i` be part i of two data sets x, y. Rows go to parts by themselves, so
/// the rows without a partner are divided among the parts: `Σ |x_i Δ y_i| ≤ |x Δ y|`, which is d
/// under symmetric distance and 2d under change-one distance. The answers are independent given the
/// data, and fixed in advance, so the loss is at most `Σ map_i(|x_i Δ y_i|)`; a part without a
/// change has the same law for both, and adds nothing. Maps do not fall, so the largest such sum
/// bounds all. ∎
///
/// For many parts times a large distance (`parts·t² > 2^20`) the sum is bounded by
/// `min(t, parts)·max map_i(t)` instead, which is larger and quick.
///
/// ```
/// # use lastbit::domains::{AtomDomain, VectorDomain};
/// # use lastbit::measures::MaxDivergence;
/// # use lastbit::metrics::SymmetricDistance;
/// # use lastbit::{Error, Measurement, PrivacyMap};
/// # use lastbit::{Rational, Up};
/// # fn count(
/// #     epsilon: f64,
/// # ) -> Result<
/// #     Measurement<VectorDomain<AtomDomain<i64>>, SymmetricDistance, MaxDivergence, usize>,
/// #     Error,
/// # > {
/// #     Measurement::new(
/// #         VectorDomain::new(AtomDomain::new()),
/// #         SymmetricDistance,
/// #         MaxDivergence,
/// #         |rows, _| Ok(rows.len()),
/// #         PrivacyMap::new(move |&d_in| {
/// #             Ok(Up::exact(epsilon) * Up::from_rational(&Rational::from(d_in)))
/// #         }),
/// #     )
/// # }
/// use lastbit::composition::parallel;
/// use lastbit::metrics::ChangeOneDistance;
///
/// // Counts of minors at ε = 1, and of adults at ε = 1/2.
/// let rows = VectorDomain::new(AtomDomain::<i64>::new());
/// let part_of = |age: &i64| Some(usize::from(*age >= 18));
/// let counts =
///     parallel(rows.clone(), SymmetricDistance, part_of, vec![count(1.0)?, count(0.5)?])?;
/// assert_eq!(counts.map(&1)?.get(), 1.0);
///
/// // A changed row may leave one part and enter another: both losses; or change within the first:
/// // twice its loss.
/// let counts =
///     parallel(rows.with_size(3), ChangeOneDistance, part_of, vec![count(1.0)?, count(0.5)?])?;
/// assert_eq!(counts.map(&1)?.get(), 2.0);
/// # Ok::<(), Error>(())
/// ```
pub fn parallel<D, MI, MO, TO>(
    input_domain: VectorDomain<D>,
    input_metric: MI,
    part_of: impl Fn(&D::Carrier) -> Option<usize> + Send + Sync + 'static,
    releases: Vec<Measurement<VectorDomain<D>, SymmetricDistance, MO, TO>>,
) -> Result<Measurement<VectorDomain<D>, MI, MO, Vec<TO>>, Error>
where
    D: Domain,
    VectorDomain<D>: MetricSpace<MI, Carrier = Vec<D::Carrier>>,
    MI: RowMetric,
    MO: Budgeted,
    TO: 'static,
{
    let Some(first) = releases.first() else {
        return Err(Error::composition(
            "there is no part to release from; give one release for each part",
        ));
    };
    let measure = first.output_measure().clone();
    let part = input_domain.clone().without_size();
    for release in &releases {
        equal("domain of a part", &part, release.input_domain())?;
        equal("measure", &measure, release.output_measure())?;
    }
    let maps: Vec<PrivacyMap<SymmetricDistance, MO>> = releases
        .iter()
        .map(|release| release.privacy_map().clone())
        .collect();
    let (metric, pricing) = (input_metric.clone(), measure.clone());
    Measurement::new(
        input_domain,
        input_metric,
        measure,
        move |rows: &Vec<D::Carrier>, entropy| {
            let mut parts: Vec<Vec<D::Carrier>> = vec![Vec::new(); releases.len()];
            for row in rows {
                if let Some(part) = part_of(row).and_then(|index| parts.get_mut(index)) {
                    part.push(row.clone());
                }
            }
            let pairs = releases.iter().zip(&parts);
            pairs
                .map(|(release, part)| release.invoke_with(part, entropy))
                .collect()
        },
        PrivacyMap::new(move |d_in| largest_sum(&pricing, &maps, metric.unpaired_rows(d_in)?)),
    )
}

type PartMap<MO> = PrivacyMap<SymmetricDistance, MO>;

const STEPS: u64 = 1 << 20;

/// The largest `Σ map_i(d_i)` over `Σ d_i ≤ rows`.
fn largest_sum<MO: Budgeted>(
    measure: &MO,
    maps: &[PartMap<MO>],
    rows: u64,
) -> Result<MO::Distance, Error> {
    let parts = maps.len() as u64;
    let steps = rows.checked_mul(rows).and_then(|s| s.checked_mul(parts));
    if steps.is_none_or(|steps| steps > STEPS) {
        return many(measure, maps, rows);
    }
    // best[t] is the largest sum over the parts so far with Σ d_i = t. A part without a change adds
    // nothing.
    let nothing = measure.read(&MO::Total::default())?;
    let mut best = vec![nothing; rows as usize + 1];
    for map in maps {
        let losses: Vec<MO::Distance> = (1..=rows)
            .map(|here| map.eval(&here))
            .collect::<Result<_, Error>>()?;
        // Downward, so that best[t − here] is still without this part.
        for t in (1..best.len()).rev() {
            for here in 1..=t {
                let loss = &losses[here - 1];
                let sum = if here == t {
                    loss.clone()
                } else {
                    measure.compose([&best[t - here], loss])?
                };
                best[t] = measure.larger(&best[t], &sum);
            }
        }
    }
    let all = best.iter().skip(1);
    Ok(all.fold(best[0].clone(), |a, b| measure.larger(&a, b)))
}

/// `Σ map_i(d_i) ≤ min(rows, parts)·max map_i(rows)`, since no more than that many parts change.
fn many<MO: Budgeted>(
    measure: &MO,
    maps: &[PartMap<MO>],
    rows: u64,
) -> Result<MO::Distance, Error> {
    let mut largest = measure.read(&MO::Total::default())?;
    for map in maps {
        largest = measure.larger(&largest, &map.eval(&rows)?);
    }
    let touched = rows.min(maps.len() as u64) as usize;
    measure.compose(core::iter::repeat_n(&largest, touched))
}
