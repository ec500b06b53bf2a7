use lastbit_exact::{Rational, Up};

use super::{Exponential, Score, SelectionError};
use crate::conversions::bounded_range_to_zcdp;
use crate::domains::{AtomDomain, Number, VectorDomain};
use crate::measures::{MaxDivergence, RangeDivergence, ZeroConcentratedDivergence};
use crate::metrics::{LInfDistance, RangeDistance};
use crate::{Error, Measurement, PrivacyMap};

type Scores<T> = VectorDomain<AtomDomain<T>>;
type TopKZcdp<T> = Measurement<Scores<T>, RangeDistance, ZeroConcentratedDivergence, Vec<usize>>;

impl Exponential {
    /// The index of one candidate, as a measurement on scores in L∞ distance: bounded range
    /// `η = 2·rate·d`, which is ε at `d = Δ`.
    ///
    /// The metric does not know of [monotone](Exponential::monotone) scores: for them use
    /// [`Exponential::measurement_by_range`].
    ///
    /// **Proof.** With `d(r)` the difference of the scores of r,
    /// `ln(P(r)/P'(r)) = rate·d(r) − ln(Σw/Σw')`, whose second term is the same for all r. So the
    /// ratio ranges over `rate·(max d − min d)`, and no less. If all |d(r)| are at most d, that is
    /// at most `2·rate·d`. ∎
    ///
    /// ```
    /// use lastbit::conversions::{bounded_range_to_pure, bounded_range_to_zcdp};
    /// use lastbit::domains::{AtomDomain, VectorDomain};
    /// use lastbit::measures::{MaxDivergence, ZeroConcentratedDivergence};
    /// use lastbit::mechanisms::exponential::Exponential;
    /// use lastbit::Rational;
    /// let mechanism = Exponential::new(&"0.5".parse()?, &"1".parse()?);
    /// let select =
    ///     mechanism.measurement(VectorDomain::new(AtomDomain::<i64>::new()).with_size(3))?;
    /// let winner: usize = select.invoke(&vec![310, 12, 298])?;
    /// assert_eq!(select.map(&Rational::ONE)?.get(), 0.5);
    /// // The same under zCDP: η²/8, a quarter of what ε-DP alone gives.
    /// let rho = select.cast(ZeroConcentratedDivergence, |&eta| {
    ///     bounded_range_to_zcdp(eta).map_err(|error| lastbit::Error::unbounded(error.to_string()))
    /// });
    /// assert!(rho.map(&Rational::ONE)?.get() <= 0.5 * 0.5 / 8.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measurement<T: Score + Number>(
        &self,
        domain: Scores<T>,
    ) -> Result<Measurement<Scores<T>, LInfDistance, RangeDivergence, usize>, Error> {
        check_candidates(&domain, 1)?;
        let mechanism = self.clone();
        let twice = self.rate.times_power_of_two(1);
        Measurement::new(
            domain,
            LInfDistance,
            RangeDivergence,
            move |scores: &Vec<T>, mut entropy| Ok(mechanism.draw(scores, &mut entropy)?),
            PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in * &twice)))),
        )
    }

    /// The same on scores in range distance, `max d − min d`: bounded range `η = rate·d`.
    ///
    /// Scores that one person moves all up or all down by at most Δ are at range distance Δ, so
    /// that a [monotone](Exponential::monotone) mechanism has the loss ε there.
    ///
    /// ```
    /// use lastbit::domains::{AtomDomain, VectorDomain};
    /// use lastbit::mechanisms::exponential::Exponential;
    /// use lastbit::Rational;
    /// let mechanism = Exponential::monotone(&"0.5".parse()?, &"1".parse()?);
    /// let select = mechanism
    ///     .measurement_by_range(VectorDomain::new(AtomDomain::<i64>::new()).with_size(3))?;
    /// assert_eq!(select.map(&Rational::ONE)?.get(), 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measurement_by_range<T: Score + Number>(
        &self,
        domain: Scores<T>,
    ) -> Result<Measurement<Scores<T>, RangeDistance, RangeDivergence, usize>, Error> {
        let rate = self.rate.clone();
        self.measurement(domain)?.with_map(
            RangeDistance,
            RangeDivergence,
            PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in * &rate)))),
        )
    }

    /// [`Exponential::top_k`] as a measurement on scores in range distance: `ε = k·rate·d`.
    pub fn top_k_measurement<T: Score + Number>(
        &self,
        domain: Scores<T>,
        k: usize,
    ) -> Result<Measurement<Scores<T>, RangeDistance, MaxDivergence, Vec<usize>>, Error> {
        check_candidates(&domain, k)?;
        let mechanism = self.clone();
        let rate = &self.rate * &Rational::from(k as u64);
        Measurement::new(
            domain,
            RangeDistance,
            MaxDivergence,
            move |scores: &Vec<T>, mut entropy| Ok(mechanism.top_k(scores, k, &mut entropy)?),
            PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in * &rate)))),
        )
    }

    /// The same under zCDP: `k` times the ρ of one selection.
    pub fn top_k_measurement_zcdp<T: Score + Number>(
        &self,
        domain: Scores<T>,
        k: usize,
    ) -> Result<TopKZcdp<T>, Error> {
        let rate = self.rate.clone();
        let count = Up::from_rational(&Rational::from(k as u64));
        self.top_k_measurement(domain, k)?.with_map(
            RangeDistance,
            ZeroConcentratedDivergence,
            PrivacyMap::new(move |d_in: &Rational| {
                let eta = Up::from_rational(&(d_in * &rate));
                let rho = bounded_range_to_zcdp(eta);
                let rho = rho.map_err(|error| Error::unbounded(error.to_string()))?;
                Ok(rho * count)
            }),
        )
    }

    /// [`Exponential::permute_and_flip`] as a measurement on scores in L∞ distance: `ε = 2·rate·d`,
    /// which is ε at `d = Δ`.
    pub fn permute_and_flip_measurement<T: Score + Number>(
        &self,
        domain: Scores<T>,
    ) -> Result<Measurement<Scores<T>, LInfDistance, MaxDivergence, usize>, Error> {
        check_candidates(&domain, 1)?;
        let mechanism = self.clone();
        let twice = self.rate.times_power_of_two(1);
        Measurement::new(
            domain,
            LInfDistance,
            MaxDivergence,
            move |scores: &Vec<T>, mut entropy| {
                Ok(mechanism.permute_and_flip(scores, &mut entropy)?)
            },
            PrivacyMap::new(move |d_in: &Rational| Ok(Up::from_rational(&(d_in * &twice)))),
        )
    }
}

/// Candidates are public: their number is that of the domain, so that there is always one to
/// select.
fn check_candidates<T: Number>(domain: &Scores<T>, wanted: usize) -> Result<(), SelectionError> {
    let least = wanted.max(1);
    match domain.size() {
        Some(size) if size >= least => Ok(()),
        _ => Err(SelectionError::SizeNeeded { least }),
    }
}
