use core::fmt;

use lastbit_exact::{Rational, Up};

use super::key::{Key, places};
use super::point_draw::PointDraw;
use super::quantile::group_loss;
use super::{Offer, offers};
use crate::domains::{Atom, AtomDomain, Domain, VectorDomain};
use crate::measures::{Approximate, MaxDivergence};
use crate::mechanisms::exponential::Exponential;
use crate::mechanisms::flat_concave::{Method, draw_point};
use crate::metrics::{ChangeOneDistance, SymmetricDistance};
use crate::quality::{QualityError, StepFunction};
use crate::{Beta, Delta, Epsilon, Error, Measurement, MetricSpace, PrivacyMap, Sensitivity};

/// Numbers of a domain, each with a label, yes or no.
///
/// ```
/// use lastbit::domains::{AtomDomain, Domain};
/// use lastbit::selection::LabelledDomain;
/// let domain = LabelledDomain::new(AtomDomain::bounded(0i64, 120)?);
/// assert!(domain.contains(&(65, true)) && !domain.contains(&(130, true)));
/// assert_eq!(domain.to_string(), "labelled i64 in [0, 120]");
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LabelledDomain<P: Atom> {
    number: AtomDomain<P>,
}

impl<P: Key + Atom> LabelledDomain<P> {
    /// Numbers of this domain with any label.
    pub fn new(number: AtomDomain<P>) -> LabelledDomain<P> {
        LabelledDomain { number }
    }

    /// The domain of the numbers.
    pub fn number(&self) -> &AtomDomain<P> {
        &self.number
    }
}

impl<P: Atom> PartialEq for LabelledDomain<P> {
    fn eq(&self, other: &LabelledDomain<P>) -> bool {
        self.number == other.number
    }
}

impl<P: Key + Atom> Domain for LabelledDomain<P> {
    type Carrier = (P, bool);

    fn contains(&self, value: &(P, bool)) -> bool {
        self.number.contains(&value.0)
    }

    fn same(&self, left: &(P, bool), right: &(P, bool)) -> bool {
        self.number.same(&left.0, &right.0) && left.1 == right.1
    }
}

impl<P: Atom> fmt::Display for LabelledDomain<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "labelled {}", self.number)
    }
}

/// The rule "yes if and only if x ≥ t".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThresholdRule<P> {
    /// t, the least number with a yes; `None` if even the largest has a no.
    pub least: Option<P>,
}

impl<P: Key> ThresholdRule<P> {
    /// Whether the rule says yes to a number.
    ///
    /// ```
    /// use lastbit::selection::ThresholdRule;
    /// assert!(ThresholdRule { least: Some(18) }.says_yes(18i64));
    /// assert!(!ThresholdRule { least: None }.says_yes(18i64));
    /// ```
    pub fn says_yes(&self, number: P) -> bool {
        self.least
            .is_some_and(|least| number.compare(&least).is_ge())
    }
}

/// A threshold, or ⊥, learned from labelled data of a public size.
pub type ThresholdSelection<P> = Measurement<
    VectorDomain<LabelledDomain<P>>,
    ChangeOneDistance,
    Approximate<MaxDivergence>,
    Option<ThresholdRule<P>>,
>;

/// Learns a rule "yes if and only if x ≥ t" that errs on few rows, at a loss of ε, and δ if given,
/// for one changed row: its number, its label or both.
///
/// The way to select is the best of [`offers`] over the T + 1 rules, by [`threshold_errors`] at β =
/// 1/20: by public numbers alone.
///
/// **By the exponential mechanism** the quality of a rule is the number of rows that it gets right,
/// which one row moves by at most 1. With probability at least `1 − β` the rule errs on at most
/// `(2/ε)·ln(T(1/β − 1))` rows more than the best rule does. No rule need fit.
///
/// **By Flat-Concave or RecConcave** it is n less the larger of the two kinds of errors
/// ([`StepFunction::threshold`]), as that is quasi-concave. The bound holds if some rule fits all
/// rows.
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::{LabelledDomain, threshold_learner};
/// let rows: Vec<(i64, bool)> = (0..2000).map(|x| (x, x >= 700)).collect();
/// let domain =
///     VectorDomain::new(LabelledDomain::new(AtomDomain::<i64>::new())).with_size(rows.len());
/// let learner = threshold_learner(domain, &"1".parse()?, None)?;
/// let rule = learner.invoke(&rows)?.expect("the exponential mechanism always answers");
/// let errors = rows.iter().filter(|&&(x, label)| rule.says_yes(x) != label).count();
/// assert!(errors < 200); // at most 95, but with probability 1/20
/// assert_eq!(learner.map(&1)?.loss().get(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threshold_learner<P: Key + Atom>(
    domain: VectorDomain<LabelledDomain<P>>,
    epsilon: &Epsilon,
    delta: Option<&Delta>,
) -> Result<ThresholdSelection<P>, Error> {
    let (_, size) = places(domain.element().number())?;
    let offers = offers(size + 1, epsilon, delta, &Beta::usual())?;
    let errors = |offer: &Offer| threshold_errors(offer).get();
    let best = offers
        .into_iter()
        .min_by(|a, b| errors(a).total_cmp(&errors(b)));
    threshold_learner_by(domain, &best.ok_or(QualityError::NoLevels)?)
}

