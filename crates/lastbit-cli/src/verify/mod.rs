//! `lastbit verify …`: what floating-point mechanisms do, proved.

mod program;

use std::io::Write;

use anyhow::Result;
use clap::Subcommand;

/// What can be verified.
#[derive(Subcommand)]
pub enum Verify {
    /// Read a mechanism as a program, check it, and bound its rounding errors
    Program(program::Program),
}

impl Verify {
    /// Runs the command.
    pub fn run(self, out: &mut impl Write) -> Result<()> {
        match self {
            Verify::Program(command) => command.run(out),
        }
    }
}
