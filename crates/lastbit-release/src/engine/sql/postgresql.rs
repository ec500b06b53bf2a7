//! PostgreSQL: floating point arithmetic raises where a result overflows or vanishes, so that each
//! operation looks first; sums of 64 bits are decimals; a collation may merge names.

use lastbit_exact::Integer;

use super::SqlError;
use super::dialect::{CellType, Dialect, SPACES};
use crate::expression::ArithmeticOperator;

pub(super) struct PostgreSql;

impl Dialect for PostgreSql {
    fn name(&self) -> &'static str {
        "postgresql"
    }

    fn cell_type(&self, name: &str) -> Option<CellType> {
        Some(match name {
            "smallint" | "integer" | "bigint" => CellType::Integer,
            "double precision" => CellType::Float,
            "real" => CellType::Float32,
            "numeric" => CellType::Decimal,
            "boolean" => CellType::Boolean,
            "text" | "character varying" | "uuid" | "name" => CellType::Text,
            "date" => CellType::Date,
            "timestamp without time zone" | "timestamp with time zone" => CellType::Timestamp,
            _ => return None,
        })
    }

    fn type_of(&self, column: &str) -> String {
        format!("CAST(pg_typeof({column}) AS TEXT)")
    }

    fn literal(&self, text: &str) -> Result<String, SqlError> {
        if text.contains('\0') {
            return Err(SqlError::unsupported(self.name(), "a text that holds NUL"));
        }
        // `E''` reads a backslash in one way, whatever the session's settings.
        let (start, text) = match text.contains('\\') {
            true => ("E", text.replace('\\', "\\\\")),
            false => ("", text.to_owned()),
        };
        Ok(format!("{start}'{}'", text.replace('\'', "''")))
    }

    fn double(&self, number: f64) -> String {
        match number.is_finite() {
            true => format!("CAST('{:e}' AS DOUBLE PRECISION)", number + 0.0),
            false if number > 0.0 => "CAST('Infinity' AS DOUBLE PRECISION)".to_owned(),
            false => "CAST('-Infinity' AS DOUBLE PRECISION)".to_owned(),
        }
    }

    fn double_type(&self) -> &'static str {
        "DOUBLE PRECISION"
    }

    fn binary(&self, text: &str) -> String {
        format!("(CAST({text} AS TEXT) COLLATE \"C\")")
    }

    fn fence(&self) -> &'static str {
        " OFFSET 0"
    }

    fn defers(&self) -> bool {
        true
    }

    fn sha256(&self, text: &str) -> String {
        format!("encode(sha256(convert_to({text}, 'UTF8')), 'hex')")
    }

    fn rank(&self, text: &str) -> String {
        format!("sha256(convert_to({text}, 'UTF8'))")
    }

    fn first_60_bits(&self, hash: &str) -> String {
        let byte = |place: u32| {
            let shift = 52 - 8 * place;
            format!("(CAST(get_byte({hash}, {place}) AS BIGINT) << {shift})")
        };
        let bytes: Vec<String> = (0..7).map(byte).collect();
        format!("({} + (get_byte({hash}, 7) >> 4))", bytes.join(" + "))
    }

    fn trim(&self, text: &str) -> String {
        let spaces: String = SPACES
            .iter()
            .map(|c| match c {
                ' ' => " ".to_owned(),
                c => format!("\\u{:04x}", u32::from(*c)),
            })
            .collect();
        format!("btrim({text}, E'{spaces}')")
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("({text} ~ '{pattern}')")
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("coalesce(substring({text} from '{pattern}'), '')")
    }

    fn arithmetic(
        &self,
        operator: ArithmeticOperator,
        a: &str,
        b: &str,
    ) -> Result<String, SqlError> {
        let power = |exponent: i32| self.double(2f64.powi(exponent));
        let infinity = self.double(f64::INFINITY);
        // Of what is missing nothing is computed: `greatest` would take it for nothing, and 0 times
        // it for 0.
        let missing = format!("{a} IS NULL OR {b} IS NULL");
        let infinite = format!("{missing} OR abs({a}) = {infinity} OR abs({b}) = {infinity}");
        Ok(match operator {
            ArithmeticOperator::Add | ArithmeticOperator::Subtract => {
                let sign = if operator == ArithmeticOperator::Add {
                    '+'
                } else {
                    '-'
                };
                // Halves add up to half of the sum, rounded in the same way where that matters.
                let [half, large, end] = [-1, 1000, 1023].map(power);
                format!(
                    "CASE WHEN {infinite} THEN NULL \
                     WHEN abs({a}) > {large} AND abs({b}) > {large} AND abs({a} * {half} {sign} \
                     {b} * {half}) >= {end} THEN NULL \
                     ELSE {a} {sign} {b} END"
                )
            }
            ArithmeticOperator::Multiply => {
                // Scaled by powers of two the product is the same, rounded in the same way, and
                // neither overflows nor vanishes.
                let [half, tiny, up, end] = [-512, -538, 600, -475].map(power);
                let (small, big) = (
                    format!("least(abs({a}), abs({b}))"),
                    format!("greatest(abs({a}), abs({b}))"),
                );
                format!(
                    "CASE WHEN {infinite} THEN NULL \
                     WHEN {a} = 0 OR {b} = 0 THEN 0 \
                     WHEN abs({a}) >= 1 AND abs({b}) >= 1 THEN CASE WHEN abs(({a} * {half}) * \
                     ({b} * {half})) < 1 THEN {a} * {b} END \
                     WHEN abs({a}) >= 1 OR abs({b}) >= 1 THEN {a} * {b} \
                     WHEN {big} < {tiny} THEN 0 \
                     WHEN ({small} * {up}) * {big} <= {end} THEN 0 \
                     ELSE {a} * {b} END"
                )
            }
            ArithmeticOperator::Divide => {
                let [low, half, up] = [-50, -512, 512].map(power);
                let [far, down, end] = [1000, -60, -15].map(power);
                format!(
                    "CASE WHEN {missing} OR {b} = 0 OR abs({a}) = {infinity} THEN NULL \
                     WHEN {a} = 0 OR abs({b}) = {infinity} THEN 0 \
                     WHEN abs({a}) >= {low} AND abs({b}) < 1 THEN CASE WHEN abs(({a} * {half}) / \
                     ({b} * {up})) < 1 THEN {a} / {b} END \
                     WHEN abs({a}) < {low} AND abs({b}) >= 1 THEN CASE WHEN abs(({a} * {far}) / \
                     ({b} * {down})) <= {end} THEN 0 ELSE {a} / {b} END \
                     ELSE {a} / {b} END"
                )
            }
            ArithmeticOperator::Remainder => {
                return Err(SqlError::unsupported(self.name(), "`%` of fractions"));
            }
        })
    }

    fn finite(&self, number: &str) -> String {
        let [up, down] = [f64::INFINITY, f64::NEG_INFINITY].map(|end| self.double(end));
        format!("nullif(nullif({number}, {up}), {down})")
    }

    /// By way of a decimal, which a text of up to a hundred thousand digits has; the exponent is
    /// cut where it decides nothing.
    fn decimal_text(&self, text: &str) -> String {
        let mantissa = format!("substring({text} from '^([^eE]*)')");
        let exponent = format!("coalesce(substring({text} from '[eE]([+-]?[0-9]*)$'), '0')");
        let many = format!("substring({exponent} from '^[+-]?0*([0-9]*)$')");
        let capped = format!(
            "CASE WHEN length({many}) > 4 THEN CASE WHEN {exponent} LIKE '-%' THEN '-9999' ELSE \
             '9999' END ELSE {exponent} END"
        );
        let number = format!("CAST({mantissa} || 'e' || {capped} AS NUMERIC)");
        self.decimal(&number)
    }

    fn decimal(&self, cell: &str) -> String {
        // Beyond these the cast raises: what rounds to infinity, and what rounds to 0.
        let end = (Integer::ONE << 1024) - (Integer::ONE << 970);
        let vanishing = exact_decimal(1075);
        format!(
            "CASE WHEN {cell} = 'NaN' THEN NULL \
             WHEN {cell} >= {end} THEN {} WHEN {cell} <= -{end} THEN {} \
             WHEN abs({cell}) <= {vanishing} THEN 0 \
             ELSE CAST({cell} AS DOUBLE PRECISION) END",
            self.double(f64::INFINITY),
            self.double(f64::NEG_INFINITY),
        )
    }

    fn days(&self, cell: &str) -> String {
        format!("CASE WHEN isfinite({cell}) THEN CAST({cell} - DATE '1970-01-01' AS BIGINT) END")
    }

    fn microseconds(&self, cell: &str) -> String {
        format!(
            "CASE WHEN isfinite({cell}) THEN CAST(extract(epoch from {cell}) * 1000000 AS BIGINT) \
             END"
        )
    }

    fn sum(&self, number: &str) -> Vec<(String, u32)> {
        vec![(format!("sum({number})"), 0)]
    }
}

/// 2^-n in full.
fn exact_decimal(n: usize) -> String {
    let digits = Integer::from(5).pow(n).to_string();
    format!("0.{}{digits}", "0".repeat(n - digits.len()))
}

#[cfg(test)]
mod tests;