/// How many more rows than the best rule a learned rule may get wrong, with the offer's
/// probability. By the exponential mechanism it is the offer's loss of quality; else, if some rule
/// fits all rows, twice that: once for each kind of error.
pub fn threshold_errors(offer: &Offer) -> Up {
    match offer.method {
        Method::Exponential => offer.loss_of_quality,
        Method::Concave { .. } => offer.loss_of_quality * Up::from(2),
    }
}

/// [`threshold_learner`] by a chosen offer, for one point more than the domain has.
pub fn threshold_learner_by<P: Key + Atom>(
    domain: VectorDomain<LabelledDomain<P>>,
    offer: &Offer,
) -> Result<ThresholdSelection<P>, Error> {
    domain.check_space(&ChangeOneDistance)?;
    let (first, size) = places(domain.element().number())?;
    let count = domain.size().unwrap_or(0);
    if count == 0 {
        return Err(QualityError::NoData.into());
    }
    let way = PointDraw::new(offer, size + 1, count as i64)?;
    let loss = way.loss()?;
    let exponential = offer.method == Method::Exponential;
    Measurement::new(
        domain,
        ChangeOneDistance,
        Approximate(MaxDivergence),
        move |rows: &Vec<(P, bool)>, mut entropy| {
            let mut sorted = sorted(rows, first);
            let quality = if exponential {
                StepFunction::agreement(&sorted, size)?
            } else {
                // The rule of that quality says yes below x.
                sorted.iter_mut().for_each(|row| row.1 = !row.1);
                StepFunction::threshold(&sorted, size + 1)?
            };
            let point = way.draw(&quality, &mut entropy)?;
            Ok(point.map(|point| rule(point, size, first)))
        },
        PrivacyMap::new(move |&d_in: &u64| group_loss(&loss, d_in)),
    )
}

/// [`threshold_learner`] where rows are added or removed and their number is not public: ε for each
/// row, and half of the errors.
///
/// **Proof.** A row more takes nothing, or 1, from the score of every rule, less the number of rows
/// that it gets wrong: scores are monotone, and the exponential mechanism may use `exp(ε·score)`.
/// With probability at least `1 − β` the rule errs on at most `(1/ε)·ln(T(1/β − 1))` rows more than
/// the best one. ∎
///
/// ```
/// use lastbit::domains::{AtomDomain, VectorDomain};
/// use lastbit::selection::{LabelledDomain, threshold_learner_add_remove};
/// let domain = VectorDomain::new(LabelledDomain::new(AtomDomain::<f64>::new()));
/// let learner = threshold_learner_add_remove(domain, &"1".parse()?)?;
/// let rule = learner.invoke(&vec![(0.5, false), (2.5, true)])?;
/// assert_eq!(learner.map(&1)?.get(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[allow(clippy::type_complexity)]
pub fn threshold_learner_add_remove<P: Key + Atom>(
    domain: VectorDomain<LabelledDomain<P>>,
    epsilon: &Epsilon,
) -> Result<
    Measurement<
        VectorDomain<LabelledDomain<P>>,
        SymmetricDistance,
        MaxDivergence,
        ThresholdRule<P>,
    >,
    Error,
> {
    let (first, size) = places(domain.element().number())?;
    let mechanism = Exponential::monotone(epsilon, &Sensitivity::new(Rational::ONE)?);
    let loss = epsilon.get().clone();
    Measurement::new(
        domain,
        SymmetricDistance,
        MaxDivergence,
        move |rows: &Vec<(P, bool)>, mut entropy| {
            // The number right is the number of rows less the number wrong: the same law.
            let quality = StepFunction::agreement(&sorted(rows, first), size)?;
            let point = draw_point(&quality, &mechanism, &mut entropy)?;
            Ok(rule(point, size, first))
        },
        PrivacyMap::new(move |&d_in: &u64| Ok(Up::from_rational(&(&loss * &Rational::from(d_in))))),
    )
}

fn sorted<P: Key>(rows: &[(P, bool)], first: u64) -> Vec<(u64, bool)> {
    let place = |&(number, label): &(P, bool)| (number.key() - first, label);
    let mut sorted: Vec<(u64, bool)> = rows.iter().map(place).collect();
    sorted.sort_unstable();
    sorted
}

/// Point t of 0..=size as a rule.
fn rule<P: Key>(point: u128, size: u128, first: u64) -> ThresholdRule<P> {
    // A place below the size, plus the first key, is a key.
    let least = (point < size).then(|| P::from_key(first + point as u64));
    ThresholdRule { least }
}
