//! A selection by any quality of sensitivity 1, the way that an offer says.

use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::Entropy;

use super::Offer;
use crate::measures::EpsilonDelta;
use crate::mechanisms::exponential::Exponential;
use crate::mechanisms::flat_concave::{IntervalSelection, Method, Problem, RecConcave, draw_point};
use crate::quality::StepFunction;
use crate::{Alpha, Epsilon, Error, Sensitivity};

/// How a point is selected.
pub(super) enum PointDraw {
    Exponential(Exponential),
    Concave(Box<RecConcave>),
}

impl PointDraw {
    /// Over `size` points, of which the best surely has quality `promise` and none can have more.
    pub fn new(offer: &Offer, size: u128, promise: i64) -> Result<PointDraw, Error> {
        match &offer.method {
            Method::Exponential => {
                let one = Sensitivity::new(Rational::ONE)?;
                Ok(PointDraw::Exponential(Exponential::new(
                    &offer.epsilon,
                    &one,
                )))
            }
            Method::Concave { levels, selection } => {
                let lost = offer.loss_of_quality;
                let mechanism = concave(size, promise, lost, *levels, &offer.epsilon, selection)?;
                Ok(PointDraw::Concave(Box::new(mechanism)))
            }
        }
    }

    /// For two qualities that differ by at most 1 everywhere.
    pub fn loss(&self) -> Result<EpsilonDelta, Error> {
        match self {
            PointDraw::Exponential(mechanism) => {
                EpsilonDelta::new(Up::from_rational(mechanism.epsilon().get()), Up::ZERO)
            }
            PointDraw::Concave(mechanism) => mechanism.loss(),
        }
    }

    /// A point, or ⊥.
    pub fn draw(
        &self,
        quality: &StepFunction,
        entropy: &mut impl Entropy,
    ) -> Result<Option<u128>, Error> {
        match self {
            PointDraw::Exponential(mechanism) => draw_point(quality, mechanism, entropy).map(Some),
            PointDraw::Concave(mechanism) => mechanism.draw(quality, entropy),
        }
    }
}

/// RecConcave for a promise of which `lost`, or what can be, may be lost.
pub(super) fn concave(
    size: u128,
    promise: i64,
    lost: Up,
    levels: u32,
    epsilon: &Epsilon,
    selection: &IntervalSelection,
) -> Result<RecConcave, Error> {
    // Whole numbers, so that scores are integers; α below 1 even where the bound says nothing.
    let most = Rational::from(2 * promise - 1).times_power_of_two(-1);
    let lost = Rational::try_from(lost.get().ceil()).unwrap_or_else(|_| most.clone());
    let lost = lost.clamp_to(&most.times_power_of_two(-1), &most);
    let alpha = Alpha::new(&lost / &Rational::from(promise))?;
    let problem = Problem::new(size, promise, promise.into(), alpha)?;
    RecConcave::new(problem, levels, epsilon, selection.clone())
}
