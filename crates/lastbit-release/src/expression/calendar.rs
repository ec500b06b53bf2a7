//! Days and times of the Gregorian calendar, also for years before it was introduced.
//!
//! Dates are days since 1970, timestamps microseconds since 1970, both of the years 1 to 9999.

/// 0001-01-01.
pub(super) const FIRST_DAY: i32 = -719_162;
/// 9999-12-31.
pub(super) const LAST_DAY: i32 = 2_932_896;
/// Microseconds of a day.
pub(super) const DAY: i64 = 86_400_000_000;
/// Microseconds of an hour.
#[cfg(feature = "engine")]
pub(super) const HOUR: i64 = 3_600_000_000;

/// A day that the calendar has.
pub(super) fn valid_day(day: i64) -> Option<i32> {
    let day = i32::try_from(day).ok()?;
    (FIRST_DAY..=LAST_DAY).contains(&day).then_some(day)
}

/// A microsecond that the calendar has.
pub(super) fn valid_time(time: i64) -> Option<i64> {
    valid_day(time.div_euclid(DAY)).map(|_| time)
}

/// Year, month and day of the month.
pub(super) fn civil(day: i32) -> (i32, i32, i32) {
    // Years start in March here, so that the leap day is the last of its year and months have fixed
    // starts. Days count from 0000-03-01; from 0001-01-01 on they are positive, and below 2^23.
    let day = (day + 719_468).cast_unsigned();
    let (cycle, of_cycle) = (day / 146_097, day % 146_097);
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let of_month = of_year - (153 * month + 2) / 5 + 1;
    let next = u32::from(month >= 10);
    let year = 400 * cycle + year + next;
    // All below 2^14.
    (
        year.cast_signed(),
        (month + 3 - 12 * next).cast_signed(),
        of_month.cast_signed(),
    )
}

/// The day with this date, of the years 1 to 9999.
pub(super) fn day_of(year: i32, month: i32, of_month: i32) -> Option<i32> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let exists =
        (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=last).contains(&of_month);
    exists.then(|| unchecked_day_of(year, month, of_month))
}

/// The same for a date that exists.
fn unchecked_day_of(year: i32, month: i32, of_month: i32) -> i32 {
    let before = i32::from(month <= 2);
    let (year, month) = (year - before, month + 12 * before - 3);
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + of_month - 1 - 719_468
}

/// 1 for Monday to 7 for Sunday.
pub(super) fn weekday(day: i32) -> i32 {
    (day + 3).rem_euclid(7) + 1
}

/// The week of ISO 8601: that of its Thursday, in the year of that Thursday.
pub(super) fn week(day: i32) -> i32 {
    let thursday = day + 4 - weekday(day);
    let (year, _, _) = civil(thursday);
    (thursday - unchecked_day_of(year, 1, 1)) / 7 + 1
}

/// The first day of the unit that contains a day.
pub(super) fn trunc(unit: super::Period, day: i32) -> i32 {
    use super::Period;
    let (year, month, of_month) = civil(day);
    match unit {
        Period::Year => unchecked_day_of(year, 1, 1),
        Period::Quarter => unchecked_day_of(year, (month - 1) / 3 * 3 + 1, 1),
        Period::Month => day - of_month + 1,
        // The first day of year 1 is a Monday.
        Period::Week => day - weekday(day) + 1,
        Period::Day => day,
    }
}

/// `2024-01-31`.
pub(super) fn read_date(text: &str) -> Option<i32> {
    let (day, rest) = leading_date(text.as_bytes())?;
    match rest {
        [] => Some(day),
        // A timestamp is on its day.
        _ => valid_day(read_timestamp(text)?.div_euclid(DAY)),
    }
}

/// `2024-01-31`, `2024-01-31T23:59`, `2024-01-31 23:59:59.999999`, and any of the times with `Z`,
/// `+01:00`, `+0100` or `+01`: the time in UTC. Digits beyond microseconds are cut.
pub(super) fn read_timestamp(text: &str) -> Option<i64> {
    let (day, rest) = leading_date(text.as_bytes())?;
    let midnight = i64::from(day) * DAY;
    let rest = match rest {
        [] => return Some(midnight),
        [b'T' | b't' | b' ', rest @ ..] => rest,
        _ => return None,
    };
    let [h1, h2, b':', m1, m2, rest @ ..] = rest else {
        return None;
    };
    let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let (second, micros, rest) = match rest {
        [b':', s1, s2, rest @ ..] => {
            let second = two(*s1, *s2)?;
            let (micros, rest) = match rest {
                [b'.', rest @ ..] => fraction(rest)?,
                _ => (0, rest),
            };
            (second, micros, rest)
        }
        _ => (0, 0, rest),
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let offset = match rest {
        [] | [b'Z' | b'z'] => 0,
        _ => read_offset(rest)?,
    };
    let minutes = i64::from(60 * hour + minute - i32::from(offset));
    valid_time(midnight + (60 * minutes + i64::from(second)) * 1_000_000 + i64::from(micros))
}

/// Minutes of `+01:00`, `-0530`, `+01`: below 24 hours.
pub(super) fn read_offset(text: &[u8]) -> Option<i16> {
    let (sign, digits) = match text {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits {
        [a, b] => (two(*a, *b)?, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (two(*a, *b)?, two(*c, *d)?),
        _ => return None,
    };
    // Below 2^15.
    (hours < 24 && minutes < 60).then_some(sign * (60 * hours + minutes) as i16)
}

fn leading_date(text: &[u8]) -> Option<(i32, &[u8])> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, rest @ ..] = text else {
        return None;
    };
    let year = 100 * two(*y1, *y2)? + two(*y3, *y4)?;
    let day = day_of(year, two(*m1, *m2)?, two(*d1, *d2)?)?;
    Some((day, rest))
}

fn two(a: u8, b: u8) -> Option<i32> {
    let (a, b) = (a.wrapping_sub(b'0'), b.wrapping_sub(b'0'));
    (a < 10 && b < 10).then(|| i32::from(10 * a + b))
}

/// Microseconds of one to nine digits.
fn fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&digits) {
        return None;
    }
    let micros = (0..6).fold(0, |sum, place| {
        let digit = if place < digits {
            text[place] - b'0'
        } else {
            0
        };
        10 * sum + i32::from(digit)
    });
    Some((micros, &text[digits..]))
}
