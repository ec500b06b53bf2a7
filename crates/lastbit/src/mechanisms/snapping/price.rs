//! What a release costs and what it is worth, before any data is read.

use lastbit_exact::{Interval, Rational, Up};

use super::utility::{Law, Laws, clamp_probability, laplace_accuracy, simple_accuracy};
use super::{PUBLISHED, Snapping, SnappingError};
use crate::Confidence;

/// The price of a release: public, data-independent, every number rounded to the safe side.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SnappingPrice {
    /// The loss charged.
    pub epsilon: Up,
    /// The loss by the published formula `ε'(1 + 12(B/Δ)η) + 2η`; the same as `epsilon` in exact
    /// arithmetic.
    pub epsilon_published: Up,
    /// The error that a release exceeds with probability at most `1 − confidence`.
    pub accuracy: Up,
    /// The simpler bound `λ(1 + ln(1/β))` of the snapped grid.
    pub accuracy_simple: Up,
    /// What plain real Laplace noise at the same loss would give: `(Δ/ε)·ln(1/β)`.
    pub accuracy_laplace: Up,
    /// The largest bias over all values in the bounds.
    pub bias_worst: Up,
    /// The largest probability, over all values in the bounds, that the outer clamp binds; zero if
    /// there is none.
    pub clamp_probability: Up,
}

/// What the caller's guess of the value adds to a [`SnappingPrice`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GuessPrice {
    /// The smallest error that a release of the guess exceeds with probability at most
    /// `1 − confidence`.
    pub accuracy: Up,
    /// The expected error.
    pub bias: Interval,
    /// The variance.
    pub variance: Interval,
    /// The expected squared error.
    pub mean_squared_error: Interval,
}

impl Snapping {
    /// The price at a confidence.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::mechanisms::snapping::Snapping;
    /// let mechanism = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?)
    ///     .epsilon("1".parse()?)
    ///     .build()?;
    /// let price = mechanism.price(&"0.95".parse()?)?;
    /// assert_eq!(price.epsilon.get(), 1.0);
    /// assert_eq!(price.accuracy.get(), 3.4957322735539913); // ln 20 + 1/2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn price(&self, confidence: &Confidence) -> Result<SnappingPrice, SnappingError> {
        let beta = confidence.beta();
        let setting = &self.setting;
        let laplace_scale = &setting.sensitivity_of_query / &setting.epsilon;
        let half_width = setting.bounds.half_width();
        let clamp_probability = match &setting.bound {
            None => Up::ZERO,
            Some(bound) => clamp_probability(
                &half_width,
                bound,
                &setting.scale,
                setting.grid_exponent,
                setting.edge_error(),
            )?
            .upper(),
        };
        let bias_worst = self.laws()?.worst_bias(&half_width)?.bias.upper();
        Ok(SnappingPrice {
            epsilon: Up::from_rational(&setting.epsilon),
            epsilon_published: Up::from_rational(&setting.formula(PUBLISHED)),
            accuracy: setting.accuracy(&beta),
            accuracy_simple: simple_accuracy(&setting.scale, &beta),
            accuracy_laplace: laplace_accuracy(&laplace_scale, &beta),
            bias_worst: bias_worst + Up::from_rational(&setting.output_error),
            clamp_probability,
        })
    }

    /// What is known beyond the price if the value is as the caller guesses.
    pub fn price_of_guess(
        &self,
        guess: &Rational,
        confidence: &Confidence,
    ) -> Result<GuessPrice, SnappingError> {
        let law = self.law(guess)?;
        let accuracy = &law.exact_accuracy(&confidence.beta()) + &self.setting.output_error;
        Ok(GuessPrice {
            accuracy: Up::from_rational(&accuracy),
            bias: law.bias(),
            variance: law.variance(),
            mean_squared_error: law.mean_squared_error(),
        })
    }

    /// The laws of all values, in coordinates relative to the centre of the bounds.
    pub fn laws(&self) -> Result<Laws, SnappingError> {
        let setting = &self.setting;
        Ok(Laws::new(
            setting.scale.clone(),
            setting.grid_exponent,
            setting.bound.clone(),
            setting.edge_error(),
        )?)
    }

    /// The law of a release of `guess`, in coordinates relative to the centre of the bounds;
    /// [`Snapping::publish`] turns its points into outputs. Of the true value it would say
    /// everything: pass a guess.
    pub fn law(&self, guess: &Rational) -> Result<Law, SnappingError> {
        Ok(self.laws()?.at(&self.setting.centred(guess))?)
    }

    /// The double that is published for a point of the law.
    pub fn publish(&self, point: &Rational) -> f64 {
        self.place.centred(point)
    }
}
