use lastbit_exact::Up;

use super::composition_rule::CompositionRule;

/// What one rule charges.
///
/// ```
/// use lastbit::conversions::{CompositionRule, Losses, LossBound};
/// use lastbit::{Down, Up};
/// let charges = Losses::repeated(LossBound::Zcdp(Up::ONE), 1)?.charges(Down::exact(1e-6))?;
/// let basic = charges.charges()[0];
/// assert_eq!((basic.rule, basic.epsilon), (CompositionRule::Basic, None));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Charge {
    /// How the losses are added up.
    pub rule: CompositionRule,
    /// The smallest ε that this rule proves; `None` if it has no bound for these losses.
    pub epsilon: Option<Up>,
}

/// The same losses under each rule, side by side.
///
/// ```
/// use lastbit::conversions::{CompositionRule, LossBound, Losses};
/// use lastbit::{Down, Up};
/// let charges =
///     Losses::repeated(LossBound::Pure(Up::exact(0.1)), 100)?.charges(Down::exact(1e-6))?;
/// for charge in charges.charges() {
///     if let Some(epsilon) = charge.epsilon {
///         println!("{:<10} ε = {epsilon:.4}", charge.rule);
///     }
/// }
/// assert_eq!(charges.best().unwrap().rule, CompositionRule::Optimal);
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Charges {
    charges: Vec<Charge>,
}

impl Charges {
    pub(super) fn new(charges: Vec<Charge>) -> Charges {
        Charges { charges }
    }

    /// Every rule that has something to say about the losses.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// The charge with the smallest ε, the first of equals; `None` if no rule has a bound.
    pub fn best(&self) -> Option<Charge> {
        let mut best: Option<Charge> = None;
        for &charge in &self.charges {
            let Some(epsilon) = charge.epsilon else {
                continue;
            };
            if best
                .and_then(|best| best.epsilon)
                .is_none_or(|least| epsilon < least)
            {
                best = Some(charge);
            }
        }
        best
    }

    /// What a rule charges.
    pub fn epsilon(&self, rule: CompositionRule) -> Option<Up> {
        self.charges
            .iter()
            .find(|charge| charge.rule == rule)
            .and_then(|charge| charge.epsilon)
    }
}
