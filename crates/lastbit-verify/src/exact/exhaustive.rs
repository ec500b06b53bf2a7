//! Exhaustive losses of small formats: many scales, bounds and values, all pairs, beside the
//! formulas.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lastbit::mechanisms::snapping::{CHARGED, FloatParameters, PUBLISHED};
use lastbit_exact::{FormatError, Rational, Rounding, Up};

use crate::certificate::{Claim, Factor, check, prove};

use super::small::Small;
use super::{Divergence, ExactLaw, divergence};

/// How far a sweep goes.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Scales tried, spread over an octave; all others are these times a power of two.
    pub scales: u32,
    /// Bounds tried for each scale, spread from λ to 2^(p−7)·λ on a logarithmic axis.
    pub bounds: u32,
    /// Values tried for each, spread from −B to B; ties of the grid come on top.
    pub values: u32,
}

impl Sweep {
    /// What the command sweeps: seconds at 12 bits.
    pub const FULL: Sweep = Sweep {
        scales: 8,
        bounds: 5,
        values: 24,
    };
}

/// One setting: p bits, λ, B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// p, of the arithmetic and of `U*`.
    pub precision: u32,
    /// λ, a p-bit number.
    pub scale: f64,
    /// B, a p-bit number.
    pub bound: f64,
}

impl Setting {
    /// Whether `λ < B < 2^(p−7)·λ`, where the loss is bounded.
    pub fn is_inside(&self) -> bool {
        let limit = self.scale * 2f64.powi(self.precision as i32 - 7);
        self.scale < self.bound && self.bound < limit
    }

    /// `c₁(B/λ)η + c₂η`: what a formula allows beyond `|f − f'|/λ`.
    pub fn slack(&self, (c1, c2): (i64, i64)) -> Rational {
        let relative = &exact(self.bound) / &exact(self.scale);
        let units = &(&relative * &Rational::from(c1)) + &Rational::from(c2);
        units.times_power_of_two(-i64::from(self.precision))
    }

    /// What is certified beyond `|f − f'|/λ` for all values from −B to B.
    fn certified(&self) -> Option<Rational> {
        let claim = Claim {
            precision: self.precision,
            sensitivity: exact(self.bound).times_power_of_two(1),
            input: Vec::new(),
            clamped: true,
            noise: vec![Factor::Times(exact(self.scale))],
            grid_exponent: self.grid_exponent(),
            bound: exact(self.bound),
        };
        let accepted = check(&prove(&claim).ok()?).ok()?;
        Some(&accepted.certified - &accepted.epsilon)
    }

    /// The smallest power of two ≥ λ, as an exponent.
    pub fn grid_exponent(&self) -> i64 {
        exact(self.scale).ceil_log2().unwrap_or(0)
    }

    fn parameters(&self) -> FloatParameters<f64> {
        FloatParameters {
            scale: self.scale,
            grid_exponent: self.grid_exponent(),
            bound: self.bound,
        }
    }

    /// Values spread unevenly from −B to B, and ties of the grid: all p-bit numbers.
    fn values(&self, count: u32) -> Vec<f64> {
        let half_cell = 2f64.powi(self.grid_exponent() as i32 - 1);
        let n = f64::from(count.max(2) - 1);
        let spread = (0..count.max(2)).map(|i| {
            let i = f64::from(i);
            let place = (i * i + 2.0 * i) / (n * n + 2.0 * n);
            p_bits(self.bound * (2.0 * place - 1.0), self.precision)
        });
        let ties = [-3.0, -1.0, 1.0, 3.0].map(|k| k * half_cell);
        let mut values: Vec<f64> = spread
            .chain(ties)
            .filter(|x| x.abs() <= self.bound)
            .collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    }
}

/// What the pairs of one setting lose at most, beyond `|f − f'|/λ`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Row {
    /// The setting.
    pub setting: Setting,
    /// How many pairs of values.
    pub pairs: usize,
    /// The pair that loses most beyond the ideal.
    pub worst: [f64; 2],
    /// Its loss.
    pub divergence: Divergence,
    /// Its loss less `|f − f'|/λ`; infinite if an output of one is unreachable from the other.
    pub excess: Up,
    /// What the published formula allows.
    pub published: Rational,
    /// What a certificate, accepted by the checker, allows any two values; `None` outside the
    /// limits.
    pub certified: Option<Rational>,
    /// What is charged.
    pub charged: Rational,
}

impl Row {
    /// Whether every pair is proved to lose at most what the constants allow.
    pub fn is_within(&self, constants: (i64, i64)) -> bool {
        self.excess.is_at_most(&self.setting.slack(constants))
    }

    /// The share of an allowance that is used; for people.
    pub fn share(&self, allowed: &Rational) -> f64 {
        self.excess.get() / allowed.to_f64(Rounding::NearestEven)
    }
}

