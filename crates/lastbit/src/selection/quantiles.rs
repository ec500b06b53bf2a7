mod law;

use core::iter;

use lastbit_exact::{Rational, Up};

use super::bisection::{Bisection, levels};
use super::key::{Key, places};
use super::rank_of;
use crate::conversions::bounded_range_to_zcdp;
use crate::domains::{Atom, AtomDomain, VectorDomain};
use crate::measures::{MaxDivergence, Measure, ZeroConcentratedDivergence};
use crate::mechanisms::exponential::{Exponential, Run, SelectionError};
use crate::mechanisms::flat_concave::{Method, loss_of_quality};
use crate::metrics::ChangeOneDistance;
use crate::quality::{LARGEST_SIZE, QualityError, StepFunction};
use crate::{Beta, Epsilon, Error, Measurement, MetricSpace, PrivacyMap, Sensitivity, Share};

pub use law::{EqualNumbers, QuantileLaw, quantiles_law};

/// Several quantiles of data of a public size at once, in the order in which they were asked for.
pub type QuantilesSelection<P, M = MaxDivergence> =
    Measurement<VectorDomain<AtomDomain<P>>, ChangeOneDistance, M, Vec<P>>;

/// A way to select many quantiles with one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantilesMethod {
    /// Each on its own, at its part of the loss; then the answers are sorted.
    Split,
    /// The middle one first, then those on either side in the rows on that side, and so on.
    Bisection,
}

/// A way to select many quantiles, and its rank error. From [`quantiles_offers`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct QuantilesOffer {
    /// How to select.
    pub method: QuantilesMethod,
    /// With probability at least `1 − β`, no answer has a larger rank error.
    pub rank_error: Up,
}

/// What a loss of ε buys for these quantiles of a public number of rows, over a domain of `size`
/// points. The best one first; no data is needed.
///
/// For k quantiles the rank error of [`QuantilesMethod::Split`] grows like k, and that of
/// [`QuantilesMethod::Bisection`] like `log2(k)²`.
///
/// ```
/// use lastbit::selection::{QuantilesMethod, quantiles_offers};
/// use lastbit::{ParameterError, Rational, Share};
/// let evenly = |k: i64| -> Result<Vec<Share>, ParameterError> {
///     (1..=k).map(|i| Share::new(Rational::new(i, k + 1))).collect()
/// };
/// let (epsilon, beta) = ("1".parse()?, "0.05".parse()?);
/// let offers = |k| quantiles_offers(1 << 64, 100_000, &evenly(k).unwrap(), &epsilon, &beta);
/// assert_eq!(offers(3)?[0].method, QuantilesMethod::Split);
/// assert_eq!(offers(99)?[0].method, QuantilesMethod::Bisection);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantiles_offers(
    size: u128,
    rows: usize,
    quantiles: &[Share],
    epsilon: &Epsilon,
    beta: &Beta,
) -> Result<Vec<QuantilesOffer>, Error> {
    let ranks = Ranks::new(rows, quantiles)?;
    let count = Rational::from(ranks.distinct.len() as u64);
    let each = Epsilon::new(epsilon.get() / &count)?;
    let split = loss_of_quality(
        size,
        &Method::Exponential,
        &each,
        &beta.part(1, ranks.distinct.len() as u64),
    )?;
    let mut offers = vec![QuantilesOffer {
        method: QuantilesMethod::Split,
        rank_error: split,
    }];
    if let Some(places) = ranks.places(size) {
        let tree = ranks.bisection(epsilon)?;
        offers.push(QuantilesOffer {
            method: QuantilesMethod::Bisection,
            rank_error: tree.error(places, beta.get()) + Up::exact(0.5),
        });
    }
    offers.sort_by(|a, b| a.rank_error.get().total_cmp(&b.rank_error.get()));
    Ok(offers)
}

