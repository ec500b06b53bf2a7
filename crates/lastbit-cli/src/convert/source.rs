//! A loss as it is given: `KIND:X`.

use lastbit::accounting::Pair;
use lastbit::conversions::{LossBound, gaussian_to_zcdp};
use lastbit::parse_number;
use lastbit_exact::{Rational, Up};
use lastbit_release::loss::Loss;

use crate::number::readable;

/// What is known of a release.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Pure,
    Laplace,
    Range,
    Zcdp,
    Gaussian,
    Geometric,
    Response,
    Approx,
}

/// A loss as it was given.
#[derive(Clone, PartialEq)]
pub struct Source {
    pub kind: Kind,
    /// ε, η, ρ or Δ/σ.
    pub value: Rational,
    /// The number after the comma: the distance of geometric noise, the categories of a response,
    /// the δ of approx.
    pub second: Rational,
    /// The probability of what the loss does not cover, such as a threshold's.
    pub delta: Rational,
    /// The rate of a secret Poisson sample.
    pub sampled: Option<Rational>,
}

const FORM: &str = "write KIND:X, such as pure:1, range:0.5, laplace:1, gaussian:0.2, zcdp:0.1, \
                    geometric:1, \
                    response:3,1 or approx:1,1e-9";

impl Source {
    /// Reads `KIND:X` or `KIND:X,Y`.
    pub fn parse(text: &str) -> Result<Source, String> {
        let (kind, value) = text.split_once(':').ok_or(FORM)?;
        let (kind, name) = match kind {
            "pure" => (Kind::Pure, "epsilon"),
            "laplace" => (Kind::Laplace, "epsilon"),
            "range" => (Kind::Range, "eta"),
            "zcdp" => (Kind::Zcdp, "rho"),
            "gaussian" => (Kind::Gaussian, "the distance in standard deviations"),
            "geometric" => (Kind::Geometric, "epsilon"),
            "response" => (Kind::Response, "epsilon"),
            "approx" => (Kind::Approx, "epsilon"),
            _ => return Err(FORM.to_owned()),
        };
        let (value, second) = match (kind, value.split_once(',')) {
            (Kind::Geometric, Some((value, distance))) => (value, whole("the distance", distance)?),
            (Kind::Geometric, None) => (value, Rational::ONE),
            (Kind::Response, Some((categories, value))) => {
                (value, whole("the number of categories", categories)?)
            }
            (Kind::Approx, Some((value, delta))) => (value, not_negative("delta", delta)?),
            (Kind::Response, None) => {
                return Err("write response:K,E for K categories at ε = E".to_owned());
            }
            (Kind::Approx, None) => return Err("write approx:E,D for ε = E and δ = D".to_owned()),
            (_, Some(_)) => return Err(FORM.to_owned()),
            (_, None) => (value, Rational::ZERO),
        };
        let value = not_negative(name, value)?;
        if !Up::from_rational(&value).is_finite() {
            return Err(format!(
                "{name} is beyond the largest double; use a smaller loss"
            ));
        }
        let source = Source {
            kind,
            value,
            second,
            delta: Rational::ZERO,
            sampled: None,
        };
        // An impossible loss is refused when it is read; one too large for some accountants is not.
        match source.pair() {
            Some(Err(error)) if !error.is_unbounded() => Err(error.to_string()),
            _ => Ok(source),
        }
    }

    /// What the accountants of `lastbit::conversions` know of it; `None` if nothing.
    pub fn release(&self) -> Option<LossBound> {
        self.divergence()
            .filter(|_| self.own_delta().is_zero() && self.kind != Kind::Approx)
    }

    /// What is known of its Rényi divergences, but for events of its [own δ](Source::own_delta);
    /// `None` if nothing is.
    pub fn divergence(&self) -> Option<LossBound> {
        if self.sampled.is_some() {
            return None;
        }
        let loss = Up::from_rational(&self.value);
        Some(match self.kind {
            Kind::Pure | Kind::Geometric | Kind::Response | Kind::Approx => LossBound::Pure(loss),
            Kind::Laplace => LossBound::Laplace(loss),
            Kind::Range => LossBound::BoundedRange(loss),
            Kind::Zcdp => LossBound::Zcdp(loss),
            Kind::Gaussian => LossBound::Zcdp(Up::from_rational(&self.rho()?)),
        })
    }

    /// The loss as plans and ledgers state it; `None` for samples.
    pub fn loss(&self) -> Option<Loss> {
        if self.sampled.is_some() {
            return None;
        }
        let value = self.value.clone();
        let delta = match self.kind {
            Kind::Approx => self.second.clone(),
            _ => self.delta.clone(),
        };
        match self.kind {
            Kind::Zcdp => Loss::zcdp(value),
            Kind::Gaussian => Loss::zcdp(self.rho()?),
            _ if delta.is_positive() => Loss::approximate(value, delta),
            // A bounded range is a pure loss of the same size.
            _ => Loss::pure(value),
        }
        .ok()
    }

