//! Everything that Lastbit ships, each at a loss of ε = 1 between two neighbours, or the (ε, δ)
//! that it states.

use std::collections::{BTreeMap, HashSet};

use lastbit::conversions::zcdp_to_approximate_delta;
use lastbit::domains::{AtomDomain, MapDomain};
use lastbit::mechanisms::exponential::Exponential;
use lastbit::mechanisms::flat_concave::{IntervalSelection, Problem, RecConcave, Split};
use lastbit::mechanisms::snapping::{Arithmetic, Bound, GridRule, Snapping};
use lastbit::mechanisms::{
    Variance, gaussian, gaussian_threshold, geometric, laplace, laplace_threshold,
    randomized_response_bool, threshold_gaussian, threshold_laplace, truth_for_epsilon,
};
use lastbit::metrics::Contribution;
use lastbit::quality::StepFunction;
use lastbit::{Bounds, Epsilon, Error};
use lastbit_exact::{Down, Rational, Up};
use lastbit_noise::entropy::System;

use super::target::{Entry, Target, TargetError};
use crate::audit::{AuditClaim, Side};
use crate::exact::exact_law;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, about, build| Entry {
        name,
        about,
        is_shipped: true,
        build,
    };
    vec![
        entry(
            "snapping-exact",
            "snapping of real numbers, sampled exactly",
            || snapping(Arithmetic::Exact, GridRule::Snapped),
        ),
        entry("snapping-fine", "the same on a grid of 2^-20", || {
            let fine = GridRule::fixed(-20).map_err(TargetError::new)?;
            snapping(Arithmetic::Exact, fine)
        }),
        entry("snapping-binary64", "snapping in doubles", || {
            snapping(Arithmetic::Binary64, GridRule::Snapped)
        }),
        entry("snapping-multi", "snapping at 118 bits", || {
            snapping(Arithmetic::Multi, GridRule::Snapped)
        }),
        entry("laplace", "Laplace noise on a grid of 2^-20", on_grid),
        entry(
            "geometric",
            "two-sided geometric noise on an integer",
            integers,
        ),
        entry(
            "gaussian",
            "Gaussian noise of σ = 8 on a grid of 2^-4",
            normal,
        ),
        entry("randomized-response", "one bit, the truth or not", coin),
        entry(
            "threshold-laplace",
            "a key that is published if its noisy count is large",
            thresholded,
        ),
        entry(
            "threshold-gaussian",
            "the same with Gaussian noise",
            thresholded_normal,
        ),
        entry(
            "exponential",
            "the exponential mechanism on four scores",
            || {
                selection(|mechanism, scores| {
                    Ok(mechanism.draw(scores, &mut System::default())? as f64)
                })
            },
        ),
        entry(
            "permute-and-flip",
            "permute-and-flip on four scores",
            || {
                selection(|mechanism, scores| {
                    Ok(mechanism.permute_and_flip(scores, &mut System::default())? as f64)
                })
            },
        ),
        entry("top-k", "the best two of four scores, in order", top_two),
        entry(
            "flat-concave",
            "the median by Flat-Concave over 1024 points",
            || concave(1 << 10, 2),
        ),
        entry(
            "rec-concave",
            "the median by RecConcave over 2^64 points",
            || concave(1 << 64, 3),
        ),
    ]
}

fn pure() -> AuditClaim {
    AuditClaim::pure(Rational::ONE)
}

fn epsilon(text: &str) -> Result<Epsilon, TargetError> {
    text.parse().map_err(TargetError::new)
}

fn snapping(arithmetic: Arithmetic, grid: GridRule) -> Result<Target, TargetError> {
    let values = [0.0, 1.0, 8.0];
    let bounds = Bounds::parse("-8", "8").map_err(TargetError::new)?;
    let sensitivity = "1".parse().map_err(TargetError::new)?;
    let mechanism = Snapping::builder(bounds, sensitivity)
        .epsilon(epsilon("1")?)
        .bound(Bound::Value(16i64.into()))
        .arithmetic(arithmetic)
        .grid(grid)
        .build()
        .map_err(TargetError::new)?;
    let mut supports: Vec<HashSet<u64>> = Vec::new();
    if arithmetic != Arithmetic::Exact {
        for side in Side::BOTH {
            let law = exact_law(&mechanism, values[side as usize]).map_err(TargetError::new)?;
            supports.push(
                law.masses()
                    .iter()
                    .map(|mass| mass.output.to_bits())
                    .collect(),
            );
        }
    }
    let target = Target::new(pure(), ["0", "1", "8"], Some(values), move |input| {
        let mut entropy = System::default();
        mechanism
            .draw(values[input as usize], &mut entropy)
            .map_err(TargetError::new)
    });
    Ok(if supports.is_empty() {
        target
    } else {
        target.with_oracle(move |side, output| supports[side as usize].contains(&output.to_bits()))
    })
}

