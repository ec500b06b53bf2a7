//! `lastbit verify …`: what floating-point mechanisms do, proved.

mod check;
mod exact;
mod exhaustive;
mod program;
mod snapping;
mod source;

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;

/// What can be verified.
#[derive(Subcommand)]
// One value, made once: its size does not matter.
#[allow(clippy::large_enum_variant)]
pub enum Verify {
    /// Check a certificate without trusting its prover
    Check(check::Check),
    /// The exact law of the shipped snapping code, and its exact loss between two values
    Exact(exact::ExactArgs),
    /// Exact losses of small formats, every random bit pattern enumerated, beside the formulas
    Exhaustive(exhaustive::Exhaustive),
    /// Read a mechanism as a program, check it, and bound its rounding errors
    Program(program::Program),
    /// Prove a bound on the loss of floating snapping, and write a certificate
    Snapping(snapping::Snapping),
}

impl Verify {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Verify::Check(command) => command.run(out),
            Verify::Exact(command) => command.run(out),
            Verify::Exhaustive(command) => command.run(out),
            Verify::Program(command) => command.run(out),
            Verify::Snapping(command) => command.run(out),
        }
    }
}
