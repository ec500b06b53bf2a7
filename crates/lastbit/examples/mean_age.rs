//! From a table to two published numbers: the mean and the variance of 1000 ages, with their prices
//! known beforehand.
//!
//! ```sh
//! cargo run --release -p lastbit --example mean_age
//! ```

use lastbit::Rational;
use lastbit::System;
use lastbit::mechanisms::snapping::{GridRule, Snapping};
use lastbit::statistics::{Extent, Grid, Neighbours, NonFinite, grid_mean, grid_variance};
use lastbit::{Bounds, Confidence, statistics};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The number of people is public, and so is what an age can be.
const PEOPLE: u64 = 1000;

fn main() -> Result<()> {
    let confidence: Confidence = "0.95".parse()?;
    let ages = read(include_str!("ages.csv"))?;

    // Each age is rounded to a sixteenth on its own and summed in integers: the sensitivity is
    // exact.
    let grid = Grid::new(&Bounds::parse("0", "110")?, -4, NonFinite::ReplaceNan(0.0))?;
    let neighbours = Neighbours::change_one(PEOPLE)?;
    let mean = statistics::mean(grid.bounds(), neighbours)?;
    let variance = statistics::variance(grid.bounds(), neighbours)?;

    println!("{PEOPLE} ages in [0, 110]; one person changed is a neighbour.\n");
    println!("| statistic | Δ | loss ε | published | ± at 95 % | worst bias |");
    println!("|---|---|---|---|---|---|");
    publish(
        "mean age",
        &mean,
        "0.5",
        &grid_mean(&ages, &grid)?,
        &confidence,
    )?;
    publish(
        "variance",
        &variance,
        "0.5",
        &grid_variance(&ages, &grid)?,
        &confidence,
    )?;
    println!("\nTotal loss: ε = 1, exactly.");
    Ok(())
}

fn publish(
    name: &str,
    statistic: &Extent,
    epsilon: &str,
    value: &Rational,
    confidence: &Confidence,
) -> Result<()> {
    let sensitivity = statistic.sensitivity().to_string();
    let mechanism = Snapping::builder(statistic.bounds()?, sensitivity.parse()?)
        .epsilon(epsilon.parse()?)
        .grid(GridRule::fixed(-3)?)
        .build()?;
    let price = mechanism.price(confidence)?; // before the data is used
    let published = mechanism.draw_exact(value, &mut System::default())?;
    println!(
        "| {name} | {sensitivity} | {epsilon} | {published} | {:.2} | {:.4} |",
        price.accuracy, price.bias_worst
    );
    Ok(())
}

fn read(csv: &str) -> Result<Vec<f64>> {
    csv.lines()
        .skip(1)
        .map(|line| {
            Ok(line
                .split(',')
                .nth(1)
                .ok_or("a line without an age")?
                .parse()?)
        })
        .collect()
}
