use std::collections::BTreeMap;

use lastbit_exact::{Integer, Interval, Rational, Up};
use lastbit_noise::{Gaussian, GridExponent, Laplace};

use super::noise::{Bar, GridNoise, NoisyNumber, OnGrid};
use crate::domains::{AtomDomain, Domain, MapDomain};
use crate::measures::{Approximate, MaxDivergence, Measure, WithDelta, ZeroConcentratedDivergence};
use crate::metrics::{Contribution, ContributionDistance};
use crate::parameters::{Delta, Scale, Variance, grid};
use crate::{Distance, Error, Measurement, PrivacyMap, solve};

/// A measurement that publishes a map from the keys that reach a threshold to their noisy values.
type Threshold<K, T, M> = Measurement<
    MapDomain<K, AtomDomain<T>>,
    ContributionDistance,
    Approximate<M>,
    BTreeMap<<K as Domain>::Carrier, <T as NoisyNumber>::Output>,
>;

/// What [`threshold_laplace`] builds: a loss of (ε, δ).
pub type ThresholdLaplace<K, T> = Threshold<K, T, MaxDivergence>;
/// What [`threshold_gaussian`] builds: a loss of (ρ, δ).
pub type ThresholdGaussian<K, T> = Threshold<K, T, ZeroConcentratedDivergence>;

/// Publishes the keys whose value, with Laplace noise of scale `s` rounded to multiples of
/// `2^grid_exponent`, is at or above a public threshold, with these noisy values. For maps that
/// differ in at most `Δ0` keys by at most `Δ∞` each,
///
/// `ε = Δ0·Δ∞/s`, `δ = 1 − (1 − τ)^Δ0`, where `τ = P(Δ∞ + noise, rounded, ≥ threshold)`.
///
/// A key with value zero is treated as one that the map lacks. [`laplace_threshold`] finds the
/// threshold for a δ.
///
/// **Proof.** Let x have `a` keys that y lacks, y have `b` keys that x lacks, and let c common keys
/// differ: `a + b + c ≤ Δ0`. A key that the other map lacks has a value of at most Δ∞, so it is
/// published with probability at most τ. Given that none of them is published, which for x has the
/// probability `1 − α`, `α ≤ 1 − (1 − τ)^a`, and for y `1 − β`, `β ≤ 1 − (1 − τ)^b`, the output is
/// a function of Laplace noise around the common keys: `P ≤ e^ε Q` on every event, with ε as
/// stated. So for an event S, with `u = P(S | none)`, `P(S) ≤ α + (1 − α)u` and
/// `e^ε Q(S) ≥ e^ε (1 − β) Q(S | none) ≥ (1 − β)u`. The difference, `α + (β − α)u`, is at most
/// `max(α, β) ≤ δ`. With `a = Δ0` keys of value Δ∞ and S = "one of them is published", `Q(S) = 0`
/// and `P(S) = δ`: no smaller δ will do at any ε. ∎
///
/// **Time.** Every key that is there gets noise, one word each, as in [`laplace`](super::laplace).
/// The number of keys shows in the time, as does what is published.
///
/// ```
/// use std::collections::BTreeMap;
/// use lastbit::domains::{AtomDomain, MapDomain};
/// use lastbit::mechanisms::{laplace_threshold, threshold_laplace};
/// use lastbit::metrics::Contribution;
///
/// let one_person = Contribution::new(1, 1i64.into())?;
/// let scale = "1".parse()?;                                      // ε = 1
/// let threshold = laplace_threshold(&scale, 0, &one_person, &"1e-9".parse()?)?;
/// assert_eq!(threshold.to_string(), "22");
///
/// let counts = MapDomain::new(AtomDomain::<String>::new(), AtomDomain::<u64>::new());
/// let release = threshold_laplace(counts, &scale, 0, &threshold)?;
/// let loss = release.map(&one_person)?;
/// assert!(loss.loss().get() == 1.0 && loss.delta().get() <= 1e-9);
/// let published: BTreeMap<String, i64> =
///     release.invoke(&BTreeMap::from([("Rome".to_string(), 1000), ("a hamlet".to_string(), 1)]))?;
/// assert!(published.contains_key("Rome"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threshold_laplace<K: Domain<Carrier: Ord>, T: NoisyNumber>(
    domain: MapDomain<K, AtomDomain<T>>,
    scale: &Scale,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    threshold: &Rational,
) -> Result<ThresholdLaplace<K, T>, Error> {
    let grid = grid(grid_exponent)?;
    let sampler = Laplace::new(scale.get(), grid)?;
    let scale = scale.get().clone();
    let loss = move |d_in: &Contribution| Ok(Up::from_rational(&(&d_in.norms().l1 / &scale)));
    above(domain, MaxDivergence, sampler, grid, threshold, loss)
}

