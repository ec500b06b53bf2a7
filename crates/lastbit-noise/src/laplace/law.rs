//! The law of rounded Laplace noise, as enclosures.

use lastbit_exact::{Integer, Interval, Rational};

use super::Laplace;

impl Laplace {
    /// `P(draw(location) = cell)`, enclosed.
    ///
    /// ```
    /// use lastbit_exact::{Integer, Rational};
    /// use lastbit_noise::Laplace;
    /// let noise = Laplace::new(&Rational::ONE, 0)?;
    /// let p = noise.cell_probability(&Rational::ZERO, &Integer::ZERO);
    /// assert!(p.contains(1.0 - (-0.5f64).exp()));
    /// # Ok::<(), lastbit_noise::ScaleError>(())
    /// ```
    pub fn cell_probability(&self, location: &Rational, cell: &Integer) -> Interval {
        let half = Rational::new(1, 2);
        let offset =
            &Rational::from(cell.clone()) - &location.times_power_of_two(-self.grid_exponent);
        let lower = &(&offset - &half) / &self.ratio;
        let upper = &(&offset + &half) / &self.ratio;
        laplace_mass(Some(&lower), Some(&upper))
    }

    /// `P(draw(location) ≤ cell)`, enclosed.
    pub fn cumulative_probability(&self, location: &Rational, cell: &Integer) -> Interval {
        let half = Rational::new(1, 2);
        let offset =
            &Rational::from(cell.clone()) - &location.times_power_of_two(-self.grid_exponent);
        laplace_mass(None, Some(&(&(&offset + &half) / &self.ratio)))
    }
}

/// The mass that the standard Laplace distribution puts between `lower ≤ upper`; `None` is infinity
/// on that side.
///
/// No term cancels: a cell on one side of zero is `e^-a (1 − e^-(b−a))/2`, one that holds zero is
/// `(1 − e^a)/2 + (1 − e^-b)/2`. So the enclosure is narrow in relative terms, also far out in the
/// tails.
pub fn laplace_mass(lower: Option<&Rational>, upper: Option<&Rational>) -> Interval {
    let half = Interval::point(0.5);
    match (lower, upper) {
        (None, None) => Interval::point(1.0),
        (None, Some(b)) if !b.is_positive() => half * Interval::from_rational(b).exp(),
        (None, Some(b)) => half + half * rise(b),
        (Some(a), None) if !a.is_negative() => half * Interval::from_rational(&-a).exp(),
        (Some(a), None) => half + half * rise(&-a),
        (Some(a), Some(b)) if !a.is_negative() => {
            half * Interval::from_rational(&-a).exp() * rise(&(b - a))
        }
        (Some(a), Some(b)) if !b.is_positive() => {
            half * Interval::from_rational(b).exp() * rise(&(b - a))
        }
        (Some(a), Some(b)) => half * rise(&-a) + half * rise(b),
    }
}

/// `1 − e^-x` for `x ≥ 0`.
fn rise(x: &Rational) -> Interval {
    -Interval::from_rational(&-x).exp_m1()
}
