use core::iter::FusedIterator;

use lastbit_exact::{Integer, Interval, Rational};

use super::error::{self, UtilityError};
use super::law::Law;
use crate::wide::Probability;

/// A support point of a [`Law`].
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where.
    pub value: Rational,
    /// `P(X = value)`.
    pub probability: Interval,
}

/// Consecutive support points of a [`Law`], in increasing order.
#[derive(Clone, Debug)]
pub struct Points<'a> {
    law: &'a Law,
    first: Integer,
    next: Integer,
    last: Integer,
}

/// What [`Law::points`] leaves out on either side if B is infinite: 2^-60.
const OUTSIDE: i64 = -60;

impl Law {
    /// The support points in increasing order, computed one by one as they are asked for.
    ///
    /// If B is infinite: the [points that leave out](Law::points_but) at most 2^-60 on either side.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// let law = Law::new(Rational::ZERO, Rational::ONE, 0, Some(Rational::new(5, 2)), Up::ZERO)?;
    /// let values: Vec<_> = law.points().map(|point| point.value.to_string()).collect();
    /// assert_eq!(values, ["-2.5", "-2", "-1", "0", "1", "2", "2.5"]);
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn points(&self) -> Points<'_> {
        match &self.steps.bound {
            None => self.window(&Rational::ONE.times_power_of_two(OUTSIDE)),
            Some(bound) => {
                let last = &bound.last_interior + Integer::ONE;
                self.run(-&last, last)
            }
        }
    }

    /// A run of support points around the location that leaves out at most `outside` on either
    /// side, and no more points than that asks for: use it where B/Λ is large. `outside` in (0, 1).
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// let bound = Rational::ONE.times_power_of_two(40);
    /// let law = Law::new(Rational::ZERO, Rational::ONE, 0, Some(bound), Up::ZERO)?;
    /// let points = law.points_but(&Rational::new(1, 100))?;
    /// assert!(points.above().hi() <= 0.01);
    /// assert_eq!(points.count(), 9);
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn points_but(&self, outside: &Rational) -> Result<Points<'_>, UtilityError> {
        error::probability("outside", outside)?;
        Ok(self.window(outside))
    }

    /// How many support points there are; `None` if B is infinite.
    pub fn point_count(&self) -> Option<Integer> {
        self.steps
            .bound
            .as_ref()
            .map(|bound| &bound.last_interior * Integer::from(2) + Integer::from(3))
    }

    fn run(&self, first: Integer, last: Integer) -> Points<'_> {
        Points {
            law: self,
            next: first.clone(),
            first,
            last,
        }
    }

    fn window(&self, outside: &Rational) -> Points<'_> {
        let t = &self.steps.location;
        let half = Rational::new(1, 2);
        // The mass beyond an edge at distance z·λ is at most (1 + τ)e^-z/2.
        let ratio = &outside.times_power_of_two(1) / &(&Rational::ONE + self.edge_error());
        let reach = if ratio < Rational::ONE {
            let z = &Probability::ln_recip(&ratio) / &Probability::of(&self.steps.step);
            Rational::from(z.hi())
        } else {
            Rational::ZERO
        };
        let mut first = (&(t + &half) - &reach).floor();
        let mut last = (&(t - &half) + &reach).ceil().max(first.clone());
        if let Some(bound) = &self.steps.bound {
            let end = &bound.last_interior + Integer::ONE;
            first = first.clamp(-&end, end.clone());
            last = last.clamp(-&end, end);
        }
        self.run(first, last)
    }
}

impl Points<'_> {
    /// The probability of the support points below the first of the run.
    pub fn below(&self) -> Interval {
        match &self.law.steps.bound {
            Some(bound) if self.first < -&bound.last_interior => Interval::ZERO,
            _ => self.law.below(&self.first).to_interval(),
        }
    }

    /// The probability of the support points above the last of the run.
    pub fn above(&self) -> Interval {
        match &self.law.steps.bound {
            Some(bound) if self.last > bound.last_interior => Interval::ZERO,
            _ => self
                .law
                .at_or_above(&(&self.last + Integer::ONE))
                .to_interval(),
        }
    }
}

impl Iterator for Points<'_> {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        if self.next > self.last {
            return None;
        }
        let cell = self.next.clone();
        self.next += Integer::ONE;
        let law = self.law;
        // Cells −n − 1 and n + 1 stand for the ends ±B.
        if let (Some(steps), Some(bound)) = (&law.steps.bound, law.bound()) {
            let n = &steps.last_interior;
            if cell > *n {
                return Some(Point {
                    value: bound.clone(),
                    probability: law.at_or_above(&cell).to_interval(),
                });
            }
            if cell < -n {
                return Some(Point {
                    value: -bound,
                    probability: law.below(&(cell + Integer::ONE)).to_interval(),
                });
            }
        }
        Some(Point {
            value: Rational::from(cell.clone()).times_power_of_two(law.grid_exponent().get()),
            probability: law.cell(&cell).to_interval(),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (&self.last - &self.next + Integer::ONE).max(Integer::ZERO);
        match usize::try_from(left) {
            Ok(left) => (left, Some(left)),
            Err(_) => (usize::MAX, None),
        }
    }
}

impl FusedIterator for Points<'_> {}
