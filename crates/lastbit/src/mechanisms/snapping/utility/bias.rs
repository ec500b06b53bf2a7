use lastbit_exact::{Dyadic, Integer, Interval, Rational, Rounding, Up};

use super::error::{self, UtilityError};
use super::law::{BoundSteps, Law, edge_error_of};
use crate::GridExponent;
use crate::wide::Moment;

/// The laws of one mechanism at every location: the parameters of a [`Law`] without the location.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::Laws;
/// use lastbit::{Rational, Up};
/// let laws = Laws::new(Rational::ONE, 0, Some(Rational::from(8i64)), Up::ZERO)?;
/// let worst = laws.worst_bias(&Rational::from(5i64))?;
/// assert!(worst.bias.hi() < 0.03);
/// let at_the_end = laws.at(&Rational::from(5i64))?.bias();
/// assert!(at_the_end.abs().lo() <= worst.bias.hi());
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Laws {
    scale: Rational,
    grid_exponent: GridExponent,
    bound: Option<Rational>,
    edge_error: Up,
}

/// The largest bias over an interval of locations.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorstBias {
    /// Encloses the supremum of `|E X − g|` over `|g| ≤ B'`.
    pub bias: Interval,
    /// A location at which it is reached, up to rounding; by symmetry the opposite is another. At
    /// or above zero, where the bias is negative: toward zero.
    pub location: Rational,
}

impl Laws {
    /// Checks the parameters, as [`Law::new`].
    pub fn new(
        scale: Rational,
        grid_exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
        bound: Option<Rational>,
        edge_error: Up,
    ) -> Result<Laws, UtilityError> {
        error::positive("scale", &scale)?;
        let grid_exponent = error::grid(grid_exponent)?;
        if let Some(bound) = &bound {
            error::positive("bound", bound)?;
        }
        edge_error_of(edge_error)?;
        Ok(Laws {
            scale,
            grid_exponent,
            bound,
            edge_error,
        })
    }

    /// The law at a location.
    pub fn at(&self, location: &Rational) -> Result<Law, UtilityError> {
        Law::new(
            location.clone(),
            self.scale.clone(),
            self.grid_exponent,
            self.bound.clone(),
            self.edge_error,
        )
    }

    /// The scale λ.
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// The grid is the multiples of `2^grid_exponent`.
    pub fn grid_exponent(&self) -> GridExponent {
        self.grid_exponent
    }

    /// B; `None` if infinite.
    pub fn bound(&self) -> Option<&Rational> {
        self.bound.as_ref()
    }

    /// `sup |E X − g|` over `|g| ≤ half_width`, which is at most B.
    ///
    /// # Why this is the supremum
    /// In steps of the grid, let `β(t)` be the bias at t. Without a clamp it is
    /// `ρ(t) = sinh(θh)/(2 sinh(h/2)) − θ`, θ the distance of t from the centre of its cell:
    /// periodic, odd, and negative for `0 < θ < 1/2`. The clamp takes off
    /// `L(t) = Σ (1 − w)(P(Y ≥ e − t) − P(Y ≥ e + t))` over edges e at and beyond the last interior
    /// one, which at `t ≥ 0` is not negative and grows. So `β = ρ − L` is odd, and for `t ≥ 0`:
    ///
    /// * Where β is positive, θ < 0; with t' the mirror image of t in the edge below it,
    ///   `0 ≤ t' < t` and `β(t) + β(t') = −L(t) − L(t') ≤ 0`. So the largest |β| is `−min β`.
    /// * `β(t + 1) ≤ β(t)`. So the least β over `[0, b']` is in the last step, `[b' − 1, b']`.
    ///
    /// Within an interior cell `β = −θ + p·e^θh − r·e^-θh` with p, r ≥ 0. Its derivative is convex,
    /// so a least value is at an end of the interval or where `e^θh = (1 + s)/(2hp)`,
    /// `s² = 1 − 4h²pr`, and is then `(s − ln((1 + s)/(2hp)))/h`. Beyond the last interior edge p =
    /// 0, and β is concave.
    pub fn worst_bias(&self, half_width: &Rational) -> Result<WorstBias, UtilityError> {
        error::not_negative("half-width", half_width)?;
        if let Some(bound) = self.bound.as_ref().filter(|bound| half_width > *bound) {
            return Err(UtilityError::BoundBelowHalfWidth {
                bound: bound.clone(),
                half_width: half_width.clone(),
            });
        }
        let exact = Laws {
            edge_error: Up::ZERO,
            ..self.clone()
        };
        let end = half_width.times_power_of_two(-self.grid_exponent.get());
        let start = (&end - &Rational::ONE).max(Rational::ZERO);
        let cell = end.round_ties_up();
        let middle = &Rational::from(cell.clone()) - &Rational::new(1, 2);
        let mut worst = if start < middle {
            let mut worst = exact.worst_in_cell(&(&cell - Integer::ONE), &start, &middle)?;
            worst.join(exact.worst_in_cell(&cell, &middle, &end)?);
            worst
        } else {
            exact.worst_in_cell(&cell, &start, &end)?
        };
        if self.edge_error.get() > 0.0 {
            worst.widen(&self.edge_slack()?);
        }
        Ok(WorstBias {
            bias: worst
                .bias()
                .times_power_of_two(self.grid_exponent.get())
                .to_interval(),
            location: worst.location.times_power_of_two(self.grid_exponent.get()),
        })
    }

