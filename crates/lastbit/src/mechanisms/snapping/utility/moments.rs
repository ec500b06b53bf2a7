//! Moments of the law, as sums over the edges between cells.
//!
//! Let `c₀` be the support point whose cell holds the location `t` (all in steps of the grid). The
//! output leaves `c₀` upward by the weight `w` of every edge above t that the noise passes, and
//! downward by that of every edge below: w is 1, or `b − n` for the outermost edges `±(n + 1/2)`.
//! An edge at distance d is passed with probability `e^-dh/2`. So
//!
//! ```text
//! E X − c₀      = (A₁ − C₁)/2     A₁ = Σ w e^-dh over edges above, C₁ below
//! E (X − c₀)²   = (A₂ + C₂)/2     A₂ = Σ (v² − v'²) e^-dh over edges above, C₂ below
//! ```
//!
//! where v and v' are the distances moved after and before the edge, and the sums are geometric.

use lastbit_exact::{Dyadic, Integer, Interval, Rational};

use super::law::Law;
use crate::wide::Moment;

impl Law {
    /// `E X`.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// // λ = 1, Λ = 1, no clamp, location 0: symmetric.
    /// let law = Law::new(Rational::ZERO, Rational::ONE, 0, None, Up::ZERO)?;
    /// assert_eq!((law.mean().lo(), law.mean().hi()), (0.0, 0.0));
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn mean(&self) -> Interval {
        let moments = self.moments();
        let mean = &Moment::of(&moments.nearest) + &moments.difference.times_power_of_two(-1);
        self.in_units(&mean, 1)
    }

    /// `E X − location`.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// let three = Rational::from(3i64);
    /// // At the upper end of the bound, half of the noise is cut off.
    /// let law = Law::new(three.clone(), Rational::ONE, -20, Some(three), Up::ZERO)?;
    /// assert!((law.bias().hi() + 0.5 - (-6f64).exp() / 2.0).abs() < 1e-6);
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn bias(&self) -> Interval {
        self.in_units(&self.bias_in_steps(), 1)
    }

    /// `E (X − E X)²`.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// // On a fine grid without a clamp, that of Laplace noise: 2λ².
    /// let law = Law::new(Rational::ZERO, Rational::ONE, -30, None, Up::ZERO)?;
    /// assert!((law.variance().midpoint() - 2.0).abs() < 1e-9);
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn variance(&self) -> Interval {
        let moments = self.moments();
        let mean = moments.difference.times_power_of_two(-1).abs();
        let variance = &moments.sum_of_squares.times_power_of_two(-1) - &(&mean * &mean);
        self.in_units(&variance.at_least(&Dyadic::ZERO), 2)
    }

    /// `E (X − location)²`: variance plus squared bias.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// let law = Law::new(Rational::new(1, 3), Rational::ONE, 0, None, Up::ZERO)?;
    /// let (bias, variance) = (law.bias().midpoint(), law.variance().midpoint());
    /// assert!((law.mean_squared_error().midpoint() - (variance + bias * bias)).abs() < 1e-12);
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn mean_squared_error(&self) -> Interval {
        let moments = self.moments();
        let offset = Moment::of(&(&moments.nearest - &self.steps.location));
        // (x − t)² = (x − c₀)² + 2(c₀ − t)(x − c₀) + (c₀ − t)².
        let cross = &offset * &moments.difference;
        let square = &offset.abs() * &offset.abs();
        let error = &(&moments.sum_of_squares.times_power_of_two(-1) + &cross) + &square;
        self.in_units(&error.at_least(&Dyadic::ZERO), 2)
    }

    /// `E X − location`, in steps.
    pub(super) fn bias_in_steps(&self) -> Moment {
        let moments = self.moments();
        let offset = Moment::of(&(&moments.nearest - &self.steps.location));
        &offset + &moments.difference.times_power_of_two(-1)
    }

    /// A moment of this degree, from steps to the unit of the location.
    pub(super) fn in_units(&self, moment: &Moment, degree: i64) -> Interval {
        moment
            .times_power_of_two(degree * self.grid_exponent().get())
            .to_interval()
    }

    fn moments(&self) -> Moments {
        let (nearest, above, below) = self.sides();
        let (a, c) = (above.sums(), below.sums());
        // By symmetry A₁ = C₁ at zero.
        let difference = if self.steps.location.is_zero() {
            Moment::ZERO
        } else {
            &a.first - &c.first
        };
        let sum_of_squares = &a.second + &c.second;
        if self.edge_error().is_zero() {
            return Moments {
                nearest,
                difference,
                sum_of_squares,
            };
        }
        let tau = Moment::of(self.edge_error());
        let widened = |sum: &Moment, size: &Moment| sum + &Moment::plus_minus(&(size * &tau));
        Moments {
            nearest,
            difference: widened(&difference, &(&a.first + &c.first)),
            sum_of_squares: widened(&sum_of_squares, &sum_of_squares),
        }
    }