/// Several quantiles of numbers for one loss of ε: in the domain's bounds or among all of their
/// type, as by [`quantile`](super::quantile()). A larger quantile never has a smaller answer. The
/// way to select is the better of [`quantiles_offers`] at β = 1/20, chosen by public numbers alone.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::quantiles;
/// let rows: Vec<i64> = (0..20_000).collect();
/// let domain = VectorDomain::new(AtomDomain::<i64>::new()).with_size(rows.len());
/// let deciles = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"];
/// let deciles = deciles.map(|share| share.parse().unwrap());
/// let deciles = quantiles(domain, &deciles, &"1".parse()?)?;
/// let answers = deciles.invoke(&rows)?;
/// assert!(answers.is_sorted() && answers.len() == 9);
/// assert_eq!(deciles.map(&1)?.get(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Let `m` be the rank of each quantile, [`rank_of`], k the number of different ranks, and T the
/// number of points.
///
/// **Split.** k selections at ε/k, each as by [`quantile`](super::quantile()): ε in all. *Sorting
/// makes no error larger:* if the i-th least answer is more than e ranks too high, so are the
/// `k − i + 1` answers from it on; one of them is for one of the i lowest ranks, and is too high by
/// more than e as well. So for answers that are too low. The rank error is that of one selection at
/// ε/k and β/k.
///
/// **Bisection** (Kaplan, Schnapp, Stemmer 2022), with ties told apart and exact accounting. Of
/// equal rows, the j-th has place `(x, j)`, `j < n`: *a row that is added or removed adds or
/// removes one place*, for the places of c equal rows are `(x, 0), …, (x, c − 1)`. A node of a tree
/// of `h = ⌈log2(k + 1)⌉` levels cuts its part of the places so that a fraction f is below, by the
/// exponential mechanism on `−|below(c) − f·|part||` over all cuts c; its children cut the two
/// parts. f is such that the targets `m − 1/2` are met if all cuts are exact.
///
/// *Privacy.* Given the cuts of the levels above, the parts of a level are disjoint intervals, the
/// same for neighbours. One place more in a part moves `below(c) − f·|part|` by `1 − f` or `−f`,
/// hence every score by at most `max(f, 1 − f)`: the node, built for half of ε/h at that
/// sensitivity, loses at most ε/(2h), and no other node of the level has other scores. A changed
/// row is one place less in one part and one more in the same or another part: it touches up to two
/// parts of each level, and the level loses at most ε/h. Levels compose adaptively: ε. ∎
///
/// *Utility.* Let the ends of a part be off by e and e': rows below them less their targets. The
/// node's aim is then off by `(1 − f)e + fe'`, some cut is within 1/2 of it, and but with
/// probability β/k the selected one is at most `(4h·max(f, 1 − f)/ε)·ln(T·n·(k/β − 1))` worse.
/// These add up along the tree. A cut that is off by e gives a point of rank error at most
/// `e + 1/2`: the value of the last place below it. ∎
///
/// **Time.** That of k selections, or of h. It depends on how many different numbers the data
/// holds, and for bisection on the published answers.
pub fn quantiles<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    quantiles: &[Share],
    epsilon: &Epsilon,
) -> Result<QuantilesSelection<P>, Error> {
    let (_, size) = places(domain.element())?;
    let rows = domain.size().unwrap_or(0);
    domain.check_space(&ChangeOneDistance)?;
    let offers = quantiles_offers(size, rows, quantiles, epsilon, &Beta::usual())?;
    quantiles_by(domain, quantiles, epsilon, offers[0].method)
}

/// [`quantiles`] by a chosen method.
pub fn quantiles_by<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    quantiles: &[Share],
    epsilon: &Epsilon,
    method: QuantilesMethod,
) -> Result<QuantilesSelection<P>, Error> {
    let loss = epsilon.get().clone();
    let map =
        PrivacyMap::new(move |&d_in: &u64| Ok(Up::from_rational(&(&loss * &Rational::from(d_in)))));
    selection(domain, quantiles, epsilon, method, MaxDivergence, map)
}

