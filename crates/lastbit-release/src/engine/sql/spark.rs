//! Spark SQL: literals know backslashes, names stand in backticks, sums of 64 bits wrap or raise by
//! a setting, and decimals cost more: numbers are cut, so that no sum can overflow.

use sqlparser::tokenizer::{Token, Tokenizer};

use super::SqlError;
use super::dialect::{CellType, Dialect, SPACES};
use crate::expression::Plain;

pub(super) struct Spark;

/// Numbers that are summed have at most so many bits.
const PART: u32 = 22;

impl Dialect for Spark {
    fn name(&self) -> &'static str {
        "spark"
    }

    fn cell_type(&self, name: &str) -> Option<CellType> {
        Some(match name {
            "tinyint" | "smallint" | "int" | "bigint" => CellType::Integer,
            "double" => CellType::Float,
            "float" => CellType::Float32,
            "boolean" => CellType::Boolean,
            "string" | "void" => CellType::Text,
            "date" => CellType::Date,
            "timestamp" | "timestamp_ntz" => CellType::Timestamp,
            name if name.starts_with("decimal") => CellType::Decimal,
            name if name.starts_with("varchar") => CellType::Text,
            _ => return None,
        })
    }

    fn type_of(&self, column: &str) -> String {
        format!("typeof({column})")
    }

    fn identifier(&self, name: &str) -> Result<String, SqlError> {
        // Spark replaces `${…}` in statements, unless a setting says otherwise.
        match name.is_empty() || name.contains('\0') || name.contains("${") {
            true => Err(SqlError::unsupported(
                self.name(),
                "a name that is empty or holds NUL or ${",
            )),
            false => Ok(format!("`{}`", name.replace('`', "``"))),
        }
    }

    fn literal(&self, text: &str) -> Result<String, SqlError> {
        if text.contains('\0') {
            return Err(SqlError::unsupported(self.name(), "a text that holds NUL"));
        }
        // Quotes and backslashes by their code points, so that the text is the same with escapes
        // and without them; and `$`, so that nothing is replaced.
        let special = |c: char| matches!(c, '\'' | '\\' | '$');
        if !text.contains(special) {
            return Ok(format!("'{text}'"));
        }
        let parts = text.split_inclusive(special).flat_map(|part| {
            let plain = part.trim_end_matches(special);
            let rest = part[plain.len()..].chars();
            let plain = (!plain.is_empty()).then(|| format!("'{plain}'"));
            let rest = rest.map(|c| format!("char({})", u32::from(c)));
            plain.into_iter().chain(rest).collect::<Vec<_>>()
        });
        Ok(format!("concat({})", parts.collect::<Vec<_>>().join(", ")))
    }

    fn double(&self, number: f64) -> String {
        match number.is_finite() {
            // A literal with an exponent is a decimal by some settings.
            true => format!("CAST('{:e}' AS DOUBLE)", number + 0.0),
            false if number > 0.0 => "CAST('Infinity' AS DOUBLE)".to_owned(),
            false => "CAST('-Infinity' AS DOUBLE)".to_owned(),
        }
    }

    fn text_type(&self) -> &'static str {
        "STRING"
    }

    fn binary(&self, text: &str) -> String {
        format!("CAST({text} AS STRING)")
    }

    fn values_column(&self, place: usize) -> String {
        format!("col{place}")
    }

    fn sha256(&self, text: &str) -> String {
        format!("sha2({text}, 256)")
    }

    fn first_60_bits(&self, hash: &str) -> String {
        format!("CAST(conv(substr({hash}, 1, 15), 16, 10) AS BIGINT)")
    }

    fn trim(&self, text: &str) -> String {
        // As they are: `char` knows the first 256 only.
        let spaces: String = SPACES.iter().collect();
        format!("trim(BOTH '{spaces}' FROM {text})")
    }

    fn trim_start(&self, text: &str, character: char) -> String {
        format!("trim(LEADING '{character}' FROM {text})")
    }

    fn trim_end(&self, text: &str, character: char) -> String {
        format!("trim(TRAILING '{character}' FROM {text})")
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("({text} RLIKE '{pattern}')")
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("coalesce(regexp_extract({text}, '{pattern}', 1), '')")
    }

    fn position(&self, text: &str, character: char) -> String {
        format!("instr({text}, '{character}')")
    }

    fn quotient(&self, a: &str, b: i64) -> String {
        format!("({a} div {b})")
    }

    fn quotient_of(&self, a: &str, b: &str) -> String {
        format!("({a} div {b})")
    }

    fn days(&self, cell: &str) -> String {
        format!("CAST(unix_date({cell}) AS BIGINT)")
    }

    fn microseconds(&self, cell: &str) -> String {
        // Without a zone it is of UTC, as the session is.
        format!("unix_micros(CAST({cell} AS TIMESTAMP))")
    }

    /// Names and texts as this dialect quotes them: double quotes are around texts by a setting,
    /// and two quotes in a text are one or none by the version.
    fn query(&self, text: &str) -> Result<String, SqlError> {
        let unread = |_| SqlError::Query("the query of the source cannot be read".to_owned());
        let tokens = Tokenizer::new(&Plain, text).tokenize().map_err(unread)?;
        let tokens = tokens.into_iter().map(|token| match token {
            Token::SingleQuotedString(text) => self.literal(&text),
            Token::Word(word) if word.quote_style.is_some() => self.identifier(&word.value),
            other => Ok(other.to_string()),
        });
        tokens.collect()
    }

    fn copies(&self) -> bool {
        true
    }

    fn numbered(&self, last: usize) -> Option<String> {
        Some(format!(
            "LATERAL VIEW explode(sequence(0, {last})) parts AS part"
        ))
    }

    fn sum(&self, number: &str) -> Vec<(String, u32)> {
        vec![(format!("sum(CAST({number} AS DECIMAL(28,0)))"), 0)]
    }

    fn sum_below(&self, number: &str, bits: u32) -> Vec<(String, u32)> {
        // Each part is below 2^22, so that the sums of 2^40 rows are below 2^62.
        let part = |shift: u32| {
            let high = match shift {
                0 => number.to_owned(),
                shift => format!("shiftright({number}, {shift})"),
            };
            let low = match bits - shift <= PART {
                true => high,
                false => format!("({high} & {})", (1 << PART) - 1),
            };
            (format!("sum({low})"), shift)
        };
        (0..bits).step_by(PART as usize).map(part).collect()
    }
}

#[cfg(test)]
mod tests;
