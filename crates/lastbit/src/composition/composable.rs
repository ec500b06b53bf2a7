use core::fmt::Debug;

use lastbit_exact::{Down, Dyadic, Rational, Up};

use crate::measures::{
    Approximate, Exact, ExactWithDelta, GaussianDivergence, MaxDivergence, Measure,
    RangeDivergence, RenyiCurve, RenyiDivergence, WithDelta, ZeroConcentratedDivergence,
};
use crate::sealed::Sealed;
use crate::{Distance, Error};

/// A measure whose losses add up over several releases from the same data, each with its own
/// randomness.
///
/// A sum is kept exactly and rounded up once, when it is read. So it does not depend on the order,
/// and a million releases cost the smallest f64 at or above their exact sum.
///
/// **Proof**, for laws `P = Π P_i` and `Q = Π Q_i` of releases fixed in advance.
/// - *Pure.* `P(y)/Q(y) = Π P_i(y_i)/Q_i(y_i) ≤ e^(Σε_i)`.
/// - *Rényi at one order α, and zCDP, which is all of them.*
///   `E_Q[(P/Q)^α] = Π E_(Q_i)[(P_i/Q_i)^α]`, so divergences add.
/// - *Gaussian.* A release within `μ_i²` is a function of its own randomness and of a number that
///   is `N(0, 1)` or `N(μ_i, 1)` (Blackwell 1951). The likelihood ratio of all these numbers
///   depends on `Σμ_i·x_i` alone, which over `μ = √Σμ_i²` is `N(0, 1)` or `N(μ, 1)`.
/// - *Bounded range.*
///   `ln P(x)/Q(x) − ln P(y)/Q(y) = Σ (ln P_i(x_i)/Q_i(x_i) − ln P_i(y_i)/Q_i(y_i)) ≤ Σ η_i`.
/// - *Up to δ.* Two laws are within a loss up to δ if `P_i = (1−δ_i)P_i′ + δ_i P_i″`,
///   `Q_i = (1−δ_i)Q_i′ + δ_i Q_i″` with `P_i′`, `Q_i′` within that loss; for max divergence this
///   is (ε, δ) (Kairouz, Oh and Viswanath, 2015). The parts `Π P_i′`, `Π Q_i′` have weight
///   `Π (1−δ_i) ≥ 1 − Σδ_i` and losses that add. ∎
///
/// What holds when a release is chosen after seeing others is for [`Composable::check_adaptive`] to
/// say.
///
/// ```
/// use lastbit::composition::Composable;
/// use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
/// use lastbit::{Rational, Up};
///
/// let tenth = Up::from_rational(&Rational::new(1, 10));
/// let total = MaxDivergence.compose(&vec![tenth; 10])?;
/// assert!(Rational::try_from(total.get()).unwrap() >= Rational::ONE);
///
/// let loss = EpsilonDelta::new(Up::ONE, Up::exact(0.25))?;
/// let total = Approximate(MaxDivergence).compose(&[loss.clone(), loss])?;
/// assert_eq!((total.loss().get(), total.delta().get()), (2.0, 0.5));
/// # Ok::<(), lastbit::Error>(())
/// ```
///
/// Only this crate has such measures: each rests on a proof. A profile is none, because profiles do
/// not add pointwise.
///
/// ```compile_fail
/// use lastbit::composition::Composable;
/// lastbit::measures::PrivacyProfile.compose(&[]);
/// ```
#[diagnostic::on_unimplemented(
    message = "losses in `{Self}` do not add up",
    label = "not a measure with a composition theorem here",
    note = "profiles do not add: read them at a δ and compose (ε, δ), or compose Rényi curves"
)]
pub trait Composable: Measure + Sealed {
    /// A sum of losses, exactly; the default is that of no release.
    type Total: Clone + Debug + Default + Send + Sync + 'static;

    /// `total + loss`, exactly; a bad loss is refused, and leaves the total as it was.
    fn add(&self, total: &mut Self::Total, loss: &Self::Distance) -> Result<(), Error>;

    /// `Σ losses ≤ read(total)`, the smallest such loss that the type holds.
    fn read(&self, total: &Self::Total) -> Result<Self::Distance, Error>;

    /// Refuses a measure whose losses add up only over releases fixed in advance.
    fn check_adaptive(&self) -> Result<(), Error>;

    /// `Σ losses ≤ compose(losses)`, rounded up once.
    fn compose<'a>(
        &self,
        losses: impl IntoIterator<Item = &'a Self::Distance>,
    ) -> Result<Self::Distance, Error>
    where
        Self: Sized,
    {
        let mut total = Self::Total::default();
        for loss in losses {
            self.add(&mut total, loss)?;
        }
        self.read(&total)
    }

    /// [`compose`](Composable::compose) for releases that are chosen after seeing others, each with
    /// its loss fixed beforehand, or within a budget that is; refused where that does not hold.
    fn compose_adaptively<'a>(
        &self,
        losses: impl IntoIterator<Item = &'a Self::Distance>,
    ) -> Result<Self::Distance, Error>
    where
        Self: Sized,
    {
        self.check_adaptive()?;
        self.compose(losses)
    }
}

