use lastbit_exact::{Integer, Interval, Rational, Up};

use super::error::{self, UtilityError};
use crate::GridExponent;
use crate::wide::Probability;

/// The law of `clamp_B(⌊g + Laplace(λ)⌉_Λ)` at a location `g`.
///
/// An interior grid point takes the mass of its cell `[x − Λ/2, x + Λ/2)`; `±B` take that of every
/// grid point at or beyond them, whether or not B is a multiple of Λ. Every number is an enclosure:
/// `lo ≤ value ≤ hi`, a few units in the last place wide if `edge_error` is 0.
///
/// ```
/// use lastbit::mechanisms::snapping::utility::Law;
/// use lastbit::{Rational, Up};
/// let number = |text: &str| text.parse::<Rational>().unwrap();
/// // λ = 1, Λ = 2^0, B = 3, and a guess of 1.35.
/// let law = Law::new(number("1.35"), number("1"), 0, Some(number("3")), Up::ZERO)?;
/// assert!(law.pmf(&number("3")).contains(0.158_318_384_689_526_6));
/// assert!(law.tail(&number("2.226")).lo() > 0.078);
/// # Ok::<(), lastbit::mechanisms::snapping::utility::UtilityError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Law {
    location: Rational,
    scale: Rational,
    grid_exponent: GridExponent,
    bound: Option<Rational>,
    edge_error: Rational,
    pub(super) steps: InSteps,
    /// `1 − e^-h`, the mass of a cell relative to that of the tail it begins.
    one_minus_q: Probability,
    tau: Probability,
}

/// The same numbers in steps of the grid.
#[derive(Clone, Debug)]
pub(super) struct InSteps {
    /// `t = g/Λ`.
    pub location: Rational,
    /// `h = Λ/λ`.
    pub step: Rational,
    pub bound: Option<BoundSteps>,
}

/// A bound in steps of the grid.
#[derive(Clone, Debug)]
pub(super) struct BoundSteps {
    /// `b = B/Λ`.
    pub value: Rational,
    /// `n`, the largest integer below b: interior points are `−n..=n`, and the outermost edges
    /// `±(n + 1/2)`.
    pub last_interior: Integer,
}

impl Law {
    /// The law at `location`, for noise of this scale on the grid of multiples of
    /// `2^grid_exponent`; a bound of `None` is infinite.
    ///
    /// `edge_error` τ says how far a mechanism may be from this law: its thresholds on the uniform
    /// are relatively off by at most τ, so that the probability beyond an edge at distance z·λ is
    /// off by at most `τ·e^-z/2`. It is 0 in exact arithmetic. Every enclosure holds for every such
    /// mechanism.
    ///
    /// Needs `scale > 0`, `bound > 0`, `|location| ≤ bound`, `0 ≤ τ < 1`.
    pub fn new(
        location: Rational,
        scale: Rational,
        grid_exponent: impl TryInto<GridExponent, Error: Into<UtilityError>>,
        bound: Option<Rational>,
        edge_error: Up,
    ) -> Result<Law, UtilityError> {
        error::positive("scale", &scale)?;
        let grid_exponent = error::grid(grid_exponent)?;
        if let Some(bound) = &bound {
            error::positive("bound", bound)?;
            if location.abs() > *bound {
                return Err(UtilityError::LocationBeyondBound {
                    location,
                    bound: bound.clone(),
                });
            }
        }
        let edge_error = edge_error_of(edge_error)?;
        let step = &grid_exponent.step() / &scale;
        let steps = InSteps {
            location: location.times_power_of_two(-grid_exponent.get()),
            bound: bound
                .as_ref()
                .map(|bound| BoundSteps::of(bound, grid_exponent)),
            step,
        };
        Ok(Law {
            one_minus_q: Probability::one_minus_exp_neg(&steps.step),
            tau: Probability::of(&edge_error),
            location,
            scale,
            grid_exponent,
            bound,
            edge_error,
            steps,
        })
    }

