use lastbit_exact::{Rational, Up};

use super::Offer;
use super::key::{Key, places};
use super::point_draw::PointDraw;
use super::quantile::{best_offer, group_loss};
use crate::domains::{Atom, AtomDomain, VectorDomain};
use crate::measures::{Approximate, MaxDivergence};
use crate::metrics::ChangeOneDistance;
use crate::parameters::grid;
use crate::quality::{QualityError, StepFunction};
use crate::{Delta, Epsilon, Error, GridExponent, Measurement, MetricSpace, PrivacyMap};

/// A [`Key`] whose places are a distance of 1 apart: `u64`, `i64`.
pub trait WholeKey: Key {}

impl WholeKey for u64 {}
impl WholeKey for i64 {}

/// A radius, or ⊥, for data of a public size.
pub type RadiusSelection<P> = Measurement<
    VectorDomain<AtomDomain<P>>,
    ChangeOneDistance,
    Approximate<MaxDivergence>,
    Option<Rational>,
>;

/// The radius of the smallest ball that holds `count` rows: half of the length of the shortest
/// interval `[a, b]` with so many rows in it. The loss is ε, and δ if given, for one changed row;
/// the way to select is the best of [`offers`](super::offers) at β = 1/20.
///
/// **What is found.** Let e be the offer's loss of quality and r the radius published. With
/// probability at least `1 − β` some ball of radius r holds at least `count − e` rows, and no
/// smaller ball holds `count + e`.
///
/// **Quality.** B(w) is the largest number of rows in an interval of length w, and the quality of w
/// is n less `max(0, count − B(w), B(w − 1) + 1 − count)`, or less `e + 1` if that is more:
/// [`StepFunction::shortest_interval`]. The shortest length with `count` rows has quality n. A
/// changed row moves the number of rows of every interval by at most 1, so B(w) by at most 1 for
/// every w, and so maxima and minima of these with constants. B grows with w, so the quality rises
/// and then falls. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::ball_radius;
/// // 500 rows within 100 of each other, and 500 far apart.
/// let rows: Vec<i64> = (0..500).map(|i| i / 5).chain((0..500).map(|i| i << 50)).collect();
/// let domain = VectorDomain::new(AtomDomain::<i64>::new()).with_size(rows.len());
/// let radius = ball_radius(domain, 400, &"1".parse()?, None)?.invoke(&rows)?;
/// assert!(radius.is_some());   // 40 up to some ranks, with probability 0.95
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// **Time.** That of sorting, and `min(2e + 1, n)` passes over the rows.
pub fn ball_radius<P: WholeKey + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    count: u64,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<RadiusSelection<P>, Error> {
    let (_, size) = places(domain.element())?;
    let best = best_offer(size, epsilon, delta)?;
    ball_radius_by(domain, count, &best)
}

/// [`ball_radius`] by a chosen offer.
pub fn ball_radius_by<P: WholeKey + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    count: u64,
    offer: &Offer,
) -> Result<RadiusSelection<P>, Error> {
    let (first, size) = places(domain.element())?;
    let place = move |row: &P| Ok(row.key() - first);
    select_radius(domain, count, offer, size, 0, place)
}

/// [`ball_radius`] of floats: each row is rounded to the nearest multiple of `2^grid_exponent`,
/// which moves no row, and so no radius, by more than half of that. The domain must have bounds.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::ball_radius_on_grid;
/// let rows: Vec<f64> = (0..1000).map(|i| 20.0 + f64::from(i) / 1000.0).collect();
/// let domain = VectorDomain::new(AtomDomain::bounded(-100.0, 100.0)?).with_size(rows.len());
/// let radius = ball_radius_on_grid(domain, -10, 500, &"1".parse()?, None)?.invoke(&rows)?;
/// assert!(radius.is_some());   // 1/4 up to some ranks, with probability 0.95
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ball_radius_on_grid(
    domain: VectorDomain<AtomDomain<f64>>,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    count: u64,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<RadiusSelection<f64>, Error> {
    let grid_exponent = grid(grid_exponent)?.get();
    let Some((&lower, &upper)) = domain.element().bounds() else {
        return Err(QualityError::NoBounds.into());
    };
    if !domain.element().is_regular() {
        return Err(QualityError::Unordered.into());
    }
    let steps = move |x: f64| -> Result<_, Error> {
        let x = crate::finite("a row", x)?;
        Ok(x.times_power_of_two(-grid_exponent).round_ties_up())
    };
    let first = steps(lower)?;
    let last = u64::try_from(steps(upper)? - &first).map_err(|_| QualityError::DomainTooLarge)?;
    let size = u128::from(last) + 1;
    let best = best_offer(size, epsilon, delta)?;
    let place = move |&row: &f64| -> Result<u64, Error> {
        // Rounding keeps the order, so that a row within the bounds is at most `last` steps from
        // the first.
        Ok(u64::try_from(steps(row)? - &first).unwrap_or(last))
    };
    select_radius(domain, count, &best, size, grid_exponent, place)
}

fn select_radius<P: Key + Atom>(
    domain: VectorDomain<AtomDomain<P>>,
    count: u64,
    offer: &Offer,
    size: u128,
    grid_exponent: i64,
    place: impl Fn(&P) -> Result<u64, Error> + Send + Sync + 'static,
) -> Result<RadiusSelection<P>, Error> {
    domain.check_space(&ChangeOneDistance)?;
    let rows = domain.size().unwrap_or(0);
    if count == 0 || count > rows as u64 {
        return Err(QualityError::NoSuchCount { count, rows }.into());
    }
    let way = PointDraw::new(offer, size, rows as i64)?;
    let within = whole_above(offer.loss_of_quality);
    let loss = way.loss()?;
    Measurement::new(
        domain,
        ChangeOneDistance,
        Approximate(MaxDivergence),
        move |rows: &Vec<P>, mut entropy| {
            let mut sorted = rows.iter().map(&place).collect::<Result<Vec<u64>, _>>()?;
            sorted.sort_unstable();
            let quality = StepFunction::shortest_interval(&sorted, size, count, within)?;
            let length = way.draw(&quality, &mut entropy)?;
            // A length is below the size, at most 2^64.
            let radius =
                |length| Rational::from(length as u64).times_power_of_two(grid_exponent - 1);
            Ok(length.map(radius))
        },
        PrivacyMap::new(move |&d_in: &u64| group_loss(&loss, d_in)),
    )
}

/// The least integer at or above.
fn whole_above(bound: Up) -> u64 {
    // Saturates, also from infinity.
    bound.get().ceil() as u64
}