/// A measure whose losses have parts that can be ordered, so that one can say what *remains* of a
/// budget.
///
/// ```
/// use lastbit::composition::{Budgeted, Composable};
/// use lastbit::measures::MaxDivergence;
/// use lastbit::Up;
/// let mut spent = Default::default();
/// MaxDivergence.add(&mut spent, &Up::exact(0.1))?;
/// let left = MaxDivergence.remaining(&Up::ONE, &spent)?;
/// assert_eq!(left.get(), 0.9f64.next_down()); // the sum of the doubles 0.1 and 0.9 is above 1
/// # Ok::<(), lastbit::Error>(())
/// ```
pub trait Budgeted: Composable<Distance: PartialOrd> {
    /// The largest loss x of the type with `spent + x ≤ budget` in every part; an error if nothing
    /// fits, not even zero.
    fn remaining(
        &self,
        budget: &Self::Distance,
        spent: &Self::Total,
    ) -> Result<Self::Distance, Error>;

    /// `requested − available ≤ excess`, and zero or more, in every part.
    fn excess(&self, requested: &Self::Distance, available: &Self::Distance) -> Self::Distance;

    /// The smallest loss at or above both in every part.
    fn larger(&self, left: &Self::Distance, right: &Self::Distance) -> Self::Distance;
}

/// An exact sum of losses that are each one f64: what a [`Composable::Total`] is made of.
///
/// ```
/// use lastbit::composition::{Composable, ExactSum};
/// use lastbit::measures::MaxDivergence;
/// use lastbit::Up;
/// let mut total = ExactSum::default();
/// MaxDivergence.add(&mut total, &Up::exact(1e300))?;
/// MaxDivergence.add(&mut total, &Up::exact(1e-300))?;
/// assert_eq!(MaxDivergence.read(&total)?.get(), 1e300f64.next_up());
/// # Ok::<(), lastbit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactSum(Dyadic);

impl Default for ExactSum {
    fn default() -> ExactSum {
        ExactSum(Dyadic::ZERO)
    }
}

impl ExactSum {
    fn add(&mut self, loss: Up) -> Result<(), Error> {
        loss.check()?;
        self.0 = &self.0 + &exact(loss);
        Ok(())
    }

    fn read(&self) -> Up {
        Up::from_dyadic(&self.0)
    }

    /// The largest f64 x with `self + x ≤ budget`, as a loss to aim at; negative if there is none
    /// at or above zero.
    fn below(&self, budget: Up) -> Up {
        let rest = Down::from_dyadic(&(&exact(budget) - &self.0));
        // Never NaN or +∞; −∞ if more was spent than any f64 holds.
        Up::new(rest.get()).unwrap_or(Up::exact(f64::MIN))
    }
}

/// The value of a loss that was checked, and so is finite.
fn exact(loss: Up) -> Dyadic {
    Dyadic::try_from(loss.get()).unwrap_or(Dyadic::ZERO)
}

macro_rules! one_number {
    ($($measure:ty, $adaptive:expr;)*) => {
        $(impl Composable for $measure {
            type Total = ExactSum;

            fn add(&self, total: &mut ExactSum, loss: &Up) -> Result<(), Error> {
                total.add(*loss)
            }

            fn read(&self, total: &ExactSum) -> Result<Up, Error> {
                let sum = total.read();
                sum.check()?;
                Ok(sum)
            }

            fn check_adaptive(&self) -> Result<(), Error> {
                $adaptive
            }
        }

        impl Budgeted for $measure {
            fn remaining(&self, budget: &Up, spent: &ExactSum) -> Result<Up, Error> {
                budget.check()?;
                let rest = spent.below(*budget);
                rest.check()?;
                Ok(rest)
            }

            fn excess(&self, requested: &Up, available: &Up) -> Up {
                excess(*requested, *available)
            }

            fn larger(&self, left: &Up, right: &Up) -> Up {
                left.max(*right)
            }
        })*
    };
}

one_number! {
    MaxDivergence, Ok(());
    ZeroConcentratedDivergence, Ok(());
    RangeDivergence, Err(Error::composition(
        "range divergence (η) adds up only over releases fixed in advance; cast each release with \
         to_zcdp (bounded_range_to_zcdp) or to_pure (bounded_range_to_pure), and compose those",
    ));
}