    /// Why it cannot be from a sample, if it is said to be.
    pub fn refusal(&self) -> Option<&'static str> {
        (self.kind == Kind::Response && self.sampled.is_some()).then_some(
            "the law of randomized response is for a row that changes its category, and sampling \
             amplifies for rows that are added or removed; state what it is for these neighbours, \
             such as pure:E",
        )
    }

    /// The pair of laws that dominates it; `None` if only its Rényi divergences are known.
    pub fn pair(&self) -> Option<Result<Pair, lastbit::Error>> {
        let whole = u64::try_from(self.second.floor()).unwrap_or(u64::MAX);
        let pair = match self.kind {
            Kind::Pure => Pair::pure(&self.value),
            Kind::Laplace => Pair::laplace(&self.value),
            Kind::Range => Pair::bounded_range(&self.value),
            Kind::Gaussian => Pair::gaussian(&self.value),
            Kind::Geometric => Pair::geometric(&self.value, whole),
            Kind::Response => Pair::response(&self.value, whole),
            Kind::Approx => Pair::approximate(&self.value, &self.second),
            Kind::Zcdp => return None,
        };
        let pair = pair.and_then(|pair| pair.with_delta(&self.delta));
        Some(match &self.sampled {
            Some(rate) => pair.and_then(|pair| pair.poisson_sampled(rate)),
            None => pair,
        })
    }

    /// At least the probability of what no loss covers.
    pub fn own_delta(&self) -> Rational {
        let own = match self.kind {
            Kind::Approx => &self.delta + &self.second,
            _ => self.delta.clone(),
        };
        match &self.sampled {
            Some(rate) => &own * rate,
            None => own,
        }
    }

    /// The exact ρ, if it is known.
    pub fn rho(&self) -> Option<Rational> {
        match self.kind {
            Kind::Zcdp => Some(self.value.clone()),
            Kind::Gaussian => Some(gaussian_to_zcdp(&(&self.value * &self.value))),
            _ => None,
        }
    }

    /// Whether it has a pure loss.
    pub fn is_pure(&self) -> bool {
        !matches!(self.kind, Kind::Zcdp | Kind::Gaussian | Kind::Approx)
    }

    /// Why it has no bound in a measure.
    pub fn lacks(&self) -> &'static str {
        match self.kind {
            Kind::Approx => "with probability δ anything may happen",
            _ => "Gaussian noise is zCDP, and can give any loss",
        }
    }

    /// The words after "a release" or "releases".
    pub fn describe(&self) -> String {
        let value = readable(&self.value);
        let text = match self.kind {
            Kind::Pure => format!("that cost ε = {value} each"),
            Kind::Laplace => format!("by Laplace noise or exact snapping at ε = {value}"),
            Kind::Range => format!("of bounded range η = {value}"),
            Kind::Zcdp => format!("that cost ρ = {value} each"),
            Kind::Gaussian => format!("by Gaussian noise at Δ/σ = {value}"),
            Kind::Geometric => format!(
                "by geometric noise at ε = {value} for a distance of {}",
                self.second
            ),
            Kind::Response => format!(
                "by randomized response among {} at ε = {value}",
                self.second
            ),
            Kind::Approx => {
                format!("that cost ε = {value}, δ = {} each", readable(&self.second))
            }
        };
        let text = if self.delta.is_positive() {
            format!("{text}, but for δ = {}", readable(&self.delta))
        } else {
            text
        };
        match &self.sampled {
            Some(rate) => format!("{text}, from a sample at rate {}", readable(rate)),
            None => text,
        }
    }
}

/// A number that is zero or more.
pub fn not_negative(name: &'static str, text: &str) -> Result<Rational, String> {
    let value = parse_number(name, text).map_err(|error| error.to_string())?;
    if value.is_negative() {
        return Err(format!("{name} must be zero or more, got {value}"));
    }
    Ok(value)
}

/// A whole number above 0.
fn whole(name: &'static str, text: &str) -> Result<Rational, String> {
    match text.parse::<u64>() {
        Ok(value) if value > 0 => Ok(Rational::from(value)),
        _ => Err(format!(
            "{name} must be a whole number above 0, got {text:?}"
        )),
    }
}

/// The chance that a row is in a sample.
pub fn rate(text: &str) -> Result<Rational, String> {
    let rate = not_negative("the sampling rate", text)?;
    if !rate.is_positive() || rate > Rational::ONE {
        return Err(format!(
            "a sampling rate must be above 0 and at most 1, got {rate}; it is the chance \
             that one row is in the sample"
        ));
    }
    Ok(rate)
}
