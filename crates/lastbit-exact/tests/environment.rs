//! The check of the floating-point environment, in environments that really are wrong.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use std::hint::black_box;

use lastbit_exact::environment::{EnvironmentError, check};
use lastbit_exact::{Dyadic, Interval, exp_enclosure};
use lastbit_testing::float_mode::{Mode, in_mode};

#[test]
fn every_wrong_mode_is_found_and_the_right_one_is_not() {
    assert_eq!(check(), Ok(()));
    for &mode in Mode::ALL {
        let found = in_mode(mode, check);
        let expected = match mode {
            Mode::Upward | Mode::Downward | Mode::TowardZero => EnvironmentError::RoundingMode,
            Mode::FlushToZero => EnvironmentError::FlushToZero,
            #[cfg(target_arch = "x86_64")]
            Mode::SubnormalsAreZero => EnvironmentError::SubnormalsAreZero,
        };
        assert_eq!(found, Err(expected), "{mode:?}");
        assert_eq!(check(), Ok(()));
    }
}

/// Of 10,000 arguments, how many sums, products and exponentials are not enclosed by their
/// intervals.
fn unsound(mode: Option<Mode>) -> [usize; 2] {
    let argument = |i: i64| -((i * 7919 % 10_007) as f64) / 1009.0 - 0.001;
    let mut counts = [0; 2];
    for i in 0..10_000 {
        let x = argument(i);
        let compute = || {
            let x = Interval::point(black_box(x));
            (x.exp(), x + Interval::point(black_box(0.1)))
        };
        let sound = std::panic::catch_unwind(|| match mode {
            Some(mode) => in_mode(mode, compute),
            None => compute(),
        });
        // A counted error that is exceeded may also overflow, which a debug build notices.
        let Ok((exp, sum)) = sound else {
            counts[0] += 1;
            continue;
        };
        // Big integers do not round: the oracle is computed in the default mode anyhow.
        let exact = exp_enclosure(&Dyadic::try_from(x).unwrap(), 120);
        let dyadic = |x: f64| Dyadic::try_from(x).unwrap();
        counts[0] += usize::from(dyadic(exp.lo()) > *exact.lo() || dyadic(exp.hi()) < *exact.hi());
        let exact = &dyadic(x) + &dyadic(0.1);
        counts[1] += usize::from(dyadic(sum.lo()) > exact || dyadic(sum.hi()) < exact);
    }
    counts
}

#[test]
fn without_the_check_bounds_would_be_wrong_in_other_rounding_modes() {
    assert_eq!(unsound(None), [0, 0]);
    // Panics of this thread are counted and not printed; those of other tests are.
    let here = std::thread::current().id();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() != here {
            hook(panic);
        }
    }));
    for mode in [Mode::Upward, Mode::Downward, Mode::TowardZero] {
        let [exp, sum] = unsound(Some(mode));
        println!("{mode:?}: of 10000, exp is wrong for {exp}, a sum for {sum}");
        assert!(exp + sum > 1000, "{mode:?}: {exp} {sum}");
    }
}

#[test]
fn the_check_takes_nanoseconds() {
    let start = std::time::Instant::now();
    for _ in 0..1_000_000 {
        black_box(check()).unwrap();
    }
    // 10^6 checks; a thousand times what they take on a quiet machine.
    assert!(start.elapsed().as_secs() < 20);
}
