//! How many rows, or how large a loss, an error needs: enough, and no less.

use lastbit::mechanisms::flat_concave::{IntervalSelection, Method, loss_of_quality};
use lastbit::selection::{Need, Wanted, needed, offers};
use lastbit::{Alpha, Beta, Epsilon, Error};
use lastbit_exact::Rational;

fn rational<T: core::str::FromStr<Err: core::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn needs(bits: u32, epsilon: &str, wanted: &Wanted) -> Vec<Need> {
    let (delta, beta) = (rational("1e-6"), rational("0.05"));
    needed(
        1 << bits,
        &epsilon.parse().unwrap(),
        Some(&delta),
        &beta,
        wanted,
    )
    .unwrap()
}

/// The rank error of a method at a loss in all, by the formulas.
fn lost(bits: u32, method: &Method, epsilon: f64) -> f64 {
    let selections = match method {
        Method::Exponential => 1i64,
        Method::Concave { levels, .. } => 3 * i64::from(*levels) - 2,
    };
    let each = &Rational::try_from(epsilon).unwrap() / &Rational::from(selections);
    let each = Epsilon::new(each).unwrap();
    loss_of_quality(1 << bits, method, &each, &rational("0.05"))
        .unwrap()
        .get()
}

#[test]
fn a_share_needs_the_rank_error_over_the_share() {
    let alpha: Alpha = rational("0.01");
    for bits in [8, 64, 120] {
        let needs = needs(bits, "0.5", &Wanted::Share(alpha.clone()));
        assert_eq!(needs.len(), 3);
        for need in needs {
            let rows = need.rows.unwrap() as f64;
            let bound = need.rank_error.get();
            assert!(0.01 * rows >= bound * (1.0 - 1e-12), "{need:?}");
            assert!(
                0.01 * (rows - 1.0) < bound,
                "one row less is not enough: {need:?}"
            );
            assert_eq!(bound, lost(bits, &need.method, 0.5));
        }
    }
}

#[test]
fn the_smallest_epsilon_keeps_the_rank_error_and_no_smaller_one_does() {
    for (bits, wanted) in [(64, 100.0), (16, 30.0), (120, 2000.0)] {
        let error = Rational::try_from(wanted).unwrap();
        for need in needs(bits, "1", &Wanted::RankError(error)) {
            let epsilon = need.epsilon.get();
            assert!(lost(bits, &need.method, epsilon) <= wanted, "{need:?}");
            assert!(
                lost(bits, &need.method, epsilon * (1.0 - 1e-6)) > wanted,
                "{need:?}"
            );
            let kept = need.rank_error.get() <= wanted;
            assert_eq!(need.rows, kept.then_some(wanted as u64 + 1));
            assert_eq!(kept, epsilon <= 1.0, "{need:?}");
        }
    }
}

#[test]
fn an_interior_point_needs_twice_the_loss_of_quality() {
    for need in needs(64, "1", &Wanted::Interior) {
        let rows = need.rows.unwrap();
        let half = rows.div_ceil(2) as f64;
        let bound = need.rank_error.get();
        match need.method {
            // Half of the rows, less what is lost, is above 0.
            Method::Exponential => assert!(half > bound && half - 1.0 <= bound),
            // All but one of half of the rows may be lost.
            Method::Concave { .. } => assert!(half - 1.0 >= bound && half - 2.0 < bound),
        }
    }
}

#[test]
fn the_best_way_is_first_and_without_delta_there_is_one() {
    let all = needs(64, "1", &Wanted::Share(rational("0.1")));
    let flat = Method::Concave {
        levels: 2,
        selection: IntervalSelection::Stability(rational("5e-7")),
    };
    assert_eq!(
        (&all[0].method, &all[1].method),
        (&Method::Exponential, &flat)
    );
    assert!(all.is_sorted_by(|a, b| a.rank_error <= b.rank_error));
    let beta = rational("0.05");
    let pure = needed(
        1 << 64,
        &"1".parse().unwrap(),
        None,
        &beta,
        &Wanted::Interior,
    )
    .unwrap();
    assert_eq!(pure.len(), 1);
    assert_eq!(
        pure[0].rank_error,
        offers(1 << 64, &"1".parse().unwrap(), None, &beta).unwrap()[0].loss_of_quality
    );
    // One point only: nothing is lost at any loss.
    let single = needed(
        1,
        &"1".parse().unwrap(),
        None,
        &beta,
        &Wanted::RankError(Rational::ZERO),
    );
    assert_eq!(single.unwrap()[0].rows, Some(1));
}

#[test]
fn bad_wishes_are_refused_with_the_remedy() {
    let beta = rational("0.05");
    let text = |wanted: Wanted| -> String {
        let refused: Result<_, Error> = needed(100, &"1".parse().unwrap(), None, &beta, &wanted);
        refused.unwrap_err().to_string()
    };
    assert_eq!(
        text(Wanted::RankError(rational("-1"))),
        "a rank error is 0 or more, got -1; it counts the rows between two ranks"
    );
    let no_alpha = "1".parse::<Alpha>().unwrap_err().to_string();
    assert!(no_alpha.contains("alpha must be strictly between 0 and 1"));
    let no_beta = "0".parse::<Beta>().unwrap_err().to_string();
    assert!(no_beta.contains("beta must be strictly between 0 and 1"));
}
