//! Statistics as their definitions say, in exact rationals, slowly.

use lastbit_exact::Rational;

pub fn sum(rows: &[Rational]) -> Rational {
    rows.iter().fold(Rational::ZERO, |sum, row| &sum + row)
}

pub fn mean(rows: &[Rational]) -> Rational {
    &sum(rows) / &Rational::from(rows.len() as u64)
}

/// `Σ (x − mean x)(y − mean y) / (n−1)`.
pub fn covariance(x: &[Rational], y: &[Rational]) -> Rational {
    let (x_mean, y_mean) = (mean(x), mean(y));
    let products: Vec<Rational> = x
        .iter()
        .zip(y)
        .map(|(x, y)| (x - &x_mean) * (y - &y_mean))
        .collect();
    &sum(&products) / &Rational::from(x.len() as u64 - 1)
}

pub fn variance(rows: &[Rational]) -> Rational {
    covariance(rows, rows)
}
