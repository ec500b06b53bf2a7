//! A release that fails tells nothing of the data and is paid for.

use lastbit::composition::{Account, Odometer, Queryable, adaptive, filtered};
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::MaxDivergence;
use lastbit::metrics::SymmetricDistance;
use lastbit::{Error, Measurement, PrivacyMap};
use lastbit_exact::Up;
use lastbit_noise::bernoulli;
use lastbit_testing::Empty;

type Rows = VectorDomain<AtomDomain<i64>>;
type Release = Measurement<Rows, SymmetricDistance, MaxDivergence, bool>;

fn rows() -> Rows {
    VectorDomain::new(AtomDomain::new())
}

/// A measurement of the caller's own whose map is false: it fails on some data, before or after it
/// draws, and says where.
fn leaky(draws_first: bool) -> Release {
    Measurement::new(
        rows(),
        SymmetricDistance,
        MaxDivergence,
        move |rows: &Vec<i64>, mut entropy| {
            if draws_first {
                bernoulli(&lastbit_exact::Rational::new(1, 2), &mut entropy)?;
            }
            match rows.iter().position(|&row| row == 7) {
                Some(place) => Err(Error::other(format!("row {place} is 7"))),
                None => Ok(true),
            }
        },
        PrivacyMap::new(|&d_in| Ok(Up::exact(0.25) * Up::from(d_in as u32))),
    )
    .unwrap()
}

#[test]
fn a_failed_release_under_a_filter_is_charged_and_opaque() {
    for draws_first in [false, true] {
        let composition = filtered(rows(), SymmetricDistance, MaxDivergence, 1, Up::ONE).unwrap();
        let mut messages = Vec::new();
        for data in [vec![7, 1, 2], vec![1, 2, 7]] {
            let mut queryable = composition.invoke(&data).unwrap();
            for asked in 1..=4u32 {
                let error = queryable.ask(&leaky(draws_first)).unwrap_err();
                assert!(error.is_failed() && !error.is_other());
                messages.push(format!("{error} {error:?}"));
                let spent = queryable.account().spent().unwrap();
                assert_eq!(spent, Up::exact(0.25 * f64::from(asked)));
            }
            // A hundred more are refused before they begin.
            for _ in 0..100 {
                assert!(queryable.ask(&leaky(draws_first)).unwrap_err().is_budget());
            }
        }
        // Neither the value nor its place.
        messages.dedup();
        assert_eq!(messages.len(), 1);
        assert!(!messages[0].contains('7') && !messages[0].contains("row "));
    }
}

#[test]
fn a_failed_release_uses_up_a_declared_loss_and_moves_an_odometer() {
    let losses = vec![Up::exact(0.25); 2];
    let composition = adaptive(rows(), SymmetricDistance, MaxDivergence, 1, losses).unwrap();
    let mut queryable = composition.invoke(&vec![7]).unwrap();
    assert!(queryable.ask(&leaky(false)).unwrap_err().is_failed());
    assert_eq!(queryable.account().releases_left(), 1);

    let odometer = Odometer::new(MaxDivergence).unwrap();
    let mut queryable = Queryable::new(rows(), SymmetricDistance, vec![7], 1, odometer).unwrap();
    assert!(queryable.ask(&leaky(false)).unwrap_err().is_failed());
    assert_eq!(queryable.account().releases(), 1);
    assert_eq!(queryable.account().spent().unwrap(), Up::exact(0.25));
}

#[test]
fn want_of_randomness_is_charged_and_opaque_too() {
    let composition = filtered(rows(), SymmetricDistance, MaxDivergence, 1, Up::ONE).unwrap();
    let mut queryable = composition.invoke(&vec![1]).unwrap();
    let error = queryable.ask_with(&leaky(true), &mut Empty).unwrap_err();
    assert!(error.is_failed() && !error.is_entropy());
    assert_eq!(queryable.account().remaining().unwrap(), Up::exact(0.75));
    assert_eq!(queryable.account().measure(), &MaxDivergence);
}
