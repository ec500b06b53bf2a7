//! What a cell says: the same number, text, condition, date or timestamp that the file engine
//! reads.

use super::SqlError;
use super::dialect::CellType;
use super::form::{Expr, Form, STAGE};
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
/// Of texts of 1 to 40 bytes, all that are not their own one text have this, and some others: what
/// is not visible ASCII, or begins like a number that is not whole, or like `true` or `false`.
const SPELLED: &str = "[^!-~]|^([-+]|[0-9]+[.eE]|[tT][rR]|[fF][aA])";
const INFINITY: &str = "^[+]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$";
const MINUS_INFINITY: &str = "^-[iI][nN][fF]([iI][nN][iI][tT][yY])?$";
const TRUE: &str = "^[tT][rR][uU][eE]$";
const FALSE: &str = "^[fF][aA][lL][sS][eE]$";

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

    pub(super) fn read(&mut self, cell: &Expr, to: Type) -> Expr {
        let sql = self.dialect.reader(to, &cell.sql);
        // Only dialects with readers have cells of any type.
        Expr::of(&[cell], sql.unwrap_or_else(|| cell.sql.clone()))
    }

    pub(super) fn trimmed(&mut self, text: &Expr) -> Expr {
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

    /// The one text of what a text says, see [`crate::value`]; null if that is nothing.
    pub(super) fn canonical(&mut self, text: &Expr) -> Expr {
        let text = self.bind(text.clone());
        if let Some(sql) = self.dialect.reader(Type::Text, &text.sql) {
            return Expr::of(&[&text], sql);
        }
        let d = self.dialect;
        let t = self.bind(Expr::of(&[&text], d.binary(&text.sql)));
        let is_own = format!(
            "{} BETWEEN 1 AND 40 AND NOT {}",
            d.bytes(&t.sql),
            d.matches(&t.sql, SPELLED)
        );
        if d.defers() {
            let mut others = Form::new(d);
            let other = others.spelled(&Expr::atom("c0"));
            let other = others.bind(other);
            let (stages, last) = others.stages();
            let sql = format!(
                "CASE WHEN {0} IS NULL THEN NULL WHEN {is_own} THEN {0} ELSE (WITH {STAGE}0 AS \
                 (SELECT {0} AS c0){stages} SELECT {1} FROM {last}) END",
                t.sql, other.sql
            );
            return Expr::of(&[&t], d.binary(&sql));
        }
        // Null where the text is its own one text, so that what follows costs little.
        let other = format!("CASE WHEN {is_own} THEN NULL ELSE {} END", t.sql);
        let other = self.bind(Expr::of(&[&t], other));
        let spelled = self.spelled(&other);
        let sql = format!(
            "CASE WHEN {} IS NULL THEN {} ELSE {} END",
            other.sql, t.sql, spelled.sql
        );
        Expr::of(&[&t, &other, &spelled], d.binary(&sql))
    }

    /// The one text of a text that may be spelled in another way.
    fn spelled(&mut self, text: &Expr) -> Expr {
        let d = self.dialect;
        let (integer, characters) = (d.integer_type(), |sql: &str| d.characters(sql));
        let t = self.trimmed(text);
        // Null but for the few numbers that are spelled in another way, and so is what follows: it
        // costs little for the others.
        let number = format!(
            "CASE WHEN {} AND NOT {} THEN {2} END",
            d.matches(&t.sql, NUMBER),
            d.matches(&t.sql, PLAIN),
            t.sql
        );
        let n = self.bind(Expr::of(&[&t], number));
        let mut extract = |pattern: &str| {
            let found = d.extract(&n.sql, pattern);
            let found = format!("CASE WHEN {} IS NOT NULL THEN {found} END", n.sql);
            self.bind(Expr::of(&[&n], found))
        };
        let digits = extract("^[+-]?([0-9.]+)");
        let exponent = extract("[eE][+]?(-?[0-9]+)$");
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
        Expr::of(&[&t, &n, &kept, &power, &before], sql)
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

pub(super) fn refused(cell: &StagedColumn, found: &str, wanted: &'static str) -> SqlError {
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