    /// `c₀`, the edges above the location, and those below.
    pub(super) fn sides(&self) -> (Rational, Side, Side) {
        let t = &self.steps.location;
        let h = &self.steps.step;
        let half = Rational::new(1, 2);
        let cell = t.round_ties_up();
        let middle = Rational::from(cell.clone());
        let Some(bound) = &self.steps.bound else {
            let side = |first: Rational| Side {
                lead: Rational::ZERO,
                first,
                units: None,
                last: Rational::ZERO,
                step: h.clone(),
            };
            let above = side(&(&middle + &half) - t);
            let below = side(&(t - &middle) + &half);
            return (middle, above, below);
        };
        let n = &bound.last_interior;
        let weight = &bound.value - &Rational::from(n.clone());
        let interior = |first: Rational, units: Integer| Side {
            lead: Rational::ZERO,
            first,
            units: Some(units),
            last: weight.clone(),
            step: h.clone(),
        };
        // From beyond the outermost edge: that edge first, then all others down to the opposite
        // one.
        let whole = || Side {
            lead: weight.clone(),
            first: &(&t.abs() + &half) - &Rational::from(n.clone()),
            units: Some(n * Integer::from(2)),
            last: weight.clone(),
            step: h.clone(),
        };
        if cell > *n {
            (bound.value.clone(), Side::empty(h), whole())
        } else if cell < -n {
            (-&bound.value, whole(), Side::empty(h))
        } else {
            let above = interior(&(&middle + &half) - t, n - &cell);
            let below = interior(&(t - &middle) + &half, n + &cell);
            (middle, above, below)
        }
    }
}

struct Moments {
    /// `c₀`.
    nearest: Rational,
    /// `A₁ − C₁`.
    difference: Moment,
    /// `A₂ + C₂`.
    sum_of_squares: Moment,
}

/// The edges on one side of the location, nearest first: one of weight `lead`, `units` edges of
/// weight 1 (without end if `None`), one of weight `last`, each one step from the next.
pub(super) struct Side {
    lead: Rational,
    /// The distance of the first edge of weight 1, or of the last edge if there is none.
    first: Rational,
    units: Option<Integer>,
    last: Rational,
    /// h.
    step: Rational,
}

/// The two sums over a side.
pub(super) struct Sums {
    pub first: Moment,
    pub second: Moment,
}

impl Side {
    fn empty(step: &Rational) -> Side {
        Side {
            lead: Rational::ZERO,
            first: Rational::ZERO,
            units: Some(Integer::ZERO),
            last: Rational::ZERO,
            step: step.clone(),
        }
    }

    pub(super) fn sums(&self) -> Sums {
        let decay = |distance: &Rational| Moment::exp_neg(&(distance * &self.step));
        let near = decay(&self.first);
        let run = GeometricSums::of(self.units.as_ref(), &self.step);
        // Unit edge j moves from lead + j − 1 to lead + j: its squares differ by 2j − 1 + 2·lead.
        let mut first = &near * &run.plain;
        let mut second = &near * &(&run.odd + &run.plain.times(&self.lead.times_power_of_two(1)));
        if !self.lead.is_zero() {
            let term = decay(&(&self.first - &Rational::ONE)).times(&self.lead);
            first = &first + &term;
            second = &second + &term.times(&self.lead);
        }
        if let Some(units) = self.units.as_ref().filter(|_| !self.last.is_zero()) {
            let units = Rational::from(units.clone());
            let term = decay(&(&self.first + &units)).times(&self.last);
            let squares = &(&self.lead + &units).times_power_of_two(1) + &self.last;
            first = &first + &term;
            second = &second + &term.times(&squares);
        }
        Sums { first, second }
    }
}

/// Sums over `j = 1..=m` with `q = e^-h`.
struct GeometricSums {
    /// `Σ q^(j−1)`.
    plain: Moment,
    /// `Σ (2j − 1) q^(j−1)`.
    odd: Moment,
}

/// Below this product `m·h` the sums are m and m² to within a factor `1 − mh`.
const NEGLIGIBLE: i64 = -200;

impl GeometricSums {
    fn of(terms: Option<&Integer>, h: &Rational) -> GeometricSums {
        let r = Moment::one_minus_exp_neg(h);
        let two = Moment::ONE.times_power_of_two(1);
        let Some(m) = terms else {
            let plain = &Moment::ONE / &r;
            let odd = &(&(&two - &r) * &plain) * &plain;
            return GeometricSums { plain, odd };
        };
        let m = Rational::from(m.clone());
        let total = &m * h;
        let count = Moment::of(&m);
        if total < Rational::ONE.times_power_of_two(NEGLIGIBLE) {
            // Every q^(j−1) lies in [1 − mh, 1].
            let near_one = (&Moment::ONE - &Moment::of(&total)).hull(&Moment::ONE);
            let plain = &count * &near_one;
            return GeometricSums {
                odd: &count * &plain,
                plain,
            };
        }
        // R = 1 − q^m and q^m, the smaller one first.
        let (rise, rest) = if total < Rational::ONE {
            let rise = Moment::one_minus_exp_neg(&total);
            let rest = &Moment::ONE - &rise;
            (rise, rest)
        } else {
            let rest = Moment::exp_neg(&total);
            (&Moment::ONE - &rest, rest)
        };
        let plain = &rise / &r;
        // (2 − r)R − 2m q^m r over r². For small mh both terms are about 2mh and their difference
        // is (mh)²: at most 1 − NEGLIGIBLE bits cancel.
        let numerator = &(&(&two - &r) * &rise) - &(&(&count * &rest) * &r).times_power_of_two(1);
        let odd = &(&numerator / &r) / &r;
        GeometricSums {
            plain,
            odd: odd.at_least(&Dyadic::ZERO),
        }
    }
}
