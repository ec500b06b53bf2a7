//! Expressions.

use super::{Parser, RESERVED, given_twice};
use crate::language::lexer::Kind;
use crate::language::{
    Diagnostic, Expr, ExprKind, OperationArithmetic, Operator, Position, Ties, Zero,
};

impl Parser {
    pub(super) fn expr(&mut self) -> Result<Expr, Diagnostic> {
        let mut left = self.term()?;
        while let Some(step) = self.operator(&[Operator::Add, Operator::Subtract]) {
            left = binary(step, left, self.term()?);
        }
        Ok(left)
    }

    fn term(&mut self) -> Result<Expr, Diagnostic> {
        let mut left = self.factor()?;
        while let Some(step) = self.operator(&[Operator::Multiply, Operator::Divide]) {
            left = binary(step, left, self.factor()?);
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Expr, Diagnostic> {
        let at = self.at();
        let kind = match self.kind().clone() {
            Kind::Operator(Operator::Subtract, OperationArithmetic::Real) => {
                self.next += 1;
                ExprKind::Negate(Box::new(self.factor()?))
            }
            Kind::Number(number) => {
                self.next += 1;
                ExprKind::Constant(number)
            }
            Kind::Open => {
                self.next += 1;
                let inner = self.expr()?;
                self.close(at)?;
                return Ok(inner);
            }
            Kind::RoundedLn => {
                self.next += 1;
                let argument = self.argument("ln~")?;
                ExprKind::Ln {
                    arithmetic: OperationArithmetic::Rounded,
                    argument,
                }
            }
            Kind::Word(word) => {
                self.next += 1;
                self.word(word, at)?
            }
            _ => {
                return Err(self.unexpected(
                    "an expression",
                    "write a number, a name, `f`, a function such as ln(…), or an expression in \
                     parentheses",
                ));
            }
        };
        Ok(Expr::new(kind, at))
    }

    /// What begins with a word, which has been read.
    fn word(&mut self, word: String, at: Position) -> Result<ExprKind, Diagnostic> {
        Ok(match word.as_str() {
            "f" => ExprKind::Query,
            "ln" => ExprKind::Ln {
                arithmetic: OperationArithmetic::Real,
                argument: self.argument("ln")?,
            },
            "fl" => ExprKind::Nearest(self.argument("fl")?),
            "ceil2" => ExprKind::CeilPowerOfTwo(self.argument("ceil2")?),
            "clamp" => {
                let open = self.open("clamp")?;
                let argument = Box::new(self.expr()?);
                self.comma("clamp(x, B)")?;
                let bound = Box::new(self.expr()?);
                self.close(open)?;
                ExprKind::Clamp { argument, bound }
            }
            "round" => self.round()?,
            "unif" | "sign" | "laplace" => {
                return Err(Diagnostic::new(
                    at,
                    format!("`{word}` is a distribution, not a number"),
                    format!("draw it into a variable first: `u <- {word}`"),
                ));
            }
            reserved if RESERVED.contains(&reserved) => {
                return Err(Diagnostic::new(
                    at,
                    format!("`{word}` cannot stand in an expression"),
                    "end the expression before it",
                ));
            }
            _ if *self.kind() == Kind::Open => {
                return Err(Diagnostic::new(
                    at,
                    format!("there is no function `{word}`"),
                    "the functions are ln, ln~, fl, round, clamp and ceil2; multiply with `*` or \
                     `(*)`",
                ));
            }
            _ => ExprKind::Name(word),
        })
    }

    fn round(&mut self) -> Result<ExprKind, Diagnostic> {
        let open = self.open("round")?;
        let argument = Box::new(self.expr()?);
        self.comma("round(x, Lambda)")?;
        let grid = Box::new(self.expr()?);
        let (mut ties, mut zero) = (None, None);
        while self.take(&Kind::Comma) {
            let (option, at) = self.option(
                "`ties: up`, `ties: even`, `ties: away`, `zero: positive` or `zero: signed`",
            )?;
            let value_at = self.at();
            let value = match self.kind().clone() {
                Kind::Word(value) => value,
                _ => {
                    return Err(self.unexpected(
                        &format!("the value of `{option}`"),
                        "write a word such as `up`",
                    ));
                }
            };
            self.next += 1;
            let wrong = |values: &str| {
                Diagnostic::new(
                    value_at,
                    format!("`{option}` cannot be `{value}`"),
                    format!("write {values}"),
                )
            };
            match option.as_str() {
                "ties" if ties.is_some() => return Err(given_twice(at, &option)),
                "zero" if zero.is_some() => return Err(given_twice(at, &option)),
                "ties" => {
                    ties = Some(match value.as_str() {
                        "up" => Ties::Up,
                        "even" => Ties::Even,
                        "away" => Ties::Away,
                        _ => return Err(wrong("`up`, `even` or `away`")),
                    });
                }
                "zero" => {
                    zero = Some(match value.as_str() {
                        "positive" => Zero::Positive,
                        "signed" => Zero::Signed,
                        _ => return Err(wrong("`positive` or `signed`")),
                    });
                }
                _ => {
                    return Err(Diagnostic::new(
                        at,
                        format!("`round` has no option `{option}`"),
                        "it takes `ties: …` and `zero: …`",
                    ));
                }
            }
        }
        self.close(open)?;
        Ok(ExprKind::Round {
            argument,
            grid,
            ties: ties.unwrap_or_default(),
            zero: zero.unwrap_or_default(),
        })
    }

    /// `(expr)`.
    fn argument(&mut self, function: &str) -> Result<Box<Expr>, Diagnostic> {
        let open = self.open(function)?;
        let argument = self.expr()?;
        self.close(open)?;
        Ok(Box::new(argument))
    }

    fn operator(
        &mut self,
        accepted: &[Operator],
    ) -> Option<(Operator, OperationArithmetic, Position)> {
        match *self.kind() {
            Kind::Operator(operator, arithmetic) if accepted.contains(&operator) => {
                let at = self.at();
                self.next += 1;
                Some((operator, arithmetic, at))
            }
            _ => None,
        }
    }
}

fn binary(step: (Operator, OperationArithmetic, Position), left: Expr, right: Expr) -> Expr {
    let (operator, arithmetic, at) = step;
    let kind = ExprKind::Binary {
        operator,
        arithmetic,
        left: Box::new(left),
        right: Box::new(right),
    };
    Expr::new(kind, at)
}
