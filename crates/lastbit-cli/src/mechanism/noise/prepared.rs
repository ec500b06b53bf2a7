//! Noise of one kind and size, with its law and what it costs.

use anyhow::{Result, anyhow, ensure};
use lastbit::conversions::{laplace_to_zcdp, pure_to_zcdp};
use lastbit::domains::AtomDomain;
use lastbit::mechanisms::{Scale, Variance, gaussian, geometric, laplace};
use lastbit::metrics::Contribution;
use lastbit::tables::{Noise, Tails};
use lastbit::{Confidence, GridExponent, Sensitivity};
use lastbit_exact::{Integer, Interval, Rational, Up};

/// What is drawn.
pub enum Kind {
    Laplace(Scale),
    Gaussian(Variance),
    Geometric(Scale),
}

/// Publishes a number.
pub type Release = Box<dyn Fn(&Rational) -> Result<Rational>>;

/// Noise that can be drawn.
pub struct Prepared {
    pub kind: Kind,
    pub grid: GridExponent,
    pub sensitivity: Rational,
    /// ε, or ρ for Gaussian noise, exactly.
    pub loss: Rational,
    release: Release,
}

impl Prepared {
    pub fn new(kind: Kind, grid: GridExponent, sensitivity: &Sensitivity) -> Result<Prepared> {
        let moved = sensitivity.get().clone();
        let reals = AtomDomain::<Rational>::new();
        let norms = Contribution::new(1, moved.clone())?.norms();
        let (loss, is_covered, release): (_, _, Release) = match &kind {
            Kind::Laplace(scale) => {
                let loss = Noise::Laplace(scale.clone()).epsilon(&norms)?;
                let noise = laplace(reals, scale, grid)?;
                let is_covered = noise.check(&moved, &Up::from_rational(&loss))?;
                let release = move |value: &Rational| Ok(noise.invoke(value)?);
                (loss, is_covered, Box::new(release))
            }
            Kind::Gaussian(variance) => {
                let loss = Noise::Gaussian(variance.clone()).rho(&norms)?;
                let noise = gaussian(reals, variance, grid)?;
                let is_covered = noise.check(&moved, &Up::from_rational(&loss))?;
                let release = move |value: &Rational| Ok(noise.invoke(value)?);
                (loss, is_covered, Box::new(release))
            }
            Kind::Geometric(scale) => {
                // As much as Laplace noise of this scale.
                let loss = Noise::Laplace(scale.clone()).epsilon(&norms)?;
                let noise = geometric(AtomDomain::<Integer>::new(), scale)?;
                let is_covered = noise.check(&moved, &Up::from_rational(&loss))?;
                let release =
                    move |value: &Rational| Ok(Rational::from(noise.invoke(&whole(value)?)?));
                (loss, is_covered, Box::new(release))
            }
        };
        // What is stated here is what the framework's privacy map says.
        ensure!(
            is_covered,
            "this is a fault of lastbit: the loss is stated too small; report it"
        );
        Ok(Prepared {
            kind,
            grid,
            sensitivity: moved,
            loss,
            release,
        })
    }

    /// The value with noise, drawn exactly.
    pub fn draw(&self, value: &Rational) -> Result<Rational> {
        (self.release)(value)
    }

