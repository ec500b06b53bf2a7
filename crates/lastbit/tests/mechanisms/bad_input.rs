//! Bad input: a typed error that names the remedy, never a panic, and no value of the data in it.

use std::collections::BTreeMap;

use lastbit::domains::{AtomDomain, MapDomain, VectorDomain};
use lastbit::mechanisms::snapping::Snapping;
use lastbit::mechanisms::{
    Scale, Variance, gaussian, geometric, laplace, laplace_threshold, laplace_zcdp,
    randomized_response, randomized_response_bool, threshold_gaussian, threshold_laplace,
    truth_for_epsilon,
};
use lastbit::metrics::Contribution;
use lastbit::{Bounds, Error, ParameterError};
use lastbit_exact::{Integer, Rational, Up};
use lastbit_noise::enumerate::Prefix;
use lastbit_testing::Empty;

use crate::number;

fn scale() -> Scale {
    "2".parse().unwrap()
}

fn variance() -> Variance {
    "2".parse().unwrap()
}

#[test]
fn scales_that_are_none_are_refused_with_their_name() {
    for bad in ["0", "-1", "-1e-300"] {
        let error = bad.parse::<Scale>().unwrap_err();
        assert!(matches!(
            error,
            ParameterError::NotPositive { name: "scale", .. }
        ));
        assert!(bad.parse::<Variance>().is_err());
        assert!(
            Variance::of_sigma(number(bad))
                .unwrap_err()
                .to_string()
                .starts_with("sigma must be positive")
        );
    }
    for bad in [f64::NAN, f64::INFINITY, -0.0, -3.0] {
        assert!(Scale::try_from(bad).is_err() && Variance::try_from(bad).is_err());
    }
    assert_eq!(
        "0".parse::<Scale>().unwrap_err().to_string(),
        "scale must be positive, got 0"
    );
}

#[test]
fn nan_in_one_record_is_refused_before_anything_is_drawn() {
    let rows = vec![1.0, 2.0, f64::NAN, 4.0];
    let domain = VectorDomain::new(AtomDomain::<f64>::new());
    let mut bits = Prefix::of_words([1], 2);
    let error = laplace(domain.clone(), &scale(), -4)
        .unwrap()
        .invoke_with(&rows, &mut bits)
        .unwrap_err();
    assert!(error.is_outside_domain(), "{error}");
    assert_eq!(bits.words_read(), 0);
    assert!(
        gaussian(domain, &variance(), -4)
            .unwrap()
            .invoke(&vec![f64::INFINITY])
            .unwrap_err()
            .is_outside_domain()
    );
    // A domain that admits them has no distances.
    let nullable = AtomDomain::<f64>::new().nullable();
    assert!(
        laplace(nullable.clone(), &scale(), 0)
            .unwrap_err()
            .is_space()
    );
    assert!(
        gaussian(VectorDomain::new(nullable.clone()), &variance(), 0)
            .unwrap_err()
            .is_space()
    );
    let map = MapDomain::new(AtomDomain::<u64>::new(), nullable.clone());
    assert!(
        threshold_laplace(map, &scale(), 0, &number("10"))
            .unwrap_err()
            .is_space()
    );
    let snapping = Snapping::builder(Bounds::parse("0", "1").unwrap(), "1".parse().unwrap())
        .epsilon("1".parse().unwrap())
        .build()
        .unwrap();
    assert!(snapping.measurement(nullable).unwrap_err().is_space());
    assert!(
        snapping
            .measurement(AtomDomain::new())
            .unwrap()
            .invoke(&f64::NAN)
            .unwrap_err()
            .is_outside_domain()
    );
}

#[test]
fn values_outside_the_bounds_of_the_domain_are_refused_and_not_shown() {
    let domain = VectorDomain::new(AtomDomain::bounded(0_i64, 10).unwrap());
    let error = geometric(domain, &scale())
        .unwrap()
        .invoke(&vec![3, 4_242])
        .unwrap_err();
    assert!(
        error.is_outside_domain() && !error.to_string().contains("4242"),
        "{error}"
    );
    assert!(
        AtomDomain::bounded(10_i64, 0)
            .unwrap_err()
            .to_string()
            .contains("swap them?")
    );
    assert!(Bounds::parse("10", "0").is_err());
}

