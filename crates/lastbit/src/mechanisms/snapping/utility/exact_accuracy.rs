use lastbit_exact::{Integer, Rational};

use super::law::Law;
use crate::Beta;
use crate::wide::Probability;

impl Law {
    /// The smallest `a` with `P(|X − location| > a) ≤ β`: the distance of a support point.
    ///
    /// Certified: the enclosure of [`Law::tail`] at a lies at or below β. So it depends on the
    /// caller's guess of the location, and is at most [`accuracy`](super::accuracy()), which holds
    /// for all.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Law;
    /// use lastbit::{Rational, Up};
    /// let guess: Rational = "1.35".parse()?;
    /// let law = Law::new(guess, Rational::ONE, 0, Some(Rational::from(3i64)), Up::ZERO)?;
    /// assert_eq!(law.exact_accuracy(&"0.05".parse()?).to_string(), "2.35");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exact_accuracy(&self, beta: &Beta) -> Rational {
        let t = &self.steps.location;
        // Beyond this many steps the formula certifies the tail, for every location.
        let level = beta.get() / &(&Rational::ONE + self.edge_error());
        let reach = &Probability::ln_recip(&level) / &Probability::of(&self.steps.step);
        let formula = &Rational::from(reach.hi()) + &Rational::new(1, 2);
        let far = formula.ceil() + Integer::ONE;
        let upward = self.first_certified(&t.ceil(), &far, beta, |cell| {
            self.value_of(cell) - t.clone()
        });
        let downward = self.first_certified(&-&t.floor(), &far, beta, |cell| {
            t.clone() - self.value_of(&-cell)
        });
        let steps = match (upward, downward) {
            (Some(up), Some(down)) => up.min(down),
            (Some(one), None) | (None, Some(one)) => one,
            // An β below the smallest tail that is told from zero: the formula.
            (None, None) => formula,
        };
        steps.times_power_of_two(self.grid_exponent().get())
    }

    /// The smallest distance with a certified tail among the support points `start, start + 1, …`,
    /// by bisection: the tail does not grow with the distance.
    fn first_certified(
        &self,
        start: &Integer,
        far: &Integer,
        beta: &Beta,
        distance: impl Fn(&Integer) -> Rational,
    ) -> Option<Rational> {
        let certified = |cell: &Integer| {
            let tail = self.tail_in_steps(&distance(cell));
            Rational::from(tail.hi()) <= *beta.get()
        };
        let mut low = start.clone();
        let mut high = start + far;
        if let Some(bound) = &self.steps.bound {
            let end = &bound.last_interior + Integer::ONE;
            low = low.min(end.clone());
            high = high.min(end);
        }
        if !certified(&high) {
            return None;
        }
        // high is certified; everything below low is not.
        while low < high {
            let middle = (&low + &high) >> 1;
            if certified(&middle) {
                high = middle;
            } else {
                low = middle + Integer::ONE;
            }
        }
        Some(distance(&high))
    }

    /// The support point of a cell, in steps.
    fn value_of(&self, cell: &Integer) -> Rational {
        let value = Rational::from(cell.clone());
        match &self.steps.bound {
            Some(bound) => value.clamp_to(&-&bound.value, &bound.value),
            None => value,
        }
    }
}
