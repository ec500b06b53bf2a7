//! What Lastbit charges: for `benches/opendp_maps.py`, which asks OpenDP for the same.
//!
//! Reads a line per setting, a kind and exact decimal numbers, and writes a line of losses for
//! each, rounded up. With `--time`, writes nanoseconds as JSON on one line instead.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{BufRead, stdin};

use lastbit::composition::sequential;
use lastbit::domains::{AtomDomain, MapDomain, VectorDomain};
use lastbit::measures::EpsilonDelta;
use lastbit::mechanisms::{
    Scale, ThresholdGaussian, ThresholdLaplace, Variance, gaussian, geometric, laplace,
    laplace_zcdp, randomized_response, randomized_response_bool, threshold_gaussian,
    threshold_laplace,
};
use lastbit::metrics::Contribution;
use lastbit_benches::fastest;
use lastbit_exact::{Down, Interval, Rational, Rounding, Up};
use lastbit_noise::entropy::System;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some("--time") {
        return time();
    }
    for line in stdin().lock().lines() {
        let line = line?;
        let losses = losses(&line).map_err(|error| format!("{line}: {error}"))?;
        let losses: Vec<String> = losses.iter().map(|loss| format!("{loss:e}")).collect();
        println!("{}", losses.join(" "));
    }
    Ok(())
}

/// The losses of one setting.
fn losses(line: &str) -> Result<Vec<f64>> {
    let mut words = line.split_whitespace();
    let kind = words.next().ok_or("a line needs a kind")?;
    let numbers = words.map(str::parse).collect::<std::result::Result<_, _>>();
    let numbers: Vec<Rational> = numbers?;
    let (float, int) = (AtomDomain::<f64>::new, AtomDomain::<i64>::new);
    let (floats, ints) = (|| VectorDomain::new(float()), || VectorDomain::new(int()));
    let one = |loss: Up| Ok(vec![loss.get()]);
    match (kind, numbers.as_slice()) {
        ("laplace-float", [s, grid, d]) => {
            one(laplace(float(), &scale(s)?, integer(grid)?)?.map(d)?)
        }
        ("laplace-floats", [s, grid, d]) => {
            one(laplace(floats(), &scale(s)?, integer(grid)?)?.map(d)?)
        }
        ("laplace-int", [s, d]) => one(laplace(int(), &scale(s)?, 0)?.map(d)?),
        ("laplace-ints", [s, d]) => one(laplace(ints(), &scale(s)?, 0)?.map(d)?),
        ("geometric-int", [s, d]) => one(geometric(int(), &scale(s)?)?.map(d)?),
        ("geometric-ints", [s, d]) => one(geometric(ints(), &scale(s)?)?.map(d)?),
        ("gaussian-float", [s, grid, d]) => {
            one(gaussian(float(), &variance(s)?, integer(grid)?)?.map(d)?)
        }
        ("gaussian-floats", [s, grid, d]) => {
            one(gaussian(floats(), &variance(s)?, integer(grid)?)?.map(&Up::from_rational(d))?)
        }
        ("gaussian-int", [s, d]) => one(gaussian(int(), &variance(s)?, 0)?.map(d)?),
        ("gaussian-ints", [s, d]) => {
            one(gaussian(ints(), &variance(s)?, 0)?.map(&Up::from_rational(d))?)
        }
        ("response-bool", [p]) => one(randomized_response_bool(p)?.map(&1)?),
        ("response", [k, p]) => {
            let categories: Vec<i64> = (0..integer(k)?).collect();
            one(randomized_response(int(), categories, p)?.map(&1)?)
        }
        ("threshold-laplace-float", [s, grid, threshold, keys, each]) => {
            both(laplace_keys(s, integer(grid)?, threshold)?.map(&contribution(keys, each)?)?)
        }
        ("threshold-laplace-int", [s, threshold, keys, each]) => {
            let domain = MapDomain::new(int(), int());
            let release = threshold_laplace(domain, &scale(s)?, 0, threshold)?;
            both(release.map(&contribution(keys, each)?)?)
        }
        ("threshold-gaussian-float", [s, grid, threshold, keys, each]) => {
            both(gaussian_keys(s, integer(grid)?, threshold)?.map(&contribution(keys, each)?)?)
        }
        ("threshold-gaussian-int", [s, threshold, keys, each]) => {
            let domain = MapDomain::new(int(), int());
            let release = threshold_gaussian(domain, &variance(s)?, 0, threshold)?;
            both(release.map(&contribution(keys, each)?)?)
        }
        ("pure-to-zcdp", [s, d]) => one(geometric(int(), &scale(s)?)?.to_zcdp().map(d)?),
        ("laplace-zcdp", [s, grid, d]) => {
            one(laplace_zcdp(float(), &scale(s)?, integer(grid)?)?.map(d)?)
        }
        ("zcdp-to-epsilon", [s, d, delta]) => {
            let release = gaussian(float(), &variance(s)?, -20)?;
            let loss = release.to_approximate(Down::from_rational(delta))?.map(d)?;
            one(*loss.loss())
        }
        ("zcdp-to-delta", [s, d, epsilon]) => {
            let profile = gaussian(float(), &variance(s)?, -20)?.to_profile().map(d)?;
            one(profile.delta(Down::from_rational(epsilon))?)
        }
        ("compose-laplace", [d, scales @ ..]) => {
            let releases = scales
                .iter()
                .map(|s| Ok(laplace(float(), &scale(s)?, -20)?));
            one(sequential(releases.collect::<Result<Vec<_>>>()?)?.map(d)?)
        }
        ("compose-gaussian", [d, sigmas @ ..]) => {
            let releases = sigmas
                .iter()
                .map(|s| Ok(gaussian(float(), &variance(s)?, -20)?));
            one(sequential(releases.collect::<Result<Vec<_>>>()?)?.map(d)?)
        }
        ("compose-approximate", [d, delta, sigmas @ ..]) => {
            let delta = Down::from_rational(delta);
            let releases = sigmas
                .iter()
                .map(|s| Ok(gaussian(float(), &variance(s)?, -20)?.to_approximate(delta)?));
            both(sequential(releases.collect::<Result<Vec<_>>>()?)?.map(d)?)
        }
        _ => Err("no such kind with so many numbers".into()),
    }
}

