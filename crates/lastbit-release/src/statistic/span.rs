//! What a row adds to the numbers of a statistic, as polynomials. They show which statistics follow
//! from the same sums.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_exact::Rational;

use super::Mix;
use crate::schema::{Missing, Numbers};

/// A statistic of more numbers shares its noise only with one of the same numbers.
const MOST_NUMBERS: usize = 16;

/// A variable of a polynomial: a function of one row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Symbol {
    /// The place of a cell between the bounds of its grid, from 0 to 1.
    Place(String),
    /// The weight of a row as a part of the largest.
    Weight(String),
    /// One if the cell is in this category or bin, else zero.
    In(String, usize),
    /// One if the cell is in this state, else zero.
    State(String, usize),
}

/// A polynomial: products of symbols, in order, and their factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial(BTreeMap<Vec<Symbol>, Rational>);

impl Polynomial {
    /// The number 1.
    pub fn one() -> Polynomial {
        Polynomial(BTreeMap::from([(vec![], Rational::ONE)]))
    }

    /// One symbol.
    pub fn of(symbol: Symbol) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![symbol], Rational::ONE)]))
    }

    /// The place of a cell of this column.
    pub fn place(x: &Numbers) -> Polynomial {
        Polynomial::of(Symbol::Place(x.column.clone()))
    }

    /// A product.
    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = Polynomial(BTreeMap::new());
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut symbols = [&left[..], &right[..]].concat();
                symbols.sort();
                product.add(symbols, &(a * b));
            }
        }
        product
    }

    /// A sum with `factor` times the other.
    pub fn plus(&self, factor: i64, other: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        for (symbols, of_other) in &other.0 {
            sum.add(symbols.clone(), &(&Rational::from(factor) * of_other));
        }
        sum
    }

    fn add(&mut self, symbols: Vec<Symbol>, factor: &Rational) {
        let sum = self.0.entry(symbols.clone()).or_insert(Rational::ZERO);
        *sum = &*sum + factor;
        if sum.is_zero() {
            self.0.remove(&symbols);
        }
    }
}

/// The numbers of a statistic: sums over some rows of polynomials.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The columns without which a row does not count.
    pub needs: BTreeSet<String>,
    /// What a row adds to each number.
    pub numbers: Vec<Polynomial>,
}

impl Span {
    /// Numbers over the rows that have these columns.
    pub fn new(columns: &[&Numbers], numbers: Vec<Polynomial>) -> Span {
        let dropped = columns.iter().filter(|x| x.missing == Missing::Drop);
        Span {
            needs: dropped.map(|x| x.column.clone()).collect(),
            numbers,
        }
    }

    /// These numbers as weighted sums of those of another span, if they are.
    pub fn from(&self, other: &Span) -> Option<Mix> {
        if self.needs != other.needs {
            return None;
        }
        if self.numbers == other.numbers {
            return Some(Mix::Same);
        }
        if other.numbers.len().max(self.numbers.len()) > MOST_NUMBERS {
            return None;
        }
        let factors = self.numbers.iter().map(|wanted| solve(other, wanted));
        factors.collect::<Option<_>>().map(Mix::Sums)
    }
}

/// Factors with which the numbers of a span add up to `wanted`: Gaussian elimination, one equation
/// for each monomial.
fn solve(span: &Span, wanted: &Polynomial) -> Option<Vec<Rational>> {
    let monomials: BTreeSet<&Vec<Symbol>> = span
        .numbers
        .iter()
        .chain([wanted])
        .flat_map(|polynomial| polynomial.0.keys())
        .collect();
    let factor = |polynomial: &Polynomial, monomial: &Vec<Symbol>| {
        polynomial.0.get(monomial).cloned().unwrap_or_default()
    };
    let unknowns = span.numbers.len();
    let mut rows: Vec<Vec<Rational>> = monomials
        .into_iter()
        .map(|monomial| {
            let all = span.numbers.iter().chain([wanted]);
            all.map(|polynomial| factor(polynomial, monomial)).collect()
        })
        .collect();
    let mut pivots = Vec::new();
    for unknown in 0..unknowns {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&row| !rows[row][unknown].is_zero()) else {
            continue;
        };
        rows.swap(done, found);
        let pivot: Vec<Rational> = {
            let first = rows[done][unknown].clone();
            rows[done].iter().map(|entry| entry / &first).collect()
        };
        rows[done] = pivot.clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != done && !row[unknown].is_zero() {
                let times = row[unknown].clone();
                for (entry, of_pivot) in row.iter_mut().zip(&pivot) {
                    *entry = &*entry - &(&times * of_pivot);
                }
            }
        }
        pivots.push(unknown);
    }
    // An equation without unknowns must say 0 = 0.
    if rows[pivots.len()..]
        .iter()
        .any(|row| !row[unknowns].is_zero())
    {
        return None;
    }
    let mut factors = vec![Rational::ZERO; unknowns];
    for (row, unknown) in pivots.into_iter().enumerate() {
        factors[unknown] = rows[row][unknowns].clone();
    }
    Some(factors)
}
