//! Which names stand for what, and which arithmetic each expression belongs to.

use std::collections::BTreeMap;

use super::constant::not_constant;
use super::{
    Diagnostic, Distribution, Expr, ExprKind, OperationArithmetic, Position, Program, Statement,
    printer,
};

/// Whose number the value of an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Sort {
    /// Made without any operation that rounds or could: constants, parameters, samples, the query,
    /// their negations, clamped and rounded to a grid. It fits both arithmetics.
    Exact,
    /// The result of a real operation.
    Real,
    /// The result of a rounded operation: a number of the format.
    Floating,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Parameter,
    Sample,
    Variable(Sort),
}

/// The sort of every assigned variable and of the result; all that is wrong with names and sorts
/// otherwise.
pub(super) fn sorts(program: &Program) -> Result<(BTreeMap<String, Sort>, Sort), Vec<Diagnostic>> {
    let mut scope = Scope {
        program,
        names: BTreeMap::new(),
        errors: Vec::new(),
    };
    for parameter in &program.parameters {
        if let Some(default) = &parameter.default {
            scope.constant(default);
        }
        scope.bind(&parameter.name, Meaning::Parameter, parameter.at);
    }
    let mut sorts = BTreeMap::new();
    for statement in &program.statements {
        match statement {
            Statement::Sample {
                name,
                distribution,
                at,
            } => {
                if let Distribution::Laplace { scale } = distribution {
                    scope.constant(scale);
                }
                scope.bind(name, Meaning::Sample, *at);
            }
            Statement::Assign(assignment) => {
                let sort = scope.sort(&assignment.value, false);
                scope.bind(&assignment.name, Meaning::Variable(sort), assignment.at);
                sorts.insert(assignment.name.clone(), sort);
            }
        }
    }
    let result = scope.sort(&program.result, false);
    if scope.errors.is_empty() {
        Ok((sorts, result))
    } else {
        Err(scope.errors)
    }
}

struct Scope<'a> {
    program: &'a Program,
    names: BTreeMap<&'a str, (Meaning, Position)>,
    errors: Vec<Diagnostic>,
}

impl<'a> Scope<'a> {
    fn bind(&mut self, name: &'a str, meaning: Meaning, at: Position) {
        let Some((earlier, first)) = self.names.get(name) else {
            self.names.insert(name, (meaning, at));
            return;
        };
        let (problem, remedy) = match (earlier, meaning) {
            (Meaning::Sample, Meaning::Sample) => (
                format!("`{name}` is sampled twice, first at {first}"),
                "give the second sample a name of its own".to_owned(),
            ),
            (Meaning::Parameter, Meaning::Parameter) => (
                format!("the parameter `{name}` is declared twice, first at {first}"),
                "remove one of the declarations".to_owned(),
            ),
            (Meaning::Variable(_), Meaning::Variable(_)) => (
                format!("`{name}` is assigned twice, first at {first}"),
                format!("use a new name, such as `{name}'`"),
            ),
            (earlier, _) => {
                let earlier = match earlier {
                    Meaning::Parameter => "a parameter",
                    Meaning::Sample => "a sample",
                    Meaning::Variable(_) => "a variable",
                };
                (
                    format!("`{name}` is already {earlier}, bound at {first}"),
                    format!("use a new name, such as `{name}'`"),
                )
            }
        };
        self.errors.push(Diagnostic::new(at, problem, remedy));
    }

