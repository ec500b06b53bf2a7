//! Programs that have passed the checks.

use std::collections::BTreeMap;

use super::monotone::motions;
use super::names::sorts;
use super::{Diagnostic, Motion, OperationArithmetic, Program, Sort};

/// A program whose names are bound before they are used, once each, and whose arithmetics are not
/// mixed: it can be evaluated.
#[derive(Clone, Debug)]
pub struct WellFormed {
    program: Program,
    sorts: BTreeMap<String, Sort>,
    result: Sort,
}

impl WellFormed {
    /// Checks names and arithmetics; otherwise everything that is wrong with them, in the order of
    /// the source.
    pub fn new(program: Program) -> Result<WellFormed, Vec<Diagnostic>> {
        let (sorts, result) = sorts(&program).map_err(in_order)?;
        Ok(WellFormed {
            program,
            sorts,
            result,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The arithmetic of the result: rounded if a rounded operation takes part in it.
    pub fn arithmetic(&self) -> OperationArithmetic {
        match self.result {
            Sort::Floating => OperationArithmetic::Rounded,
            Sort::Exact | Sort::Real => OperationArithmetic::Real,
        }
    }

    /// The sort of an assigned variable.
    pub fn sort(&self, variable: &str) -> Option<Sort> {
        self.sorts.get(variable).copied()
    }
}

/// A well-formed program that never divides by zero or takes the logarithm of a nonpositive number,
/// and whose output is monotone in every sample for fixed signs; for every positive value of its
/// parameters.
///
/// ```
/// use lastbit_verify::language::{Checked, Direction, parse};
/// let program =
///     parse("parameters lambda\nu <- unif; s <- sign\nreturn f (+) s (*) (lambda (*) ln~(u))")
///         .unwrap();
/// let checked = Checked::new(program).unwrap();
/// assert_eq!(checked.motions()[0].samples["u"], Direction::Increasing); // s = 1
/// assert_eq!(checked.motions()[1].samples["u"], Direction::Decreasing); // s = −1
/// ```
#[derive(Clone, Debug)]
pub struct Checked {
    well_formed: WellFormed,
    motions: Vec<Motion>,
}

impl Checked {
    /// Checks a program; otherwise everything that is wrong with it, in the order of the source.
    pub fn new(program: Program) -> Result<Checked, Vec<Diagnostic>> {
        let well_formed = WellFormed::new(program)?;
        let motions = motions(well_formed.program()).map_err(in_order)?;
        Ok(Checked {
            well_formed,
            motions,
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.well_formed.program()
    }

    /// The arithmetic of the result: rounded if a rounded operation takes part in it.
    pub fn arithmetic(&self) -> OperationArithmetic {
        self.well_formed.arithmetic()
    }

    /// How the output moves with the query and each sample, for every choice of the signs; the
    /// first has all signs 1.
    pub fn motions(&self) -> &[Motion] {
        &self.motions
    }
}

impl From<Checked> for WellFormed {
    fn from(checked: Checked) -> WellFormed {
        checked.well_formed
    }
}

fn in_order(mut errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    errors.sort_by_key(|error| error.at);
    errors
}
