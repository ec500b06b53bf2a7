use lastbit_exact::{Down, Rational, Up};
use lastbit_noise::{bernoulli, uniform_u64_below};

use crate::domains::{Atom, AtomDomain};
use crate::measures::MaxDivergence;
use crate::metrics::DiscreteDistance;
use crate::{Epsilon, Error, Measurement, PrivacyMap};

/// One of `k` public categories: the true one with probability exactly `p`, `1/k ≤ p < 1`, and each
/// other with probability exactly `(1 − p)/(k − 1)`: `ε = ln(p(k − 1)/(1 − p))`.
///
/// A value that is none of the categories is answered by any of them, each with probability `1/k`:
/// no error tells it from the others.
///
/// **Proof.** With `r = (1 − p)/(k − 1) ≤ 1/k ≤ p`, every category has a probability between r and
/// p, whatever the value, since `1/k` is between too. So the ratio is at most `p/r`, and two of the
/// categories reach it. The draw: keep the value with probability `p − r`, else, or if it is none
/// of the categories, answer one of the k uniformly; as `1 − (p − r) = kr`, each other category has
/// probability r, and the true one `p − r + r`. ∎
///
/// **Time.** Every answer draws the same two variables and compares the value with every category.
/// Texts are compared in a time that depends on them; number the categories to hide it.
///
/// ```
/// use lastbit::domains::AtomDomain;
/// use lastbit::mechanisms::{randomized_response, truth_for_epsilon};
/// use lastbit::{Rational, Up};
/// let truth = truth_for_epsilon(3, &"1".parse()?)?;               // just below e/(e + 2)
/// let colours = ["red", "green", "blue"].map(String::from);
/// let answer = randomized_response(AtomDomain::new(), colours, &truth)?;
/// let published: String = answer.invoke(&"green".to_string())?;
/// assert!(answer.check(&1, &Up::ONE)?);
/// assert!(answer.map(&1)?.get() > 0.9999999999999996);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn randomized_response<T: Atom>(
    domain: AtomDomain<T>,
    categories: impl Into<Vec<T>>,
    truth: &Rational,
) -> Result<Measurement<AtomDomain<T>, DiscreteDistance, MaxDivergence, T>, Error> {
    let categories = categories.into();
    let k = check_categories(&domain, &categories)?;
    let count = Rational::from(k);
    if *truth >= Rational::ONE || truth * &count < Rational::ONE {
        return Err(Error::space(format!(
            "the probability of the true category among {k} must be from 1/{k} to below 1, got \
             {truth}; truth_for_epsilon gives the one for a loss"
        )));
    }
    let other = &(&Rational::ONE - truth) / &(&count - &Rational::ONE);
    let keep = truth - &other;
    // The ratio less 1, so that small losses keep their digits.
    let excess = Up::from_rational(&(&keep / &other));
    Measurement::new(
        domain,
        DiscreteDistance,
        MaxDivergence,
        move |value, mut entropy| {
            let keep = bernoulli(&keep, &mut entropy)?;
            let any = uniform_u64_below(k, &mut entropy)?;
            let mut place = any as usize;
            for (i, category) in categories.iter().enumerate() {
                place = if keep & category.same(value) {
                    i
                } else {
                    place
                };
            }
            Ok(categories[place].clone())
        },
        PrivacyMap::new(move |&d_in| Ok(if d_in == 0 { Up::ZERO } else { excess.ln_1p() })),
    )
}

/// [`randomized_response`] for a truth value: the truth with probability exactly `p`,
/// `1/2 ≤ p < 1`: `ε = ln(p/(1 − p))`.
///
/// ```
/// use lastbit::mechanisms::randomized_response_bool;
/// use lastbit::Rational;
/// let answer = randomized_response_bool(&Rational::new(3, 4))?;
/// let published: bool = answer.invoke(&true)?;
/// assert!((answer.map(&1)?.get() - 3f64.ln()).abs() < 1e-15);
/// # Ok::<(), lastbit::Error>(())
/// ```
pub fn randomized_response_bool(
    truth: &Rational,
) -> Result<Measurement<AtomDomain<bool>, DiscreteDistance, MaxDivergence, bool>, Error> {
    randomized_response(AtomDomain::new(), [false, true], truth)
}

/// The probability of the true category among `k` for a loss of at most ε: at or just below
/// `e^ε/(e^ε + k − 1)`.
///
/// The loss that the map states is at most ε too, and less by at most a few units in its last place
/// while `ε ≤ 709`.
///
/// ```
/// use lastbit::mechanisms::{randomized_response_bool, truth_for_epsilon};
/// use lastbit::Up;
/// let truth = truth_for_epsilon(2, &"0.1".parse()?)?;
/// assert!(randomized_response_bool(&truth)?.check(&1, &Up::exact(0.1))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn truth_for_epsilon(categories: u64, epsilon: &Epsilon) -> Result<Rational, Error> {
    if categories < 2 {
        return Err(too_few(categories));
    }
    let mut most = Down::from_rational(epsilon.get());
    loop {
        let excess = crate::finite("epsilon", most.exp_m1().get())?;
        let loss = crate::finite("epsilon", Up::from_rational(&excess).ln_1p().get())?;
        if loss <= *epsilon.get() {
            let ratio = &Rational::ONE + &excess;
            return Ok(&ratio / &(&excess + &Rational::from(categories)));
        }
        // `ln_1p` is at most one f64 above the best bound, so that one step is enough.
        most = Down::exact(most.get().next_down());
    }
}

/// How many there are: two or more, all different, all in the domain.
fn check_categories<T: Atom>(domain: &AtomDomain<T>, categories: &[T]) -> Result<u64, Error> {
    use crate::domains::Domain;
    if categories.len() < 2 {
        return Err(too_few(categories.len() as u64));
    }
    for (i, category) in categories.iter().enumerate() {
        if !domain.contains(category) {
            return Err(Error::space(format!(
                "the category {category} is outside the domain, {domain}; leave it out or widen \
                 the domain"
            )));
        }
        if categories[..i].iter().any(|other| other.same(category)) {
            return Err(Error::space(format!(
                "the category {category} is there twice; leave one out"
            )));
        }
    }
    Ok(categories.len() as u64)
}

fn too_few(categories: u64) -> Error {
    Error::space(format!(
        "randomized response needs two categories or more, got {categories}; with one there is \
         nothing to hide"
    ))
}
