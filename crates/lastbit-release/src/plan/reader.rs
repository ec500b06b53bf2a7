//! Typed access to a TOML document that remembers the place of every value. Numbers are read from
//! their digits, never through a double.

use core::cell::RefCell;
use core::ops::Range;

use lastbit::ParameterError;
use lastbit_exact::Rational;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::PlanError;

/// A table of the document. Keys that nobody asked for are refused by [`Table::finish`].
pub struct Table<'a> {
    text: &'a str,
    /// What it is called in messages, such as `[budget]`.
    name: String,
    table: &'a DeTable<'a>,
    span: Range<usize>,
    asked: RefCell<Vec<&'static str>>,
}

/// A value and its place.
#[derive(Clone)]
pub struct Value<'a> {
    text: &'a str,
    /// Such as "`epsilon` in [budget]".
    name: String,
    value: &'a DeValue<'a>,
    span: Range<usize>,
}

impl<'a> Table<'a> {
    pub fn root(text: &'a str, document: &'a Spanned<DeTable<'a>>) -> Table<'a> {
        Table {
            text,
            name: "the plan".to_owned(),
            table: document.get_ref(),
            span: 0..0,
            asked: RefCell::default(),
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of a key, if the table has it.
    pub fn get(&self, key: &'static str) -> Option<Value<'a>> {
        self.asked.borrow_mut().push(key);
        self.table.get(key).map(|value| Value {
            text: self.text,
            name: format!("`{key}` in {}", self.name),
            value: value.get_ref(),
            span: value.span(),
        })
    }

    pub fn need(&self, key: &'static str, example: &str) -> Result<Value<'a>, PlanError> {
        self.get(key).ok_or_else(|| {
            self.error(format!(
                "{} lacks `{key}`; add, for example, {example}",
                self.name
            ))
        })
    }

    pub fn table(&self, key: &'static str) -> Result<Option<Table<'a>>, PlanError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        value.table(format!("[{key}]")).map(Some)
    }

    /// All entries of a table whose keys are names chosen by the plan.
    pub fn entries(&self) -> Vec<(&'a str, Value<'a>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let value = Value {
                    text: self.text,
                    name: format!("`{}` in {}", key.get_ref(), self.name),
                    value: value.get_ref(),
                    span: value.span(),
                };
                (key.get_ref().as_ref(), value)
            })
            .collect();
        entries.sort_by_key(|(_, value)| value.span.start);
        entries
    }

    /// Refuses keys that were never asked for.
    pub fn finish(&self) -> Result<(), PlanError> {
        let asked = self.asked.borrow();
        let unknown = self
            .table
            .iter()
            .map(|(key, _)| key)
            .filter(|key| !asked.contains(&key.get_ref().as_ref()))
            .min_by_key(|key| key.span().start);
        match unknown {
            None => Ok(()),
            Some(key) => Err(PlanError::at(
                self.text,
                key.span().start,
                format!(
                    "unknown key `{}` in {}; {}",
                    key.get_ref(),
                    self.name,
                    suggestion(key.get_ref(), &asked)
                ),
            )),
        }
    }

    pub fn error(&self, message: impl Into<String>) -> PlanError {
        PlanError::at(self.text, self.span.start, message)
    }
}

impl<'a> Value<'a> {
    pub fn error(&self, message: impl Into<String>) -> PlanError {
        PlanError::at(self.text, self.span.start, message)
    }

    /// An error at a byte of a text, if the plan spells the text without escapes.
    pub fn error_within(&self, at: usize, message: &str) -> Option<PlanError> {
        let text = self.value.as_str()?;
        let written = self.text.get(self.span.clone())?;
        let quotes = ["\"\"\"\n", "'''\n", "\"\"\"", "'''", "\"", "'"];
        let quote = quotes.into_iter().find(|quote| {
            let inner = written.strip_prefix(quote);
            inner.is_some_and(|inner| inner.starts_with(text))
        })?;
        let at = self.span.start + quote.len() + at;
        Some(PlanError::at(
            self.text,
            at,
            format!("{}: {message}", self.name),
        ))
    }

    fn expected(&self, what: &str) -> PlanError {
        self.error(format!(
            "{} must be {what}, got a value of type {}",
            self.name,
            self.value.type_str()
        ))
    }

    pub fn string(&self) -> Result<&'a str, PlanError> {
        self.value
            .as_str()
            .ok_or_else(|| self.expected("text in quotes"))
    }

    pub fn boolean(&self) -> Result<bool, PlanError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.expected("true or false"))
    }

    /// The exact number, bare or as text such as "1/3".
    pub fn number(&self) -> Result<Rational, PlanError> {
        let digits = match self.value {
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            DeValue::Float(float) => float.as_str(),
            DeValue::String(text) => text.as_ref(),
            _ => return Err(self.expected("a decimal number")),
        };
        lastbit::parse_number("the number", &digits.replace('_', "")).map_err(|error| match error {
            ParameterError::NotANumber { source, .. } => {
                self.error(format!("{}: {source}", self.name))
            }
            error => self.error(format!("{}: {error}", self.name)),
        })
    }

