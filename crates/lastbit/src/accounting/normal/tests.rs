use lastbit_exact::Rational;
use lastbit_noise::gaussian_mass;

use super::*;

#[test]
fn the_table_of_tails_has_the_slow_enclosure_at_every_node() {
    for i in (FIRST as i64 * PER_UNIT)..=(LAST as i64 * PER_UNIT) {
        let slow = gaussian_mass(Some(&Rational::new(i, PER_UNIT)), None);
        let kept = tail_at(i);
        assert_eq!((kept.lo(), kept.hi()), (slow.lo(), slow.hi()), "{i}");
    }
}

#[test]
fn the_wider_nodes_hold_the_tail_to_thirty_digits() {
    // erfc(i/32/√2)/2 by mpmath, rounded to nearest: the last digit is not used.
    let exact = [
        (262, "1.33354115423081867564854454438e-16"),
        (278, "1.85251209736408170543875800453e-18"),
        (283, "4.62792895085446612326777021268e-19"),
        (302, "1.90889695673436405762171956457e-21"),
        (315, "3.64701298834974672843846619105e-23"),
        (316, "2.67164802875322481674022450734e-23"),
        (322, "4.04584935447047294758134781362e-24"),
        (326, "1.12744112045276772366937512749e-24"),
    ];
    assert_eq!(exact.len(), WIDER_BELOW.len() + WIDER_ABOVE.len());
    for (i, tail) in exact {
        assert!(WIDER_BELOW.contains(&i) || WIDER_ABOVE.contains(&i));
        let tail: Rational = tail.parse().unwrap();
        let slack = &tail * &"1e-28".parse::<Rational>().unwrap();
        let double = |x: f64| Rational::try_from(x).unwrap();
        let least = TAILS[i as usize - 1];
        assert!(double(least) <= &tail - &slack, "{i}");
        assert!(double(least.next_up()) >= &tail + &slack, "{i}");
        let kept = tail_at(i);
        assert!(kept.lo() <= least && kept.hi() >= least.next_up());
    }
}

#[test]
fn tails_hold_the_slow_enclosure_and_are_narrow() {
    for i in -400..760 {
        for offset in [0.0, 1e-9, 0.013, 0.04999] {
            let x = f64::from(i) / 20.0 + offset;
            let exact = gaussian_mass(Some(&Rational::try_from(x).unwrap()), None);
            let fast = tail(Interval::point(x));
            assert!(fast.lo() <= exact.hi() && exact.lo() <= fast.hi(), "{x}");
            if x < 37.0 {
                assert!(fast.width().get() <= fast.hi() * 2e-11, "{x}: {fast:?}");
            }
        }
    }
}

#[test]
fn an_excess_holds_the_integral_of_slow_tails() {
    for mu in [1e-7, 1e-3, 0.02, 0.5, 3.0] {
        for i in 0..60 {
            let z = f64::from(i) / 3.0 * mu;
            let (mu_exact, z_exact) = (
                Rational::try_from(mu).unwrap(),
                Rational::try_from(z).unwrap(),
            );
            let ratio = &z_exact / &mu_exact;
            let half = mu_exact.times_power_of_two(-1);
            let (a, b) = (&ratio - &half, &ratio + &half);
            let slow = gaussian_mass(Some(&a), None)
                - Interval::point(z).exp() * gaussian_mass(Some(&b), None);
            let interval = Interval::from_rational;
            let fast = excess(interval(&a), interval(&b), interval(&mu_exact));
            assert!(
                fast.lo() <= slow.hi() && slow.lo() <= fast.hi(),
                "{mu} {z}: {fast:?} {slow:?}"
            );
            assert!(fast.width().get() <= fast.hi() * 1e-9, "{mu} {z}: {fast:?}");
        }
    }
}