/// The settings of a sweep at `precision` bits: inside the limits from 8 bits on; below there is no
/// inside, and bounds go to `2^p·λ`.
pub fn settings(precision: u32, extent: Sweep) -> Vec<Setting> {
    let lower = 1.0f64;
    let upper = if precision >= 8 {
        f64::from(precision as i32 - 7)
    } else {
        f64::from(precision)
    };
    let mut settings = Vec::new();
    for i in 0..extent.scales.max(1) {
        // In (1/2, 1], one of them 1: its own grid.
        let scale = 1.0 - f64::from(i) / f64::from(2 * extent.scales.max(1));
        let scale = p_bits(scale, precision);
        for j in 0..extent.bounds.max(1) {
            // Strictly between the limits, both ends nearly reached.
            let place = (f64::from(j) + 0.02) / (f64::from(extent.bounds.max(1)) - 0.96);
            let ratio = (lower.log2() + place * (upper - lower.log2())).exp2();
            let bound = p_bits(scale * ratio, precision);
            let setting = Setting {
                precision,
                scale,
                bound,
            };
            if precision < 8 || setting.is_inside() {
                settings.push(setting);
            }
        }
    }
    settings
}

/// Enumerates every setting, on every core; `progress` is told how many are done.
pub fn sweep(
    settings: &[Setting],
    values: u32,
    progress: &(dyn Fn(usize) + Sync),
) -> Result<Vec<Row>, FormatError> {
    let formats = formats(settings)?;
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows = Mutex::new(Vec::new());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores.min(settings.len()) {
            scope.spawn(|| {
                while let Some(i) = take(&next, settings.len()) {
                    let small = formats
                        .iter()
                        .find(|f| f.precision() == settings[i].precision);
                    let row = small.and_then(|small| row(small, settings[i], values));
                    if let (Some(row), Ok(mut rows)) = (row, rows.lock()) {
                        rows.push((i, row));
                    }
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                }
            });
        }
    });
    let mut rows = rows
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    rows.sort_by_key(|(i, _)| *i);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// The laws of the two values of a row's worst pair, to look at.
pub fn worst_laws(row: &Row) -> Option<[ExactLaw; 2]> {
    let setting = row.setting;
    let last = Small::last_exponent(setting.bound / setting.scale);
    let small = Small::new(setting.precision, setting.precision, last).ok()?;
    let parameters = setting.parameters();
    let [one, other] = row.worst.map(|value| small.law(value, &parameters));
    Some([one?, other?])
}

/// The largest excess over all pairs; `None` if the logarithms of `small` do not go far enough.
pub fn row(small: &Small, setting: Setting, values: u32) -> Option<Row> {
    let parameters = setting.parameters();
    let values = setting.values(values);
    let laws: Option<Vec<ExactLaw>> = values
        .iter()
        .map(|value| small.law(*value, &parameters))
        .collect();
    let laws = laws?;
    let mut worst: Option<(Up, [usize; 2], Divergence)> = None;
    let mut pairs = 0;
    for i in 0..values.len() {
        for j in i + 1..values.len() {
            pairs += 1;
            let found = divergence(&laws[i], &laws[j]);
            let ideal = &(&exact(values[j]) - &exact(values[i])) / &exact(setting.scale);
            let excess = match found.enclosure() {
                Some(loss) => Up::from_rational(&(&Rational::from(loss.hi()) - &ideal)),
                None => Up::INFINITY,
            };
            if worst.as_ref().is_none_or(|(most, _, _)| excess > *most) {
                worst = Some((excess, [i, j], found));
            }
        }
    }
    let (excess, pair, divergence) = worst?;
    Some(Row {
        setting,
        pairs,
        worst: pair.map(|i| values[i]),
        divergence,
        excess,
        published: setting.slack(PUBLISHED),
        certified: setting.certified(),
        charged: setting.slack(CHARGED),
    })
}

/// One [`Small`] for each precision, with logarithms for its widest setting.
fn formats(settings: &[Setting]) -> Result<Vec<Small>, FormatError> {
    let mut widest: std::collections::BTreeMap<u32, f64> = Default::default();
    for setting in settings {
        let ratio = widest.entry(setting.precision).or_insert(0.0);
        *ratio = ratio.max(setting.bound / setting.scale);
    }
    widest
        .into_iter()
        .map(|(precision, ratio)| Small::new(precision, precision, Small::last_exponent(ratio)))
        .collect()
}

fn take(next: &AtomicUsize, count: usize) -> Option<usize> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    (i < count).then_some(i)
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("settings and values are finite")
}

fn p_bits(x: f64, precision: u32) -> f64 {
    exact(x)
        .round(precision as usize, Rounding::NearestEven)
        .to_f64(Rounding::NearestEven)
}
