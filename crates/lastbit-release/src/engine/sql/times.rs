//! The dates and timestamps that cells say.

use super::SqlError;
use super::cells::{Kind, StagedColumn, refused};
use super::dialect::CellType;
use super::form::{Expr, Form};
use crate::expression::Type;
use crate::expression::calendar::DAY;

const TIME: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt \
    ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$";

impl Form {
    pub(super) fn seconds(&mut self, time: &Expr) -> Expr {
        let time = self.bind(time.clone());
        let million = self.dialect.double(1e6);
        let double = self.dialect.double_type();
        Expr::of(
            &[&time],
            format!("(CAST({} AS {double}) / {million})", time.sql),
        )
    }

    /// `2024-01-31`, of a day that the calendar has.
    pub(super) fn date_text(&mut self, day: &Expr) -> Expr {
        let civil = self.civil(day);
        let text = self.dialect.text_type();
        let padded = |part: &Expr, width: usize| {
            let zeros = "0".repeat(width);
            // The last digits of a number that has at most so many.
            let written = format!("('{zeros}' || CAST({} AS {text}))", part.sql);
            let length = self
                .dialect
                .characters(&format!("CAST({} AS {text})", part.sql));
            format!("substr({written}, {length} + 1, {width})")
        };
        let written = format!(
            "({} || '-' || {} || '-' || {})",
            padded(&civil.year, 4),
            padded(&civil.month, 2),
            padded(&civil.day, 2)
        );
        let sql = self.dialect.binary(&written);
        Expr::of(&[&civil.year, &civil.month, &civil.day], sql)
    }

    /// The day that a cell says, or null.
    pub(super) fn date(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        let c = &cell.value;
        Ok(match cell.kind {
            Kind::Computed(Type::Date) => c.clone(),
            Kind::Raw(CellType::Dynamic) => self.read(c, Type::Date),
            Kind::Raw(CellType::Date) => {
                let days = Expr::of(&[c], self.dialect.days(&c.sql));
                self.valid_day(&days)
            }
            Kind::Raw(CellType::Timestamp) | Kind::Computed(Type::Timestamp) => {
                let time = self.time(cell)?;
                self.day_of_time(&time)
            }
            Kind::Raw(CellType::Text) | Kind::Canonical | Kind::Computed(Type::Text) => {
                match self.dialect.reader(Type::Date, &c.sql) {
                    Some(sql) => Expr::of(&[c], sql),
                    None => {
                        let time = self.time_of_text(c);
                        self.day_of_time(&time)
                    }
                }
            }
            _ => return Err(refused(cell, "no date", "a date")),
        })
    }

    /// The microsecond that a cell says, or null.
    pub(super) fn time(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        let c = &cell.value;
        Ok(match cell.kind {
            Kind::Computed(Type::Timestamp) => c.clone(),
            Kind::Raw(CellType::Dynamic) => self.read(c, Type::Timestamp),
            Kind::Raw(CellType::Timestamp) => {
                let time = Expr::of(&[c], self.dialect.microseconds(&c.sql));
                self.valid_time(&time)
            }
            Kind::Raw(CellType::Date) | Kind::Computed(Type::Date) => {
                let day = self.date(cell)?;
                Expr::of(&[&day], format!("({} * {})", day.sql, DAY))
            }
            Kind::Raw(CellType::Text) | Kind::Canonical | Kind::Computed(Type::Text) => {
                match self.dialect.reader(Type::Timestamp, &c.sql) {
                    Some(sql) => Expr::of(&[c], sql),
                    None => self.time_of_text(c),
                }
            }
            _ => return Err(refused(cell, "no timestamp", "a timestamp")),
        })
    }

    /// The microsecond of what ISO 8601 writes, see `expression::calendar::read_timestamp`.
    pub(super) fn time_of_text(&mut self, text: &Expr) -> Expr {
        let d = self.dialect;
        let trimmed = self.trimmed(text);
        let sql = format!(
            "CASE WHEN {} THEN {} END",
            d.matches(&trimmed.sql, TIME),
            trimmed.sql
        );
        let t = self.bind(Expr::of(&[&trimmed], sql));
        let integer = d.integer_type();
        let number = |from: usize, count: usize| {
            format!("CAST(substr({}, {from}, {count}) AS {integer})", t.sql)
        };
        let [year, month, day] =
            [(1, 4), (6, 2), (9, 2)].map(|(from, count)| Expr::of(&[&t], number(from, count)));
        let [year, month, day] = [year, month, day].map(|part| self.bind(part));
        // Empty where there is none; a text of nothing but a date has no time at all.
        let two = |sql: String| format!("CAST('0' || {sql} AS {integer})");
        let parts = [
            two(d.extract(&t.sql, "^.{11}([0-9]{2})")),
            two(d.extract(&t.sql, "^.{14}([0-9]{2})")),
            two(d.extract(&t.sql, "^.{16}:([0-9]{2})")),
            format!(
                "CAST(substr({} || '000000', 1, 6) AS {integer})",
                d.extract(&t.sql, "[.]([0-9]+)")
            ),
            two(d.extract(&t.sql, "^.{16}.*[+-]([0-9]{2}):?[0-9]{0,2}$")),
            two(d.extract(&t.sql, "^.{16}.*[+-][0-9]{2}:?([0-9]{2})$")),
        ];
        let parts = parts.map(|sql| self.bind(Expr::of(&[&t], sql)));
        let [hour, minute, second, micros, ahead, ahead_minutes] = &parts;
        let sign = format!(
            "CASE WHEN {} THEN -1 ELSE 1 END",
            d.matches(&t.sql, "^.{16}.*-[0-9:]+$")
        );
        let sign = self.bind(Expr::of(&[&t], sign));
        let days = self.day_of(&year, &month, &day.sql, &[&day]);
        let days = self.bind(days);
        let leap = format!(
            "({0} % 4 = 0 AND ({0} % 100 <> 0 OR {0} % 400 = 0))",
            year.sql
        );
        let last = format!(
            "CASE WHEN {m} = 2 THEN CASE WHEN {leap} THEN 29 ELSE 28 END WHEN {m} IN (4, 6, 9, \
             11) THEN 30 ELSE 31 END",
            m = month.sql
        );
        let time = format!(
            "CASE WHEN {y} >= 1 AND {m} BETWEEN 1 AND 12 AND {d} >= 1 AND {d} <= {last} \
             AND {h} <= 23 AND {min} <= 59 AND {s} <= 59 AND {a} <= 23 AND {am} <= 59 \
             THEN {days} * 86400000000 + (({h} * 60 + {min} - {sign} * ({a} * 60 + {am})) * 60 + \
             {s}) * 1000000 + {micros} END",
            y = year.sql,
            m = month.sql,
            d = day.sql,
            h = hour.sql,
            min = minute.sql,
            s = second.sql,
            a = ahead.sql,
            am = ahead_minutes.sql,
            days = days.sql,
            sign = sign.sql,
            micros = micros.sql,
        );
        let all = [
            &year,
            &month,
            &day,
            hour,
            minute,
            second,
            micros,
            ahead,
            ahead_minutes,
            &sign,
            &days,
        ];
        let time = Expr::of(&all, time);
        self.valid_time(&time)
    }
}