fn on_grid() -> Result<Target, TargetError> {
    let values = [0.0, 1.0, 1e6];
    let scale = "1".parse().map_err(TargetError::new)?;
    let noise = laplace(AtomDomain::<f64>::new(), &scale, -20).map_err(TargetError::new)?;
    Ok(Target::new(
        pure(),
        ["0", "1", "1000000"],
        Some(values),
        move |input| {
            noise
                .invoke(&values[input as usize])
                .map_err(TargetError::new)
        },
    ))
}

fn integers() -> Result<Target, TargetError> {
    let values = [0i64, 1, 1_000_000];
    let scale = "1".parse().map_err(TargetError::new)?;
    let noise = geometric(AtomDomain::<i64>::new(), &scale).map_err(TargetError::new)?;
    Ok(Target::new(
        pure(),
        ["0", "1", "1000000"],
        Some(values.map(|x| x as f64)),
        move |input| {
            let output = noise
                .invoke(&values[input as usize])
                .map_err(TargetError::new)?;
            Ok(output as f64)
        },
    ))
}

/// σ = 8 at distance 1: ρ = 1/128, and the δ of that at ε = 1.
fn normal_claim() -> Result<(Variance, AuditClaim), TargetError> {
    let variance = Variance::of_sigma(8i64.into()).map_err(TargetError::new)?;
    let delta =
        zcdp_to_approximate_delta(Up::exact(1.0 / 128.0), Down::ONE).map_err(TargetError::new)?;
    let delta = Rational::try_from(delta.get()).map_err(TargetError::new)?;
    let claim = AuditClaim {
        epsilon: Rational::ONE,
        delta,
    };
    Ok((variance, claim))
}

fn normal() -> Result<Target, TargetError> {
    let values = [0.0, 1.0, 1e6];
    let (variance, claim) = normal_claim()?;
    let noise = gaussian(AtomDomain::<f64>::new(), &variance, -4).map_err(TargetError::new)?;
    Ok(Target::new(
        claim,
        ["0", "1", "1000000"],
        Some(values),
        move |input| {
            noise
                .invoke(&values[input as usize])
                .map_err(TargetError::new)
        },
    ))
}

fn coin() -> Result<Target, TargetError> {
    let values = [false, true, true];
    let truth = truth_for_epsilon(2, &epsilon("1")?).map_err(TargetError::new)?;
    let answer = randomized_response_bool(&truth).map_err(TargetError::new)?;
    Ok(Target::new(
        pure(),
        ["no", "yes", "yes"],
        None,
        move |input| {
            let output = answer
                .invoke(&values[input as usize])
                .map_err(TargetError::new)?;
            Ok(f64::from(output))
        },
    ))
}

/// Far enough above both thresholds that the key is all but always published: what is kept back
/// shows in the output and in the time.
const COUNTS: [u64; 3] = [120, 121, 1000];
const COUNTS_TEXT: [&str; 3] = ["a key with 120", "a key with 121", "a key with 1000"];
const KEY_DELTA: &str = "1e-9";

fn one_key() -> Result<Contribution, TargetError> {
    Contribution::new(1, Rational::ONE).map_err(TargetError::new)
}

fn counts(input: usize) -> BTreeMap<u64, u64> {
    BTreeMap::from([(7, COUNTS[input])])
}

fn thresholded() -> Result<Target, TargetError> {
    let scale = "1".parse().map_err(TargetError::new)?;
    let delta = KEY_DELTA.parse().map_err(TargetError::new)?;
    let cut = laplace_threshold(&scale, 0, &one_key()?, &delta).map_err(TargetError::new)?;
    let domain = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::<u64>::new());
    let release = threshold_laplace(domain, &scale, 0, &cut).map_err(TargetError::new)?;
    let claim = AuditClaim {
        epsilon: Rational::ONE,
        delta: KEY_DELTA.parse().map_err(TargetError::new)?,
    };
    Ok(of_counts(claim, move |counts| release.invoke(counts)))
}

