//! A program that has passed every check.

use std::collections::BTreeMap;

use super::monotone::motions;
use super::names::sorts;
use super::{Arithmetic, Diagnostic, Expr, Motion, Program, Sort};

/// A program whose names are bound once each, whose arithmetics are not mixed, which never divides by zero or takes the logarithm
/// of a nonpositive number, and whose output is monotone in every sample for fixed signs; for every positive value of
/// its parameters.
///
/// ```
/// use lastbit_verify::language::{Checked, Direction, parse};
/// let program = parse("parameters lambda\nu <- unif; s <- sign\nreturn f (+) s (*) (lambda (*) ln~(u))").unwrap();
/// let checked = Checked::new(program).unwrap();
/// assert_eq!(checked.motions()[0].samples["u"], Direction::Increasing); // s = 1
/// assert_eq!(checked.motions()[1].samples["u"], Direction::Decreasing); // s = −1
/// ```
#[derive(Clone, Debug)]
pub struct Checked {
    program: Program,
    sorts: BTreeMap<String, Sort>,
    result: Sort,
    motions: Vec<Motion>,
}

impl Checked {
    /// Checks a program; otherwise everything that is wrong with it, in the order of the source.
    pub fn new(program: Program) -> Result<Checked, Vec<Diagnostic>> {
        let sorted = |mut errors: Vec<Diagnostic>| {
            errors.sort_by_key(|error| error.at);
            errors
        };
        let (sorts, result) = sorts(&program).map_err(sorted)?;
        let motions = motions(&program).map_err(sorted)?;
        Ok(Checked {
            program,
            sorts,
            result,
            motions,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The arithmetic of the result: rounded if a rounded operation takes part in it.
    pub fn arithmetic(&self) -> Arithmetic {
        match self.result {
            Sort::Floating => Arithmetic::Rounded,
            Sort::Exact | Sort::Real => Arithmetic::Real,
        }
    }

    /// How the output moves with the query and each sample, for every choice of the signs; the first has all signs 1.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// The sort of an assigned variable.
    pub fn sort(&self, variable: &str) -> Option<Sort> {
        self.sorts.get(variable).copied()
    }

    /// What an assigned variable stands for.
    pub fn definition(&self, variable: &str) -> Option<&Expr> {
        self.program
            .assignments()
            .find(|assignment| assignment.name == variable)
            .map(|assignment| &assignment.value)
    }
}
