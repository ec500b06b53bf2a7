//! What is made of the cells of a row before anything is counted.

use std::sync::Arc;

use super::{Lookup, Source};
use crate::expression::Expression;

/// Which rows count, and what is made of their cells, one row at a time: codes are missing cells,
/// public tables are looked up in, rows are filtered, and columns derived. By default nothing.
///
/// These expressions see the columns of the file, and those that are joined or looked up; the
/// filters of tables see derived columns too. A column that is derived or looked up hides one of
/// the file that has its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derive {
    /// Names of columns of the file, and the one texts of cells that are as good as missing.
    pub codes: Vec<(String, Vec<String>)>,
    /// Private tables, of which the rows of a unit get the columns by the unit's key.
    pub joins: Vec<Join>,
    /// Public tables, each of which may be looked up by what is found in those before.
    pub lookups: Vec<Arc<Lookup>>,
    /// Rows count if this is true; where it is false or null they are as if they were not there.
    pub filter: Option<Expression>,
    /// Names and values of derived columns.
    pub columns: Vec<(String, Expression)>,
}

impl Derive {
    /// Whether a column has one value, or is missing, in all rows of a unit: it is joined by the
    /// unit's key, looked up by that key or by a column of this sort, or computed from such columns
    /// alone.
    ///
    /// **Proof.** Let two rows have the same unit, which is compared by its one text.
    ///
    /// - *Joined.* The engine keeps at most one row of the joined table for each text of a unit
    ///   (`engine/files/join.rs`: a map from that text), and gives its cells to every row with
    ///   that text; without a row there, a missing cell. So both rows have the same cells.
    /// - *Looked up.* A public table has at most one row for each text of its key ([`Lookup`]). If
    ///   that key is the unit's column, both rows have the same text of it; if it has one value in
    ///   the rows of a unit, too.
    /// - *Computed.* An expression is a function of the cells that it names, row by row.
    ///
    /// Codes of missing cells, categories (one of them, `other`, or none), bins and discovered
    /// values are functions of the one cell: so both rows fall into one group, or neither counts. ∎
    ///
    /// No loss rests on this alone: the scan is told to keep so many groups of a unit and no more,
    /// and what is proved here is that this leaves out nothing.
    pub fn is_of_unit(&self, name: &str, unit: &str) -> bool {
        match self.columns.iter().find(|(other, _)| other == name) {
            Some((_, expression)) => {
                let mut columns = expression.columns().iter();
                columns.all(|column| self.is_source_of_unit(column, unit, self.lookups.len()))
            }
            None => self.is_source_of_unit(name, unit, self.lookups.len()),
        }
    }

    /// The same of a column of the file, of a joined table or of the first `tables` look-ups: as
    /// engines find it, in the last of them that has it.
    fn is_source_of_unit(&self, name: &str, unit: &str, tables: usize) -> bool {
        let mut before = self.lookups[..tables].iter().enumerate().rev();
        let has = |columns: &[String], name: &str| columns.iter().any(|other| other == name);
        match before.find(|(_, lookup)| has(lookup.columns(), name)) {
            Some((table, lookup)) => {
                self.is_key(lookup.key(), unit) || self.is_source_of_unit(lookup.key(), unit, table)
            }
            None => self.joins.iter().any(|join| has(&join.columns, name)),
        }
    }

    /// Whether the key of a look-up is the unit, as the file has it: neither computed nor from
    /// another table.
    fn is_key(&self, key: &str, unit: &str) -> bool {
        let looked_up = self.lookups.iter().flat_map(|lookup| lookup.columns());
        let joined = self.joins.iter().flat_map(|join| &join.columns);
        let computed = self.columns.iter().map(|(name, _)| name);
        key == unit
            && !looked_up
                .chain(joined)
                .chain(computed)
                .any(|name| name == unit)
    }
}

/// A private table that is joined by the unit's key: at most one row of each unit, chosen by a
/// keyed hash of what it says if there are several. A unit without a row there has missing cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Where its rows are.
    pub source: Source,
    /// The column of the unit in the data. A plan whose unit is another is not priced.
    pub key: String,
    /// What the column of the unit is called in the joined table.
    pub unit: String,
    /// The columns that rows get from it.
    pub columns: Vec<String>,
}