fn thresholded_normal() -> Result<Target, TargetError> {
    let (variance, mut claim) = normal_claim()?;
    let delta = KEY_DELTA.parse().map_err(TargetError::new)?;
    let cut = gaussian_threshold(&variance, 0, &one_key()?, &delta).map_err(TargetError::new)?;
    let domain = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::<u64>::new());
    let release = threshold_gaussian(domain, &variance, 0, &cut).map_err(TargetError::new)?;
    let key_delta: Rational = KEY_DELTA.parse().map_err(TargetError::new)?;
    claim.delta = &claim.delta + &key_delta;
    Ok(of_counts(claim, move |counts| release.invoke(counts)))
}

/// The noisy count of the one key, or NaN if it is kept back.
fn of_counts(
    claim: AuditClaim,
    mut release: impl FnMut(&BTreeMap<u64, u64>) -> Result<BTreeMap<u64, i64>, Error> + 'static,
) -> Target {
    let maps = [0, 1, 2].map(counts);
    let centres = Some(COUNTS.map(|x| x as f64));
    Target::new(claim, COUNTS_TEXT, centres, move |input| {
        let output = release(&maps[input as usize]).map_err(TargetError::new)?;
        Ok(output.get(&7).map_or(f64::NAN, |count| *count as f64))
    })
}

/// Four scores; one person moves each by at most 1.
const SCORES: [[i64; 4]; 3] = [[3, 2, 1, 0], [2, 3, 1, 1], [1000, 0, 0, 0]];
const SCORES_TEXT: [&str; 3] = ["scores 3 2 1 0", "scores 2 3 1 1", "scores 1000 0 0 0"];

fn selection(
    select: fn(
        &Exponential,
        &[i64],
    ) -> Result<f64, lastbit::mechanisms::exponential::SelectionError>,
) -> Result<Target, TargetError> {
    let sensitivity = "1".parse().map_err(TargetError::new)?;
    let mechanism = Exponential::new(&epsilon("1")?, &sensitivity);
    Ok(Target::new(pure(), SCORES_TEXT, None, move |input| {
        select(&mechanism, &SCORES[input as usize]).map_err(TargetError::new)
    }))
}

/// Two selections at one half each.
fn top_two() -> Result<Target, TargetError> {
    let sensitivity = "1".parse().map_err(TargetError::new)?;
    let mechanism = Exponential::new(&epsilon("1/2")?, &sensitivity);
    Ok(Target::new(pure(), SCORES_TEXT, None, move |input| {
        let two = mechanism
            .top_k(&SCORES[input as usize], 2, &mut System::default())
            .map_err(TargetError::new)?;
        Ok((10 * two[0] + two[1]) as f64)
    }))
}

fn concave(size: u128, levels: u32) -> Result<Target, TargetError> {
    // Forty points, of which one moves across the middle.
    let data = |moved: u64| {
        let mut data: Vec<u64> = [vec![300; 20], vec![700; 19]].concat();
        data.push(moved);
        data.sort();
        StepFunction::interior_point(&data, size).map_err(TargetError::new)
    };
    let qualities = [data(300)?, data(700)?, data(1000)?];
    let half = "0.5".parse().map_err(TargetError::new)?;
    let problem = Problem::new(size, 20, 10i64.into(), half).map_err(TargetError::new)?;
    let split = Split::new(levels).map_err(TargetError::new)?;
    let each = split.epsilon(&epsilon("1")?).map_err(TargetError::new)?;
    let mechanism = RecConcave::new(problem, levels, &each, IntervalSelection::Exponential)
        .map_err(TargetError::new)?;
    let loss = mechanism.loss().map_err(TargetError::new)?;
    let claim = AuditClaim::pure(Rational::try_from(loss.loss().get()).map_err(TargetError::new)?);
    let inputs = [
        "40 points, the last 300",
        "40 points, the last 700",
        "40 points, the last 1000",
    ];
    Ok(Target::new(claim, inputs, None, move |input| {
        let point = mechanism
            .draw(&qualities[input as usize], &mut System::default())
            .map_err(TargetError::new)?;
        Ok(point.map_or(f64::NAN, |point| point as f64))
    }))
}
