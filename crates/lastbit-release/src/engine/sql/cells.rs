//! What a cell says: the same number, text, condition, date or timestamp that the file engine
//! reads.

use super::SqlError;
use super::dialect::CellType;
use super::form::{Expr, Form};
use crate::expression::Type;
use crate::value::{Value, value};

/// A column as it is at some stage.
#[derive(Clone, Debug)]
pub(super) struct StagedColumn {
    /// Its name in the plan, for messages.
    pub column: String,
    pub value: Expr,
    pub kind: Kind,
}

/// What its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Cells of the relation.
    Raw(CellType),
    /// Texts that are their own one text, or null.
    Canonical,
    /// A value that was computed: nulls are SQL's.
    Computed(Type),
    /// A double that was computed and is a whole number of at most 2^53.
    Whole,
}

/// Decimal numbers as Rust reads them.
const DECIMAL: &str = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$";
/// Numbers that may be spelled in another way than their one text, see [`crate::value`].
const NUMBER: &str = "^[+-]?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?0*[0-9]{1,17})?$";
/// Those of them that are not.
const PLAIN: &str = "^(0|-?[1-9][0-9]{0,39})$";
const INFINITY: &str = "^[+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$";
const MINUS_INFINITY: &str = "^-[iI][nN][fF]([iI][nN][iI][tT][yY])?$";
const TRUE: &str = "^[tT][rR][uU][eE]$";
const FALSE: &str = "^[fF][aA][lL][sS][eE]$";
const TIME: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt \
    ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?)?$";

impl Form {
    /// The double nearest to what a cell says, or null; it may be infinite.
    pub(super) fn number(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        let c = &cell.value;
        let double = self.dialect.double_type();
        let cast = |sql: &str| format!("CAST({sql} AS {double})");
        Ok(match cell.kind {
            Kind::Whole | Kind::Computed(Type::Number) => c.clone(),
            Kind::Raw(CellType::Dynamic) => self.read(c, Type::Number),
            Kind::Raw(CellType::Integer) | Kind::Computed(Type::Date) => {
                Expr::of(&[c], cast(&c.sql))
            }
            Kind::Raw(CellType::Float | CellType::Float32) => {
                // False for NaN, and null for null.
                let end = self.dialect.double(f64::INFINITY);
                let c = self.bind(Expr::of(&[c], cast(&c.sql)));
                Expr::of(&[&c], format!("CASE WHEN {0} <= {end} THEN {0} END", c.sql))
            }
            Kind::Raw(CellType::Decimal) => Expr::of(&[c], self.dialect.decimal(&c.sql)),
            Kind::Raw(CellType::Boolean) | Kind::Computed(Type::Boolean) => {
                let [one, zero] = [1.0, 0.0].map(|x| self.dialect.double(x));
                let c = self.bind(c.clone());
                Expr::of(
                    &[&c],
                    format!(
                        "CASE WHEN {0} THEN {one} WHEN NOT {0} THEN {zero} END",
                        c.sql
                    ),
                )
            }
            Kind::Raw(CellType::Date) => {
                let days = self.dialect.days(&c.sql);
                Expr::of(&[c], cast(&days))
            }
            Kind::Raw(CellType::Timestamp) => {
                let time = Expr::of(&[c], self.dialect.microseconds(&c.sql));
                self.seconds(&time)
            }
            Kind::Computed(Type::Timestamp) => self.seconds(c),
            Kind::Raw(CellType::Text) => {
                let text = self.trimmed(c);
                self.number_of_text(&text)
            }
            Kind::Canonical | Kind::Computed(Type::Text) => {
                let text = self.bind(c.clone());
                match self.dialect.reader(Type::Number, &text.sql) {
                    Some(sql) => Expr::of(&[&text], sql),
                    None => {
                        let text = self.trimmed(&text);
                        self.number_of_text(&text)
                    }
                }
            }
        })
    }

    fn read(&mut self, cell: &Expr, to: Type) -> Expr {
        let sql = self.dialect.reader(to, &cell.sql);
        // Only dialects with readers have cells of any type.
        Expr::of(&[cell], sql.unwrap_or_else(|| cell.sql.clone()))
    }

    fn seconds(&mut self, time: &Expr) -> Expr {
        let time = self.bind(time.clone());
        let million = self.dialect.double(1e6);
        let double = self.dialect.double_type();
        Expr::of(
            &[&time],
            format!("(CAST({} AS {double}) / {million})", time.sql),
        )
    }

    fn trimmed(&mut self, text: &Expr) -> Expr {
        let binary = self.dialect.binary(&text.sql);
        let trimmed = Expr::of(&[text], self.dialect.trim(&binary));
        self.bind(trimmed)
    }