#[test]
fn grids_that_the_output_cannot_hold_are_refused() {
    let error = laplace(AtomDomain::<i64>::new(), &scale(), -1).unwrap_err();
    assert!(
        error.to_string().contains("use grid 2^0 or coarser"),
        "{error}"
    );
    assert!(gaussian(AtomDomain::<Integer>::new(), &variance(), -3).is_err());
    for grid in [-1075, 1024, i64::MIN, i64::MAX] {
        assert!(laplace(AtomDomain::<f64>::new(), &scale(), grid).is_err());
        assert!(
            gaussian(
                VectorDomain::new(AtomDomain::<f64>::new()),
                &variance(),
                grid
            )
            .is_err()
        );
    }
    for grid in [i64::MIN, -1_101, 1_101, i64::MAX] {
        assert!(laplace(AtomDomain::<Rational>::new(), &scale(), grid).is_err());
        assert!(laplace(AtomDomain::<i64>::new(), &scale(), grid).is_err());
        let each = Contribution::new(1, Rational::ONE).unwrap();
        assert!(laplace_threshold(&scale(), grid, &each, &"0.1".parse().unwrap()).is_err());
    }
}

#[test]
fn the_ends_of_every_type_saturate() {
    let one = |grid| laplace(AtomDomain::<i64>::new(), &scale(), grid).unwrap();
    for grid in [0, 1, 13, 62, 63, 64, 200, 1100] {
        for value in [i64::MIN, -1, 0, 1, i64::MAX] {
            one(grid).invoke(&value).unwrap();
        }
    }
    assert_eq!(one(200).invoke(&i64::MAX).unwrap(), 0);
    let wide = gaussian(AtomDomain::<i64>::new(), &"1e60".parse().unwrap(), 0).unwrap();
    let ends: Vec<i64> = (0..50).map(|_| wide.invoke(&0).unwrap()).collect();
    assert!(
        ends.iter().all(|end| [i64::MIN, i64::MAX].contains(end)),
        "{ends:?}"
    );
    let counts = geometric(AtomDomain::<u64>::new(), &scale()).unwrap();
    assert_eq!(counts.invoke(&u64::MAX).unwrap(), i64::MAX);
    for value in [f64::MAX, -f64::MAX] {
        for grid in [-1074, -1000, 0, 900, 971, 1023] {
            let noise = laplace(AtomDomain::<f64>::new(), &"1e308".parse().unwrap(), grid).unwrap();
            for _ in 0..20 {
                assert!(noise.invoke(&value).unwrap().is_finite());
            }
        }
    }
    let tiny = laplace(AtomDomain::<f64>::new(), &"1e-320".parse().unwrap(), -1074).unwrap();
    assert!(tiny.invoke(&5e-324).unwrap().abs() < 1e-317);
}

#[test]
fn vectors_may_be_empty_or_huge() {
    let domain = VectorDomain::new(AtomDomain::<i64>::new());
    let noise = laplace(domain.clone(), &scale(), 0).unwrap();
    let mut bits = Prefix::of_words([1], 2);
    assert_eq!(
        noise.invoke_with(&vec![], &mut bits).unwrap(),
        Vec::<i64>::new()
    );
    assert_eq!(bits.words_read(), 0);
    assert_eq!(noise.invoke(&vec![0; 1_000_003]).unwrap().len(), 1_000_003);
    assert_eq!(
        gaussian(domain, &variance(), 0)
            .unwrap()
            .invoke(&vec![0; 100_001])
            .unwrap()
            .len(),
        100_001
    );
    let map = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::<u64>::new());
    let release = threshold_gaussian(map, &variance(), 0, &number("20")).unwrap();
    assert!(release.invoke(&BTreeMap::new()).unwrap().is_empty());
    assert_eq!(
        release
            .invoke(&(0..10_000).map(|key| (key, 100)).collect())
            .unwrap()
            .len(),
        10_000
    );
}

#[test]
fn without_entropy_nothing_is_released() {
    let error = |result: Result<(), Error>| assert!(result.unwrap_err().is_entropy());
    error(
        laplace(AtomDomain::new(), &scale(), 0)
            .unwrap()
            .invoke_with(&1_i64, &mut Empty)
            .map(drop),
    );
    error(
        geometric(AtomDomain::new(), &scale())
            .unwrap()
            .invoke_with(&1_i64, &mut Empty)
            .map(drop),
    );
    let rows = VectorDomain::new(AtomDomain::new());
    error(
        gaussian(rows, &variance(), 0)
            .unwrap()
            .invoke_with(&vec![1.0], &mut Empty)
            .map(drop),
    );
    let map = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::new());
    let release = threshold_laplace(map, &scale(), 0, &number("1")).unwrap();
    error(
        release
            .invoke_with(&BTreeMap::from([(1, 5_i64)]), &mut Empty)
            .map(drop),
    );
    let answer = randomized_response_bool(&number("3/4")).unwrap();
    error(answer.invoke_with(&true, &mut Empty).map(drop));
}

