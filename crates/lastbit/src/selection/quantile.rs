use lastbit_exact::{Rational, Rounding, Up};

use super::key::{Key, places};
use super::point_draw::concave;
use super::rank_window::RankWindow;
use crate::domains::{Atom, AtomDomain, VectorDomain};
use crate::measures::{Approximate, EpsilonDelta, MaxDivergence};
use crate::mechanisms::exponential::Exponential;
use crate::mechanisms::flat_concave::{Method, RecConcave, Split, loss_of_quality};
use crate::metrics::ChangeOneDistance;
use crate::quality::{QualityError, RankQuality};
use crate::{
    Beta, Delta, Epsilon, Error, Measurement, MetricSpace, PrivacyMap, Sensitivity, Share,
};

/// A selection of one of the numbers of a domain, or ⊥, for data of a public size.
pub type PointSelection<P> = Measurement<
    VectorDomain<AtomDomain<P>>,
    ChangeOneDistance,
    Approximate<MaxDivergence>,
    Option<P>,
>;

/// A way to select, the loss of each selection in it, and the quality that it may lose: for
/// quantiles, the rank error.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// How to select.
    pub method: Method,
    /// ε of each selection.
    pub epsilon: Epsilon,
    /// With probability at least `1 − β`, at most this much quality is lost.
    pub loss_of_quality: Up,
}

/// What a total loss of ε, and of δ if given, buys over a domain of `size` points: the exponential
/// mechanism, and with a δ Flat-Concave and RecConcave of three levels by stability. The best one
/// first. No data is needed.
///
/// Over 2^64 points the exponential mechanism wins by far: it makes one selection, the others four
/// or seven. Its loss of quality grows with `ln(size)` and theirs hardly at all, but they would win
/// only over many more points than 2^127.
///
/// ```
/// use lastbit::mechanisms::flat_concave::Method;
/// use lastbit::selection::offers;
/// let (delta, beta) = ("1e-6".parse()?, "0.05".parse()?);
/// let offers = offers(1 << 64, &"1".parse()?, Some(&delta), &beta)?;
/// assert_eq!(offers[0].method, Method::Exponential);
/// assert!(offers[0].loss_of_quality.get() < 95.0);
/// assert!(offers[1].loss_of_quality.get() > 500.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn offers(
    size: u128,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
    beta: &Beta,
) -> Result<Vec<Offer>, Error> {
    let mut offers = vec![Offer {
        method: Method::Exponential,
        epsilon: epsilon.clone(),
        loss_of_quality: loss_of_quality(size, &Method::Exponential, epsilon, beta)?,
    }];
    for levels in [2u32, 3] {
        let Some(delta) = delta else { break };
        let split = Split::new(levels)?;
        let epsilon = split.epsilon(epsilon)?;
        let selection = split.selection(Some(delta));
        let method = Method::Concave { levels, selection };
        offers.push(Offer {
            loss_of_quality: loss_of_quality(size, &method, &epsilon, beta)?,
            method,
            epsilon,
        });
    }
    offers.sort_by(|a, b| {
        let losses = (a.loss_of_quality.get(), b.loss_of_quality.get());
        losses.0.total_cmp(&losses.1)
    });
    Ok(offers)
}

/// A quantile of numbers, in the domain's bounds or among all of their type: any of 2^64 can be the
/// answer, and no list of candidates is needed.
///
/// `quantile` is from 0, the least, to 1, the largest; 1/2 is the median. The answer has rank
/// `max(1, ⌈quantile·n⌉)` up to an error, for which [`offers`] gives a bound; the way to select is
/// the best offer at β = 1/20, chosen by public numbers alone. The loss is ε, and δ if given, for
/// one change of a row.
///
/// Numbers are counted by their places in order. Among `f64` half of all lie in (−1, 1), so the
/// bounds of the domain matter where data is sparse.
///
/// **Time.** The exponential mechanism sorts few rows if there are 2^14 or more and ε is such that
/// at most a quarter of them matter. It then counts digits in a public number of passes over all
/// rows, and sorts those whose ranks are within about `1.4·(64 + log2 T)/ε` of the wanted one. The
/// time depends on the number of rows and a little on what these few hold. About one draw in 2^30
/// at ε = 1 takes milliseconds more; fewer than one in 2^60 sort all rows, a second for a million.
/// Otherwise all rows are sorted, and the time depends on their order and on how many are
/// different.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::quantile;
/// let rows: Vec<f64> = (0..10_001).map(|i| f64::from(i) / 100.0).collect();
/// let domain = VectorDomain::new(AtomDomain::<f64>::new()).with_size(rows.len());
/// let median = quantile(domain, &"0.5".parse()?, &"1".parse()?, None)?;
/// let answer = median.invoke(&rows)?;                         // 50 up to a rank error of about 90
/// assert!(answer.is_some_and(|answer| (45.0..55.0).contains(&answer)));
/// assert_eq!(median.map(&1)?.loss().get(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn quantile<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    quantile: &Share,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<PointSelection<P>, Error> {
    let (_, size) = places(domain.element())?;
    let best = best_offer(size, epsilon, delta)?;
    quantile_by(domain, quantile, &best)
}

/// [`quantile`] by a chosen offer.
pub fn quantile_by<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    quantile: &Share,
    offer: &Offer,
) -> Result<PointSelection<P>, Error> {
    domain.check_space(&ChangeOneDistance)?;
    let count = domain.size().unwrap_or(0);
    let rank = rank_of(quantile, count)?;
    let lost = offer.loss_of_quality;
    let quality = RankQuality::Quantile { count, rank };
    select_point(domain, offer, count as i64, lost, quality)
}