    /// `E (E X − g)` over guesses g with weights: `Σ weight·bias/Σ weight`.
    ///
    /// ```
    /// use lastbit::mechanisms::snapping::utility::Laws;
    /// use lastbit::{Rational, Up};
    /// let laws = Laws::new(Rational::ONE, 0, Some(Rational::from(4i64)), Up::ZERO)?;
    /// let (low, high, one) = (Rational::from(-4i64), Rational::from(4i64), Rational::ONE);
    /// let even =
    ///     laws.expected_bias(&[(low.clone(), one.clone()), (high.clone(), one.clone())])?;
    /// assert!(even.contains(0.0) && even.width().get() < 1e-15);
    /// let uneven = laws.expected_bias(&[(low, one.clone()), (high, &one + &one)])?;
    /// assert!(uneven.hi() < 0.0); // toward zero from the heavier side
    /// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
    /// ```
    pub fn expected_bias(
        &self,
        guesses: &[(Rational, Rational)],
    ) -> Result<Interval, UtilityError> {
        let mut total = Rational::ZERO;
        let mut sum = Moment::ZERO;
        for (guess, weight) in guesses {
            error::not_negative("weight", weight)?;
            let bias = self.at(guess)?.bias_in_steps();
            total = &total + weight;
            sum = &sum + &bias.times(weight);
        }
        if total.is_zero() {
            return Err(UtilityError::NoWeight);
        }
        let mean = &sum / &Moment::of(&total);
        Ok(mean
            .times_power_of_two(self.grid_exponent.get())
            .to_interval())
    }

    /// [`Laws::expected_bias`] over guesses of equal weight.
    pub fn expected_bias_of(&self, guesses: &[Rational]) -> Result<Interval, UtilityError> {
        let weighted: Vec<_> = guesses
            .iter()
            .map(|guess| (guess.clone(), Rational::ONE))
            .collect();
        self.expected_bias(&weighted)
    }