/// [`quantiles_by`] under zCDP: `k·ρ(ε/k)` or `h·ρ(ε/h)`, with ρ that of one selection of bounded
/// range, about `ε²/8` in place of `ε²/2`.
///
/// **Proof.** Selections of one level do not see each other's answers, so their ranges add: to ε/h
/// for a changed row, or ε/k for a selection on its own; d times that for d changed rows. Levels
/// compose adaptively as zCDP does. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::{QuantilesMethod, quantiles_by_zcdp};
/// let domain = VectorDomain::new(AtomDomain::<i64>::new()).with_size(1000);
/// let quartiles = ["0.25".parse()?, "0.5".parse()?, "0.75".parse()?];
/// let quartiles = quantiles_by_zcdp(domain, &quartiles, &"1".parse()?, QuantilesMethod::Split)?;
/// assert!(quartiles.map(&1)?.get() <= 3.0 * (1.0 / 9.0) / 8.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantiles_by_zcdp<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    quantiles: &[Share],
    epsilon: &Epsilon,
    method: QuantilesMethod,
) -> Result<QuantilesSelection<P, ZeroConcentratedDivergence>, Error> {
    let distinct = Ranks::new(domain.size().unwrap_or(0), quantiles)?
        .distinct
        .len();
    let count = match method {
        QuantilesMethod::Split => distinct as u64,
        QuantilesMethod::Bisection => u64::from(levels(distinct)),
    };
    let each = epsilon.get() / &Rational::from(count);
    let map = PrivacyMap::new(move |&d_in: &u64| {
        let eta = Up::from_rational(&(&each * &Rational::from(d_in)));
        let rho = bounded_range_to_zcdp(eta);
        let rho = rho.map_err(|error| Error::unbounded(error.to_string()))?;
        Ok(rho * Up::from_rational(&Rational::from(count)))
    });
    let measure = ZeroConcentratedDivergence;
    selection(domain, quantiles, epsilon, method, measure, map)
}

fn selection<P: Key + Atom, M: Measure>(
    domain: VectorDomain<AtomDomain<P>>,
    quantiles: &[Share],
    epsilon: &Epsilon,
    method: QuantilesMethod,
    measure: M,
    map: PrivacyMap<ChangeOneDistance, M>,
) -> Result<QuantilesSelection<P, M>, Error> {
    let (first, size) = places(domain.element())?;
    domain.check_space(&ChangeOneDistance)?;
    let ranks = Ranks::new(domain.size().unwrap_or(0), quantiles)?;
    let way = QuantilesDraw::new(&ranks, size, epsilon, method)?;
    Measurement::new(
        domain,
        ChangeOneDistance,
        measure,
        move |rows: &Vec<P>, mut entropy| {
            let mut sorted: Vec<u64> = rows.iter().map(|row| row.key() - first).collect();
            sorted.sort_unstable();
            let points = way.draw(&ranks, &sorted, &mut |runs, mechanism| {
                mechanism.draw_place(runs, &mut entropy).map_err(drawing)
            })?;
            // A point is below the size, so that point + first is a key.
            let answer = |&index: &usize| P::from_key(first + points[index] as u64);
            Ok(ranks.order.iter().map(answer).collect())
        },
        map,
    )
}

/// The public part: the different ranks, ascending, and which of them answers each quantile.
struct Ranks {
    rows: usize,
    distinct: Vec<u64>,
    order: Vec<usize>,
}

impl Ranks {
    fn new(rows: usize, quantiles: &[Share]) -> Result<Ranks, Error> {
        if quantiles.is_empty() {
            return Err(QualityError::NoQuantiles.into());
        }
        if rows > LARGEST_ROWS {
            return Err(QualityError::TooManyRows { most: LARGEST_ROWS }.into());
        }
        let wanted = quantiles.iter().map(|quantile| rank_of(quantile, rows));
        let wanted = wanted.collect::<Result<Vec<u64>, _>>()?;
        let mut ranks = wanted.clone();
        ranks.sort_unstable();
        ranks.dedup();
        let order = wanted
            .iter()
            .map(|rank| ranks.partition_point(|other| other < rank))
            .collect();
        Ok(Ranks {
            rows,
            distinct: ranks,
            order,
        })
    }