    /// Of a trimmed text.
    fn number_of_text(&mut self, text: &Expr) -> Expr {
        let d = self.dialect;
        let t = &text.sql;
        let number = Expr::of(
            &[text],
            format!("CASE WHEN {} THEN {t} END", d.matches(t, DECIMAL)),
        );
        let number = self.bind(number);
        let [one, zero, up, down] =
            [1.0, 0.0, f64::INFINITY, f64::NEG_INFINITY].map(|x| d.double(x));
        let words = [
            (TRUE, one),
            (FALSE, zero),
            (INFINITY, up),
            (MINUS_INFINITY, down),
        ];
        let words: String = words
            .iter()
            .map(|(pattern, value)| format!(" WHEN {} THEN {value}", d.matches(t, pattern)))
            .collect();
        Expr::of(
            &[&number, text],
            format!(
                "CASE WHEN {0} IS NOT NULL THEN {1}{words} END",
                number.sql,
                d.decimal_text(&number.sql)
            ),
        )
    }

    /// The one text of what a cell says, or null.
    pub(super) fn text(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        let c = &cell.value;
        let text = self.dialect.text_type();
        Ok(match cell.kind {
            Kind::Canonical => c.clone(),
            Kind::Raw(CellType::Dynamic) => self.read(c, Type::Text),
            Kind::Raw(CellType::Integer) => {
                let written = format!("CAST({} AS {text})", c.sql);
                Expr::of(&[c], self.dialect.binary(&written))
            }
            Kind::Whole => {
                let integer = self.dialect.integer_type();
                let written = format!("CAST(CAST({} AS {integer}) AS {text})", c.sql);
                Expr::of(&[c], self.dialect.binary(&written))
            }
            Kind::Raw(CellType::Boolean) | Kind::Computed(Type::Boolean) => {
                let c = self.bind(c.clone());
                let written = format!(
                    "CASE WHEN {0} THEN 'true' WHEN NOT {0} THEN 'false' END",
                    c.sql
                );
                Expr::of(&[&c], self.dialect.binary(&written))
            }
            Kind::Raw(CellType::Text) | Kind::Computed(Type::Text) => {
                let text = c.clone();
                self.canonical(&text)
            }
            Kind::Raw(CellType::Decimal) => {
                let written = Expr::of(&[c], format!("CAST({} AS {text})", c.sql));
                self.canonical(&written)
            }
            Kind::Raw(CellType::Date) | Kind::Computed(Type::Date) => {
                let day = self.date(cell)?;
                self.date_text(&day)
            }
            Kind::Raw(CellType::Float | CellType::Float32) | Kind::Computed(Type::Number) => {
                return Err(refused(cell, "a fraction", "a text"));
            }
            Kind::Raw(CellType::Timestamp) | Kind::Computed(Type::Timestamp) => {
                return Err(refused(cell, "a timestamp", "a text"));
            }
        })
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

    /// The one text of what a text says, see [`crate::value`]; null if that is nothing.
    pub(super) fn canonical(&mut self, text: &Expr) -> Expr {
        let text = self.bind(text.clone());
        if let Some(sql) = self.dialect.reader(Type::Text, &text.sql) {
            return Expr::of(&[&text], sql);
        }
        let d = self.dialect;
        let (integer, characters) = (d.integer_type(), |sql: &str| d.characters(sql));
        let t = self.trimmed(&text);
        // Null but for the few texts that are spelled in another way: what follows costs nothing
        // for the others.
        let number = format!(
            "CASE WHEN {} AND NOT {} THEN {2} END",
            d.matches(&t.sql, NUMBER),
            d.matches(&t.sql, PLAIN),
            t.sql
        );
        let n = self.bind(Expr::of(&[&t], number));
        let digits = d.extract(&n.sql, "^[+-]?([0-9.]+)");
        let digits = self.bind(Expr::of(&[&n], digits));
        let exponent = d.extract(&n.sql, "[eE][+]?(-?[0-9]+)$");
        let exponent = self.bind(Expr::of(&[&n], exponent));
        let point = self.bind(Expr::of(&[&digits], d.position(&digits.sql, '.')));
        let fraction = format!(
            "CASE WHEN {0} = 0 THEN 0 ELSE {1} - {0} END",
            point.sql,
            characters(&digits.sql)
        );
        let fraction = self.bind(Expr::of(&[&digits, &point], fraction));
        let all = self.bind(Expr::of(
            &[&digits],
            format!("replace({}, '.', '')", digits.sql),
        ));
        let ended = self.bind(Expr::of(&[&all], d.trim_end(&all.sql, '0')));
        let kept = self.bind(Expr::of(&[&ended], d.trim_start(&ended.sql, '0')));
        let power = format!(
            "(CASE WHEN {0} = '' THEN 0 ELSE CAST({0} AS {integer}) END - {1} + {2} - {3})",
            exponent.sql,
            fraction.sql,
            characters(&all.sql),
            characters(&ended.sql)
        );
        let power = self.bind(Expr::of(&[&exponent, &fraction, &all, &ended], power));
        let before = format!("({} + {})", characters(&kept.sql), power.sql);
        let before = self.bind(Expr::of(&[&kept, &power], before));
        let (k, e, b) = (&kept.sql, &power.sql, &before.sql);
        let zeros = "0".repeat(40);
        let plain_text = d.text_type();
        let int = |sql: &str| format!("CAST({sql} AS INT)");
        let written = format!(
            "CASE WHEN {k} = '' THEN '0' ELSE CASE WHEN {n} LIKE '-%' THEN '-' ELSE '' END || CASE \
             WHEN {e} >= 0 AND {b} <= 40 THEN {k} || substr('{zeros}', 1, {e_int}) \
             WHEN {e} < 0 AND {b} > 0 THEN substr({k}, 1, {b_int}) || '.' || substr({k}, {b_next}) \
             WHEN {e} < 0 AND {b} > -6 THEN '0.' || substr('{zeros}', 1, {b_minus}) || {k} \
             ELSE substr({k}, 1, 1) || CASE WHEN {length} > 1 THEN '.' || substr({k}, 2) ELSE '' \
             END || 'e' || CAST({b} - 1 AS {plain_text}) END END",
            n = n.sql,
            e_int = int(e),
            b_int = int(b),
            b_next = int(&format!("{b} + 1")),
            b_minus = int(&format!("-{b}")),
            length = characters(k),
        );
        let sql = format!(
            "CASE WHEN {t} = '' THEN NULL WHEN {n} IS NOT NULL THEN {written} WHEN {is_true} THEN \
             'true' WHEN {is_false} THEN 'false' ELSE {t} END",
            t = t.sql,
            n = n.sql,
            is_true = d.matches(&t.sql, TRUE),
            is_false = d.matches(&t.sql, FALSE),
        );
        Expr::of(&[&t, &n, &kept, &power, &before], d.binary(&sql))
    }

    /// Whether a cell says one of some values; null where it says nothing.
    pub(super) fn says(&mut self, cell: &StagedColumn, texts: &[String]) -> Result<Expr, SqlError> {
        let list: Vec<String> = match cell.kind {
            Kind::Raw(CellType::Float | CellType::Float32) | Kind::Computed(Type::Number) => {
                let narrow = cell.kind == Kind::Raw(CellType::Float32);
                let doubles = texts.iter().filter_map(|text| said_by(text, narrow));
                doubles.map(|number| self.dialect.double(number)).collect()
            }
            Kind::Raw(CellType::Timestamp) | Kind::Computed(Type::Timestamp) => {
                return Err(refused(cell, "a timestamp", "a text"));
            }
            _ => {
                let literals = texts.iter().map(|text| self.dialect.literal(text));
                literals.collect::<Result<_, _>>()?
            }
        };
        let is_number = matches!(
            cell.kind,
            Kind::Raw(CellType::Float | CellType::Float32) | Kind::Computed(Type::Number)
        );
        let value = if is_number {
            self.number(cell)?
        } else {
            self.text(cell)?
        };
        let value = self.bind(value);
        Ok(Expr::of(
            &[&value],
            match list.is_empty() {
                true => format!("CASE WHEN {} IS NULL THEN NULL ELSE FALSE END", value.sql),
                false => format!("({} IN ({}))", value.sql, list.join(", ")),
            },
        ))
    }

    /// `true` and 1, `false` and 0.
    pub(super) fn condition(&mut self, cell: &StagedColumn) -> Result<Expr, SqlError> {
        let c = &cell.value;
        Ok(match cell.kind {
            Kind::Raw(CellType::Boolean) | Kind::Computed(Type::Boolean) => c.clone(),
            Kind::Raw(CellType::Dynamic) => self.read(c, Type::Boolean),
            Kind::Raw(CellType::Date | CellType::Timestamp)
            | Kind::Computed(Type::Date | Type::Timestamp) => {
                Expr::of(&[c], "CAST(NULL AS BOOLEAN)")
            }
            _ => {
                let [yes, no] =
                    [["true", "1"], ["false", "0"]].map(|texts| texts.map(String::from));
                let (yes, no) = (self.says(cell, &yes)?, self.says(cell, &no)?);
                Expr::of(
                    &[&yes, &no],
                    format!(
                        "CASE WHEN {} THEN TRUE WHEN {} THEN FALSE END",
                        yes.sql, no.sql
                    ),
                )
            }
        })
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
                Expr::of(
                    &[&day],
                    format!("({} * {})", day.sql, crate::expression::calendar::DAY),
                )
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
    fn time_of_text(&mut self, text: &Expr) -> Expr {
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

/// The double whose shortest digits say what a text says, if there is one.
fn said_by(text: &str, narrow: bool) -> Option<f64> {
    let number: f64 = match narrow {
        true => f64::from(text.parse::<f32>().ok()?),
        false => text.parse().ok()?,
    };
    let written = match narrow {
        true => format!("{:e}", number as f32),
        false => format!("{number:e}"),
    };
    let (mut a, mut b) = (String::new(), String::new());
    let same = value(&written, &mut a) == value(text, &mut b);
    (same && value(text, &mut String::new()) != Value::Missing && !number.is_nan())
        .then_some(number)
}

fn refused(cell: &StagedColumn, found: &str, wanted: &'static str) -> SqlError {
    SqlError::Type {
        column: cell.column.clone(),
        found: found.to_owned(),
        wanted,
        remedy: match wanted {
            "a text" => {
                "databases write these differently; list its values as categories, or store it as \
                 text"
            }
            _ => "store it as a text, a date or a timestamp",
        },
    }
}
