//! A certified loss beside the formulas that have been published for it.

use lastbit::mechanisms::snapping::{CHARGED, PUBLISHED};
use lastbit_exact::Rational;

use super::check::Accepted;
use super::claim::Claim;

/// A formula for the loss, evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formula {
    /// As it is written, with ε the loss of the ideal mechanism.
    pub text: String,
    /// Its value.
    pub value: Rational,
}

/// A certified loss and what to compare it with. All numbers are exact.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CertificateReport {
    /// What is certified.
    pub certified: Rational,
    /// The loss of the ideal mechanism.
    pub epsilon: Rational,
    /// The formula of the mechanism: `ε(1 + c₁(B/Δ)η) + c₂η` with the constants that are charged.
    pub charged: Formula,
    /// Public statements: `ε + 12Bεη + 2η`, `ε(1 + 23Bη)`, `ε(1 + 24Bη)`, B in units of Δ.
    pub published: Vec<Formula>,
    /// B/λ.
    pub reach: Rational,
    /// η.
    pub eta: Rational,
}

impl CertificateReport {
    /// Whether the noise gives more than a claimed loss, beyond what rounding explains: rounding λ
    /// to nearest moves ε' by at most ηε', and rounding the input by 2ηB/λ.
    pub fn exceeds(&self, claimed: &Rational) -> bool {
        let rounding = &(&self.reach + claimed).times_power_of_two(2) * &self.eta;
        self.epsilon > claimed + &rounding
    }

    /// Puts an accepted certificate's loss beside the formulas.
    pub fn new(claim: &Claim, accepted: &Accepted) -> CertificateReport {
        let epsilon = accepted.epsilon.clone();
        let eta = Rational::ONE.times_power_of_two(-i64::from(claim.precision));
        let reach = &claim.bound / &claim.scale();
        let formula = |c1: i64, c2: i64| {
            // ε·B/Δ = B/λ.
            let slope = &Rational::from(c1) * &reach;
            let value = &epsilon + &(&(&slope + &Rational::from(c2)) * &eta);
            let text = match c2 {
                0 => format!("epsilon (1 + {c1} (B/Delta) eta)"),
                _ => format!("epsilon (1 + {c1} (B/Delta) eta) + {c2} eta"),
            };
            Formula { text, value }
        };
        CertificateReport {
            certified: accepted.certified.clone(),
            charged: formula(CHARGED.0, CHARGED.1),
            published: vec![
                formula(PUBLISHED.0, PUBLISHED.1),
                formula(23, 0),
                formula(24, 0),
            ],
            epsilon,
            reach,
            eta,
        }
    }

    /// `(certified − ε)/η`: what rounding adds, in units of η.
    pub fn excess_in_eta(&self) -> Rational {
        &(&self.certified - &self.epsilon) / &self.eta
    }

    /// The least c₁ for which `ε(1 + c₁(B/Δ)η) + c₂η` is certified here; negative if c₂ alone
    /// suffices.
    pub fn least_slope(&self, constant: &Rational) -> Rational {
        &(&self.excess_in_eta() - constant) / &self.reach
    }
}

/// The least c₁, to hundredths, such that `ε(1 + c₁(B/Δ)η) + c₂η` is certified in every one of the
/// reports.
///
/// ```
/// use lastbit_verify::certificate::{Claim, CertificateReport, check, prove, smallest_slope};
/// let claim = Claim::shipped(&"1".parse()?, &"1".parse()?, &"100".parse()?, 53);
/// let report = CertificateReport::new(&claim, &check(&prove(&claim)?)?);
/// assert!(smallest_slope(&[report], 2) < "18".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn smallest_slope(reports: &[CertificateReport], constant: i64) -> Rational {
    let constant = Rational::from(constant);
    let slope = reports
        .iter()
        .map(|report| report.least_slope(&constant))
        .max()
        .unwrap_or(Rational::ZERO)
        .max(Rational::ZERO);
    let hundred = Rational::from(100i64);
    &Rational::from((&slope * &hundred).ceil()) / &hundred
}