fn laplace_keys(
    s: &Rational,
    grid: i64,
    threshold: &Rational,
) -> Result<ThresholdLaplace<AtomDomain<i64>, f64>> {
    let domain = MapDomain::new(AtomDomain::new(), AtomDomain::new());
    Ok(threshold_laplace(domain, &scale(s)?, grid, threshold)?)
}

fn gaussian_keys(
    sigma: &Rational,
    grid: i64,
    threshold: &Rational,
) -> Result<ThresholdGaussian<AtomDomain<i64>, f64>> {
    let domain = MapDomain::new(AtomDomain::new(), AtomDomain::new());
    Ok(threshold_gaussian(
        domain,
        &variance(sigma)?,
        grid,
        threshold,
    )?)
}

fn both(loss: EpsilonDelta) -> Result<Vec<f64>> {
    Ok(vec![loss.loss().get(), loss.delta().get()])
}

fn scale(s: &Rational) -> Result<Scale> {
    Ok(Scale::new(s.clone())?)
}

fn variance(sigma: &Rational) -> Result<Variance> {
    Ok(Variance::of_sigma(sigma.clone())?)
}

fn contribution(keys: &Rational, each: &Rational) -> Result<Contribution> {
    Ok(Contribution::new(integer(keys)?.try_into()?, each.clone())?)
}

fn integer(number: &Rational) -> Result<i64> {
    let integer = number.to_f64(Rounding::NearestEven) as i64;
    if Rational::from(integer) == *number {
        Ok(integer)
    } else {
        Err(format!("{number} is not an integer").into())
    }
}