    /// Checks an expression that must be constant.
    fn constant(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) => {}
            ExprKind::Name(name) => match self.names.get(name.as_str()) {
                None => self.unbound(name, expr.at),
                Some((Meaning::Parameter, _)) => {}
                Some(_) => self.errors.push(not_constant(expr)),
            },
            ExprKind::Negate(_)
            | ExprKind::CeilPowerOfTwo(_)
            | ExprKind::Binary {
                arithmetic: OperationArithmetic::Real,
                ..
            } => expr.children().iter().for_each(|x| self.constant(x)),
            _ => self.errors.push(not_constant(expr)),
        }
    }

    /// The sort of an expression; `rounded_once` inside `fl(…)`, where real operations on floating
    /// numbers make sense.
    fn sort(&mut self, expr: &Expr, rounded_once: bool) -> Sort {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Query => Sort::Exact,
            ExprKind::Name(name) => match self.names.get(name.as_str()) {
                Some((Meaning::Variable(sort), _)) => *sort,
                Some(_) => Sort::Exact,
                None => {
                    self.unbound(name, expr.at);
                    Sort::Exact
                }
            },
            ExprKind::Negate(x) => self.sort(x, rounded_once),
            ExprKind::Nearest(x) => {
                self.sort(x, true);
                Sort::Floating
            }
            ExprKind::Round { argument, grid, .. } => {
                self.constant(grid);
                self.sort(argument, rounded_once)
            }
            ExprKind::Clamp { argument, bound } => {
                self.constant(bound);
                self.sort(argument, rounded_once)
            }
            ExprKind::CeilPowerOfTwo(_) => {
                self.errors.push(Diagnostic::new(
                    expr.at,
                    "`ceil2` stands only in constant expressions",
                    "declare a parameter with that value: `parameters Lambda = ceil2(lambda)`",
                ));
                Sort::Exact
            }
            ExprKind::Binary {
                arithmetic,
                operator,
                left,
                right,
            } => {
                let sorts = [
                    self.sort(left, rounded_once),
                    self.sort(right, rounded_once),
                ];
                let [real, rounded] = [OperationArithmetic::Real, OperationArithmetic::Rounded]
                    .map(|arithmetic| printer::symbol(*operator, arithmetic));
                self.operation(expr.at, *arithmetic, [real, rounded], &sorts, rounded_once)
            }
            ExprKind::Ln {
                arithmetic,
                argument,
            } => {
                let sorts = [self.sort(argument, rounded_once)];
                self.operation(expr.at, *arithmetic, ["ln", "ln~"], &sorts, rounded_once)
            }
        }
    }

    fn operation(
        &mut self,
        at: Position,
        arithmetic: OperationArithmetic,
        [real, rounded]: [&str; 2],
        operands: &[Sort],
        rounded_once: bool,
    ) -> Sort {
        match arithmetic {
            OperationArithmetic::Real => {
                if operands.contains(&Sort::Floating) && !rounded_once {
                    self.errors.push(Diagnostic::new(
                        at,
                        format!("the real `{real}` has a floating operand"),
                        format!("write `{rounded}`, or round the real expression once with fl(…)"),
                    ));
                    return Sort::Floating;
                }
                Sort::Real
            }
            OperationArithmetic::Rounded => {
                if operands.contains(&Sort::Real) {
                    self.errors.push(Diagnostic::new(
                        at,
                        format!("the rounded `{rounded}` has a real operand"),
                        format!("round the operand with fl(…), or write `{real}` throughout"),
                    ));
                }
                Sort::Floating
            }
        }
    }

    fn unbound(&mut self, name: &str, at: Position) {
        const PARAMETERS: [&str; 5] = ["epsilon", "lambda", "Lambda", "B", "Delta"];
        let later = self
            .program
            .statements
            .iter()
            .any(|statement| match statement {
                Statement::Sample { name: other, .. } => other == name,
                Statement::Assign(assignment) => assignment.name == name,
            });
        let similar = self.names.keys().find(|other| {
            other.eq_ignore_ascii_case(name) || (name.len() > 2 && one_edit_apart(other, name))
        });
        let remedy = if later {
            "move its definition above this line".to_owned()
        } else if let Some(similar) = similar {
            format!("did you mean `{similar}`?")
        } else if PARAMETERS.contains(&name) {
            format!("declare it at the top: `parameters {name}`")
        } else {
            "assign it, draw it, or declare it as a parameter first".to_owned()
        };
        self.errors.push(Diagnostic::new(
            at,
            format!("`{name}` is not bound"),
            remedy,
        ));
    }
}

/// Whether one character inserted, removed or replaced makes one word of the other.
fn one_edit_apart(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    a.len().max(b.len()) - end == 1
}