fn excess(requested: Up, available: Up) -> Up {
    if available.is_finite() {
        (requested - Down::exact(available.get())).max(Up::ZERO)
    } else {
        Up::ZERO
    }
}

macro_rules! exact {
    ($($measure:ty),*) => {
        $(impl Composable for Exact<$measure> {
            type Total = Rational;

            fn add(&self, total: &mut Rational, loss: &Rational) -> Result<(), Error> {
                loss.check()?;
                *total = &*total + loss;
                Ok(())
            }

            fn read(&self, total: &Rational) -> Result<Rational, Error> {
                Ok(total.clone())
            }

            fn check_adaptive(&self) -> Result<(), Error> {
                Ok(())
            }
        }

        impl Budgeted for Exact<$measure> {
            fn remaining(&self, budget: &Rational, spent: &Rational) -> Result<Rational, Error> {
                budget.check()?;
                let rest = budget - spent;
                rest.check()?;
                Ok(rest)
            }

            fn excess(&self, requested: &Rational, available: &Rational) -> Rational {
                (requested - available).max(Rational::ZERO)
            }

            fn larger(&self, left: &Rational, right: &Rational) -> Rational {
                left.clone().max(right.clone())
            }
        }

        impl Composable for Exact<Approximate<$measure>> {
            type Total = ExactWithDelta;

            fn add(&self, total: &mut ExactWithDelta, loss: &ExactWithDelta) -> Result<(), Error> {
                loss.check()?;
                Exact(self.0.0).add(&mut total.loss, &loss.loss)?;
                total.delta = &total.delta + &loss.delta;
                Ok(())
            }

            fn read(&self, total: &ExactWithDelta) -> Result<ExactWithDelta, Error> {
                Ok(total.clone())
            }

            fn check_adaptive(&self) -> Result<(), Error> {
                Exact(self.0.0).check_adaptive()
            }
        })*
    };
}
exact!(
    MaxDivergence,
    ZeroConcentratedDivergence,
    GaussianDivergence
);

impl<M: Composable> Composable for Approximate<M> {
    type Total = (M::Total, ExactSum);

    fn add(&self, total: &mut Self::Total, loss: &WithDelta<M::Distance>) -> Result<(), Error> {
        loss.check()?;
        self.0.add(&mut total.0, loss.loss())?;
        total.1.add(loss.delta())
    }

    fn read(&self, total: &Self::Total) -> Result<WithDelta<M::Distance>, Error> {
        WithDelta::new(self.0.read(&total.0)?, total.1.read())
    }

    fn check_adaptive(&self) -> Result<(), Error> {
        self.0.check_adaptive()
    }
}

impl<M: Budgeted> Budgeted for Approximate<M> {
    fn remaining(
        &self,
        budget: &WithDelta<M::Distance>,
        spent: &Self::Total,
    ) -> Result<WithDelta<M::Distance>, Error> {
        budget.check()?;
        let loss = self.0.remaining(budget.loss(), &spent.0)?;
        WithDelta::new(loss, spent.1.below(budget.delta()))
    }

    fn excess(
        &self,
        requested: &WithDelta<M::Distance>,
        available: &WithDelta<M::Distance>,
    ) -> WithDelta<M::Distance> {
        let loss = self.0.excess(requested.loss(), available.loss());
        let delta = excess(requested.delta(), available.delta());
        parts(loss, delta, requested)
    }

    fn larger(
        &self,
        left: &WithDelta<M::Distance>,
        right: &WithDelta<M::Distance>,
    ) -> WithDelta<M::Distance> {
        let loss = self.0.larger(left.loss(), right.loss());
        parts(loss, left.delta().max(right.delta()), left)
    }
}

/// A loss with a δ that lies between those of two checked losses, and so is a probability;
/// `checked` is never returned.
fn parts<L: Distance>(loss: L, delta: Up, checked: &WithDelta<L>) -> WithDelta<L> {
    WithDelta::new(loss, delta).unwrap_or_else(|_| checked.clone())
}

impl Composable for RenyiDivergence {
    /// The curves themselves: they are added at the order at which the sum is read.
    type Total = Vec<RenyiCurve>;

    fn add(&self, total: &mut Vec<RenyiCurve>, loss: &RenyiCurve) -> Result<(), Error> {
        total.push(loss.clone());
        Ok(())
    }

    fn read(&self, total: &Vec<RenyiCurve>) -> Result<RenyiCurve, Error> {
        let curves = total.clone();
        Ok(RenyiCurve::new(move |order| {
            let mut sum = ExactSum::default();
            for curve in &curves {
                sum.add(curve.epsilon(order)?)?;
            }
            Ok(sum.read())
        }))
    }

    fn check_adaptive(&self) -> Result<(), Error> {
        Ok(())
    }
}