/// [`threshold_laplace`] with Gaussian noise of variance `σ²`: for maps that differ in at most `Δ0`
/// keys by at most `Δ∞` each,
///
/// `ρ = Δ0·Δ∞²/(2σ²)`, `δ = 1 − (1 − τ)^Δ0`, where `τ = P(Δ∞ + noise, rounded, ≥ threshold)`.
///
/// **Proof.** Given that no key is published that the other map lacks, the output is a function of
/// Gaussian noise around the common keys, of which at most Δ0 differ: ρ as stated, for both maps.
/// Each has that condition with probability at least `1 − δ`. That is ρ-zCDP up to δ. ∎
///
/// **Time.** As there.
///
/// ```
/// use lastbit::domains::{AtomDomain, MapDomain};
/// use lastbit::mechanisms::{gaussian_threshold, threshold_gaussian};
/// use lastbit::metrics::Contribution;
///
/// let one_person = Contribution::new(4, 1i64.into())?; // in at most four groups
/// let variance = "100".parse()?;
/// let threshold = gaussian_threshold(&variance, 0, &one_person, &"1e-9".parse()?)?;
/// let counts = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::<u64>::new());
/// let release = threshold_gaussian(counts, &variance, 0, &threshold)?;
/// let loss = release.map(&one_person)?;
/// assert!(loss.loss().get() == 0.02 && loss.delta().get() <= 1e-9);
///
/// // As (ε, δ): outside the event of probability δ the loss is ρ, which is (ε, δ') for every δ';
/// // together (ε, δ + δ').
/// use lastbit::Error;
/// use lastbit::conversions::zcdp_to_approximate_epsilon;
/// use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
/// use lastbit::{Down, Up};
/// let approximate = release.cast(Approximate(MaxDivergence), |loss| {
///     let epsilon = zcdp_to_approximate_epsilon(*loss.loss(), Down::exact(1e-9))
///         .map_err(|error| Error::other(error.to_string()))?;
///     EpsilonDelta::new(epsilon, loss.delta() + Up::exact(1e-9))
/// });
/// assert!(approximate.check(&one_person, &EpsilonDelta::new(Up::exact(1.3), Up::exact(2e-9))?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threshold_gaussian<K: Domain<Carrier: Ord>, T: NoisyNumber>(
    domain: MapDomain<K, AtomDomain<T>>,
    variance: &Variance,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    threshold: &Rational,
) -> Result<ThresholdGaussian<K, T>, Error> {
    let grid = grid(grid_exponent)?;
    let sampler = Gaussian::with_variance(variance.get(), grid)?;
    let twice = variance.get().times_power_of_two(1);
    let loss =
        move |d_in: &Contribution| Ok(Up::from_rational(&(&d_in.norms().l2_squared / &twice)));
    above(
        domain,
        ZeroConcentratedDivergence,
        sampler,
        grid,
        threshold,
        loss,
    )
}

/// The smallest threshold, a multiple of `2^grid_exponent`, at which [`threshold_laplace`] has a δ
/// of at most the one given.
///
/// ```
/// use lastbit::mechanisms::laplace_threshold;
/// use lastbit::metrics::Contribution;
/// let two_keys = Contribution::new(2, 1i64.into())?;
/// let threshold = laplace_threshold(&"2".parse()?, -4, &two_keys, &"1e-6".parse()?)?;
/// // 1 + 2·ln(1/10^-6), and half a step of the grid.
/// assert_eq!(threshold.to_string(), "28.6875");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn laplace_threshold(
    scale: &Scale,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    contribution: &Contribution,
    delta: &Delta,
) -> Result<Rational, Error> {
    let grid = grid(grid_exponent)?;
    let sampler = Laplace::new(scale.get(), grid)?;
    smallest_threshold(&sampler, grid, contribution, delta)
}

