//! What an inspection finds.

/// What the data do to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// Rows in the files.
    pub rows: u64,
    /// Rows that the filter leaves out.
    pub filtered: u64,
    /// Columns of JSON that the plan reads, and in which no row has a value: all of them count as
    /// missing. Other formats refuse a column that they lack.
    pub never: Vec<String>,
    /// Columns that statistics use, in the order of the plan.
    pub columns: Vec<InspectedColumn>,
    /// What the limits of units leave out; nothing if every row is a unit.
    pub units: Option<InspectedUnits>,
    /// What the filter of each statistic that has one leaves out, if every row is a unit.
    pub filters: Vec<InspectedFilter>,
    /// How often the condition of each share of one is met.
    pub conditions: Vec<InspectedCondition>,
}

impl Inspection {
    /// Rows that the filter keeps: so many cells each column has.
    pub fn kept(&self) -> u64 {
        self.rows.saturating_sub(self.filtered)
    }
}

/// The condition of a share, over the rows that the filters keep.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedCondition {
    /// The name of the statistic.
    pub statistic: String,
    /// The condition, as the plan writes it.
    pub condition: String,
    /// Rows for which it is true.
    pub is_true: u64,
    /// Rows for which it is false.
    pub is_false: u64,
    /// Rows for which it is neither, because a cell is missing or unreadable.
    pub neither: u64,
}

/// The filter of a statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedFilter {
    /// The name of the statistic.
    pub statistic: String,
    /// The rows in its groups without the filter.
    pub rows: u64,
    /// How many of those it leaves out.
    pub filtered: u64,
}

/// A column, over the rows that the filter keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedColumn {
    /// Its name.
    pub name: String,
    /// What was seen in it.
    pub cells: InspectedCells,
}

/// The cells of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InspectedCells {
    /// Of numbers.
    Numbers {
        /// Cells that are cut to the lower bound.
        below: u64,
        /// Cells that are cut to the upper bound.
        above: u64,
        /// Cells that are not a number.
        no_number: u64,
        /// How many of those are empty or a code of missing ones; `None` if that cannot be told, as
        /// in a column that is computed from others.
        missing: Option<u64>,
    },
    /// Of texts from a public list.
    Categories {
        /// Listed categories that no cell has, except the one that unlisted cells count as.
        absent: Vec<String>,
        /// Cells that are missing.
        missing: u64,
        /// Cells that are not on the list.
        unlisted: u64,
        /// The commonest values that are not on the list, each with its number of cells.
        commonest: Vec<(String, u64)>,
    },
    /// Of texts to be discovered.
    Discovered {
        /// How many there are.
        values: u64,
        /// Cells that are missing.
        missing: u64,
    },
}

/// What the limits of units leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedUnits {
    /// How many units there are.
    pub units: u64,
    /// Rows without a unit.
    pub without: u64,
    /// Units that have more rows in all than count in one group.
    pub beyond: u64,
    /// What each statistic leaves out, by its own filter and limits.
    pub statistics: Vec<InspectedStatistic>,
}

/// What a statistic leaves out of the rows that have a unit and are in one of its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InspectedStatistic {
    /// Its name.
    pub name: String,
    /// Rows that its own filter leaves out; nothing if it has none.
    pub filtered: Option<u64>,
    /// The rows that would count without limits.
    pub rows: u64,
    /// How many of those its limits leave out: its own, or those of the plan where it has none.
    pub left_out: u64,
    /// The most rows of a unit that count in a group.
    pub most_rows: u64,
    /// The most groups in which a unit counts.
    pub most_groups: u64,
}
