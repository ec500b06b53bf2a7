//! Snapping in the framework: a loss for every distance between inputs.

use lastbit_exact::{Integer, Rational, Up};
use lastbit_noise::entropy::Entropy;

use super::setting::Setting;
use super::{Arithmetic, CHARGED, Snapping, SnappingError};
use crate::conversions::laplace_to_zcdp;
use crate::domains::{AtomDomain, Number, VectorDomain};
use crate::measures::{MaxDivergence, ZeroConcentratedDivergence};
use crate::metrics::{AbsoluteDistance, L1Distance};
use crate::sealed::Sealed;
use crate::{Measurement, MetricSpace, PrivacyMap};

/// A type of numbers that snapping can release: `f64`, and exactly `i64`, `u64`, `Integer`,
/// `Rational`.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::mechanisms::snapping::{Snapping, SnappingNumber};
/// use lastbit::Rational;
/// use lastbit::System;
/// let snapping =
///     Snapping::builder(Bounds::parse("0", "1")?, "1".parse()?).epsilon("1".parse()?).build()?;
/// let published: f64 = Rational::new(1, 3).draw(&snapping, &mut System::default())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SnappingNumber: Number + Sealed {
    /// One noisy output.
    fn draw(&self, snapping: &Snapping, entropy: &mut dyn Entropy) -> Result<f64, SnappingError>;
}

impl SnappingNumber for f64 {
    fn draw(
        &self,
        snapping: &Snapping,
        mut entropy: &mut dyn Entropy,
    ) -> Result<f64, SnappingError> {
        snapping.draw(*self, &mut entropy)
    }
}

macro_rules! exact {
    ($($type:ty),*) => {
        $(impl SnappingNumber for $type {
            fn draw(
                &self,
                snapping: &Snapping,
                mut entropy: &mut dyn Entropy,
            ) -> Result<f64, SnappingError> {
                snapping.draw_exact(&Rational::from(self.clone()), &mut entropy)
            }
        })*
    };
}
exact!(i64, u64, Integer, Rational);

impl Snapping {
    /// The mechanism as a measurement, with a loss for every distance `d` between inputs; at
    /// `d = Δ` at most [`Snapping::epsilon`].
    ///
    /// With `d' = min(d, upper − lower)`, since inputs are clamped: exactly `d'/λ` in exact
    /// arithmetic; in the float modes `(d' + e)/λ·(1 + c₁·B/(d' + e)·η) + c₂η`, with e what
    /// rounding the inputs adds and (c₁, c₂) = [`CHARGED`]. At `d = 0` nothing.
    ///
    /// **Proof.** As in the module, where Δ stands for any distance: λ is what is drawn from, and
    /// only ε = Δ/λ speaks of Δ. The limits on λ and B are free of Δ. The distance enters by one
    /// number, how far apart two clamped values are. Clamping lengthens no distance, and values in
    /// [lower, upper] are at most upper − lower apart, so that is at most d'. What rounding adds,
    /// e, is at most the same for any two values of [lower, upper]. At `d = 0` there is one value,
    /// and one law; as −0.0 it is the same, as noise is never zero, and a sum shows no sign of a
    /// zero in it. ∎ `proofs/` has the loss with its minimum in Coq: `snapping_centred` at any
    /// precision, `release64_private`, `release64_rounded` and `release64_exact` in binary64.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::domains::AtomDomain;
    /// use lastbit::mechanisms::snapping::Snapping;
    /// use lastbit::Rational;
    /// let snapping = Snapping::builder(Bounds::parse("0", "100")?, "0.1".parse()?)
    ///     .epsilon("0.5".parse()?)
    ///     .build()?;
    /// let mean = snapping.measurement(AtomDomain::<f64>::new())?;
    /// let published: f64 = mean.invoke(&41.7)?;
    /// assert_eq!(mean.map(&Rational::new(1, 10))?.get(), 0.5);
    /// assert_eq!(mean.map(&Rational::new(2, 10))?.get(), 1.0); // a group of two
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measurement<T: SnappingNumber>(
        &self,
        domain: AtomDomain<T>,
    ) -> Result<Measurement<AtomDomain<T>, AbsoluteDistance, MaxDivergence, f64>, crate::Error>
    {
        let (snapping, setting) = (self.clone(), self.setting.clone());
        Measurement::new(
            domain,
            AbsoluteDistance,
            MaxDivergence,
            move |value: &T, entropy| Ok(value.draw(&snapping, entropy)?),
            PrivacyMap::new(move |d_in| Ok(Up::from_rational(&loss(&setting, d_in)))),
        )
    }