/// The smallest threshold, a multiple of `2^grid_exponent`, at which [`threshold_gaussian`] has a δ
/// of at most the one given.
///
/// ```
/// use lastbit::mechanisms::gaussian_threshold;
/// use lastbit::metrics::Contribution;
/// let one_key = Contribution::new(1, 1i64.into())?;
/// let threshold = gaussian_threshold(&"100".parse()?, 0, &one_key, &"1e-9".parse()?)?;
/// assert_eq!(threshold.to_string(), "62");                        // 1 + 6.0·σ, and half a step
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gaussian_threshold(
    variance: &Variance,
    grid_exponent: impl TryInto<GridExponent, Error: Into<Error>>,
    contribution: &Contribution,
    delta: &Delta,
) -> Result<Rational, Error> {
    let grid = grid(grid_exponent)?;
    let sampler = Gaussian::with_variance(variance.get(), grid)?;
    smallest_threshold(&sampler, grid, contribution, delta)
}

fn above<K, T, M, N>(
    domain: MapDomain<K, AtomDomain<T>>,
    measure: M,
    sampler: N,
    grid: GridExponent,
    threshold: &Rational,
    loss: impl Fn(&Contribution) -> Result<M::Distance, Error> + Send + Sync + 'static,
) -> Result<Threshold<K, T, M>, Error>
where
    K: Domain<Carrier: Ord>,
    T: NoisyNumber,
    M: Measure,
    N: GridNoise + Clone,
{
    let bar = Bar::new(first_cell(threshold, grid));
    let noise = OnGrid::new::<T>(sampler.clone(), grid)?;
    let least = bar.clone();
    Measurement::new(
        domain,
        ContributionDistance,
        Approximate(measure),
        move |map: &BTreeMap<K::Carrier, T>, entropy| {
            // A map that lacks a key and one that holds zero for it are at no distance, so they are
            // treated alike.
            let there = || map.iter().filter(|(_, value)| !value.is_zero());
            let mut keys = there();
            // In the order of keys, of which a map is made in one pass.
            let mut published = Vec::new();
            noise.cells(there().map(|(_, value)| value), entropy, |cell| {
                if let (Some((key, _)), true) = (keys.next(), least.is_reached(&cell)) {
                    published.push((key.clone(), noise.output::<T>(&cell)));
                }
            })?;
            Ok(published.into_iter().collect())
        },
        PrivacyMap::new(move |d_in: &Contribution| {
            WithDelta::new(loss(d_in)?, probability(&sampler, bar.steps(), d_in))
        }),
    )
}

/// A noisy value is a multiple of the grid: it reaches the threshold if it reaches this one.
fn first_cell(threshold: &Rational, grid: GridExponent) -> Integer {
    threshold.times_power_of_two(-grid.get()).ceil()
}

/// `δ = 1 − (1 − τ)^keys`, rounded up.
fn probability(sampler: &impl GridNoise, first_cell: &Integer, d_in: &Contribution) -> Up {
    // The noise is symmetric, so that P(each + noise rounds to first_cell or above) = P(−each +
    // noise rounds to −first_cell or below).
    let tau = sampler.cumulative(&-d_in.each(), &-first_cell).upper();
    if d_in.keys() == 0 {
        return Up::ZERO;
    }
    if tau >= Up::ONE {
        return Up::ONE;
    }
    let keys = Interval::from_rational(&Rational::from(d_in.keys()));
    let none = (-Interval::point(tau.get())).ln_1p() * keys;
    (-none.exp_m1()).upper().min(Up::ONE)
}

/// How many steps a threshold found by search can have: ±2^62.
const MOST_STEPS: i64 = 1 << 62;

fn smallest_threshold(
    sampler: &impl GridNoise,
    grid: GridExponent,
    contribution: &Contribution,
    delta: &Delta,
) -> Result<Rational, Error> {
    contribution.check()?;
    if contribution.keys() == 0 {
        return Err(Error::unsolvable(
            "no key differs, so that every threshold is enough and none is the smallest; give the \
             number of keys that one person contributes to",
        ));
    }
    let enough = |steps: i64| {
        let reached = probability(sampler, &Integer::from(steps), contribution);
        Ok(reached.is_at_most(delta.get()))
    };
    let steps = solve::smallest_where(-MOST_STEPS..=MOST_STEPS, enough).map_err(|_| {
        Error::unsolvable(format!(
            "no threshold below 2^62 steps of the grid 2^{grid} has a delta of {delta}; use a \
             coarser grid"
        ))
    })?;
    Ok(Rational::from(steps).times_power_of_two(grid.get()))
}
