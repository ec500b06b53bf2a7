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
mod tests;