/// A number between the least and the largest of the data: one with as many rows on either side as
/// can be had, by `min(#{x_i ≤ x}, #{x_i ≥ x})`. Loss, domain and choice of the way as for
/// [`quantile`].
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::interior_point;
/// let rows: Vec<i64> = (0..1000).map(|i| 5_000_000 + 13 * i).collect();
/// let domain = VectorDomain::new(AtomDomain::<i64>::new()).with_size(rows.len());
/// let inside = interior_point(domain, &"1".parse()?, None)?.invoke(&rows)?;
/// assert!(inside.is_some_and(|inside| (5_000_000..5_013_000).contains(&inside)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn interior_point<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<PointSelection<P>, Error> {
    let (_, size) = places(domain.element())?;
    let best = best_offer(size, epsilon, delta)?;
    domain.check_space(&ChangeOneDistance)?;
    let count = domain.size().unwrap_or(0);
    if count == 0 {
        return Err(QualityError::NoData.into());
    }
    // One of two data points in the middle has half of the data, rounded up, on either side. All
    // but one may be lost.
    let promise = count.div_ceil(2) as i64;
    let lost = Up::from_rational(&Rational::from(promise - 1));
    let quality = RankQuality::InteriorPoint { count };
    select_point(domain, &best, promise, lost, quality)
}

/// The rank that a quantile of `count` rows has: `max(1, ⌈quantile·count⌉)`.
pub fn rank_of(quantile: &Share, count: usize) -> Result<u64, QualityError> {
    if count == 0 {
        return Err(QualityError::NoData);
    }
    let rank = (quantile.get() * &Rational::from(count as u64)).ceil();
    // 0 ≤ rank ≤ count.
    Ok(u64::try_from(rank).unwrap_or(1).max(1))
}

pub(super) fn best_offer(
    size: u128,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<Offer, Error> {
    let mut offers = offers(size, epsilon, delta, &Beta::usual())?;
    Ok(offers.swap_remove(0))
}

/// A selection by a quality of sorted places. At least one place has the promised quality, and none
/// can have more than that.
fn select_point<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    offer: &Offer,
    promise: i64,
    lost: Up,
    quality: RankQuality,
) -> Result<PointSelection<P>, Error> {
    let (first, size) = places(domain.element())?;
    let count = domain.size().unwrap_or(0);
    let way = QuantileDraw::new(offer, (first, size), count, promise, lost, quality)?;
    let loss = way.loss()?;
    Measurement::new(
        domain,
        ChangeOneDistance,
        Approximate(MaxDivergence),
        move |rows: &Vec<P>, mut entropy| {
            let place = match &way {
                QuantileDraw::Exponential(selection) => Some(selection.draw(rows, &mut entropy)?),
                QuantileDraw::Concave(mechanism) => {
                    let mut sorted: Vec<u64> = rows.iter().map(|row| row.key() - first).collect();
                    sorted.sort_unstable();
                    let quality = quality.step_function(&sorted, size)?;
                    mechanism.draw(&quality, &mut entropy)?
                }
            };
            // A place is below the size, so that place + first is a key.
            Ok(place.map(|place| P::from_key(first + place as u64)))
        },
        PrivacyMap::new(move |&d_in: &u64| group_loss(&loss, d_in)),
    )
}

enum QuantileDraw {
    Exponential(Box<RankWindow>),
    Concave(Box<RecConcave>),
}

impl QuantileDraw {
    fn new(
        offer: &Offer,
        places: (u64, u128),
        count: usize,
        promise: i64,
        lost: Up,
        quality: RankQuality,
    ) -> Result<QuantileDraw, Error> {
        match &offer.method {
            Method::Exponential => {
                let one = Sensitivity::new(Rational::ONE)?;
                let mechanism = Exponential::new(&offer.epsilon, &one);
                let selection = RankWindow::new(mechanism, quality, places, count);
                Ok(QuantileDraw::Exponential(Box::new(selection)))
            }
            Method::Concave { levels, selection } => {
                let mechanism =
                    concave(places.1, promise, lost, *levels, &offer.epsilon, selection)?;
                Ok(QuantileDraw::Concave(Box::new(mechanism)))
            }
        }
    }

    fn loss(&self) -> Result<EpsilonDelta, Error> {
        match self {
            QuantileDraw::Exponential(selection) => {
                let epsilon = selection.mechanism().epsilon().get();
                EpsilonDelta::new(Up::from_rational(epsilon), Up::ZERO)
            }
            QuantileDraw::Concave(mechanism) => mechanism.loss(),
        }
    }
}

/// For d changes of one row: `d·ε` and `δ·(1 + e^ε + … + e^((d−1)ε)) ≤ d·e^((d−1)ε)·δ`.
pub(super) fn group_loss(loss: &EpsilonDelta, d_in: u64) -> Result<EpsilonDelta, Error> {
    let Some(others) = d_in.checked_sub(1) else {
        return EpsilonDelta::new(Up::ZERO, Up::ZERO);
    };
    let times = |d: u64| Up::exact(Rational::from(d).to_f64(Rounding::Up));
    let delta = if others == 0 || loss.delta() == Up::ZERO {
        loss.delta()
    } else {
        let factor = (*loss.loss() * times(others)).exp() * times(d_in);
        (loss.delta() * factor).min(Up::ONE)
    };
    EpsilonDelta::new(*loss.loss() * times(d_in), delta)
}
