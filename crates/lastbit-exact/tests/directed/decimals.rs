//! A printed bound is a bound: decimals lie on the safe side of the exact value.

use lastbit_exact::{Down, Interval, Rational, Up};
use lastbit_testing::Cases;

fn exact(value: f64) -> Rational {
    Rational::try_from(value).expect("finite")
}

/// The exact value of a text with or without an exponent.
fn read(text: &str) -> Rational {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Signed doubles: mostly of everyday size, some of any exponent, some decimals of few digits.
fn doubles(seed: u64) -> impl Iterator<Item = f64> {
    let mut cases = Cases(seed);
    let mut next = move || cases.next();
    std::iter::from_fn(move || {
        let word = next();
        Some(match next() % 8 {
            0 => f64::from_bits(word),
            1 => (word % 100_000) as f64 / 1000.0,
            2 => -((word % 1000) as f64 / 1000.0),
            _ => f64::from_bits((word & !(0x7ff << 52)) | (1023 - 20 + next() % 40) << 52),
        })
    })
    .filter(|x| x.is_finite())
}

/// Whether no decimal of fewer digits than `text` reads back to `value` from its safe side.
fn digits(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or("");
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

#[test]
fn a_printed_bound_lies_on_its_side_and_reads_back() {
    // 10^6 doubles, two directions each.
    for x in doubles(1).take(1_000_000) {
        let (up, down) = (Up::new(x).unwrap(), Down::new(x).unwrap());
        let (above, below) = (format!("{up:e}"), format!("{down:e}"));
        let value = exact(x);
        assert!(read(&above) >= value, "{x:e} printed as {above}");
        assert!(read(&below) <= value, "{x:e} printed as {below}");
        assert_eq!(above.parse::<f64>().unwrap(), x, "{above}");
        assert_eq!(below.parse::<f64>().unwrap(), x, "{below}");
        // One of the two is the shortest decimal of all, and the other is longer by two digits at
        // most.
        let shortest = digits(&format!("{x:e}"));
        let (a, b) = (digits(&above), digits(&below));
        assert!(a >= shortest && b >= shortest, "{x:e}: {above} {below}");
        assert!(
            a.min(b) == shortest && a.max(b) <= 18,
            "{x:e}: {above} {below}"
        );
    }
}

#[test]
fn plain_and_exponent_forms_say_the_same() {
    for x in doubles(2).take(20_000) {
        let (up, down) = (Up::new(x).unwrap(), Down::new(x).unwrap());
        assert_eq!(read(&up.to_string()), read(&format!("{up:e}")));
        assert_eq!(read(&down.to_string()), read(&format!("{down:e}")));
    }
}

#[test]
fn a_given_number_of_digits_is_rounded_outward_and_no_further() {
    for x in doubles(3).take(20_000) {
        let (up, down) = (Up::new(x).unwrap(), Down::new(x).unwrap());
        let value = exact(x);
        for places in [0usize, 1, 3, 6] {
            let (above, below) = (format!("{up:.places$e}"), format!("{down:.places$e}"));
            assert!(read(&above) >= value && value >= read(&below), "{x:e}");
            for text in [&above, &below] {
                let (mantissa, exponent) = text.split_once('e').unwrap();
                let mantissa = mantissa.trim_start_matches('-');
                assert_eq!(mantissa.len(), if places == 0 { 1 } else { places + 2 });
                assert!(x == 0.0 || !mantissa.starts_with('0'), "{text}");
                let unit = read(&format!(
                    "1e{}",
                    exponent.parse::<i64>().unwrap() - places as i64
                ));
                assert!((&read(text) - &value).abs() < unit, "{x:e}: {text}");
            }
            let (above, below) = (format!("{up:.places$}"), format!("{down:.places$}"));
            let unit = read(&format!("1e-{places}"));
            assert!(read(&above) >= value && &read(&above) - &value < unit);
            assert!(read(&below) <= value && &value - &read(&below) < unit);
        }
    }
}

#[test]
fn a_printable_double_is_a_bound_as_a_double_and_as_its_shortest_decimal() {
    for x in doubles(4).take(200_000) {
        let value = exact(x);
        let above = Up::new(x).unwrap().printable();
        let below = Down::new(x).unwrap().printable();
        if above.is_finite() {
            assert!(above >= x && read(&format!("{above:e}")) >= value);
            assert!(above == x || above == x.next_up());
        }
        if below.is_finite() {
            assert!(below <= x && read(&format!("{below:e}")) <= value);
            assert!(below == x || below == x.next_down());
        }
    }
    // A rational that is not a double: no further than needed.
    let mut cases = Cases(5);
    let mut next = move || cases.next();
    for _ in 0..50_000 {
        let x = Rational::new(next() % 100_000, 1 + next() % 100_000);
        let (above, below) = (x.printable_up(), x.printable_down());
        assert!(exact(above) >= x && read(&format!("{above:e}")) >= x);
        assert!(exact(below) <= x && read(&format!("{below:e}")) <= x);
    }
}

#[test]
fn the_price_of_a_selection_is_not_printed_below_itself() {
    // x − 1 − ln x at η = 2.75 is 0.860144121400594039…, by mpmath; the nearest double prints
    // 0.860144121400594.
    let rho = Up::new(0.860144121400594_1).unwrap();
    assert!(read(&rho.to_string()) >= exact(rho.get()));
    let nearest = Up::new(0.860144121400594).unwrap();
    assert!(read(&nearest.to_string()) >= exact(0.860144121400594));
}

#[test]
fn edges_print() {
    for (value, above, below) in [
        (0.0, "0", "0"),
        (1.0, "1", "1"),
        (-1.0, "-1", "-1"),
        (0.5, "0.5", "0.5"),
        (0.1, "0.10000000000000001", "0.1"),
        (-0.1, "-0.1", "-0.10000000000000001"),
        (0.3, "0.3", "0.29999999999999998"),
        (1e22, "10000000000000000000000", "10000000000000000000000"),
    ] {
        assert_eq!(Up::new(value).unwrap().to_string(), above);
        assert_eq!(Down::new(value).unwrap().to_string(), below);
    }
    assert_eq!(Up::INFINITY.to_string(), "inf");
    assert_eq!(Down::NEG_INFINITY.to_string(), "-inf");
    assert_eq!(format!("{:e}", Up::INFINITY), "inf");
    assert_eq!(format!("{:.1}", Up::exact(-0.04)), "0.0");
    assert_eq!(format!("{:.1}", Down::exact(-0.04)), "-0.1");
    assert_eq!(
        format!(
            "{:8.2}|{:<8.1}|{:+}",
            Up::exact(1.5),
            Down::exact(2.0),
            Up::ONE
        ),
        "    1.50|2.0     |+1"
    );
    assert_eq!(format!("{:.2e}", Up::exact(9.999)), "1.00e1");
    assert_eq!(format!("{:.2e}", Down::exact(9.999)), "9.99e0");
    assert_eq!(
        Interval::new(0.1, 0.1).unwrap().to_string(),
        "[0.1, 0.10000000000000001]"
    );
    for edge in [
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits(2),
    ] {
        assert!(read(&format!("{:e}", Up::exact(edge))) >= exact(edge));
        assert!(read(&format!("{:e}", Down::exact(edge))) <= exact(edge));
        assert_eq!(Up::exact(edge).to_string().parse::<f64>().unwrap(), edge);
    }
    // The decimal of the largest double is below it, and no double is above.
    assert_eq!(Up::exact(f64::MAX).printable(), f64::INFINITY);
}