    /// How many places tell all ties apart; `None` if they cannot be counted.
    fn places(&self, size: u128) -> Option<u128> {
        let places = size.checked_mul(self.rows as u128);
        places.filter(|&places| places < LARGEST_SIZE)
    }

    /// The tree, with targets `m − 1/2` counted in halves of a row.
    fn bisection(&self, epsilon: &Epsilon) -> Result<Bisection, Error> {
        // 1 ≤ m ≤ rows ≤ 2^30.
        let targets: Vec<i64> = self.distinct.iter().map(|&m| 2 * m as i64 - 1).collect();
        Bisection::new(&targets, 2 * self.rows as i64, epsilon)
    }
}

/// Scores of bisection are at most `2·rows²`, which must be below 2^63.
const LARGEST_ROWS: usize = 1 << 30;

enum QuantilesDraw {
    Split { mechanism: Exponential, size: u128 },
    Bisection { tree: Bisection, places: u128 },
}

impl QuantilesDraw {
    fn new(
        ranks: &Ranks,
        size: u128,
        epsilon: &Epsilon,
        method: QuantilesMethod,
    ) -> Result<QuantilesDraw, Error> {
        match method {
            QuantilesMethod::Split => {
                let count = Rational::from(ranks.distinct.len() as u64);
                let each = Epsilon::new(epsilon.get() / &count)?;
                let mechanism = Exponential::new(&each, &Sensitivity::new(Rational::ONE)?);
                Ok(QuantilesDraw::Split { mechanism, size })
            }
            QuantilesMethod::Bisection => Ok(QuantilesDraw::Bisection {
                tree: ranks.bisection(epsilon)?,
                places: ranks.places(size).ok_or(QualityError::DomainTooLarge)?,
            }),
        }
    }

    /// The point for each rank, ascending, of sorted data.
    fn draw(
        &self,
        ranks: &Ranks,
        sorted: &[u64],
        choose: &mut impl FnMut(&[Run<i64>], &Exponential) -> Result<(usize, u128), Error>,
    ) -> Result<Vec<u128>, Error> {
        match self {
            QuantilesDraw::Split { mechanism, size } => {
                let mut points = Vec::with_capacity(ranks.distinct.len());
                for &rank in &ranks.distinct {
                    let quality = StepFunction::quantile(sorted, *size, rank)?;
                    let runs = quality.runs().map(|run| Run {
                        length: run.length,
                        score: run.value,
                    });
                    let (run, offset) = choose(&runs.collect::<Vec<_>>(), mechanism)?;
                    points.push(quality.run(run).start + offset);
                }
                points.sort_unstable();
                Ok(points)
            }
            QuantilesDraw::Bisection { tree, places } => {
                let ties = ranks.rows as u128;
                let cuts = tree.draw(&told_apart(sorted, ties), *places, choose)?;
                let point = |cut: u128| cut.saturating_sub(1) / ties;
                Ok(cuts.into_iter().map(point).collect())
            }
        }
    }
}

/// The places `x·ties + j` of sorted rows, j counting the rows that are equal and before. There are
/// at most `ties` of them.
fn told_apart(sorted: &[u64], ties: u128) -> Vec<u128> {
    let mut equal = 0;
    let earlier = iter::once(None).chain(sorted.iter().map(Some));
    let place = |(&row, earlier): (&u64, Option<&u64>)| {
        equal = if earlier == Some(&row) { equal + 1 } else { 0 };
        u128::from(row) * ties + equal
    };
    sorted.iter().zip(earlier).map(place).collect()
}

/// Scores are checked integers and no part is without cuts, so only randomness can fail.
fn drawing(error: SelectionError) -> Error {
    match error {
        SelectionError::Entropy(error) => error.into(),
        error => Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
