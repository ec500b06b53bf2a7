//! `lastbit verify` and `lastbit audit` from outside.

mod audits;
mod certificates;
mod files;
mod printed;
mod terminal;

/// A program that scales its query, and does not clamp it.
const UNCLAMPED: &str = "program small
parameters epsilon = 2, Delta = 2^-9, lambda = 1, Lambda = 1, B = 16
u <- unif
s <- sign
x = f (*) 2^10
w = x (+) s (*) (lambda (*) ln~(u))
return clamp(round(w, Lambda), B)
";