    /// Refuses a value that such noise is not for.
    pub fn check(&self, value: &Rational) -> Result<()> {
        match self.kind {
            Kind::Geometric(_) => whole(value).map(|_| ()),
            _ => Ok(()),
        }
    }

    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Laplace(_) => "Laplace",
            Kind::Gaussian(_) => "Gaussian",
            Kind::Geometric(_) => "geometric",
        }
    }

    /// ε or ρ.
    pub fn symbol(&self) -> char {
        if self.is_gaussian() { 'ρ' } else { 'ε' }
    }

    /// The name of the loss in JSON.
    pub fn measure(&self) -> &'static str {
        if self.is_gaussian() { "rho" } else { "epsilon" }
    }

    pub fn is_gaussian(&self) -> bool {
        matches!(self.kind, Kind::Gaussian(_))
    }

    /// The loss as zCDP, if that is not how it is stated.
    pub fn rho(&self) -> Result<Option<Up>> {
        let loss = Up::from_rational(&self.loss);
        Ok(match self.kind {
            Kind::Gaussian(_) => None,
            Kind::Laplace(_) => Some(laplace_to_zcdp(loss)?),
            Kind::Geometric(_) => Some(pure_to_zcdp(loss)?),
        })
    }

    /// Scale or standard deviation, at most one double above it.
    pub fn size(&self) -> Up {
        match &self.kind {
            Kind::Laplace(scale) | Kind::Geometric(scale) => Up::from_rational(scale.get()),
            Kind::Gaussian(variance) => Noise::Gaussian(variance.clone()).size(),
        }
    }

    /// A number that the error of a draw, whatever the value, exceeds with at most the probability
    /// that the confidence leaves.
    pub fn accuracy(&self, confidence: &Confidence) -> Up {
        let beta = confidence.beta();
        match &self.kind {
            Kind::Laplace(scale) => {
                Tails::default().beyond(&Noise::Laplace(scale.clone()), self.grid, &beta)
            }
            Kind::Gaussian(variance) => {
                Tails::default().beyond(&Noise::Gaussian(variance.clone()), self.grid, &beta)
            }
            Kind::Geometric(scale) => {
                // P(|k| > t) = 2q^(t+1)/(1 + q) ≤ β from t = s·ln(2/((1 + q)·β)) − 1 on.
                let twice = Interval::from_rational(&(&Rational::from(2i64) / beta.get()));
                let ratio = ratio(scale, &Integer::ONE);
                let logarithm = (twice / (Interval::ONE + ratio)).ln();
                let least = (Interval::from_rational(scale.get()) * logarithm).upper();
                let Ok(least) = Rational::try_from(least.get()) else {
                    return Up::INFINITY;
                };
                let steps = (&least - &Rational::ONE).ceil().max(Integer::ZERO);
                Up::from_rational(&Rational::from(steps))
            }
        }
    }

    /// The law of a release of a value.
    pub fn law(&self, value: &Rational) -> Result<Law> {
        self.check(value)?;
        let sampler = match &self.kind {
            Kind::Laplace(scale) => {
                Sampler::Laplace(lastbit_noise::Laplace::new(scale.get(), self.grid)?)
            }
            Kind::Gaussian(variance) => Sampler::Gaussian(lastbit_noise::Gaussian::with_variance(
                variance.get(),
                self.grid,
            )?),
            Kind::Geometric(scale) => Sampler::Geometric(scale.clone()),
        };
        Ok(Law {
            sampler,
            location: value.clone(),
        })
    }
}

fn whole(value: &Rational) -> Result<Integer> {
    let down = value.floor();
    match Rational::from(down.clone()) == *value {
        true => Ok(down),
        false => Err(anyhow!(
            "geometric noise is for whole numbers; use `laplace` for others"
        )),
    }
}

/// `q^steps`, `q = e^(-1/s)`.
fn ratio(scale: &Scale, steps: &Integer) -> Interval {
    Interval::from_rational(&-(&Rational::from(steps.clone()) / scale.get())).exp()
}

enum Sampler {
    Laplace(lastbit_noise::Laplace),
    Gaussian(lastbit_noise::Gaussian),
    Geometric(Scale),
}

/// The law of a release: what each point of the grid is published with.
pub struct Law {
    sampler: Sampler,
    location: Rational,
}

impl Law {
    /// The probability of one point, counted in steps of the grid.
    pub fn at(&self, cell: &Integer) -> Interval {
        match &self.sampler {
            Sampler::Laplace(noise) => noise.cell_probability(&self.location, cell),
            Sampler::Gaussian(noise) => noise.cell_probability(&self.location, cell),
            Sampler::Geometric(scale) => {
                let away = (cell.clone() - self.location.floor()).abs();
                let one = ratio(scale, &Integer::ONE);
                let middle = (Interval::ONE - one) / (Interval::ONE + one);
                middle * ratio(scale, &away)
            }
        }
    }

    /// The probability of this point and all below it.
    pub fn up_to(&self, cell: &Integer) -> Interval {
        match &self.sampler {
            Sampler::Laplace(noise) => noise.cumulative_probability(&self.location, cell),
            Sampler::Gaussian(noise) => noise.cumulative_probability(&self.location, cell),
            Sampler::Geometric(scale) => {
                let away = cell.clone() - self.location.floor();
                let both = Interval::ONE + ratio(scale, &Integer::ONE);
                if away < Integer::ZERO {
                    ratio(scale, &-away) / both
                } else {
                    Interval::ONE - ratio(scale, &(away + Integer::ONE)) / both
                }
            }
        }
    }
}
