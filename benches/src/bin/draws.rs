//! Nanoseconds a draw, as JSON on one line: for `benches/peers.py`, which sets them beside the
//! peers' in the same run. Every figure is the fastest of many short runs, all in turns, so that
//! what else the machine does meanwhile hardly counts in their ratios.

use std::hint::black_box;
use std::time::Instant;

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, Snapping};
use lastbit::statistics::{Grid, GridRow, NonFinite, grid_mean, grid_variance};
use lastbit_exact::Rational;
use lastbit_noise::Gaussian;
use lastbit_noise::entropy::{Entropy, EntropyError, System};
use lastbit_testing::unsafe_naive_laplace;

const N: usize = 1 << 14;
const BLOCK: usize = Gaussian::BLOCK;
/// Rows that stay in the cache.
const ROWS: usize = 1 << 14;
/// Draws that are worth all cores.
const MANY: usize = 1 << 20;

fn mechanism(arithmetic: Arithmetic) -> Result<Snapping, Box<dyn std::error::Error>> {
    Ok(
        Snapping::builder(Bounds::parse("0", "1000")?, "0.7".parse()?)
            .epsilon("1".parse()?)
            .bound(Bound::Gamma("0.000001".parse()?))
            .arithmetic(arithmetic)
            .build()?,
    )
}

/// Box–Muller: one normal number from two words, its partner thrown away as a scalar call does.
fn box_muller(entropy: &mut impl Entropy) -> Result<f64, EntropyError> {
    let unit = 1.0 / (1u64 << 53) as f64;
    let u = ((entropy.word()? >> 11) + 1) as f64 * unit;
    let v = (entropy.word()? >> 11) as f64 * unit;
    Ok((-2.0 * u.ln()).sqrt() * (core::f64::consts::TAU * v).cos())
}

/// The sum of doubles in sixteen lanes: a plain pass over the rows.
fn plain_sum(rows: &[f64]) -> f64 {
    let mut lanes = [0.0; 16];
    for rows in rows.as_chunks::<16>().0 {
        for (lane, row) in lanes.iter_mut().zip(rows) {
            *lane += row;
        }
    }
    lanes.iter().sum()
}

type Job<'a> = (&'static str, usize, Box<dyn FnMut() + 'a>);

