use super::*;

fn of(write: impl Fn(&mut String)) -> String {
    let mut text = String::new();
    write(&mut text);
    text
}

#[test]
fn dates_are_those_of_the_calendar() {
    for (day, date) in [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (11_016, "2000-02-29"),
        (11_017, "2000-03-01"),
        (20_483, "2026-01-30"),
        (-719_528, "0000-01-01"),
        (-719_529, "-0001-12-31"),
        (2_932_897, "+10000-01-01"),
        (-25_567, "1900-01-01"),
        (-25_509, "1900-02-28"),
        (-25_508, "1900-03-01"),
    ] {
        assert_eq!(of(|text| write_date(day, text)), date);
    }
    // Every day follows the one before it.
    let date = |day| {
        let text = of(|text| write_date(day, text));
        let mut parts = text.split('-').map(|part| part.parse::<i64>().unwrap());
        let mut next = || parts.next().unwrap();
        (next(), next(), next())
    };
    let mut before = date(-200_000);
    for day in -199_999..200_000 {
        let (year, month, of_month) = date(day);
        let leap = before.0 % 4 == 0 && (before.0 % 100 != 0 || before.0 % 400 == 0);
        let last = match before.1 {
            2 => 28 + i64::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let expected = match before {
            (year, 12, 31) => (year + 1, 1, 1),
            (year, month, day) if day == last => (year, month + 1, 1),
            (year, month, day) => (year, month, day + 1),
        };
        assert_eq!((year, month, of_month), expected);
        before = (year, month, of_month);
    }
    for day in [i64::MIN, i64::MAX] {
        of(|text| write_date(day, text));
    }
}

#[test]
fn times_and_decimals_have_the_digits_that_they_need() {
    let time = |time, per_second, utc| of(|text| write_timestamp(time, per_second, utc, text));
    assert_eq!(time(86_399, 1, false), "1970-01-01T23:59:59");
    assert_eq!(time(-1, 1000, true), "1969-12-31T23:59:59.999Z");
    assert_eq!(time(1, 1_000_000, false), "1970-01-01T00:00:00.000001");
    assert_eq!(
        time(1, 1_000_000_000, true),
        "1970-01-01T00:00:00.000000001Z"
    );
    let decimal = |value, scale| of(|text| write_decimal(value, scale, text));
    assert_eq!(decimal(110, 2), "1.10");
    assert_eq!(decimal(-5, 3), "-0.005");
    assert_eq!(decimal(7, -2), "700");
    assert_eq!(decimal(0, -2), "0");
    assert_eq!(decimal(i128::MIN, 0), i128::MIN.to_string());
}
