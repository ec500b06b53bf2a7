//! The real program that a floating one stands for.

use super::{Assignment, Expr, ExprKind, OperationArithmetic, Program, Statement};

impl Expr {
    /// `e_R`: the same expression over the real numbers. Operations lose their circles, and `fl(x)`
    /// is x.
    pub fn ideal(&self) -> Expr {
        let ideal = |x: &Expr| Box::new(x.ideal());
        let kind = match &self.kind {
            ExprKind::Nearest(x) => return x.ideal(),
            ExprKind::Negate(x) => ExprKind::Negate(ideal(x)),
            ExprKind::Binary {
                operator,
                left,
                right,
                ..
            } => ExprKind::Binary {
                operator: *operator,
                arithmetic: OperationArithmetic::Real,
                left: ideal(left),
                right: ideal(right),
            },
            ExprKind::Ln { argument, .. } => ExprKind::Ln {
                arithmetic: OperationArithmetic::Real,
                argument: ideal(argument),
            },
            ExprKind::Round {
                argument,
                grid,
                ties,
                zero,
            } => ExprKind::Round {
                argument: ideal(argument),
                grid: grid.clone(),
                ties: *ties,
                zero: *zero,
            },
            ExprKind::Clamp { argument, bound } => ExprKind::Clamp {
                argument: ideal(argument),
                bound: bound.clone(),
            },
            leaf => leaf.clone(),
        };
        Expr::new(kind, self.at)
    }
}

impl Program {
    /// The same program over the real numbers.
    ///
    /// ```
    /// use lastbit_verify::language::parse;
    /// let program = parse("u <- unif\nreturn fl(1 / 3) (*) ln~(u)").unwrap();
    /// assert_eq!(program.ideal().to_string(), "u <- unif\nreturn 1 / 3 * ln(u)\n");
    /// ```
    pub fn ideal(&self) -> Program {
        let statements = self.statements.iter().map(|statement| match statement {
            Statement::Assign(assignment) => Statement::Assign(Assignment {
                value: assignment.value.ideal(),
                ..assignment.clone()
            }),
            sample => sample.clone(),
        });
        Program {
            statements: statements.collect(),
            result: self.result.ideal(),
            ..self.clone()
        }
    }
}