#[test]
fn probabilities_of_truth_outside_their_range_are_refused() {
    for bad in ["1", "1.5", "0", "-1", "0.49"] {
        let error = randomized_response_bool(&number(bad)).unwrap_err();
        assert!(
            error.to_string().contains("must be from 1/2 to below 1"),
            "{error}"
        );
    }
    // At 1/k every answer is uniform, and nothing is lost.
    assert_eq!(
        randomized_response_bool(&number("1/2"))
            .unwrap()
            .map(&1)
            .unwrap(),
        Up::ZERO
    );
    let domain = AtomDomain::<u64>::new;
    assert!(
        randomized_response(domain(), [1], &number("0.9"))
            .unwrap_err()
            .to_string()
            .contains("two categories")
    );
    assert!(randomized_response(domain(), [], &number("0.9")).is_err());
    assert!(
        randomized_response(domain(), [1, 2, 1], &number("0.9"))
            .unwrap_err()
            .to_string()
            .contains("twice")
    );
    let bounded = AtomDomain::bounded(0_u64, 5).unwrap();
    assert!(
        randomized_response(bounded, [1, 9], &number("0.9"))
            .unwrap_err()
            .to_string()
            .contains("outside the domain")
    );
    assert!(truth_for_epsilon(1, &"1".parse().unwrap()).is_err());
    assert!(truth_for_epsilon(0, &"1".parse().unwrap()).is_err());
    // Truth all but certain: beyond every finite double.
    let certain = Rational::ONE - Rational::ONE.times_power_of_two(-2000);
    assert!(
        randomized_response_bool(&certain)
            .unwrap()
            .map(&1)
            .unwrap_err()
            .is_unbounded()
    );
}

#[test]
fn distances_that_are_none_are_refused() {
    let noise = laplace(AtomDomain::<i64>::new(), &scale(), 0).unwrap();
    assert!(noise.map(&number("-1")).unwrap_err().is_distance());
    assert!(
        noise
            .map(&Rational::ONE.times_power_of_two(5000))
            .unwrap_err()
            .is_unbounded()
    );
    assert!(
        laplace_zcdp(AtomDomain::<i64>::new(), &scale(), 0)
            .unwrap()
            .map(&Rational::ONE.times_power_of_two(5000))
            .unwrap_err()
            .is_unbounded()
    );
    let noise = gaussian(VectorDomain::new(AtomDomain::<i64>::new()), &variance(), 0).unwrap();
    assert!(noise.map(&Up::exact(-1.0)).unwrap_err().is_distance());
    assert!(noise.map(&Up::exact(1e200)).unwrap_err().is_unbounded());
    assert!(
        Contribution::new(1, number("-1"))
            .unwrap_err()
            .is_distance()
    );
    let map = MapDomain::new(AtomDomain::<u64>::new(), AtomDomain::<i64>::new());
    let release = threshold_laplace(map, &scale(), 0, &number("1")).unwrap();
    let most = Contribution::new(u64::MAX, Rational::ONE.times_power_of_two(2000)).unwrap();
    assert!(release.map(&most).unwrap_err().is_unbounded());
}

#[test]
fn thresholds_that_do_not_exist_are_refused() {
    let delta = "1e-9".parse().unwrap();
    let nobody = Contribution::new(0, Rational::ONE).unwrap();
    let error = laplace_threshold(&scale(), 0, &nobody, &delta).unwrap_err();
    assert!(
        error.is_unsolvable() && error.to_string().contains("give the number of keys"),
        "{error}"
    );
    let one = Contribution::new(1, Rational::ONE).unwrap();
    let error = laplace_threshold(&"1e30".parse().unwrap(), 0, &one, &delta).unwrap_err();
    assert!(
        error.is_unsolvable() && error.to_string().contains("coarser grid"),
        "{error}"
    );
}

#[test]
fn a_grid_that_no_use_needs_is_refused_at_the_door() {
    use lastbit::GridExponent;
    use lastbit::selection::ball_radius_on_grid;
    let edge = GridExponent::new(1100).unwrap();
    assert_eq!((edge.get(), GridExponent::nearest(1101)), (1100, edge));
    assert!(laplace(AtomDomain::<i64>::new(), &scale(), edge).is_ok());
    for beyond in [1101, -1101, i64::MAX, i64::MIN] {
        let refused = GridExponent::new(beyond).unwrap_err().to_string();
        assert!(refused.contains(&beyond.to_string()), "{refused}");
        let error = laplace(AtomDomain::<f64>::new(), &scale(), beyond).unwrap_err();
        assert!(error.to_string().contains(&refused), "{error}");
        // Counting steps of such a grid would take all memory, or overflow.
        let rows = VectorDomain::new(AtomDomain::bounded(-1.0, 1.0).unwrap()).with_size(4);
        let error = ball_radius_on_grid(rows, beyond, 2, &"1".parse().unwrap(), None).unwrap_err();
        assert!(error.to_string().contains(&refused), "{error}");
    }
}
