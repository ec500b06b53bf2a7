//! Decimals, dates and timestamps as they are written.

use std::fmt::Write;

const DAY: i64 = 86_400;

/// `value / 10^scale`, with as many decimals as the scale says.
pub(super) fn write_decimal(value: i128, scale: i8, text: &mut String) {
    let digits = value.unsigned_abs().to_string();
    if value < 0 {
        text.push('-');
    }
    let decimals = usize::from(scale.max(0).unsigned_abs());
    let padded = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = padded.split_at(padded.len() - decimals);
    text.push_str(whole);
    if scale < 0 && value != 0 {
        text.extend(std::iter::repeat_n('0', usize::from(scale.unsigned_abs())));
    }
    if decimals > 0 {
        text.push('.');
        text.push_str(fraction);
    }
}

/// A day since 1970, as 2026-01-31.
pub(super) fn write_date(day: i64, text: &mut String) {
    // Years of 400 years each, from the first of March of the year 0: 719,468 days before 1970. A
    // day of a cycle is below 146,097, and the leap day is the last of its year, so that months
    // have fixed starts.
    let day = i128::from(day) + 719_468;
    let (cycle, of_cycle) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + 400 * cycle + next;
    // Writing to a string does not fail.
    let _ = match (0..=9999).contains(&year) {
        true => write!(text, "{year:04}-{month:02}-{of_month:02}"),
        false => write!(text, "{year:+05}-{month:02}-{of_month:02}"),
    };
}

/// A time since 1970, as 2026-01-31T23:59:59.999, with three, six or nine decimals where it has
/// any, and Z if it is of UTC.
pub(super) fn write_timestamp(time: i64, per_second: i64, utc: bool, text: &mut String) {
    let (seconds, fraction) = (time.div_euclid(per_second), time.rem_euclid(per_second));
    write_date(seconds.div_euclid(DAY), text);
    let second = seconds.rem_euclid(DAY);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let _ = write!(text, "T{hour:02}:{minute:02}:{:02}", second % 60);
    let nanoseconds = fraction * (1_000_000_000 / per_second);
    let _ = match nanoseconds {
        0 => Ok(()),
        n if n % 1_000_000 == 0 => write!(text, ".{:03}", n / 1_000_000),
        n if n % 1000 == 0 => write!(text, ".{:06}", n / 1000),
        n => write!(text, ".{n:09}"),
    };
    if utc {
        text.push('Z');
    }
}

#[cfg(test)]
mod tests {
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
}
