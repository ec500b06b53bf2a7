use core::fmt;
use std::sync::Arc;

use lastbit_exact::environment;
use lastbit_noise::entropy::{Entropy, System};

use crate::measures::Measure;
use crate::metrics::Metric;
use crate::{Distance, Error, MetricSpace, PrivacyMap};

type Function<A, TO> = Arc<dyn Fn(&A, &mut dyn Entropy) -> Result<TO, Error> + Send + Sync>;

/// A randomized function with a bound on what its output tells: for all x, y in the domain at
/// distance at most `d_in`, the laws of the outputs are at most `map(d_in)` apart.
///
/// Cheap to clone, and shared between threads.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::measures::MaxDivergence;
/// use lastbit::metrics::DiscreteDistance;
/// use lastbit::{Measurement, PrivacyMap};
/// use lastbit::{Rational, Up};
/// use lastbit_noise::bernoulli;
///
/// // Tell the truth with probability 3/4: each answer is at most 3 times as likely as for the
/// // other truth.
/// let truth = Rational::new(3, 4);
/// let randomized_response = Measurement::new(
///     AtomDomain::<bool>::new(),
///     DiscreteDistance,
///     MaxDivergence,
///     move |&answer, mut entropy| Ok(answer == bernoulli(&truth, &mut entropy)?),
///     PrivacyMap::new(|&d_in| Ok(if d_in == 0 { Up::ZERO } else { Up::exact(3.0).ln() })),
/// )?;
///
/// let published: bool = randomized_response.invoke(&true)?;
/// assert!(randomized_response.map(&1)?.get() >= 3f64.ln());
/// assert!(randomized_response.check(&1, &Up::exact(1.1))?);
/// assert!(!randomized_response.check(&1, &Up::ONE)?);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub struct Measurement<DI: MetricSpace<MI>, MI: Metric, MO: Measure, TO> {
    input_domain: DI,
    input_metric: MI,
    output_measure: MO,
    function: Function<DI::Carrier, TO>,
    privacy_map: PrivacyMap<MI, MO>,
}

