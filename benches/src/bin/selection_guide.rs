//! Measured rank errors of private medians beside their bounds: exponential mechanism over runs,
//! Flat-Concave by either selection, and RecConcave of three levels.
//!
//! Prints the tables of `docs/selection.md`.
//! `cargo run --release -p lastbit-benches --bin selection_guide`; an argument sets the number of
//! draws, 200 without.

use lastbit::mechanisms::exponential::{Exponential, Run};
use lastbit::mechanisms::flat_concave::{Method, Problem, RecConcave, Split, loss_of_quality};
use lastbit::quality::StepFunction;
use lastbit::selection::{QuantilesMethod, quantiles_offers};
use lastbit::{Alpha, Delta, Epsilon, Share};
use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::{Entropy, System};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const DOMAINS: [u32; 6] = [8, 16, 32, 64, 96, 120];
const ROWS: [usize; 3] = [1_000, 10_000, 100_000];
const EPSILONS: [&str; 2] = ["0.1", "1"];
const DELTA: &str = "1e-6";

fn main() -> Result<()> {
    let draws = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 200,
    };
    for epsilon in EPSILONS {
        medians(epsilon, draws)?;
    }
    many()
}

fn medians(epsilon: &str, draws: usize) -> Result<()> {
    println!(
        "\nMedian, ε = {epsilon}, δ = {DELTA}, {draws} draws: median / 95th percentile of the \
         rank error (share of ⊥), and the bound at 95 %\n"
    );
    println!(
        "| domain | rows | exponential | Flat-Concave, exponential | Flat-Concave, stability | \
         RecConcave, 3 levels |"
    );
    println!("|---|---|---|---|---|---|");
    for bits in DOMAINS {
        let mut bounds = Vec::new();
        for way in ways(epsilon)? {
            bounds.push(format!("{:.0}", way.bound(bits)?.get().ceil()));
        }
        println!("| 2^{bits} | bound | {} |", bounds.join(" | "));
        for count in ROWS {
            let sorted = data(bits, count)?;
            let quality = StepFunction::quantile(&sorted, 1 << bits, count as u64 / 2)?;
            let mut cells = Vec::new();
            for way in ways(epsilon)? {
                cells.push(way.measure(bits, count, &quality, draws)?);
            }
            println!("| | {count} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// A method, with ε of each of its selections.
struct Way {
    method: Method,
    each: Epsilon,
}

fn ways(epsilon: &str) -> Result<Vec<Way>> {
    let (epsilon, delta): (Epsilon, Delta) = (epsilon.parse()?, DELTA.parse()?);
    let concave = |levels: u32, delta: Option<&Delta>| {
        let split = Split::new(levels)?;
        let selection = split.selection(delta);
        Ok(Way {
            method: Method::Concave { levels, selection },
            each: split.epsilon(&epsilon)?,
        })
    };
    let exponential = Way {
        method: Method::Exponential,
        each: epsilon.clone(),
    };
    [
        Ok(exponential),
        concave(2, None),
        concave(2, Some(&delta)),
        concave(3, Some(&delta)),
    ]
    .into_iter()
    .collect()
}

impl Way {
    fn bound(&self, bits: u32) -> Result<Up> {
        Ok(loss_of_quality(
            1 << bits,
            &self.method,
            &self.each,
            &"0.05".parse()?,
        )?)
    }

    /// Median and 95th percentile of the rank error; ⊥ counts as the number of rows.
    fn measure(
        &self,
        bits: u32,
        count: usize,
        quality: &StepFunction,
        draws: usize,
    ) -> Result<String> {
        let mut entropy = System::default();
        let mut errors = Vec::with_capacity(draws);
        let mut nothing = 0;
        let mut keep = |point: Option<u128>| match point {
            Some(point) => errors.push(count as i64 - quality.value(point)),
            None => {
                nothing += 1;
                errors.push(count as i64);
            }
        };
        match &self.method {
            Method::Exponential => {
                let runs: Vec<Run<i64>> = quality
                    .runs()
                    .map(|run| Run {
                        length: run.length,
                        score: run.value,
                    })
                    .collect();
                let mechanism = Exponential::new(&self.each, &"1".parse()?);
                let choice = mechanism.over_runs(&runs)?;
                let starts: Vec<u128> = quality.runs().map(|run| run.start).collect();
                for _ in 0..draws {
                    let (run, place) = choice.draw_place(&mut entropy)?;
                    keep(Some(starts[run] + place));
                }
            }
            Method::Concave { levels, selection } => {
                // As `quantile_by`: the promise is the number of rows, and α is the bound in whole
                // rows, kept below 1.
                let rows = count as i64;
                let most = Rational::from(2 * rows - 1).times_power_of_two(-1);
                let lost = Rational::try_from(self.bound(bits)?.get().ceil())?;
                let alpha = &lost.clamp_to(&Rational::ONE, &most) / &Rational::from(rows);
                let problem = Problem::new(1 << bits, rows, rows.into(), Alpha::new(alpha)?)?;
                let mechanism = RecConcave::new(problem, *levels, &self.each, selection.clone())?;
                for _ in 0..draws {
                    keep(mechanism.draw(quality, &mut entropy)?);
                }
            }
        }
        errors.sort_unstable();
        let at = |percent: usize| errors[(percent * draws).div_ceil(100) - 1];
        let nothing = match nothing {
            0 => String::new(),
            n => format!(" (⊥ {:.0} %)", 100.0 * n as f64 / draws as f64),
        };
        Ok(format!("{} / {}{nothing}", at(50), at(95)))
    }
}

/// Rows around the middle of the domain, each the mean of three uniform points: dense in the
/// middle, with gaps that grow with the domain.
fn data(bits: u32, count: usize) -> Result<Vec<u128>> {
    let mut entropy = System::default();
    let mut sorted = Vec::with_capacity(count);
    for _ in 0..count {
        let mut sum = 0u128;
        for _ in 0..3 {
            let point = u128::from(entropy.word()?) << 64 | u128::from(entropy.word()?);
            sum += (point >> (128 - bits)) / 3;
        }
        sorted.push(sum);
    }
    sorted.sort_unstable();
    Ok(sorted)
}

/// Where bisection begins to win.
fn many() -> Result<()> {
    println!(
        "\nEvenly spaced quantiles of 100,000 rows over 2^64 points, ε = 1: bound on every rank \
         error at 95 %\n"
    );
    println!("| quantiles | split and sorted | bisection |");
    println!("|---|---|---|");
    for k in [1i64, 3, 7, 9, 15, 19, 31, 63, 99, 255] {
        let wanted = (1..=k).map(|i| Share::new(Rational::new(i, k + 1)));
        let wanted = wanted.collect::<std::result::Result<Vec<Share>, _>>()?;
        let offers = quantiles_offers(1 << 64, 100_000, &wanted, &"1".parse()?, &"0.05".parse()?)?;
        let bound = |method| {
            let offer = offers.iter().find(|offer| offer.method == method);
            offer.map_or(f64::NAN, |offer| offer.rank_error.get().ceil())
        };
        let (split, bisection) = (
            bound(QuantilesMethod::Split),
            bound(QuantilesMethod::Bisection),
        );
        println!("| {k} | {split} | {bisection} |");
    }
    Ok(())
}
