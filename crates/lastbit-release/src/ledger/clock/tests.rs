use super::*;
use std::time::Duration;

#[test]
fn days_follow_each_other_in_the_calendar() {
    let leap = |y: i64| y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    let length = |y: i64, m: i64| match m {
        2 => 28 + i64::from(leap(y)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let mut date = (1600, 1, 1);
    let first = -135_140;
    assert_eq!(civil(first), date);
    assert_eq!(civil(0), (1970, 1, 1));
    for days in first + 1..first + 146_097 * 2 {
        let (y, m, d) = date;
        date = if d < length(y, m) {
            (y, m, d + 1)
        } else if m < 12 {
            (y, m + 1, 1)
        } else {
            (y + 1, 1, 1)
        };
        assert_eq!(civil(days), date);
    }
}

#[test]
fn times_before_1970_are_written_too() {
    let epoch = SystemTime::UNIX_EPOCH;
    assert_eq!(
        utc(epoch + Duration::from_millis(1_772_357_400_007)),
        "2026-03-01T09:30:00.007Z"
    );
    assert_eq!(
        utc(epoch - Duration::from_millis(1)),
        "1969-12-31T23:59:59.999Z"
    );
}
