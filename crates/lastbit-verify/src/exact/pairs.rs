//! Losses of the shipped code for many neighbours, beside the ideal loss and what is charged.

use lastbit::Bounds;
use lastbit::mechanisms::snapping::{Arithmetic, Bound, PUBLISHED, Snapping};
use lastbit_exact::{Rational, Up};

use crate::certificate::{Claim, check, prove};

use super::{Divergence, ExactError, divergence, exact_law};

/// One pair of neighbours: what the code loses between them, and what it may.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputPair {
    /// The setting and the two values.
    pub case: Case,
    /// `|clamp(f) − clamp(f')|/λ`: what the mechanism of real numbers loses.
    pub ideal: Rational,
    /// The exact loss of the code.
    pub exact: Divergence,
    /// `ε'(1 + 12(B/Δ)η) + 2η`, as published; reported, not relied on.
    pub published: Rational,
    /// The loss that a certificate, accepted by the checker, proves for all values within the
    /// sensitivity.
    pub certified: Option<Rational>,
    /// The loss that a release is charged.
    pub charged: Rational,
}

impl InputPair {
    /// Whether the exact loss is proved to lie between the ideal one and the charge.
    pub fn is_between(&self) -> bool {
        self.exact.is_at_least(&self.ideal) && self.exact.is_at_most(&self.charged)
    }

    /// What the code loses beyond the ideal; infinite if an output gives a value away.
    pub fn excess(&self) -> Up {
        match self.exact.enclosure() {
            Some(exact) => Up::from_rational(&(&Rational::from(exact.hi()) - &self.ideal)),
            None => Up::INFINITY,
        }
    }
}

/// A setting of the mechanism and two neighbouring values, as decimals.
#[derive(Clone, Debug)]
pub struct Case {
    /// The loss to pay.
    pub epsilon: &'static str,
    /// Δ.
    pub sensitivity: &'static str,
    /// Bounds of the query.
    pub bounds: [&'static str; 2],
    /// B; the default of the mechanism if none.
    pub bound: Option<&'static str>,
    /// f and f'.
    pub values: [f64; 2],
}

/// The settings of [`table`]: scales at, above and below powers of two, bounds that are and are not
/// multiples of the grid, centres that are not zero.
const SETTINGS: [(&str, &str, [&str; 2], Option<&str>); 8] = [
    ("1", "1", ["-8", "8"], Some("16")),
    ("0.5", "1", ["-20", "20"], Some("61.3")),
    ("0.1", "1", ["0", "100"], None),
    ("2", "1", ["0", "1000"], None),
    ("0.7", "0.125", ["0", "10"], Some("9.99")),
    ("3", "0.1", ["1000", "1100"], None),
    ("1", "0.3", ["-1", "6"], Some("20")),
    ("0.01", "4", ["-2000", "2000"], Some("3000")),
];

/// At least fifty pairs: for each setting the two ends, the middle, ties of the grid and values in
/// general position.
pub fn cases() -> Vec<Case> {
    let places = [0.0, 0.0625, 0.2371, 0.5, 0.625, 0.7777, 1.0];
    let mut cases = Vec::new();
    for (epsilon, sensitivity, bounds, bound) in SETTINGS {
        let number = |text: &str| text.parse::<f64>().expect("a decimal above");
        let (lower, upper, delta) = (number(bounds[0]), number(bounds[1]), number(sensitivity));
        for place in places {
            let value = lower + (upper - lower - delta) * place;
            cases.push(Case {
                epsilon,
                sensitivity,
                bounds,
                bound,
                values: [value, neighbour(value, sensitivity)],
            });
        }
    }
    cases
}

/// The largest double within Δ above.
fn neighbour(value: f64, sensitivity: &str) -> f64 {
    let delta: Rational = sensitivity.parse().expect("a decimal above");
    let exact = |x: f64| Rational::try_from(x).expect("finite");
    (&exact(value) + &delta).to_f64(lastbit_exact::Rounding::Down)
}

/// The exact losses of [`cases`] in one arithmetic.
pub fn table(arithmetic: Arithmetic) -> Result<Vec<InputPair>, ExactError> {
    cases()
        .into_iter()
        .map(|case| pair(case, arithmetic))
        .collect()
}

/// The exact loss of one case.
pub fn pair(case: Case, arithmetic: Arithmetic) -> Result<InputPair, ExactError> {
    let mechanism = mechanism(&case, arithmetic)?;
    let (ideal, exact) = loss_between(&mechanism, case.values)?;
    Ok(InputPair {
        case,
        ideal,
        exact,
        published: formula(&mechanism, PUBLISHED),
        certified: certified(&mechanism),
        charged: mechanism.epsilon().clone(),
    })
}

/// The loss of a mechanism that is certified: proved, and accepted by the checker.
pub fn certified(mechanism: &Snapping) -> Option<Rational> {
    let certificate = prove(&Claim::of_mechanism(mechanism)?).ok()?;
    check(&certificate).ok().map(|accepted| accepted.certified)
}

/// The ideal loss, and the exact loss of the code, between two values.
pub fn loss_between(
    mechanism: &Snapping,
    values: [f64; 2],
) -> Result<(Rational, Divergence), ExactError> {
    let [one, other] = values;
    let exact = divergence(&exact_law(mechanism, one)?, &exact_law(mechanism, other)?);
    let bounds = mechanism.bounds();
    let inside = |x: f64| {
        let x = Rational::try_from(x).expect("a release refuses what is not finite");
        x.clamp_to(bounds.lower(), bounds.upper())
    };
    let distance = (&inside(one) - &inside(other)).abs();
    Ok((&distance / mechanism.scale(), exact))
}

/// The loss of a release by a formula `ε'(1 + c₁(B/Δ)η) + c₂η`, `ε' = Δ/λ`.
pub fn formula(mechanism: &Snapping, (c1, c2): (i64, i64)) -> Rational {
    let inner = mechanism.effective_sensitivity() / mechanism.scale();
    let (Some(bound), Some(precision)) = (mechanism.bound(), mechanism.precision()) else {
        return inner;
    };
    let eta = Rational::ONE.times_power_of_two(-i64::from(precision));
    let relative = &(bound / mechanism.scale()) * &Rational::from(c1);
    let rounding = &(&relative + &Rational::from(c2)) * &eta;
    &inner + &rounding
}

/// The mechanism of a case.
pub fn mechanism(case: &Case, arithmetic: Arithmetic) -> Result<Snapping, ExactError> {
    let [lower, upper] = case.bounds;
    let builder = Snapping::builder(
        Bounds::parse(lower, upper).expect("bounds above are in order"),
        case.sensitivity.parse().expect("a sensitivity above"),
    )
    .epsilon(case.epsilon.parse().expect("a loss above"))
    .arithmetic(arithmetic);
    let builder = match case.bound {
        Some(bound) => builder.bound(Bound::Value(bound.parse().expect("a decimal above"))),
        None => builder,
    };
    Ok(builder.build()?)
}
