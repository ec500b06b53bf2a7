//! A program with values for its parameters.

use std::collections::BTreeMap;

use lastbit_exact::{Dyadic, Integer, Rational};

use crate::language::{
    Diagnostic, Distribution, Expr, ExprKind, Program, Statement, WellFormed, constant,
};

/// A program with a value for each of its parameters: one member of the family that the text
/// describes.
///
/// Grids are powers of two, bounds and scales are positive.
///
/// ```
/// use lastbit_exact::{Dyadic, Format, Rational};
/// use lastbit_verify::language::{Checked, library, parse};
/// use lastbit_verify::semantics::{Inputs, Instance};
/// let program = Checked::new(parse(library("snapping").unwrap()).unwrap()).unwrap();
/// let instance = Instance::new(program, &[("B".into(), Rational::from(16i64))].into()).unwrap();
/// let inputs = Inputs::new(Dyadic::from(3)).with("u", Dyadic::new(1, -1)).with("s", Dyadic::ONE);
/// let run = instance.floating(Format::BINARY64, &inputs).unwrap();
/// assert_eq!(run.result.number, Dyadic::from(2)); // ⌊3 − 0.69…⌉
/// ```
#[derive(Clone, Debug)]
pub struct Instance {
    program: WellFormed,
    parameters: BTreeMap<String, Rational>,
}

/// Why parameters do not fit a program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceError {
    /// A value for a parameter that is not declared.
    #[error("the program has no parameter `{name}`; it has {known}")]
    Unknown {
        /// The name given.
        name: String,
        /// The names declared.
        known: String,
    },
    /// No value and no default.
    #[error("the parameter `{0}` has no value; set it, or declare a default: `{0} = 1`")]
    Missing(String),
    /// A parameter that is zero or negative.
    #[error("the parameter `{name}` must be positive, got {value}")]
    NotPositive {
        /// Its name.
        name: String,
        /// Its value.
        value: Rational,
    },
    /// A constant of the program without a value, or with an unusable one.
    #[error(transparent)]
    Constant(#[from] Diagnostic),
}

impl Instance {
    /// The program with these values, and defaults for the other parameters.
    pub fn new(
        program: impl Into<WellFormed>,
        values: &BTreeMap<String, Rational>,
    ) -> Result<Instance, InstanceError> {
        let program = program.into();
        let declared = &program.program().parameters;
        if let Some(name) = values
            .keys()
            .find(|name| !declared.iter().any(|parameter| parameter.name == **name))
        {
            let known: Vec<_> = declared
                .iter()
                .map(|parameter| parameter.name.as_str())
                .collect();
            return Err(InstanceError::Unknown {
                name: name.clone(),
                known: if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                },
            });
        }
        let mut parameters = BTreeMap::new();
        for parameter in declared {
            let name = parameter.name.clone();
            let value = match (values.get(&name), &parameter.default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => constant(default, &parameters)?,
                (None, None) => return Err(InstanceError::Missing(name)),
            };
            if !value.is_positive() {
                return Err(InstanceError::NotPositive { name, value });
            }
            parameters.insert(name, value);
        }
        let instance = Instance {
            program,
            parameters,
        };
        instance.check_constants()?;
        Ok(instance)
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.program.program()
    }

    /// The program with the sorts of its variables.
    pub fn well_formed(&self) -> &WellFormed {
        &self.program
    }

    /// The value of every parameter.
    pub fn parameters(&self) -> &BTreeMap<String, Rational> {
        &self.parameters
    }

    /// The exact value of a constant expression of the program.
    pub fn constant(&self, expr: &Expr) -> Result<Rational, Diagnostic> {
        constant(expr, &self.parameters)
    }

    /// The exponent of a grid.
    pub(super) fn grid_exponent(&self, grid: &Expr) -> Result<i64, Diagnostic> {
        let value = self.constant(grid)?;
        value
            .to_dyadic()
            .filter(|dyadic: &Dyadic| *dyadic.mantissa() == Integer::ONE)
            .map(|dyadic| dyadic.exponent())
            .ok_or_else(|| {
                Diagnostic::new(
                    grid.at,
                    format!("the grid {value} is not a power of two"),
                    "round it up with ceil2, or give a power of two",
                )
            })
    }

    fn check_constants(&self) -> Result<(), Diagnostic> {
        for statement in &self.program().statements {
            match statement {
                Statement::Sample {
                    distribution: Distribution::Laplace { scale },
                    ..
                } => self.check_positive(scale, "scale")?,
                Statement::Sample { .. } => {}
                Statement::Assign(assignment) => self.check_expr(&assignment.value)?,
            }
        }
        self.check_expr(&self.program().result)
    }

    fn check_expr(&self, expr: &Expr) -> Result<(), Diagnostic> {
        match &expr.kind {
            ExprKind::Round { grid, .. } => {
                self.grid_exponent(grid)?;
            }
            ExprKind::Clamp { bound, .. } => self.check_positive(bound, "bound")?,
            _ => {}
        }
        expr.children().iter().try_for_each(|x| self.check_expr(x))
    }

    fn check_positive(&self, expr: &Expr, what: &str) -> Result<(), Diagnostic> {
        let value = self.constant(expr)?;
        if value.is_positive() {
            return Ok(());
        }
        Err(Diagnostic::new(
            expr.at,
            format!("the {what} must be positive, got {value}"),
            "change it, or the parameters that it is made of",
        ))
    }
}
