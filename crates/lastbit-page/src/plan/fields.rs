//! The text of a plan, and where things stand in it.

use serde_json::Value;
use toml_edit::{Document, Item, Table, TableLike};

/// A text, read once for all that look at it.
#[derive(Debug)]
pub struct Read<'a> {
    /// As it was given.
    pub text: &'a str,
    document: Option<Document<&'a str>>,
}

impl<'a> Read<'a> {
    /// Reads a text, which may be no TOML.
    pub fn new(text: &'a str) -> Read<'a> {
        Read {
            text,
            document: Document::parse(text).ok(),
        }
    }

    /// All of it; `None` if it is no TOML.
    pub fn root(&self) -> Option<&Table> {
        self.document.as_ref().map(|document| document.as_table())
    }
}

/// A step from a table to what is in it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// A key.
    Key(String),
    /// A place in a list.
    Index(usize),
}

impl Step {
    /// For the script.
    pub fn json(&self) -> Value {
        match self {
            Step::Key(key) => Value::from(key.as_str()),
            Step::Index(index) => Value::from(*index),
        }
    }
}

/// Every key and table of a text, with the byte at which it begins.
#[derive(Debug, Default)]
pub struct Places(Vec<(usize, Vec<Step>, bool)>);

impl Places {
    /// Of a text; none if it is no TOML.
    pub fn of(read: &Read<'_>) -> Places {
        let mut places = Places::default();
        if let Some(root) = read.root() {
            places.walk(root, &mut Vec::new());
        }
        places.0.sort_by_key(|(start, ..)| *start);
        places
    }

    /// What stands at a byte: the last key or table that begins there or before.
    pub fn at(&self, at: usize) -> Option<&[Step]> {
        let (_, path, _) = self.0.iter().rev().find(|(start, ..)| *start <= at)?;
        Some(path)
    }

    /// The tables with a header of their own: where each begins, and where the next one does.
    pub fn sections(&self, end: usize) -> Vec<(usize, usize, &[Step])> {
        let tables: Vec<_> = self.0.iter().filter(|(.., table)| *table).collect();
        let ends = tables.iter().skip(1).map(|(start, ..)| *start).chain([end]);
        let pairs = tables.iter().zip(ends);
        pairs
            .map(|((start, path, _), end)| (*start, end, path.as_slice()))
            .collect()
    }

    fn walk(&mut self, table: &dyn TableLike, path: &mut Vec<Step>) {
        for (name, item) in table.iter() {
            path.push(Step::Key(name.to_owned()));
            let key = table.key(name).and_then(|key| key.span());
            match item {
                Item::Table(table) => {
                    if let (Some(span), false) = (table.span(), table.is_implicit()) {
                        self.0.push((span.start, path.clone(), true));
                    }
                    self.walk(table, path);
                }
                Item::ArrayOfTables(tables) => {
                    for (index, table) in tables.iter().enumerate() {
                        path.push(Step::Index(index));
                        if let Some(span) = table.span() {
                            self.0.push((span.start, path.clone(), true));
                        }
                        self.walk(table, path);
                        path.pop();
                    }
                }
                item => {
                    if let Some(span) = key.or(item.span()) {
                        self.0.push((span.start, path.clone(), false));
                    }
                    if let Some(inline) = item.as_inline_table() {
                        self.walk(inline, path);
                    }
                }
            }
            path.pop();
        }
    }
}