/// Nanoseconds of one evaluation of a map, of the arithmetic in it, and of one release.
fn time() -> Result<()> {
    // A run takes about a millisecond, so that some run of several is left alone by whatever else
    // the machine does.
    const N: usize = 1 << 16;
    let s: Rational = "0.7".parse()?;
    let d: Rational = "0.3".parse()?;
    let (float, int) = (AtomDomain::<f64>::new, AtomDomain::<i64>::new);
    let grid_laplace = laplace(float(), &scale(&s)?, -10)?;
    let grid_gaussian = gaussian(float(), &variance(&s)?, -10)?;
    let approximate = grid_gaussian.to_approximate(Down::exact(1e-6))?;
    let ten = sequential(vec![grid_laplace.clone(); 10])?;
    let keys = laplace_keys(&s, -10, &20i64.into())?;
    let one_person = Contribution::new(3, d.clone())?;

    let mut results = vec![
        (
            "map_laplace",
            fastest(N / 32, |n| {
                for _ in 0..n {
                    let _ = black_box(grid_laplace.map(black_box(&d)));
                }
            }),
        ),
        (
            "map_gaussian",
            fastest(N / 32, |n| {
                for _ in 0..n {
                    let _ = black_box(grid_gaussian.map(black_box(&d)));
                }
            }),
        ),
        (
            "map_compose",
            fastest(N / 256, |n| {
                for _ in 0..n {
                    let _ = black_box(ten.map(black_box(&d)));
                }
            }),
        ),
        (
            "map_threshold",
            fastest(N / 256, |n| {
                for _ in 0..n {
                    let _ = black_box(keys.map(black_box(&one_person)));
                }
            }),
        ),
        (
            "map_zcdp_to_epsilon",
            fastest(N / 1024, |n| {
                for _ in 0..n {
                    let _ = black_box(approximate.map(black_box(&d)));
                }
            }),
        ),
    ];

    let (x, y) = (Up::exact(0.3), Up::exact(0.7));
    results.push((
        "up_add",
        fastest(N, |n| {
            for _ in 0..n {
                black_box(black_box(x) + black_box(y));
            }
        }),
    ));
    let x = Interval::point(0.3);
    results.push((
        "interval_exp",
        fastest(N, |n| {
            for _ in 0..n {
                black_box(black_box(x).exp());
            }
        }),
    ));

    let mut entropy = System::default();
    let int_laplace = laplace(int(), &scale(&s)?, 0)?;
    let int_geometric = geometric(int(), &scale(&s)?)?;
    let int_gaussian = gaussian(int(), &variance(&s)?, 0)?;
    for (name, release) in [
        ("release_integer_laplace", &int_laplace),
        ("release_geometric", &int_geometric),
    ] {
        let ns = fastest(N, |n| {
            for _ in 0..n {
                let _ = black_box(release.invoke_with(black_box(&417), &mut entropy));
            }
        });
        results.push((name, ns));
    }
    results.push((
        "release_integer_gaussian",
        fastest(N, |n| {
            for _ in 0..n {
                let _ = black_box(int_gaussian.invoke_with(black_box(&417), &mut entropy));
            }
        }),
    ));
    results.push((
        "release_grid_laplace",
        fastest(N, |n| {
            for _ in 0..n {
                let _ = black_box(grid_laplace.invoke_with(black_box(&417.3), &mut entropy));
            }
        }),
    ));
    results.push((
        "release_grid_gaussian",
        fastest(N, |n| {
            for _ in 0..n {
                let _ = black_box(grid_gaussian.invoke_with(black_box(&417.3), &mut entropy));
            }
        }),
    ));
    let map: BTreeMap<i64, f64> = (0..1000).map(|key| (key, 417.3)).collect();
    results.push((
        "release_threshold",
        fastest(16, |n| {
            for _ in 0..n {
                let _ = black_box(keys.invoke_with(black_box(&map), &mut entropy));
            }
        }) / map.len() as f64,
    ));
    let fields: Vec<String> = results
        .iter()
        .map(|(name, ns)| format!("\"{name}\":{ns:.2}"))
        .collect();
    println!("{{{}}}", fields.join(","));
    Ok(())
}
