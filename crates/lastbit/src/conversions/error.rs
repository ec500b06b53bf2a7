use lastbit_exact::{Down, Up};

/// Why a loss cannot be converted: one line, and what to change.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// A loss or probability below zero.
    #[error("{name} must be zero or more, got {value}")]
    Negative {
        /// Which number.
        name: &'static str,
        /// What was given.
        value: f64,
    },
    /// A loss that bounds nothing.
    #[error("{name} is infinite and bounds nothing; use a release with a finite loss")]
    Infinite {
        /// Which number.
        name: &'static str,
    },
    /// No δ to spend.
    #[error(
        "delta must be positive, got {0}: no finite epsilon holds with certainty here; spend a small delta such as 1e-9"
    )]
    NoDelta(f64),
    /// A δ above 1.
    #[error("delta must be at most 1, got {0}; it is a probability")]
    DeltaAboveOne(f64),
    /// A Rényi order at or below 1, or infinite.
    #[error("a Rényi order must be above 1 and finite, got {0}; an order such as 2 or 32 is usual")]
    Order(f64),
    /// Rényi → (ε, δ) without a single order.
    #[error("no Rényi order was given; give at least one, such as 2")]
    NoOrders,
    /// The result is beyond the largest double.
    #[error("{name} has no finite bound: the loss is too large to convert; use a smaller loss")]
    Overflow {
        /// Which result.
        name: &'static str,
    },
    /// A profile that stays above the δ asked for.
    #[error("the profile stays above delta {delta} at every epsilon; allow a larger delta")]
    ProfileAbove {
        /// The δ asked for.
        delta: f64,
    },
    /// A plan without releases.
    #[error("the plan has no releases; give at least one")]
    NoReleases,
}

/// The f64 of a loss that is zero or more and finite.
pub(super) fn loss(name: &'static str, value: Up) -> Result<f64, ConversionError> {
    if value.get() < 0.0 {
        Err(ConversionError::Negative {
            name,
            value: value.get(),
        })
    } else if !value.is_finite() {
        Err(ConversionError::Infinite { name })
    } else {
        Ok(value.get())
    }
}

/// The f64 of a lower bound of an ε or ρ that is zero or more; a lower bound is never `+∞`.
pub(super) fn at_least(name: &'static str, value: Down) -> Result<f64, ConversionError> {
    if value.get() < 0.0 {
        Err(ConversionError::Negative {
            name,
            value: value.get(),
        })
    } else {
        Ok(value.get())
    }
}

/// The f64 of a δ to spend: positive and at most 1.
pub(super) fn delta_to_spend(value: Down) -> Result<f64, ConversionError> {
    if value.get() <= 0.0 {
        Err(ConversionError::NoDelta(value.get()))
    } else if value.get() > 1.0 {
        Err(ConversionError::DeltaAboveOne(value.get()))
    } else {
        Ok(value.get())
    }
}

/// A result that says something.
pub(super) fn bounded(name: &'static str, value: Up) -> Result<Up, ConversionError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ConversionError::Overflow { name })
    }
}
