use lastbit_exact::Up;

use super::accountants::Accountant;

/// What one accountant charges.
///
/// ```
/// use lastbit::conversions::{Accountant, Losses, LossBound};
/// use lastbit_exact::{Down, Up};
/// let charges = Losses::repeated(LossBound::Zcdp(Up::ONE), 1)?.charges(Down::exact(1e-6))?;
/// let basic = charges.charges()[0];
/// assert_eq!((basic.accountant, basic.epsilon), (Accountant::Basic, None));
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Charge {
    /// Who charges.
    pub accountant: Accountant,
    /// The smallest ε that this accountant proves; `None` if it has no bound for these losses.
    pub epsilon: Option<Up>,
}

/// The same losses under each accountant, side by side.
///
/// ```
/// use lastbit::conversions::{Accountant, LossBound, Losses};
/// use lastbit_exact::{Down, Up};
/// let charges =
///     Losses::repeated(LossBound::Pure(Up::exact(0.1)), 100)?.charges(Down::exact(1e-6))?;
/// for charge in charges.charges() {
///     if let Some(epsilon) = charge.epsilon {
///         println!("{:<10} ε = {epsilon:.4}", charge.accountant);
///     }
/// }
/// assert_eq!(charges.best().unwrap().accountant, Accountant::Optimal);
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

    /// Every accountant that has something to say about the losses.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// The charge with the smallest ε, the first of equals; `None` if no accountant has a bound.
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

    /// What an accountant charges.
    pub fn epsilon(&self, accountant: Accountant) -> Option<Up> {
        self.charges
            .iter()
            .find(|charge| charge.accountant == accountant)
            .and_then(|charge| charge.epsilon)
    }
}
