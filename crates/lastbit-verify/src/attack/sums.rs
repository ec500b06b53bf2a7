//! Sums of floats, whose sensitivity is not that of sums (Casacuberta, Shoemate, Vadhan and
//! Wagaman, 2022).

use lastbit::Bounds;
use lastbit::domains::AtomDomain;
use lastbit::mechanisms::laplace;
use lastbit::statistics::{Grid, NonFinite, grid_sum};
use lastbit_exact::{Rational, Rounding};

use super::target::{Entry, Target, TargetError};
use crate::audit::AuditClaim;

/// Pairs of rows after the first: few enough to sum in a blink.
const PAIRS: usize = 50_000;

pub(super) fn entries() -> Vec<Entry> {
    let entry = |name, about, is_shipped, build| Entry {
        name,
        about,
        is_shipped,
        build,
    };
    vec![
        entry(
            "naive-sum-f32",
            "a sum of 32-bit floats in [-1, 1], with exact Laplace noise for Δ = 2",
            false,
            || {
                target(24, |rows| {
                    Ok(exact(f64::from(
                        rows.iter().map(|x| *x as f32).sum::<f32>(),
                    )))
                })
            },
        ),
        entry("naive-sum-f64", "the same in 64-bit floats", false, || {
            target(53, |rows| Ok(exact(rows.iter().sum::<f64>())))
        }),
        entry(
            "grid-sum",
            "the same as an exact sum of rows rounded to 2^-30",
            true,
            || target(24, on_grid),
        ),
    ]
}

/// Rows in [−1, 1] whose float sum, at `significand` bits, moves by far more than 2 when the first
/// row goes from −1 to 1.
///
/// 1023 ones bring the sum to 1022 or to 1024: below 2^10 the spacing of floats is u, from there on
/// 2u. Then come pairs +1.25u, −0.9375u. Below 2^10 they are rounded to +u and −u and cancel;
/// above, to +2u and 0, and each pair adds 2u.
pub fn rows(significand: u32, first: f64, pairs: usize) -> Vec<f64> {
    let spacing = 2f64.powi(10 - significand as i32);
    let mut rows = vec![first];
    rows.extend([1.0; 1023]);
    for _ in 0..pairs {
        rows.extend([1.25 * spacing, -0.9375 * spacing]);
    }
    rows
}

fn target(
    significand: u32,
    sum: fn(&[f64]) -> Result<Rational, TargetError>,
) -> Result<Target, TargetError> {
    let claimed = Rational::from(2i64);
    let [a, b] = [-1.0, 1.0].map(|first| sum(&rows(significand, first, PAIRS)));
    let (a, b) = (a?, b?);
    let scale = "2".parse().map_err(TargetError::new)?;
    let noise = laplace(AtomDomain::<f64>::new(), &scale, -20).map_err(TargetError::new)?;
    let sums = [&a, &b, &b].map(|sum| sum.to_f64(Rounding::NearestEven));
    let inputs = ["first row −1", "first row 1", "first row 1"];
    let claim = AuditClaim::pure(Rational::ONE);
    let mut target = Target::new(claim, inputs, Some(sums), move |input| {
        noise
            .invoke(&sums[input as usize])
            .map_err(TargetError::new)
    });
    target.sums = Some([(&b - &a).abs(), claimed]);
    Ok(target)
}

fn on_grid(rows: &[f64]) -> Result<Rational, TargetError> {
    let bounds = Bounds::from_f64(-1.0, 1.0).map_err(TargetError::new)?;
    let grid = Grid::new(&bounds, -30, NonFinite::Refuse).map_err(TargetError::new)?;
    grid_sum(rows, &grid).map_err(TargetError::new)
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("a sum of rows within ±1 is finite")
}
