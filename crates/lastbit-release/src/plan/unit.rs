//! What a unit is made of, in words that change with its meaning.

use core::fmt::Write as _;

use super::{Neighbours, Plan, Unit};
use crate::schema::Derive;

impl Plan {
    /// The privacy unit and neighbour relation; all plans of a ledger must agree.
    ///
    /// A unit that is computed or looked up names all that decides which rows are one unit: its
    /// expression, and the look-up tables and codes of missing cells of the columns that it is made
    /// of. The codes of a unit that is itself a column of the file are no part of it: rows that
    /// lack their unit count nowhere, and the others are the same units as before.
    pub fn protects(&self) -> String {
        let whose = match &self.unit {
            Unit::Row => "each row".to_owned(),
            Unit::Column { name, .. } => format!(
                "all rows of one {name:?}{}{}",
                meaning(&self.derive, name),
                joined(&self.derive, name)
            ),
        };
        match self.neighbours {
            Neighbours::AddRemove => format!("{whose}, added or removed"),
            Neighbours::ChangeOne { .. } => format!("{whose}, changed"),
        }
    }
}

/// The columns that say in joined tables whose their rows are, where those are called otherwise.
fn joined(derive: &Derive, unit: &str) -> String {
    let mut names: Vec<&str> = (derive.joins.iter())
        .map(|join| join.unit.as_str())
        .filter(|name| *name != unit)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
        .iter()
        .map(|name| format!(", called {name:?} in a joined table"))
        .collect()
}

/// What a unit is; nothing if it is a column of the file.
fn meaning(derive: &Derive, unit: &str) -> String {
    let mut made = Made {
        derive,
        seen: vec![],
        text: String::new(),
    };
    match derive.columns.iter().find(|(other, _)| other == unit) {
        Some((_, expression)) => {
            // Writing to a String cannot fail.
            let _ = write!(made.text, ", that is {expression}");
            for column in expression.columns() {
                made.source(column, derive.lookups.len());
            }
        }
        None if is_looked_up(derive, unit) => {
            made.source(unit, derive.lookups.len());
        }
        None => {}
    }
    made.text
}

fn is_looked_up(derive: &Derive, name: &str) -> bool {
    let mut columns = derive.lookups.iter().flat_map(|lookup| lookup.columns());
    columns.any(|column| column == name)
}

struct Made<'a> {
    derive: &'a Derive,
    /// Columns that were described, each with the number of tables that it may come from.
    seen: Vec<(&'a str, usize)>,
    text: String,
}

impl<'a> Made<'a> {
    /// Describes a column of the file or of one of the first `tables` look-ups: as engines find it,
    /// in the last of them that has it.
    fn source(&mut self, name: &'a str, tables: usize) {
        let derive = self.derive;
        let mut before = derive.lookups[..tables].iter().enumerate().rev();
        let found = before.find_map(|(table, lookup)| {
            let column = lookup.columns().iter().position(|other| other == name)?;
            Some((table, lookup, column))
        });
        let at = (name, found.map_or(0, |(table, ..)| table + 1));
        if self.seen.contains(&at) {
            return;
        }
        self.seen.push(at);
        if let Some((table, lookup, column)) = found {
            let _ = write!(
                self.text,
                ", with {name:?} looked up by {:?} in the table {}",
                lookup.key(),
                lookup.hash(column)
            );
            return self.source(lookup.key(), table);
        }
        let mut all = derive.codes.iter();
        if let Some((_, codes)) = all.find(|(other, _)| other == name) {
            let mut codes = codes.clone();
            codes.sort();
            let _ = write!(self.text, ", with {name:?} missing where it is {codes:?}");
        }
    }
}
