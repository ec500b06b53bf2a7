//! A loss to be printed: as it was given, or a bound that follows from it.

use lastbit_exact::{Rational, Up};
use serde_json::{Value, json};

use crate::number::{at_least, json_given, json_upper, upper};

/// A part of a loss: as it was given, or a bound that follows from it.
#[derive(Clone)]
pub enum Amount {
    Exact(Rational),
    Bound(Up),
}

impl Amount {
    pub fn json(&self) -> Value {
        match self {
            Amount::Exact(value) => json_given(value),
            Amount::Bound(bound) => json_upper(*bound),
        }
    }

    pub fn text(&self) -> String {
        match self {
            Amount::Exact(value) => at_least(value),
            Amount::Bound(bound) => upper(*bound),
        }
    }

    pub fn bound(&self) -> Up {
        match self {
            Amount::Exact(value) => Up::from_rational(value),
            Amount::Bound(bound) => *bound,
        }
    }

    pub fn is_finite(&self) -> bool {
        match self {
            Amount::Exact(value) => Up::from_rational(value).is_finite(),
            Amount::Bound(bound) => bound.is_finite(),
        }
    }
}

/// A loss in one measure.
pub enum Loss {
    Epsilon(Amount),
    Eta(Amount),
    Rho(Amount),
    EpsilonDelta(Amount, Amount),
}

impl Loss {
    pub fn json(&self) -> Value {
        match self {
            Loss::Epsilon(epsilon) => json!({"epsilon": epsilon.json()}),
            Loss::Eta(eta) => json!({"eta": eta.json()}),
            Loss::Rho(rho) => json!({"rho": rho.json()}),
            Loss::EpsilonDelta(epsilon, delta) => {
                json!({"epsilon": epsilon.json(), "delta": delta.json()})
            }
        }
    }

    pub fn text(&self) -> String {
        match self {
            Loss::Epsilon(epsilon) => format!("ε = {}", epsilon.text()),
            Loss::Eta(eta) => format!("η = {}", eta.text()),
            Loss::Rho(rho) => format!("ρ = {}", rho.text()),
            Loss::EpsilonDelta(epsilon, delta) => {
                format!("ε = {}, δ = {}", epsilon.text(), delta.text())
            }
        }
    }
}
