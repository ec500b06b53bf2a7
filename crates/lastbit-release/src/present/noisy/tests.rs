use super::*;

fn cell(value: &str, error: &str) -> Cell {
    Cell {
        value: Some(value.to_owned()),
        error: Some(error.to_owned()),
        ..Cell::default()
    }
}

#[test]
fn errors_beyond_the_number_or_its_range_say_nothing() {
    let (one, fourteen) = (Rational::from(1i64), Rational::from(14i64));
    let days = |cell: &Cell| is_too_noisy(cell, (Some(&one), Some(&fourteen)), false);
    assert!(days(&cell("1.0", "13.1")));
    assert!(days(&cell("14", "13")));
    assert!(!days(&cell("14", "12.9")));
    assert!(!days(&cell("3", "3")));
    assert!(days(&cell("3", "3.01")));
    // All of [1, 14] is within 7 of 7.5, and not all within 6.
    assert!(days(&cell("7.5", "7")) && !days(&cell("7.5", "6")));
    let zero = Rational::ZERO;
    let count = |cell: &Cell| is_too_noisy(cell, (Some(&zero), None), false);
    assert!(count(&cell("0", "13")) && count(&cell("12", "13")));
    assert!(!count(&cell("13", "13")) && !count(&cell("100000", "20000")));
    assert!(is_too_noisy(&cell("-2", "3"), (None, None), false));
    assert!(!is_too_noisy(&cell("-3", "2"), (None, None), false));
}

/// No cell of a thousand is left out: that is much, and no ignorance.
#[test]
fn a_precise_zero_says_something() {
    let (zero, one) = (Rational::ZERO, Rational::from(1i64));
    let share = |cell: &Cell| is_too_noisy(cell, (Some(&zero), Some(&one)), false);
    assert!(!share(&cell("0.000", "0.004")) && !share(&cell("0.05", "0.1")));
    assert!(share(&cell("0.05", "0.11")));
}

#[test]
fn a_date_says_nothing_if_its_error_is_all_there_is() {
    let year = (Rational::from(19_723i64), Rational::from(20_088i64));
    let is_noisy = |cell: &Cell| is_too_noisy(cell, (Some(&year.0), Some(&year.1)), true);
    assert!(is_noisy(&cell("19906", "365")) && is_noisy(&cell("19906", "183")));
    assert!(!is_noisy(&cell("19906", "181")) && !is_noisy(&cell("19723", "364")));
    // Days are not counted from zero.
    let (before, after) = (Rational::from(-9i64), Rational::from(9i64));
    let about_zero = (Some(&before), Some(&after));
    assert!(!is_too_noisy(&cell("0", "8"), about_zero, true));
    assert!(!is_noisy(&Cell {
        value: None,
        ..cell("", "365")
    }));
}

#[test]
fn a_quantile_says_nothing_if_its_interval_is_all_there_is() {
    let (zero, hundred) = (Rational::ZERO, Rational::from(100i64));
    let quantile = |lower: &str, upper: &str| Cell {
        error_unit: "rows in rank".to_owned(),
        lower: Some(lower.to_owned()),
        upper: Some(upper.to_owned()),
        ..cell("3", "500")
    };
    for is_calendar in [false, true] {
        let is_noisy = |cell: &Cell| is_too_noisy(cell, (Some(&zero), Some(&hundred)), is_calendar);
        assert!(is_noisy(&quantile("0", "100")));
        assert!(!is_noisy(&quantile("0", "99")));
    }
}
