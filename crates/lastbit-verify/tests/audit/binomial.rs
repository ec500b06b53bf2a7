//! Clopper–Pearson bounds against exact rational tails.

use lastbit_exact::{Integer, Rational, Rounding};
use lastbit_verify::audit::binomial::{lower_bound, tail_at_least, upper_bound};
use proptest::prelude::*;

fn exact(x: f64) -> Rational {
    Rational::try_from(x).unwrap()
}

/// `P(Bin(n, p) ≥ k)`, exactly.
fn tail(k: u64, n: u64, p: &Rational) -> Rational {
    let q = &Rational::ONE - p;
    let power = |x: &Rational, e: u64| (0..e).fold(Rational::ONE, |y, _| &y * x);
    let mut choose = Integer::from(1);
    let mut sum = Rational::ZERO;
    for i in 0..=n {
        if i >= k {
            let term = &Rational::from(choose.clone()) * &(&power(p, i) * &power(&q, n - i));
            sum = &sum + &term;
        }
        choose = choose * Integer::from(n - i) / Integer::from(i + 1);
    }
    sum
}

proptest! {
    #[test]
    fn the_tail_is_bounded_from_above_and_closely(
        n in 1u64..40,
        share in 0.0f64..1.0,
        p in 0.001f64..0.999,
    ) {
        let k = (share * n as f64).ceil() as u64;
        let bound = exact(tail_at_least(k, n, p).get());
        let true_tail = tail(k, n, &exact(p));
        prop_assert!(true_tail <= bound, "{k} of {n} at {p}");
        // Above the mean it is close; below, one.
        if k as f64 > n as f64 * p + 1.0 {
            let ratio = (&bound / &true_tail).to_f64(Rounding::Up);
            prop_assert!(ratio < 1.0 + 1e-6, "{k} of {n} at {p}: {ratio}");
        }
    }

    #[test]
    fn the_lower_bound_is_safe_and_the_best_there_is(
        n in 1u64..40,
        k in 0u64..40,
        digits in 1i32..10,
    ) {
        let k = k % (n + 1);
        let beta = 0.4 * 10f64.powi(-digits);
        let bound = lower_bound(k, n, beta).get();
        prop_assert!(tail(k, n, &exact(bound)) <= exact(beta) || k == 0);
        if k > 0 {
            let beyond = exact(bound * (1.0 + 1e-6));
            prop_assert!(tail(k, n, &beyond) > exact(beta), "{bound} could be larger");
        }
        // And the upper bound is the same thing seen from the other side.
        let mirrored = 1.0 - lower_bound(n - k, n, beta).get();
        let upper = upper_bound(k, n, beta).get();
        prop_assert!(upper >= mirrored && upper <= mirrored.next_up());
    }
}

#[test]
fn known_bounds_at_large_counts() {
    // (k, n, α, lower, upper), from tails summed by mpmath at 40 digits, to 12 digits.
    for (k, n, beta, lower, upper) in KNOWN {
        let (low, high) = (lower_bound(k, n, beta).get(), upper_bound(k, n, beta).get());
        assert!(
            low <= lower * (1.0 + 1e-11) && low >= lower * (1.0 - 1e-7),
            "{k}/{n}: {low:e} {lower:e}"
        );
        assert!(
            high >= upper * (1.0 - 1e-11) && high <= upper * (1.0 + 1e-7),
            "{k}/{n}: {high:e} {upper:e}"
        );
    }
}

#[test]
fn no_success_and_all_successes_have_closed_forms() {
    for n in [1u64, 7, 1000, 1_000_000] {
        for beta in [0.05f64, 1e-9] {
            let root = (beta.ln() / n as f64).exp();
            assert_eq!(lower_bound(0, n, beta).get(), 0.0);
            assert_eq!(upper_bound(n, n, beta).get(), 1.0);
            let all = lower_bound(n, n, beta).get();
            assert!(
                all <= root * (1.0 + 1e-15) && all >= root * (1.0 - 1e-9),
                "{all} {root}"
            );
        }
    }
}

include!("../data/clopper_pearson.rs");
