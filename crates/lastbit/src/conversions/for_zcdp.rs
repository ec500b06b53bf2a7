use std::cell::RefCell;
use std::collections::HashMap;
use std::thread::LocalKey;

use lastbit_exact::{Rational, Rounding, Up};

use super::{bounded_range_to_zcdp, laplace_to_zcdp};
use crate::Error;
use crate::solve::{self, Decimal};

/// The largest decimal ε at which Laplace noise costs at most ρ.
///
/// ```
/// use lastbit::conversions::laplace_for_zcdp;
/// assert_eq!(laplace_for_zcdp(&"0.1".parse()?)?.to_string(), "0.483183168208");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "where to search; what is found there is checked with directed rounding"
)]
pub fn laplace_for_zcdp(rho: &Rational) -> Result<Rational, Error> {
    thread_local!(static KNOWN: Known = Known::default());
    known(&KNOWN, rho, || {
        largest(rho, |x| x + (-x).exp_m1(), laplace_to_zcdp)
    })
}

/// The largest decimal η at which a selection of bounded range η costs at most ρ.
///
/// ```
/// use lastbit::conversions::bounded_range_for_zcdp;
/// assert_eq!(bounded_range_for_zcdp(&"0.1".parse()?)?.to_string(), "0.899404329633");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "where to search; what is found there is checked with directed rounding"
)]
pub fn bounded_range_for_zcdp(rho: &Rational) -> Result<Rational, Error> {
    let about = |eta: f64| {
        let x = eta / eta.exp_m1();
        // x − 1 − ln x cancels where η²/8 is as good.
        let tight = if eta < 1e-3 {
            f64::INFINITY
        } else {
            x - 1.0 - x.ln()
        };
        tight.min(eta * eta / 8.0)
    };
    thread_local!(static KNOWN: Known = Known::default());
    known(&KNOWN, rho, || largest(rho, about, bounded_range_to_zcdp))
}

/// Answers of this thread. Many statistics of one plan ask for the same.
type Known = RefCell<HashMap<Rational, Rational>>;

/// More answers are forgotten.
const MOST_KNOWN: usize = 256;

fn known(
    known: &'static LocalKey<Known>,
    rho: &Rational,
    find: impl FnOnce() -> Result<Rational, Error>,
) -> Result<Rational, Error> {
    if let Some(found) = known.with_borrow(|known| known.get(rho).cloned()) {
        return Ok(found);
    }
    let found = find()?;
    known.with_borrow_mut(|known| {
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(rho.clone(), found.clone());
    });
    Ok(found)
}

/// `about` says in doubles where the answer is, so that the exact cost is asked for near it only.
fn largest(
    rho: &Rational,
    about: impl Fn(f64) -> f64,
    cost: impl Fn(Up) -> Result<Up, Error>,
) -> Result<Rational, Error> {
    let is_allowed = |loss: Decimal| {
        // A loss beyond all doubles costs more than any ρ.
        let cost = cost(Up::from_rational(&loss.get()));
        Ok(cost.is_ok_and(|cost| cost.is_at_most(rho)))
    };
    let range = match near(rho.to_f64(Rounding::NearestEven), about) {
        Some((low, high)) if is_allowed(low)? && !is_allowed(high)? => low..=high,
        _ => Decimal::ALL,
    };
    Ok(solve::largest_where(range, is_allowed)?.get())
}

/// Decimals a little below and above the number at which `about` reaches a target. A guess: whoever
/// uses it checks.
fn near(target: f64, about: impl Fn(f64) -> f64) -> Option<(Decimal, Decimal)> {
    let found = solve::near_smallest_where(1e-100..=1e100, 40, |x| Ok(about(x) >= target)).ok()?;
    let end = |factor: f64| Rational::try_from(found * factor).ok();
    let (low, high) = (end(1.0 - 1e-11)?, end(1.0 + 1e-11)?);
    Some((Decimal::at_most(&low), Decimal::at_least(&high)))
}
