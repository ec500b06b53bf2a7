//! Whether the query is clamped before noise is added.

use std::collections::BTreeMap;

use super::{Checked, Diagnostic, Expr, ExprKind, OperationArithmetic, Position, Program};

impl Checked {
    /// Where a query value that is not clamped meets noise, if it does.
    ///
    /// The bound on the loss needs that what meets the noise (f, or f scaled) lies in [−B, B]: then
    /// rounding errors are a share of B. Beyond, they grow with f, and which numbers a sum can be
    /// depends on f. A program over the real numbers has no such errors, and none is told.
    pub fn unclamped_query(&self) -> Option<Diagnostic> {
        if self.arithmetic() == OperationArithmetic::Real {
            return None;
        }
        let at = meeting(self.program())?;
        Some(Diagnostic::new(
            at,
            "the query is not clamped before noise is added",
            "the bound on the loss holds only where what is added to the noise lies in [-B, B]: \
             clamp it to B",
        ))
    }
}

/// What a value is made of.
#[derive(Clone, Copy, Default)]
struct Made {
    /// The query, not clamped.
    query: bool,
    noise: bool,
    /// Where the two met.
    met: Option<Position>,
}

fn meeting(program: &Program) -> Option<Position> {
    let mut names: BTreeMap<&str, Made> = program
        .samples()
        .map(|(name, _)| {
            let noise = Made {
                noise: true,
                ..Made::default()
            };
            (name, noise)
        })
        .collect();
    for assignment in program.assignments() {
        let made = made(&assignment.value, &names);
        names.insert(&assignment.name, made);
    }
    made(&program.result, &names).met
}

fn made(expr: &Expr, names: &BTreeMap<&str, Made>) -> Made {
    match &expr.kind {
        ExprKind::Query => Made {
            query: true,
            ..Made::default()
        },
        ExprKind::Name(name) => names.get(name.as_str()).copied().unwrap_or_default(),
        ExprKind::Clamp { argument, .. } => {
            let inner = made(argument, names);
            Made {
                query: inner.query && inner.noise,
                ..inner
            }
        }
        _ => expr
            .children()
            .into_iter()
            .map(|x| made(x, names))
            .reduce(|a, b| {
                let meets = a.query && b.noise || a.noise && b.query;
                Made {
                    query: a.query || b.query,
                    noise: a.noise || b.noise,
                    met: a.met.or(b.met).or(meets.then_some(expr.at)),
                }
            })
            .unwrap_or_default(),
    }
}
