//! DuckDB: sums of 64 bits are of 128 and raise beyond, casts that fail are null, `/` of whole
//! numbers is a fraction.

use super::dialect::{CellType, Dialect, digits, spaces_by};

pub(super) struct DuckDb;

impl Dialect for DuckDb {
    fn name(&self) -> &'static str {
        "duckdb"
    }

    fn cell_type(&self, name: &str) -> Option<CellType> {
        Some(match name {
            "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "UTINYINT" | "USMALLINT"
            | "UINTEGER" | "UBIGINT" => CellType::Integer,
            "DOUBLE" => CellType::Float,
            "FLOAT" => CellType::Float32,
            "BOOLEAN" => CellType::Boolean,
            "VARCHAR" | "UUID" | "NULL" | "\"NULL\"" => CellType::Text,
            "DATE" => CellType::Date,
            "TIMESTAMP" | "TIMESTAMP_S" | "TIMESTAMP_MS" | "TIMESTAMP WITH TIME ZONE" => {
                CellType::Timestamp
            }
            name if name.starts_with("DECIMAL") => CellType::Decimal,
            name if name.starts_with("ENUM") => CellType::Text,
            _ => return None,
        })
    }

    fn type_of(&self, column: &str) -> String {
        format!("typeof({column})")
    }

    fn text_type(&self) -> &'static str {
        "VARCHAR"
    }

    fn double(&self, number: f64) -> String {
        match number.is_finite() {
            true => digits(number),
            false if number > 0.0 => "CAST('Infinity' AS DOUBLE)".to_owned(),
            false => "CAST('-Infinity' AS DOUBLE)".to_owned(),
        }
    }

    fn binary(&self, text: &str) -> String {
        format!("(CAST({text} AS VARCHAR) COLLATE \"C\")")
    }

    fn values_column(&self, place: usize) -> String {
        format!("col{}", place - 1)
    }

    fn sha256(&self, text: &str) -> String {
        format!("sha256({text})")
    }

    fn first_60_bits(&self, hash: &str) -> String {
        format!("CAST('0x' || substr({hash}, 1, 15) AS BIGINT)")
    }

    fn once(&self) -> &'static str {
        "MATERIALIZED "
    }

    fn bytes(&self, text: &str) -> String {
        format!("strlen({text})")
    }

    fn trim(&self, text: &str) -> String {
        format!("trim({text}, {})", spaces_by("chr"))
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("regexp_matches({text}, '{pattern}')")
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("coalesce(regexp_extract({text}, '{pattern}', 1), '')")
    }

    fn quotient(&self, a: &str, b: i64) -> String {
        format!("({a} // {b})")
    }

    fn quotient_of(&self, a: &str, b: &str) -> String {
        format!("({a} // {b})")
    }

    fn decimal_text(&self, text: &str) -> String {
        format!("TRY_CAST({text} AS DOUBLE)")
    }

    fn days(&self, cell: &str) -> String {
        format!("CASE WHEN isfinite({cell}) THEN CAST({cell} - DATE '1970-01-01' AS BIGINT) END")
    }

    fn microseconds(&self, cell: &str) -> String {
        format!("CASE WHEN isfinite({cell}) THEN epoch_us({cell}) END")
    }

    fn sum(&self, number: &str) -> Vec<(String, u32)> {
        vec![(format!("sum({number})"), 0)]
    }
}