    /// Every entry of a vector released on its own, with a loss for every L1 distance `d`: `d/λ`.
    /// Exact arithmetic only: each entry that differs would add the rounding terms of the float
    /// modes once more, and how many differ is not in the distance.
    ///
    /// **Proof.** Entries at distances `d_1, …, d_n` with sum at most d lose `d_i/λ` or less each,
    /// and their noise is independent. ∎
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::domains::{AtomDomain, VectorDomain};
    /// use lastbit::mechanisms::snapping::Snapping;
    /// use lastbit::Rational;
    /// let snapping = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?)
    ///     .epsilon("0.5".parse()?)
    ///     .build()?;
    /// let counts = snapping
    ///     .measurement_vector(VectorDomain::new(AtomDomain::<i64>::new()).with_size(3))?;
    /// assert_eq!(counts.invoke(&vec![17, 0, 25])?.len(), 3);
    /// // one person moved from one bin to another
    /// assert_eq!(counts.map(&Rational::from(2i64))?.get(), 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measurement_vector<T: SnappingNumber>(
        &self,
        domain: VectorDomain<AtomDomain<T>>,
    ) -> Result<VectorMeasurement<T>, crate::Error>
    where
        VectorDomain<AtomDomain<T>>: MetricSpace<L1Distance, Carrier = Vec<T>>,
    {
        self.needs_exact("the loss of a vector of releases")?;
        let (snapping, scale) = (self.clone(), self.setting.scale.clone());
        Measurement::new(
            domain,
            L1Distance,
            MaxDivergence,
            move |values: &Vec<T>, entropy| {
                let released = values.iter().map(|value| value.draw(&snapping, entropy));
                Ok(released.collect::<Result<Vec<f64>, SnappingError>>()?)
            },
            PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in / &scale)))),
        )
    }

    /// [`Snapping::measurement`] with its loss as zCDP: `ρ = ε + e^-ε − 1`. Exact arithmetic only:
    /// what the float modes draw is near Laplace noise, but not a function of it.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::domains::AtomDomain;
    /// use lastbit::mechanisms::snapping::Snapping;
    /// use lastbit::Rational;
    /// let snapping = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?)
    ///     .epsilon("1".parse()?)
    ///     .build()?;
    /// let count = snapping.measurement_zcdp(AtomDomain::<i64>::new())?;
    /// assert!((count.map(&Rational::ONE)?.get() - (-1f64).exp()).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measurement_zcdp<T: SnappingNumber>(
        &self,
        domain: AtomDomain<T>,
    ) -> Result<
        Measurement<AtomDomain<T>, AbsoluteDistance, ZeroConcentratedDivergence, f64>,
        crate::Error,
    > {
        self.needs_exact("ρ = ε + e^-ε − 1")?;
        let rho = |epsilon: &Up| {
            laplace_to_zcdp(*epsilon).map_err(|error| crate::Error::unbounded(error.to_string()))
        };
        Ok(self
            .measurement(domain)?
            .cast(ZeroConcentratedDivergence, rho))
    }

    fn needs_exact(&self, what: &str) -> Result<(), crate::Error> {
        if self.arithmetic() == Arithmetic::Exact {
            return Ok(());
        }
        Err(crate::Error::space(format!(
            "{what} is for real Laplace noise, and {} arithmetic rounds it; use exact arithmetic, \
             or compose and convert pure losses",
            self.arithmetic().name()
        )))
    }
}

/// A vector of numbers in L1 distance, each released by snapping.
pub type VectorMeasurement<T> =
    Measurement<VectorDomain<AtomDomain<T>>, L1Distance, MaxDivergence, Vec<f64>>;

/// The loss between inputs at distance `d_in`, at the λ of the setting.
fn loss(setting: &Setting, d_in: &Rational) -> Rational {
    if d_in.is_zero() {
        return Rational::ZERO;
    }
    let width = setting.bounds.half_width().times_power_of_two(1);
    let rounding = &setting.sensitivity - &setting.sensitivity_of_query;
    let ideal = &(d_in.clone().min(width) + rounding) / &setting.scale;
    match (&setting.bound, setting.precision) {
        (Some(bound), Some(precision)) => {
            let (c1, c2) = CHARGED;
            let relative = Rational::from(c1) * (bound / &setting.scale) + Rational::from(c2);
            ideal + relative.times_power_of_two(-i64::from(precision))
        }
        _ => ideal,
    }
}
