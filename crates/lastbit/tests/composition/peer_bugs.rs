//! Errors that other libraries have had, kept out by name.

use lastbit::composition::{
    Account, Amplified, Odometer, Queryable, poisson_subsample, sequential,
};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::{Approximate, EpsilonDelta, MaxDivergence};
use lastbit::metrics::{DiscreteDistance, SymmetricDistance};
use lastbit::{Measurement, PrivacyMap};
use lastbit_exact::{Rational, Up};
use lastbit_noise::bernoulli;

use super::support::{bounds, exact, largest_ratio, law};

/// Losses were amplified one by one and then added, for releases from one and the same sample
/// (opendp#2933). The true loss of two such releases is above that sum; it is the amplified loss of
/// both.
#[test]
fn peer_bug_amplification_composed_twice() {
    // Is there any row? Told truly with probability 9/10: ln 9.
    let truth = Rational::new(9, 10);
    let rows = VectorDomain::new(AtomDomain::<bool>::new());
    let any =
        Measurement::new(
            rows,
            SymmetricDistance,
            MaxDivergence,
            move |rows: &Vec<bool>, mut entropy| {
                Ok(rows.is_empty() != bernoulli(&truth, &mut entropy)?)
            },
            PrivacyMap::new(|&d_in| {
                Ok(if d_in == 0 {
                    Up::ZERO
                } else {
                    Up::exact(9.0).ln()
                })
            }),
        )
        .unwrap();
    let rate = Rational::new(1, 10);

    let one_sample =
        poisson_subsample(&sequential([any.clone(), any.clone()]).unwrap(), &rate).unwrap();
    let laws =
        [vec![], vec![true]].map(|data| law(10, |words| one_sample.invoke_with(&data, words)));
    let ratio = largest_ratio(&laws[0], &laws[1]);
    assert_eq!(ratio, Rational::from(9i64)); // 1 + (81 − 1)/10

    let amplified = MaxDivergence
        .amplify(&[any.map(&1).unwrap()], &rate)
        .unwrap();
    assert!(
        !bounds(amplified + amplified, &ratio),
        "the sum of amplified losses would be a bound"
    );
    assert!(bounds(one_sample.map(&1).unwrap(), &ratio));

    // The sum is right for two samples, and that is all that composing sampled releases can mean
    // here.
    let sampled = poisson_subsample(&any, &rate).unwrap();
    let two_samples = sequential([sampled.clone(), sampled]).unwrap();
    let laws =
        [vec![], vec![true]].map(|data| law(10, |words| two_samples.invoke_with(&data, words)));
    let ratio = largest_ratio(&laws[0], &laws[1]);
    assert_eq!(ratio, Rational::new(81, 25)); // 1.8²
    assert!(bounds(two_samples.map(&1).unwrap(), &ratio));
}

/// An odometer that added ε and forgot δ, or dropped it between readings.
#[test]
fn peer_bug_delta_lost_in_an_odometer() {
    let loss = EpsilonDelta::new(Up::exact(0.1), Up::exact(1e-9)).unwrap();
    let charged = loss.clone();
    let release = Measurement::new(
        AtomDomain::<bool>::new(),
        DiscreteDistance,
        Approximate(MaxDivergence),
        |_, entropy| Ok(entropy.word()?),
        PrivacyMap::new(move |_| Ok(charged.clone())),
    )
    .unwrap();
    let odometer = Odometer::new(Approximate(MaxDivergence)).unwrap();
    let mut queryable =
        Queryable::new(AtomDomain::new(), DiscreteDistance, true, 1, odometer).unwrap();
    let (mut epsilon, mut delta) = (Rational::ZERO, Rational::ZERO);
    for releases in 1..=1000 {
        queryable.ask(&release).unwrap();
        epsilon = &epsilon + &exact(*loss.loss());
        delta = &delta + &exact(loss.delta());
        let spent = queryable.account().spent().unwrap();
        assert!(exact(*spent.loss()) >= epsilon && exact(spent.delta()) >= delta);
        assert_eq!(queryable.account().releases(), releases);
    }
    let spent = queryable.account().spent().unwrap();
    assert_eq!(spent.delta(), Up::from_rational(&delta));
    // A release without δ leaves the δ of the others where it is.
    let mut odometer = Odometer::new(Approximate(MaxDivergence)).unwrap();
    odometer.charge(&loss).unwrap();
    odometer
        .charge(&EpsilonDelta::new(Up::ONE, Up::ZERO).unwrap())
        .unwrap();
    assert_eq!(odometer.spent().unwrap().delta(), loss.delta());
}

/// A formula for the running total with a logarithm missing (smartnoise-sdk#621): the total of
/// equal losses is their multiple.
#[test]
fn peer_bug_odometer_total_is_not_the_sum() {
    let mut odometer = Odometer::new(MaxDivergence).unwrap();
    for releases in 1..=64 {
        odometer.charge(&Up::exact(0.375)).unwrap();
        assert_eq!(odometer.spent().unwrap().get(), 0.375 * f64::from(releases));
    }
}