    pub fn is_number(&self) -> bool {
        matches!(self.value, DeValue::Integer(_) | DeValue::Float(_))
    }

    pub fn positive(&self) -> Result<Rational, PlanError> {
        let number = self.number()?;
        if number.is_positive() {
            return Ok(number);
        }
        Err(self.error(format!("{} must be positive, got {number}", self.name)))
    }

    /// Strictly between 0 and 1.
    pub fn fraction(&self) -> Result<Rational, PlanError> {
        let number = self.number()?;
        if number.is_positive() && number < Rational::ONE {
            return Ok(number);
        }
        Err(self.error(format!(
            "{} must be strictly between 0 and 1, got {number}",
            self.name
        )))
    }

    /// A whole number of at least 1.
    pub fn count(&self) -> Result<u64, PlanError> {
        let number = self.number()?;
        let whole = (number.floor() == number.ceil()).then(|| number.floor());
        whole
            .and_then(|whole| u64::try_from(whole).ok())
            .filter(|&whole| whole >= 1)
            .ok_or_else(|| {
                self.error(format!(
                    "{} must be a whole number from 1 on, got {number}",
                    self.name
                ))
            })
    }

    pub fn integer(&self) -> Result<i32, PlanError> {
        let number = self.number()?;
        let whole = (number.floor() == number.ceil()).then(|| number.floor());
        whole
            .and_then(|whole| i32::try_from(whole).ok())
            .ok_or_else(|| {
                self.error(format!(
                    "{} must be a whole number, got {number}",
                    self.name
                ))
            })
    }

    /// The items of an array.
    pub fn list(&self) -> Result<Vec<Value<'a>>, PlanError> {
        let array = self
            .value
            .as_array()
            .ok_or_else(|| self.expected("a list in brackets"))?;
        Ok(array
            .iter()
            .map(|item| Value {
                text: self.text,
                name: self.name.clone(),
                value: item.get_ref(),
                span: item.span(),
            })
            .collect())
    }

    /// The items of an array, or the one value that is not an array.
    pub fn list_or_one(&self) -> Result<Vec<Value<'a>>, PlanError> {
        match self.value {
            DeValue::Array(_) => self.list(),
            _ => Ok(vec![self.clone()]),
        }
    }

    /// A text, number, date or Boolean, as it is written.
    pub fn plain(&self) -> Result<String, PlanError> {
        Ok(match self.value {
            DeValue::String(text) => text.as_ref().to_owned(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().replace('_', ""),
            DeValue::Float(float) => float.as_str().replace('_', ""),
            DeValue::Boolean(truth) => truth.to_string(),
            DeValue::Datetime(time) => time.to_string(),
            _ => return Err(self.expected("a text, a number or a date")),
        })
    }

    /// A text, or a list of texts.
    pub fn strings(&self) -> Result<Vec<String>, PlanError> {
        match self.value {
            DeValue::String(text) => Ok(vec![text.as_ref().to_owned()]),
            DeValue::Array(_) => self
                .list()?
                .iter()
                .map(|item| item.string().map(str::to_owned))
                .collect(),
            _ => Err(self.expected("text in quotes, or a list of such")),
        }
    }

    /// A table; `name` is what messages call it.
    pub fn table(&self, name: String) -> Result<Table<'a>, PlanError> {
        let table = self
            .value
            .as_table()
            .ok_or_else(|| self.expected("a table"))?;
        Ok(Table {
            text: self.text,
            name,
            table,
            span: self.span.clone(),
            asked: RefCell::default(),
        })
    }

    /// One of some words.
    pub fn word<T: Copy>(&self, words: &[(&'static str, T)]) -> Result<T, PlanError> {
        let text = self.string()?;
        if let Some((_, found)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*found);
        }
        let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
        Err(self.error(format!(
            "{} cannot be \"{text}\"; {}",
            self.name,
            suggestion(text, &known)
        )))
    }
}

/// "did you mean …?" if a known word is near, else the known words.
pub fn suggestion<W: AsRef<str>>(word: &str, known: &[W]) -> String {
    // Words longer than any known word are near none.
    let short = word.len() <= 64;
    let near = known
        .iter()
        .filter(|_| short)
        .map(|known| (distance(word, known.as_ref()), known.as_ref()))
        .filter(|(distance, known)| *distance <= 1 + known.chars().count() / 4)
        .min();
    match near {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none here".to_owned(),
        None => {
            let mut known: Vec<_> = known.iter().map(AsRef::as_ref).collect();
            known.sort_unstable();
            known.dedup();
            format!("there are: {}", known.join(", "))
        }
    }
}

/// How many insertions, deletions, substitutions and swaps of adjacent letters turn one word into
/// the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
