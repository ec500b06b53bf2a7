//! What a release costs and what it is worth, before any data is read.

use lastbit_exact::{Rational, Up};

use super::{Error, PUBLISHED, Snapping};
use crate::Confidence;
use crate::utility::{Law, laplace_accuracy, simple_accuracy};

/// The price of a release: public, data-independent, every number rounded to the safe side.
#[derive(Clone, Debug)]
pub struct Price {
    /// The loss charged.
    pub epsilon: Up,
    /// The loss by the published formula `ε'(1 + 12(B/Δ)η) + 2η`; the same as `epsilon` in exact arithmetic.
    pub epsilon_published: Up,
    /// The error that a release exceeds with probability at most `1 − confidence`.
    pub accuracy: Up,
    /// The simpler bound `λ(1 + ln(1/α))` of the snapped grid.
    pub accuracy_simple: Up,
    /// What plain real Laplace noise at the same loss would give: `(Δ/ε)·ln(1/α)`.
    pub accuracy_laplace: Up,
}

impl Snapping {
    /// The price at a confidence.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::mechanisms::snapping::Snapping;
    /// let mechanism = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?).epsilon("1".parse()?).build()?;
    /// let price = mechanism.price(&"0.95".parse()?);
    /// assert_eq!(price.epsilon.get(), 1.0);
    /// assert_eq!(price.accuracy.get(), 3.4957322735539913);          // ln 20 + 1/2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn price(&self, confidence: &Confidence) -> Price {
        let alpha = confidence.alpha();
        let setting = &self.setting;
        let laplace_scale = &setting.sensitivity_of_query / &setting.epsilon;
        Price {
            epsilon: Up::from_rational(&setting.epsilon),
            epsilon_published: Up::from_rational(&setting.formula(PUBLISHED)),
            accuracy: setting.accuracy(&alpha),
            accuracy_simple: simple_accuracy(&setting.scale, &alpha),
            accuracy_laplace: laplace_accuracy(&laplace_scale, &alpha),
        }
    }

    /// The law of a release of `guess`, in coordinates relative to the centre of the bounds; [`Snapping::publish`] turns its points
    /// into outputs. Of the true value it would say everything: pass a guess.
    pub fn law(&self, guess: &Rational) -> Result<Law, Error> {
        let setting = &self.setting;
        Ok(Law::new(
            setting.centred(guess),
            setting.scale.clone(),
            setting.grid_exponent,
            setting.bound.clone(),
            setting.edge_error(),
        )?)
    }

    /// The double that is published for a point of the law.
    pub fn publish(&self, point: &Rational) -> f64 {
        self.place.centred(point)
    }
}