    /// The largest `−β` for t in `[start, end]`, within the closed cell.
    fn worst_in_cell(
        &self,
        cell: &Integer,
        start: &Rational,
        end: &Rational,
    ) -> Result<Worst, UtilityError> {
        let mut worst = self.worst_at(start)?;
        worst.join(self.worst_at(end)?);
        let beyond = self
            .bound
            .as_ref()
            .is_some_and(|bound| *cell > BoundSteps::of(bound, self.grid_exponent).last_interior);
        if beyond || start == end {
            return Ok(worst);
        }
        let middle = Rational::from(cell.clone());
        let (from, to) = (start - &middle, end - &middle);
        let law = self.at(&middle.times_power_of_two(self.grid_exponent.get()))?;
        let (_, above, below) = law.sides();
        let p = above.sums().first.times_power_of_two(-1);
        let r = below.sums().first.times_power_of_two(-1);
        let h = Moment::of(&law.steps.step);
        let Some(root) = (&Moment::ONE - &(&(&h * &p) * &(&h * &r)).times_power_of_two(2)).sqrt()
        else {
            // The derivative of β has no root: β rises throughout.
            return Ok(worst);
        };
        let double = (&h * &p).times_power_of_two(1);
        let peak = double
            .lo()
            .is_positive()
            .then(|| (&(&Moment::ONE + &root) / &double).ln())
            .flatten();
        let Some(log) = peak else {
            // p is too small to tell from zero, and β ≥ −θ − r·e^-θh ≥ −θ − e^-(θ + 1/2)h/(2(1 −
            // q)), as no weight exceeds
            // 1. That is concave: least at an end.
            let r = Moment::one_minus_exp_neg(&law.steps.step);
            for theta in [from, to] {
                let distance = &theta + &Rational::new(1, 2);
                let passed =
                    &Moment::exp_neg(&(&distance * &law.steps.step)).times_power_of_two(-1) / &r;
                worst.raise(&(&Moment::of(&theta) + &passed));
            }
            // 40 scales short of the edge the noise passes it too rarely to matter.
            let near = end - &(&Rational::from(40i64) / &law.steps.step);
            worst.join(self.worst_at(&near.clamp_to(start, end))?);
            return Ok(worst);
        };
        let theta = &log / &h;
        let (low, high) = (Rational::from(theta.lo()), Rational::from(theta.hi()));
        if high < from || low > to {
            return Ok(worst);
        }
        let value = &(&log - &root) / &h;
        if low >= from && high <= to {
            let rounded = Rational::from(theta.lo().round(64, Rounding::Down));
            worst.join(Worst {
                lo: value.lo().clone(),
                hi: value.hi().clone(),
                location: (&middle + &rounded).clamp_to(start, end),
            });
        } else {
            worst.raise(&value);
        }
        Ok(worst)
    }

    fn worst_at(&self, t: &Rational) -> Result<Worst, UtilityError> {
        let bias = self
            .at(&t.times_power_of_two(self.grid_exponent.get()))?
            .bias_in_steps();
        Ok(Worst {
            lo: -bias.hi(),
            hi: -bias.lo(),
            location: t.clone(),
        })
    }

    /// `τ(A₁ + C₁)/2` at most, in steps: the sums are at most `2b`, and `(1 + q)/(1 − q)`.
    fn edge_slack(&self) -> Result<Dyadic, UtilityError> {
        let tau = Moment::of(&edge_error_of(self.edge_error)?);
        let step = &Rational::ONE.times_power_of_two(self.grid_exponent.get()) / &self.scale;
        let r = Moment::one_minus_exp_neg(&step);
        let mut sums = (&(&Moment::ONE.times_power_of_two(1) - &r) / &r)
            .hi()
            .clone();
        if let Some(bound) = &self.bound {
            let all = Moment::of(&bound.times_power_of_two(1 - self.grid_exponent.get()));
            sums = sums.min(all.hi().clone());
        }
        Ok((tau.hi() * &sums).times_power_of_two(-1))
    }
}

/// `lo ≤ max −β ≤ hi` over the locations looked at so far; `location` has the largest lower end.
struct Worst {
    lo: Dyadic,
    hi: Dyadic,
    location: Rational,
}

impl Worst {
    fn join(&mut self, other: Worst) {
        if other.lo > self.lo {
            self.lo = other.lo;
            self.location = other.location;
        }
        if other.hi > self.hi {
            self.hi = other.hi;
        }
    }

    /// A value that the maximum may reach.
    fn raise(&mut self, value: &Moment) {
        if *value.hi() > self.hi {
            self.hi = value.hi().clone();
        }
    }

    fn widen(&mut self, slack: &Dyadic) {
        self.lo = &self.lo - slack;
        self.hi = &self.hi + slack;
    }

    /// The supremum of |β| is not negative.
    fn bias(&self) -> Moment {
        Moment::between(&self.lo, &self.hi).at_least(&Dyadic::ZERO)
    }
}
