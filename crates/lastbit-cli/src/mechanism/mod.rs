//! `lastbit mechanism …`: one mechanism at a time, on numbers that the caller gives.

mod candidates;
mod draws;
mod exponential;
mod flat_concave;
mod lines;
mod noise;
mod permute_and_flip;
mod quantiles;
mod randomized_response;
mod snapping;
mod threshold;

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;

// One value, made once: its size does not matter.
#[allow(clippy::large_enum_variant)]
#[derive(Subcommand)]
pub enum Mechanism {
    /// Laplace noise on a public grid: what floating-point Laplace should have been
    #[command(subcommand)]
    Snapping(snapping::Snapping),
    /// Selection of a candidate by its score
    #[command(subcommand)]
    Exponential(exponential::Exponential),
    /// Selection of a quantile over a large domain
    #[command(subcommand)]
    FlatConcave(flat_concave::FlatConcave),
    /// Laplace noise around a number, rounded to a public grid
    #[command(subcommand)]
    Laplace(noise::Laplace),
    /// Gaussian noise around a number, rounded to a public grid
    #[command(subcommand)]
    Gaussian(noise::Gaussian),
    /// Two-sided geometric noise, or discrete Laplace, on a whole number
    #[command(subcommand)]
    Geometric(noise::Geometric),
    /// Selection of a candidate by its score, never worse than `exponential` on average
    #[command(subcommand)]
    PermuteAndFlip(permute_and_flip::PermuteAndFlip),
    /// Several quantiles for one loss
    #[command(subcommand)]
    Quantiles(quantiles::Quantiles),
    /// Counts by keys that are not public
    #[command(subcommand)]
    Threshold(threshold::Threshold),
    /// The answer of one person about one of some categories
    #[command(subcommand)]
    RandomizedResponse(randomized_response::RandomizedResponse),
}

impl Mechanism {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Mechanism::Snapping(command) => command.run(out),
            Mechanism::Exponential(command) => command.run(out),
            Mechanism::FlatConcave(command) => command.run(out),
            Mechanism::Laplace(command) => command.run(out),
            Mechanism::Gaussian(command) => command.run(out),
            Mechanism::Geometric(command) => command.run(out),
            Mechanism::PermuteAndFlip(command) => command.run(out),
            Mechanism::Quantiles(command) => command.run(out),
            Mechanism::Threshold(command) => command.run(out),
            Mechanism::RandomizedResponse(command) => command.run(out),
        }
    }
}
