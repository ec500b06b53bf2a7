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

/// A private table that is joined by the unit's key: at most one row of each unit, chosen by a
/// keyed hash of what it says if there are several. A unit without a row there has missing cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Where its rows are.
    pub source: Source,
    /// The column of the unit, which both tables have. A plan whose unit is another is not priced.
    pub key: String,
    /// The columns that rows get from it.
    pub columns: Vec<String>,
}