    /// The location g.
    pub fn location(&self) -> &Rational {
        &self.location
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

    /// τ.
    pub fn edge_error(&self) -> &Rational {
        &self.edge_error
    }

    /// `P(X = x)`; zero, exactly, where x is not a support point.
    pub fn pmf(&self, x: &Rational) -> Interval {
        let x = x.times_power_of_two(-self.grid_exponent.get());
        match &self.steps.bound {
            Some(bound) if x >= bound.value || x <= -&bound.value => {
                if x == bound.value {
                    self.at_or_above(&(&bound.last_interior + Integer::ONE))
                } else if x == -&bound.value {
                    self.below(&-&bound.last_interior)
                } else {
                    Probability::ZERO
                }
            }
            _ => match integer(&x) {
                Some(cell) => self.cell(&cell),
                None => Probability::ZERO,
            },
        }
        .to_interval()
    }

    /// `P(X ≤ x)`.
    pub fn cdf(&self, x: &Rational) -> Interval {
        self.cdf_in_steps(&x.times_power_of_two(-self.grid_exponent.get()))
            .to_interval()
    }

    /// `P(|X − location| > a)`.
    pub fn tail(&self, a: &Rational) -> Interval {
        self.tail_in_steps(&a.times_power_of_two(-self.grid_exponent.get()))
            .to_interval()
    }

    /// `P(|X − location| > a)`, in steps.
    pub(super) fn tail_in_steps(&self, a: &Rational) -> Probability {
        if a.is_negative() {
            return Probability::ONE;
        }
        let t = &self.steps.location;
        (&self.strictly_below(&(t - a)) + &self.strictly_above(&(t + a))).clamp_to_unit()
    }

    fn cdf_in_steps(&self, x: &Rational) -> Probability {
        let mut cell = x.floor();
        if let Some(bound) = &self.steps.bound {
            if *x >= bound.value {
                return Probability::ONE;
            }
            if *x < -&bound.value {
                return Probability::ZERO;
            }
            // X = −B is the event K < −n; X ≤ n is the event K ≤ n.
            let n = &bound.last_interior;
            cell = cell.clamp(-n - Integer::ONE, n.clone());
        }
        self.below(&(cell + Integer::ONE))
    }

    /// `P(X > x)`, in steps.
    fn strictly_above(&self, x: &Rational) -> Probability {
        let mut cell = x.floor();
        if let Some(bound) = &self.steps.bound {
            if *x >= bound.value {
                return Probability::ZERO;
            }
            if *x < -&bound.value {
                return Probability::ONE;
            }
            let n = &bound.last_interior;
            cell = cell.clamp(-n - Integer::ONE, n.clone());
        }
        self.at_or_above(&(cell + Integer::ONE))
    }

    /// `P(X < x)`, in steps.
    fn strictly_below(&self, x: &Rational) -> Probability {
        let mut cell = x.ceil();
        if let Some(bound) = &self.steps.bound {
            if *x <= -&bound.value {
                return Probability::ZERO;
            }
            if *x > bound.value {
                return Probability::ONE;
            }
            let n = &bound.last_interior;
            cell = cell.clamp(-n, n + Integer::ONE);
        }
        self.below(&cell)
    }

    /// `P(K = cell)`, K the rounded sum before the clamp.
    pub(super) fn cell(&self, cell: &Integer) -> Probability {
        let (low, high) = (self.edge(cell), self.edge(&(cell + Integer::ONE)));
        let mass = if !low.is_negative() {
            // e^-a (1 − e^-h)/2: no term cancels, also far out.
            &Probability::exp_neg(&low) * &self.one_minus_q
        } else if !high.is_positive() {
            &Probability::exp_neg(&-&high) * &self.one_minus_q
        } else {
            &Probability::one_minus_exp_neg(&-&low) + &Probability::one_minus_exp_neg(&high)
        };
        if self.edge_error.is_zero() {
            return mass.times_power_of_two(-1);
        }
        let edges = &Probability::exp_neg(&low.abs()) + &Probability::exp_neg(&high.abs());
        let off = Probability::plus_minus(&(&edges * &self.tau));
        (&mass + &off).times_power_of_two(-1).clamp_to_unit()
    }

    /// `P(K ≥ cell)`.
    pub(super) fn at_or_above(&self, cell: &Integer) -> Probability {
        self.beyond(&self.edge(cell))
    }

    /// `P(K < cell)`.
    pub(super) fn below(&self, cell: &Integer) -> Probability {
        self.beyond(&-&self.edge(cell))
    }

    /// `P(Y ≥ z)` for the noise Y in units of λ, with τ.
    fn beyond(&self, z: &Rational) -> Probability {
        let half = Probability::exp_neg(&z.abs()).times_power_of_two(-1);
        let tail = if self.edge_error.is_zero() {
            half
        } else {
            &half + &Probability::plus_minus(&(&half * &self.tau))
        };
        if z.is_negative() {
            (&Probability::ONE - &tail).clamp_to_unit()
        } else {
            tail.clamp_to_unit()
        }
    }

    /// Where the cell begins, from the location, in units of λ.
    fn edge(&self, cell: &Integer) -> Rational {
        let edge = &Rational::from(cell.clone()) - &Rational::new(1, 2);
        &(&edge - &self.steps.location) * &self.steps.step
    }
}

impl BoundSteps {
    pub(super) fn of(bound: &Rational, grid: GridExponent) -> BoundSteps {
        let value = bound.times_power_of_two(-grid.get());
        BoundSteps {
            last_interior: value.ceil() - Integer::ONE,
            value,
        }
    }
}

/// τ as an exact number in [0, 1).
pub(super) fn edge_error_of(edge_error: Up) -> Result<Rational, UtilityError> {
    Rational::try_from(edge_error.get())
        .ok()
        .filter(|tau| !tau.is_negative() && *tau < Rational::ONE)
        .ok_or(UtilityError::EdgeErrorOutOfRange {
            edge_error: edge_error.get(),
        })
}

/// The integer with this value, if there is one.
fn integer(x: &Rational) -> Option<Integer> {
    let floor = x.floor();
    (Rational::from(floor.clone()) == *x).then_some(floor)
}

impl PartialEq for Law {
    /// The same location, scale, grid, bound and τ.
    fn eq(&self, other: &Law) -> bool {
        self.location == other.location
            && self.scale == other.scale
            && self.grid_exponent == other.grid_exponent
            && self.bound == other.bound
            && self.edge_error == other.edge_error
    }
}
