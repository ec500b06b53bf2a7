//! How a cell becomes a word: steps from a lower bound, a bin, a category, a state. See
//! `engine::files::encode`.

use super::SqlError;
use super::cells::{Kind, StagedColumn};
use super::dialect::CellType;
use super::form::Expr;
use super::source::Source;
use crate::engine::layout::{Feature, Layout, NONE, Offset};

impl Source {
    /// The word of a feature, null where the row has none.
    pub(super) fn word(&mut self, layout: &Layout, feature: usize) -> Result<Expr, SqlError> {
        let name = |column: usize| layout.columns[column].as_str();
        let word = match &layout.features[feature] {
            Feature::Offset(offset) => self.offset(name(offset.column), offset)?,
            Feature::Bin {
                column,
                bins,
                missing,
            } => {
                let number = self.number(name(*column))?;
                let n = &number.sql;
                let edges = bins.edges();
                let mut text = format!("CASE WHEN {n} IS NULL THEN {}", word_or_null(*missing));
                for (bin, edge) in edges.iter().enumerate() {
                    text += &format!(" WHEN {n} < {} THEN {bin}", self.form.dialect.double(*edge));
                }
                Expr::of(&[&number], format!("{text} ELSE {} END", edges.len()))
            }
            Feature::NumberState {
                column,
                lower,
                upper,
            } => {
                let number = self.number(name(*column))?;
                let n = &number.sql;
                let [lower, upper] = [*lower, *upper].map(|x| self.form.dialect.double(x));
                Expr::of(
                    &[&number],
                    format!(
                        "CASE WHEN {n} IS NULL THEN 2 WHEN {n} < {lower} THEN 0 WHEN {n} > \
                         {upper} THEN 1 ELSE 3 END"
                    ),
                )
            }
            Feature::TextState { column, listed } => {
                let cell = self.cell(name(*column))?;
                // What is null where the cell is missing.
                let said = self.form.says(&cell, &[])?;
                let said = self.form.bind(said);
                match listed {
                    None => Expr::of(
                        &[&said],
                        format!("CASE WHEN {} IS NULL THEN 0 ELSE 1 END", said.sql),
                    ),
                    Some(listed) => {
                        let code = self.word(layout, *listed)?;
                        Expr::of(
                            &[&said, &code],
                            format!(
                                "CASE WHEN {} IS NULL THEN 0 WHEN {} IS NULL THEN 1 ELSE 2 END",
                                said.sql, code.sql
                            ),
                        )
                    }
                }
            }
            Feature::Category {
                column,
                names,
                numbers,
                other,
            } => {
                let mut cell = self.cell(name(*column))?;
                let mut codes: Vec<(u64, String)> = names
                    .iter()
                    .map(|(name, code)| (*code, name.clone()))
                    .collect();
                codes.extend(numbers.iter().map(|(name, code)| (*code, name.to_string())));
                codes.sort_unstable();
                let (mut text, mut parts) = (String::from("CASE"), Vec::new());
                if cell.kind == Kind::Raw(CellType::Text) && !codes.is_empty() {
                    let listed = self.listed(&mut cell, &codes)?;
                    text += &format!(" WHEN {0} IS NOT NULL THEN {0}", listed.sql);
                    parts.push(listed);
                }
                for (code, name) in codes {
                    let says = self.form.says(&cell, &[name])?;
                    text += &format!(" WHEN {} THEN {code}", says.sql);
                    parts.push(says);
                }
                let sql = format!("{text} ELSE {} END", word_or_null(*other));
                Expr::of(&parts.iter().collect::<Vec<_>>(), sql)
            }
        };
        Ok(self.form.bind(word))
    }

    /// The code of a text that is a category letter by letter, and null for others; of the cell
    /// these others are left.
    fn listed(
        &mut self,
        cell: &mut StagedColumn,
        codes: &[(u64, String)],
    ) -> Result<Expr, SqlError> {
        let d = self.form.dialect;
        let raw = Expr::of(&[&cell.value], d.binary(&cell.value.sql));
        let raw = self.form.bind(raw);
        let mut cases = String::new();
        for (code, name) in codes {
            // A category is its own one text.
            cases += &format!(" WHEN {} THEN {code}", d.literal(name)?);
        }
        let listed = Expr::of(&[&raw], format!("CASE {}{cases} END", raw.sql));
        let listed = self.form.bind(listed);
        let rest = format!("CASE WHEN {} IS NULL THEN {} END", listed.sql, raw.sql);
        cell.value = self.form.bind(Expr::of(&[&raw, &listed], rest));
        Ok(listed)
    }

    fn number(&mut self, column: &str) -> Result<Expr, SqlError> {
        let cell = self.cell(column)?;
        let number = self.form.number(&cell)?;
        Ok(self.form.bind(number))
    }

    /// Clamped first, so that nothing overflows; then scaled by a power of two, which is exact, and
    /// rounded, ties up.
    fn offset(&mut self, column: &str, offset: &Offset) -> Result<Expr, SqlError> {
        let number = self.number(column)?;
        let d = self.form.dialect;
        let n = &number.sql;
        let (lower, upper) = offset.grid.bounds_in_steps();
        // Within ±1022.
        let exponent = offset.grid.exponent().get() as i32;
        // Steps are within 2^51, so that these are doubles; one beyond the range of doubles is
        // infinite.
        let step = 2f64.powi(exponent);
        let [low, high] = [lower, upper].map(|steps| d.double(steps as f64 * step));
        // In half steps, which are within 2^52.
        let [first, last] = [lower, upper].map(|steps| d.double(2.0 * steps as f64));
        let scaled = match 1 - exponent {
            0 => n.clone(),
            power @ ..=1023 => format!("{n} * {}", d.double(2f64.powi(power))),
            power => {
                let [much, rest] = [1023, power - 1023].map(|power| d.double(2f64.powi(power)));
                format!("{n} * {much} * {rest}")
            }
        };
        // Less than a quarter of a step is rounded to 0, and scaling it down may raise.
        let vanishing = match exponent > 0 {
            true => format!(
                " WHEN abs({n}) < {} THEN {}",
                d.double(step / 4.0),
                d.double(0.0)
            ),
            false => String::new(),
        };
        let halves = format!(
            "CASE WHEN {n} <= {low} THEN {first} WHEN {n} >= {high} THEN {last}{vanishing} WHEN \
             {n} IS NOT NULL THEN {scaled} END"
        );
        let halves = self.form.bind(Expr::of(&[&number], halves));
        // ⌊y + 1/2⌋ = ⌊(⌊2y⌋ + 1) / 2⌋, and what is halved is positive.
        let from = match 1 - 2 * lower {
            from if from < 0 => format!("- {}", from.unsigned_abs()),
            from => format!("+ {from}"),
        };
        let floor = d.floor(&halves.sql);
        let word = d.quotient(
            &format!("(CAST({floor} AS {}) {from})", d.integer_type()),
            2,
        );
        Ok(Expr::of(
            &[&halves],
            match offset.missing {
                NONE => format!("({word})"),
                missing => format!("coalesce({word}, {missing})"),
            },
        ))
    }
}

fn word_or_null(word: u64) -> String {
    match word {
        NONE => "NULL".to_owned(),
        word => word.to_string(),
    }
}
