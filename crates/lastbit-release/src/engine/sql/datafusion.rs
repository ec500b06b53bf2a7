//! DataFusion: sums of 64 bits wrap silently and are taken as decimals of 38 digits, which these
//! sums stay below; decimals become doubles by way of their text.

use super::SqlError;
use super::dialect::{CellType, Dialect, digits, hex_number, spaces_by};
use crate::expression::Piece;

pub(super) struct DataFusion;

impl Dialect for DataFusion {
    fn name(&self) -> &'static str {
        "datafusion"
    }

    fn cell_type(&self, name: &str) -> Option<CellType> {
        Some(match name {
            "Int8" | "Int16" | "Int32" | "Int64" | "UInt8" | "UInt16" | "UInt32" => {
                CellType::Integer
            }
            "Float64" => CellType::Float,
            "Float32" => CellType::Float32,
            "Boolean" => CellType::Boolean,
            "Utf8" | "LargeUtf8" | "Utf8View" | "Null" => CellType::Text,
            "Date32" => CellType::Date,
            name if name.starts_with("Decimal128") => CellType::Decimal,
            name if name.starts_with("Timestamp") => CellType::Timestamp,
            _ => return None,
        })
    }

    fn type_of(&self, column: &str) -> String {
        format!("arrow_typeof({column})")
    }

    fn double(&self, number: f64) -> String {
        match number.is_finite() {
            true => digits(number),
            false if number > 0.0 => "CAST('Infinity' AS DOUBLE)".to_owned(),
            false => "CAST('-Infinity' AS DOUBLE)".to_owned(),
        }
    }

    fn text_type(&self) -> &'static str {
        "VARCHAR"
    }

    fn sha256(&self, text: &str) -> String {
        format!("encode(sha256({text}), 'hex')")
    }

    fn first_60_bits(&self, hash: &str) -> String {
        hex_number(hash)
    }

    fn trim(&self, text: &str) -> String {
        format!("btrim({text}, {})", spaces_by("chr"))
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("regexp_like({text}, '{pattern}')")
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("coalesce(regexp_match({text}, '{pattern}')[1], '')")
    }

    fn like(&self, text: &str, pattern: &[Piece]) -> Result<String, SqlError> {
        let mut written = String::from("^");
        for piece in pattern {
            match piece {
                Piece::Any => written.push_str("(?s:.*)"),
                Piece::One => written.push_str("(?s:.)"),
                Piece::Text(text) => {
                    for c in text.chars() {
                        match c {
                            c if c.is_alphanumeric() || c == ' ' => written.push(c),
                            c => written.push_str(&format!("[\\x{{{:x}}}]", u32::from(c))),
                        }
                    }
                }
            }
        }
        written.push('$');
        Ok(format!("regexp_like({text}, {})", self.literal(&written)?))
    }

    fn decimal(&self, cell: &str) -> String {
        format!("CAST(CAST({cell} AS VARCHAR) AS DOUBLE)")
    }

    fn days(&self, cell: &str) -> String {
        format!("CAST(CAST({cell} AS INT) AS BIGINT)")
    }

    fn microseconds(&self, cell: &str) -> String {
        format!("CAST(arrow_cast({cell}, 'Timestamp(Microsecond, None)') AS BIGINT)")
    }

    fn sum(&self, number: &str) -> Vec<(String, u32)> {
        vec![(format!("sum(CAST({number} AS DECIMAL(28,0)))"), 0)]
    }
}
