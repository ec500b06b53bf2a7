//! The language of mechanisms: real and floating expressions over a query and samples, as text and
//! as a tree.
//!
//! ```text
//! program snapping
//! parameters lambda = 1, Lambda = ceil2(lambda), B = 1024
//! u <- unif; s <- sign
//! x = clamp(f, B)
//! y = lambda (*) ln~(u)
//! w = x (+) s (*) y
//! return clamp(round(w, Lambda), B)
//! ```
//!
//! Circled operators `(+) (-) (*) (/)` and `ln~` round to the format; `+ - * /` and `ln` are those
//! of the real numbers. [`parse`] reads a [`Program`], whose `Display` reads back to the same tree;
//! [`Checked`] is a program without faults.

mod ast;
mod check;
mod clamped;
mod constant;
mod diagnostic;
mod ideal;
mod lexer;
mod library;
mod monotone;
mod names;
mod parser;
mod printer;
mod range;

pub use ast::{
    Assignment, Distribution, Expr, ExprKind, OperationArithmetic, Operator, Parameter, Program,
    Statement, Ties, UniformShape, Zero,
};
pub use check::{Checked, WellFormed};
pub use constant::constant;
pub use diagnostic::{Diagnostic, Position};
pub use library::{LIBRARY, library};
pub use monotone::{Direction, Motion};
pub use names::Sort;
pub use parser::parse;
