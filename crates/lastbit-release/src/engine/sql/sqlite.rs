//! SQLite: every cell has a type of its own, products beyond 63 bits become fractions and reading a
//! fraction is not exact. So cells are read by functions that the session registers (see
//! [`register`](super::register)), and sums are taken in two parts, which raise beyond 63 bits.

use super::SqlError;
use super::dialect::{CellType, Dialect};
use crate::expression::{ArithmeticOperator, Piece, Type};

pub(super) struct Sqlite;

impl Dialect for Sqlite {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn cell_type(&self, _name: &str) -> Option<CellType> {
        Some(CellType::Dynamic)
    }

    fn type_of(&self, column: &str) -> String {
        format!("typeof({column})")
    }

    fn double(&self, number: f64) -> String {
        match number.is_finite() {
            true => format!("lastbit_number('{:e}')", number + 0.0),
            false if number > 0.0 => "9e999".to_owned(),
            false => "(-9e999)".to_owned(),
        }
    }

    fn double_type(&self) -> &'static str {
        "REAL"
    }

    fn fence(&self) -> &'static str {
        " LIMIT -1"
    }

    fn reader(&self, read: Type, cell: &str) -> Option<String> {
        let function = match read {
            Type::Number => "lastbit_number",
            Type::Text => "lastbit_text",
            Type::Boolean => "lastbit_condition",
            Type::Date => "lastbit_date",
            Type::Timestamp => "lastbit_timestamp",
        };
        Some(format!("{function}({cell})"))
    }

    fn sha256(&self, text: &str) -> String {
        format!("lastbit_sha256({text})")
    }

    fn first_60_bits(&self, hash: &str) -> String {
        format!("lastbit_60_bits({hash})")
    }

    fn bytes(&self, text: &str) -> String {
        format!("length(CAST({text} AS BLOB))")
    }

    fn characters(&self, text: &str) -> String {
        format!("lastbit_length({text})")
    }

    fn trim(&self, text: &str) -> String {
        format!("lastbit_trim({text})")
    }

    // Never asked for: cells are read by functions.
    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("({text} REGEXP '{pattern}')")
    }

    fn extract(&self, text: &str, _pattern: &str) -> String {
        text.to_owned()
    }

    fn position(&self, text: &str, character: char) -> String {
        format!("instr({text}, '{character}')")
    }

    fn translate(&self, text: &str, _from: &str, to: &str) -> String {
        // Of ASCII alone, as is asked.
        let function = if to.starts_with('A') {
            "upper"
        } else {
            "lower"
        };
        format!("{function}({text})")
    }

    fn like(&self, text: &str, pattern: &[Piece]) -> Result<String, SqlError> {
        let mut written = String::new();
        for piece in pattern {
            match piece {
                Piece::Any => written.push('*'),
                Piece::One => written.push('?'),
                Piece::Text(text) => {
                    for c in text.chars() {
                        match c {
                            '*' | '?' | '[' => written.extend(['[', c, ']']),
                            c => written.push(c),
                        }
                    }
                }
            }
        }
        Ok(format!("({text} GLOB {})", self.literal(&written)?))
    }

    fn floor(&self, number: &str) -> String {
        format!("(CAST({number} AS INTEGER) - ({number} < CAST({number} AS INTEGER)))")
    }

    fn sqrt(&self, number: &str) -> Result<String, SqlError> {
        Ok(format!("lastbit_sqrt({number})"))
    }

    // NaN is null there already.
    fn finite(&self, number: &str) -> String {
        format!("nullif(nullif({number}, 9e999), -9e999)")
    }

    fn arithmetic(
        &self,
        operator: ArithmeticOperator,
        a: &str,
        b: &str,
    ) -> Result<String, SqlError> {
        let sign = match operator {
            ArithmeticOperator::Add => "+",
            ArithmeticOperator::Subtract => "-",
            ArithmeticOperator::Multiply => "*",
            ArithmeticOperator::Divide => "/",
            // It is of whole numbers there.
            ArithmeticOperator::Remainder => {
                return Err(SqlError::unsupported(self.name(), "`%` of fractions"));
            }
        };
        Ok(self.finite(&format!("(CAST({a} AS REAL) {sign} CAST({b} AS REAL))")))
    }

    fn days(&self, cell: &str) -> String {
        format!("lastbit_date({cell})")
    }

    fn microseconds(&self, cell: &str) -> String {
        format!("lastbit_timestamp({cell})")
    }

    fn sum(&self, number: &str) -> Vec<(String, u32)> {
        // Each part is below 2^31, so that the sums of 2^32 rows fit.
        vec![
            (format!("sum({number} / 2147483648)"), 31),
            (format!("sum({number} % 2147483648)"), 0),
        ]
    }
}
