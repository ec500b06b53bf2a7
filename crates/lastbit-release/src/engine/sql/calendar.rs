//! Days and times in whole numbers, as `expression::calendar` computes them.

use super::form::{Expr, Form};
use crate::expression::CalendarUnit;
use crate::expression::calendar::{DAY, FIRST_DAY, LAST_DAY};

const SHIFT: i64 = 719_468;

/// Year, month and day of the month of a day.
pub(super) struct Civil {
    pub year: Expr,
    pub month: Expr,
    pub day: Expr,
}

impl Form {
    /// The whole quotient of a nonnegative number.
    fn over(&self, a: &str, b: i64) -> String {
        self.dialect.quotient(a, b)
    }

    /// Of a day that the calendar has, or null.
    pub(super) fn civil(&mut self, day: &Expr) -> Civil {
        // Years start in March here, see `expression::calendar`. All numbers are positive.
        let day = self.bind(day.clone());
        let z = self.bind(Expr::of(&[&day], format!("({} + {SHIFT})", day.sql)));
        let cycle = Expr::of(&[&z], self.over(&z.sql, 146_097));
        let cycle = self.bind(cycle);
        let of_cycle = self.bind(Expr::of(&[&z], format!("({} % 146097)", z.sql)));
        let c = &of_cycle.sql;
        let leaps = format!(
            "({c} - {} + {} - {})",
            self.over(c, 1460),
            self.over(c, 36_524),
            self.over(c, 146_096)
        );
        let year = Expr::of(&[&of_cycle], self.over(&leaps, 365));
        let year = self.bind(year);
        let y = &year.sql;
        let of_year = format!(
            "({c} - (365 * {y} + {} - {}))",
            self.over(y, 4),
            self.over(y, 100)
        );
        let of_year = self.bind(Expr::of(&[&of_cycle, &year], of_year));
        let month = self.over(&format!("(5 * {} + 2)", of_year.sql), 153);
        let month = self.bind(Expr::of(&[&of_year], month));
        let m = &month.sql;
        let day = format!(
            "({} - {} + 1)",
            of_year.sql,
            self.over(&format!("(153 * {m} + 2)"), 5)
        );
        let day = self.bind(Expr::of(&[&of_year, &month], day));
        let next = format!("CASE WHEN {m} >= 10 THEN 1 ELSE 0 END");
        let year = format!("({y} + 400 * {} + {next})", cycle.sql);
        let year = Expr::of(&[&cycle, &month], year);
        let month = Expr::of(&[&month], format!("({m} + 3 - 12 * {next})"));
        Civil {
            year: self.bind(year),
            month: self.bind(month),
            day,
        }
    }

    /// The day with a date that exists.
    pub(super) fn day_of(&mut self, year: &Expr, month: &Expr, day: &str, parts: &[&Expr]) -> Expr {
        let (year, month) = (self.bind(year.clone()), self.bind(month.clone()));
        let before = format!("CASE WHEN {} <= 2 THEN 1 ELSE 0 END", month.sql);
        let y = self.bind(Expr::of(
            &[&year, &month],
            format!("({} - {before})", year.sql),
        ));
        let m = self.bind(Expr::of(
            &[&month],
            format!("({} + 12 * {before} - 3)", month.sql),
        ));
        let (y4, y100, y400) = (
            self.over(&y.sql, 4),
            self.over(&y.sql, 100),
            self.over(&y.sql, 400),
        );
        let months = self.over(&format!("(153 * {} + 2)", m.sql), 5);
        let mut all = vec![&y, &m];
        all.extend(parts);
        Expr::of(
            &all,
            format!(
                "(365 * {} + {y4} - {y100} + {y400} + {months} + {day} - 1 - {SHIFT})",
                y.sql
            ),
        )
    }

    /// 1 for Monday to 7 for Sunday.
    pub(super) fn weekday(&mut self, day: &Expr) -> Expr {
        let day = self.bind(day.clone());
        // Positive for every day of the calendar; 719,162 leaves 3 when it is divided by 7.
        Expr::of(&[&day], format!("(({} + 719162) % 7 + 1)", day.sql))
    }

    /// The week of ISO 8601.
    pub(super) fn week(&mut self, day: &Expr) -> Expr {
        let weekday = self.weekday(day);
        let weekday = self.bind(weekday);
        let day = self.bind(day.clone());
        let thursday = Expr::of(
            &[&day, &weekday],
            format!("({} + 4 - {})", day.sql, weekday.sql),
        );
        let thursday = self.bind(thursday);
        let year = self.civil(&thursday).year;
        let first = self.day_of(&year, &Expr::atom("1"), "1", &[]);
        let first = self.bind(first);
        let weeks = self.over(&format!("({} - {})", thursday.sql, first.sql), 7);
        Expr::of(&[&thursday, &first], format!("({weeks} + 1)"))
    }

    /// The first day of what a day lies in.
    pub(super) fn trunc(&mut self, unit: CalendarUnit, day: &Expr) -> Expr {
        let day = self.bind(day.clone());
        match unit {
            CalendarUnit::Day => day,
            CalendarUnit::Week => {
                let weekday = self.weekday(&day);
                Expr::of(
                    &[&day, &weekday],
                    format!("({} - {} + 1)", day.sql, weekday.sql),
                )
            }
            CalendarUnit::Month => {
                let of_month = self.civil(&day).day;
                Expr::of(
                    &[&day, &of_month],
                    format!("({} - {} + 1)", day.sql, of_month.sql),
                )
            }
            CalendarUnit::Quarter => {
                let Civil { year, month, .. } = self.civil(&day);
                let first = self.over(&format!("({} - 1)", month.sql), 3);
                let first = Expr::of(&[&month], format!("({first} * 3 + 1)"));
                self.day_of(&year, &first, "1", &[])
            }
            CalendarUnit::Year => {
                let year = self.civil(&day).year;
                self.day_of(&year, &Expr::atom("1"), "1", &[])
            }
        }
    }

    /// A day that the calendar has, or null.
    pub(super) fn valid_day(&mut self, day: &Expr) -> Expr {
        let day = self.bind(day.clone());
        Expr::of(
            &[&day],
            format!(
                "CASE WHEN {0} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {0} END",
                day.sql
            ),
        )
    }

    /// A microsecond that the calendar has, or null.
    pub(super) fn valid_time(&mut self, time: &Expr) -> Expr {
        let time = self.bind(time.clone());
        let first = i64::from(FIRST_DAY) * DAY;
        let last = (i64::from(LAST_DAY) + 1) * DAY - 1;
        Expr::of(
            &[&time],
            format!(
                "CASE WHEN {0} BETWEEN {first} AND {last} THEN {0} END",
                time.sql
            ),
        )
    }

    /// The day of a microsecond that the calendar has.
    pub(super) fn day_of_time(&mut self, time: &Expr) -> Expr {
        let time = self.bind(time.clone());
        let first = i64::from(-FIRST_DAY);
        let positive = format!("({} + {})", time.sql, first * DAY);
        let days = self.over(&positive, DAY);
        Expr::of(&[&time], format!("({days} - {first})"))
    }

    /// The microseconds of a time within a part of the day of so many.
    pub(super) fn within(&mut self, time: &Expr, part: i64) -> Expr {
        let time = self.bind(time.clone());
        let first = i64::from(-FIRST_DAY) * DAY;
        Expr::of(&[&time], format!("(({} + {first}) % {part})", time.sql))
    }
}