impl<DI, MI, MO, TO> Measurement<DI, MI, MO, TO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure,
    TO: 'static,
{
    /// Puts a function and its privacy map together. That the map bounds the function is for the
    /// caller to prove.
    ///
    /// The function is given only members of the domain. Its randomness must come from the entropy
    /// it is given, and its running time must not depend on the data.
    pub fn new<F>(
        input_domain: DI,
        input_metric: MI,
        output_measure: MO,
        function: F,
        privacy_map: PrivacyMap<MI, MO>,
    ) -> Result<Self, Error>
    where
        F: Fn(&DI::Carrier, &mut dyn Entropy) -> Result<TO, Error> + Send + Sync + 'static,
    {
        environment::check()?;
        input_domain.check_space(&input_metric)?;
        Ok(Measurement {
            input_domain,
            input_metric,
            output_measure,
            function: Arc::new(function),
            privacy_map,
        })
    }

    /// One release, with the system's randomness. Each release costs [`Measurement::map`] again.
    pub fn invoke(&self, argument: &DI::Carrier) -> Result<TO, Error> {
        self.invoke_with(argument, &mut System::default())
    }

    /// One release with a given source of randomness, as tests need it.
    pub fn invoke_with(
        &self,
        argument: &DI::Carrier,
        entropy: &mut dyn Entropy,
    ) -> Result<TO, Error> {
        environment::check()?;
        if !self.input_domain.contains(argument) {
            return Err(outside(&self.input_domain));
        }
        (self.function)(argument, entropy)
    }

    /// The loss of one release: `d(M(x), M(y)) ≤ map(d_in)` for all x, y at distance at most
    /// `d_in`.
    pub fn map(&self, d_in: &MI::Distance) -> Result<MO::Distance, Error> {
        self.privacy_map.eval(d_in)
    }

    /// Whether `map(d_in) ≤ d_out`. Losses that have no order, and losses without a finite bound,
    /// are not within `d_out`.
    ///
    /// Curves have no order that can be decided, so there is no check against one; convert to a
    /// measure that has, first.
    pub fn check(&self, d_in: &MI::Distance, d_out: &MO::Distance) -> Result<bool, Error>
    where
        MO::Distance: PartialOrd,
    {
        d_out.check()?;
        match self.map(d_in) {
            Ok(loss) => Ok(loss <= *d_out),
            Err(error) if error.is_unbounded() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The same function under another metric and measure, with a map that the caller has proved
    /// for them.
    pub fn with_map<MJ: Metric, MP: Measure>(
        &self,
        input_metric: MJ,
        output_measure: MP,
        privacy_map: PrivacyMap<MJ, MP>,
    ) -> Result<Measurement<DI, MJ, MP, TO>, Error>
    where
        DI: MetricSpace<MJ>,
    {
        self.input_domain.check_space(&input_metric)?;
        Ok(Measurement {
            input_domain: self.input_domain.clone(),
            input_metric,
            output_measure,
            function: Arc::clone(&self.function),
            privacy_map,
        })
    }

    /// The same function under another measure, with `convert` turning a loss in this measure into
    /// one in that.
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::{MaxDivergence, RangeDivergence};
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let pure = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(()),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// // An ε-private release has log-likelihood ratios in [-ε, ε]: a range of 2ε.
    /// let ranged = pure.cast(RangeDivergence, |&epsilon| Ok(epsilon * Up::from(2)));
    /// assert_eq!(ranged.map(&1)?.get(), 2.0);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn cast<MP: Measure>(
        &self,
        output_measure: MP,
        convert: impl Fn(&MO::Distance) -> Result<MP::Distance, Error> + Send + Sync + 'static,
    ) -> Measurement<DI, MI, MP, TO> {
        Measurement {
            input_domain: self.input_domain.clone(),
            input_metric: self.input_metric.clone(),
            output_measure,
            function: Arc::clone(&self.function),
            privacy_map: self.privacy_map.then(convert),
        }
    }

    /// The output passed through a function that sees no data: the loss stays the same.
    ///
    /// ```
    /// # use lastbit::domains::AtomDomain;
    /// # use lastbit::measures::MaxDivergence;
    /// # use lastbit::metrics::DiscreteDistance;
    /// # use lastbit::{Measurement, PrivacyMap};
    /// # use lastbit::Up;
    /// # let answer = Measurement::new(
    /// #     AtomDomain::<bool>::new(),
    /// #     DiscreteDistance,
    /// #     MaxDivergence,
    /// #     |_, _| Ok(true),
    /// #     PrivacyMap::new(|_| Ok(Up::ONE)),
    /// # )?;
    /// let text = answer.post(|answer| Ok(if answer { "yes" } else { "no" }));
    /// assert_eq!(text.invoke(&true)?, "yes");
    /// assert_eq!(text.map(&1)?, answer.map(&1)?);
    /// # Ok::<(), lastbit::Error>(())
    /// ```
    pub fn post<U: 'static>(
        &self,
        process: impl Fn(TO) -> Result<U, Error> + Send + Sync + 'static,
    ) -> Measurement<DI, MI, MO, U> {
        let function = Arc::clone(&self.function);
        Measurement {
            input_domain: self.input_domain.clone(),
            input_metric: self.input_metric.clone(),
            output_measure: self.output_measure.clone(),
            function: Arc::new(move |argument, entropy| process(function(argument, entropy)?)),
            privacy_map: self.privacy_map.clone(),
        }
    }

    /// What the function can be given.
    pub fn input_domain(&self) -> &DI {
        &self.input_domain
    }

    /// The metric of inputs.
    pub fn input_metric(&self) -> &MI {
        &self.input_metric
    }

    /// The measure between laws of outputs.
    pub fn output_measure(&self) -> &MO {
        &self.output_measure
    }

    /// The map from distances to losses.
    pub fn privacy_map(&self) -> &PrivacyMap<MI, MO> {
        &self.privacy_map
    }
}

/// The refusal of an argument; the data stays out of it.
pub(crate) fn outside(domain: &impl fmt::Display) -> Error {
    Error::outside_domain(domain, "clamp, cast or resize it to that first")
}

impl<DI, MI, MO, TO> Clone for Measurement<DI, MI, MO, TO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure,
{
    fn clone(&self) -> Self {
        Measurement {
            input_domain: self.input_domain.clone(),
            input_metric: self.input_metric.clone(),
            output_measure: self.output_measure.clone(),
            function: Arc::clone(&self.function),
            privacy_map: self.privacy_map.clone(),
        }
    }
}

impl<DI, MI, MO, TO> fmt::Debug for Measurement<DI, MI, MO, TO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    MO: Measure,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measurement")
            .field("input_domain", &self.input_domain)
            .field("input_metric", &self.input_metric)
            .field("output_measure", &self.output_measure)
            .finish_non_exhaustive()
    }
}
