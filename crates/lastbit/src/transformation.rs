use core::fmt;
use std::sync::Arc;

use crate::measurement::outside;
use crate::metrics::Metric;
use crate::{Distance, Error, MetricSpace, StabilityMap};

type Function<A, B> = Arc<dyn Fn(&A) -> Result<B, Error> + Send + Sync>;

/// A function without randomness and a bound on how far it spreads its inputs: for all x, y in the
/// domain at distance at most `d_in`, the outputs are in the output domain and at most `map(d_in)`
/// apart.
///
/// Cheap to clone, and shared between threads. Nothing that it returns is private.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::metrics::{AbsoluteDistance, SymmetricDistance};
/// use lastbit::{StabilityMap, Transformation};
/// use lastbit::Rational;
///
/// let count = Transformation::new(
///     VectorDomain::new(AtomDomain::<String>::new()),
///     SymmetricDistance,
///     AtomDomain::<u64>::new(),
///     AbsoluteDistance,
///     |rows| Ok(rows.len() as u64),
///     StabilityMap::new(|&rows| Ok(Rational::from(rows))),
/// )?;
/// assert_eq!(count.invoke(&vec!["a".to_string(), "b".to_string()])?, 2);
/// assert_eq!(count.map(&1)?, Rational::ONE);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub struct Transformation<DI: MetricSpace<MI>, MI: Metric, DO: MetricSpace<MO>, MO: Metric> {
    input_domain: DI,
    input_metric: MI,
    output_domain: DO,
    output_metric: MO,
    function: Function<DI::Carrier, DO::Carrier>,
    stability_map: StabilityMap<MI, MO>,
}

impl<DI, MI, DO, MO> Transformation<DI, MI, DO, MO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    /// Puts a function and its stability map together. That the map bounds the function is for the
    /// caller to prove.
    ///
    /// The function is given only members of the input domain.
    pub fn new(
        input_domain: DI,
        input_metric: MI,
        output_domain: DO,
        output_metric: MO,
        function: impl Fn(&DI::Carrier) -> Result<DO::Carrier, Error> + Send + Sync + 'static,
        stability_map: StabilityMap<MI, MO>,
    ) -> Result<Self, Error> {
        input_domain.check_space(&input_metric)?;
        output_domain.check_space(&output_metric)?;
        Ok(Transformation {
            input_domain,
            input_metric,
            output_domain,
            output_metric,
            function: Arc::new(function),
            stability_map,
        })
    }

    /// The function's value. It is as secret as the argument.
    pub fn invoke(&self, argument: &DI::Carrier) -> Result<DO::Carrier, Error> {
        if !self.input_domain.contains(argument) {
            return Err(outside(&self.input_domain));
        }
        (self.function)(argument)
    }

    /// `d(T(x), T(y)) ≤ map(d_in)` for all x, y at distance at most `d_in`.
    pub fn map(&self, d_in: &MI::Distance) -> Result<MO::Distance, Error> {
        self.stability_map.eval(d_in)
    }

    /// Whether `map(d_in) ≤ d_out`. A distance without a finite bound is not within `d_out`.
    pub fn check(&self, d_in: &MI::Distance, d_out: &MO::Distance) -> Result<bool, Error>
    where
        MO::Distance: PartialOrd,
    {
        d_out.check()?;
        match self.map(d_in) {
            Ok(distance) => Ok(distance <= *d_out),
            Err(error) if error.is_unbounded() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The same function under other metrics, with a map that the caller has proved for them.
    pub fn with_map<MJ: Metric, MP: Metric>(
        &self,
        input_metric: MJ,
        output_metric: MP,
        stability_map: StabilityMap<MJ, MP>,
    ) -> Result<Transformation<DI, MJ, DO, MP>, Error>
    where
        DI: MetricSpace<MJ>,
        DO: MetricSpace<MP>,
    {
        self.input_domain.check_space(&input_metric)?;
        self.output_domain.check_space(&output_metric)?;
        Ok(Transformation {
            input_domain: self.input_domain.clone(),
            input_metric,
            output_domain: self.output_domain.clone(),
            output_metric,
            function: Arc::clone(&self.function),
            stability_map,
        })
    }

    /// What the function can be given.
    pub fn input_domain(&self) -> &DI {
        &self.input_domain
    }

    /// The metric of inputs.
    pub fn input_metric(&self) -> &MI {
        &self.input_metric
    }

    /// What the function can return.
    pub fn output_domain(&self) -> &DO {
        &self.output_domain
    }

    /// The metric of outputs.
    pub fn output_metric(&self) -> &MO {
        &self.output_metric
    }

    /// The map from distances of inputs to distances of outputs.
    pub fn stability_map(&self) -> &StabilityMap<MI, MO> {
        &self.stability_map
    }
}

impl<DI, MI, DO, MO> Clone for Transformation<DI, MI, DO, MO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    fn clone(&self) -> Self {
        Transformation {
            input_domain: self.input_domain.clone(),
            input_metric: self.input_metric.clone(),
            output_domain: self.output_domain.clone(),
            output_metric: self.output_metric.clone(),
            function: Arc::clone(&self.function),
            stability_map: self.stability_map.clone(),
        }
    }
}

impl<DI, MI, DO, MO> fmt::Debug for Transformation<DI, MI, DO, MO>
where
    DI: MetricSpace<MI>,
    MI: Metric,
    DO: MetricSpace<MO>,
    MO: Metric,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transformation")
            .field("input_domain", &self.input_domain)
            .field("input_metric", &self.input_metric)
            .field("output_domain", &self.output_domain)
            .field("output_metric", &self.output_metric)
            .finish_non_exhaustive()
    }
}