/// A mean and a variance of rows of any type.
fn sums<'a, R: GridRow>(
    jobs: &mut Vec<Job<'a>>,
    [mean, variance]: [&'static str; 2],
    rows: &'a [R],
    grid: &'a Grid,
) {
    let job = move || {
        black_box(grid_mean(black_box(rows), grid).expect("finite rows"));
    };
    jobs.push((mean, rows.len(), Box::new(job)));
    let job = move || {
        black_box(grid_variance(black_box(rows), grid).expect("finite rows"));
    };
    jobs.push((variance, rows.len(), Box::new(job)));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let turns = std::env::args()
        .nth(1)
        .map_or(Ok(300), |turns| turns.parse())?;
    let values = vec![417.3; N];
    let (exact, binary64, multi) = (
        mechanism(Arithmetic::Exact)?,
        mechanism(Arithmetic::Binary64)?,
        mechanism(Arithmetic::Multi)?,
    );
    let gaussian = Gaussian::new(&Rational::new(5, 2), -2)?;
    let (steps, error) = (4.0 * 1234.56, 1e-12);
    let bounds = Bounds::parse("0", "100")?;
    let grid = Grid::new(&bounds, -10, NonFinite::Refuse)?;
    let finest = Grid::new(&bounds, -44, NonFinite::Refuse)?;
    let rows: Vec<f64> = (0..ROWS as u64)
        .map(|row| row.wrapping_mul(0x9E37_79B9_7F4A_7C15) as f64 / (64f64).exp2() * 120.0 - 10.0)
        .collect();
    let singles: Vec<f32> = rows.iter().map(|&row| row as f32).collect();
    let narrow: Vec<i32> = rows.iter().map(|&row| row as i32).collect();
    let wide: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
    let (mut words, mut outputs) = (vec![0; 8192], vec![0.0; N]);
    let many = vec![417.3; MANY];
    let (mut of_one, mut of_all) = (vec![0.0; MANY], vec![0.0; MANY]);
    let (mut block, mut cells) = ([0; BLOCK], [0.0; BLOCK]);
    let system = System::default;

    let mut jobs: Vec<Job> = vec![
        (
            "randomness",
            N,
            Box::new(|| {
                for _ in 0..N {
                    black_box(system().word().expect("entropy"));
                }
            }),
        ),
        (
            "randomness_bulk",
            words.len(),
            Box::new(|| system().fill(black_box(&mut words)).expect("entropy")),
        ),
        (
            "naive",
            N,
            Box::new(|| {
                for _ in 0..N {
                    let draw =
                        unsafe_naive_laplace(black_box(417.3), black_box(0.7), &mut system());
                    black_box(draw.expect("entropy"));
                }
            }),
        ),
        (
            "exact_bulk",
            N,
            Box::new(|| {
                let drawn = exact.draw_slice(black_box(&values), &mut outputs, &mut system());
                drawn.expect("finite values");
                black_box(&outputs);
            }),
        ),
        (
            "exact_bulk_of_many",
            MANY,
            Box::new(|| {
                let drawn = exact.draw_slice(black_box(&many), &mut of_one, &mut system());
                drawn.expect("finite values");
                black_box(&of_one);
            }),
        ),
        (
            "exact_all_cores",
            MANY,
            Box::new(|| {
                let drawn = exact.draw_slice_on_all_cores(black_box(&many), &mut of_all);
                drawn.expect("finite values");
                black_box(&of_all);
            }),
        ),
        (
            "naive_gaussian",
            N,
            Box::new(|| {
                for _ in 0..N {
                    let draw = box_muller(&mut system()).expect("entropy");
                    black_box((steps + 10.0 * draw).round_ties_even());
                }
            }),
        ),
        (
            "gaussian_block",
            64 * BLOCK,
            Box::new(|| {
                for _ in 0..64 {
                    system().fill(&mut block).expect("entropy");
                    let locations = black_box([steps; BLOCK]);
                    black_box(gaussian.try_block(&block, &locations, error, &mut cells));
                    black_box(&cells);
                }
            }),
        ),
        (
            "gaussian_scalar",
            N,
            Box::new(|| {
                for _ in 0..N {
                    let word = system().word().expect("entropy");
                    black_box(gaussian.try_cell(word, black_box(steps), error));
                }
            }),
        ),
    ];
    for (name, mechanism, n) in [
        ("exact_scalar", &exact, N),
        ("binary64", &binary64, N),
        ("multi", &multi, N / 64),
    ] {
        let job = move || {
            for _ in 0..n {
                let draw = mechanism.draw(black_box(417.3), &mut system());
                black_box(draw.expect("a finite value"));
            }
        };
        jobs.push((name, n, Box::new(job)));
    }
    jobs.push((
        "plain_sum",
        ROWS,
        Box::new(|| {
            black_box(plain_sum(black_box(&rows)));
        }),
    ));
    sums(&mut jobs, ["mean_f32", "variance_f32"], &singles, &grid);
    sums(&mut jobs, ["mean_i32", "variance_i32"], &narrow, &grid);
    sums(&mut jobs, ["mean_i64", "variance_i64"], &wide, &grid);
    sums(&mut jobs, ["mean", "variance"], &rows, &grid);
    sums(
        &mut jobs,
        ["mean_finest", "variance_finest"],
        &rows,
        &finest,
    );

    let mut fastest = vec![f64::INFINITY; jobs.len()];
    for _ in 0..turns {
        for ((_, n, job), fastest) in jobs.iter_mut().zip(&mut fastest) {
            let start = Instant::now();
            job();
            *fastest = fastest.min(start.elapsed().as_nanos() as f64 / *n as f64);
        }
    }
    let fields: Vec<String> = jobs
        .iter()
        .zip(fastest)
        .map(|((name, ..), ns)| format!("\"{name}\":{ns:.2}"))
        .collect();
    println!("{{{}}}", fields.join(","));
    Ok(())
}
