//! A query made ready to run: which columns are read, and which integers ("words") a row becomes.

use hashbrown::HashMap;
use lastbit::statistics::{Grid, NonFinite};

use super::EngineError;
use crate::query::{
    Aggregate, Bins, Categories, Key, MOST_STEPS, Missing, Numeric, Query, Table, Unit,
};

/// A word that says: the row has no such value.
pub(super) const NONE: u64 = u64::MAX;

/// More groups than these, all public, are refused: their memory would be taken whatever the data.
const MOST_GROUPS: usize = 1 << 24;

/// A query made ready to run.
#[derive(Debug)]
pub(super) struct Layout {
    /// The columns that are read, each once.
    pub columns: Vec<String>,
    pub unit: Option<UnitLayout>,
    /// The words of a row, each once.
    pub features: Vec<Feature>,
    pub tables: Vec<TableLayout>,
    pub hash_key: [u8; 32],
}

#[derive(Debug)]
pub(super) struct UnitLayout {
    pub column: usize,
    pub most_rows: u64,
    pub most_groups: u64,
}

/// How a cell becomes a word: below [`MOST_STEPS`] + 1, or [`NONE`].
#[derive(Debug)]
pub(super) enum Feature {
    /// Steps from the lower bound.
    Offset(Offset),
    /// The index of a category.
    Category {
        column: usize,
        names: HashMap<String, u64>,
        /// Categories that are written as whole numbers.
        numbers: HashMap<i64, u64>,
        other: u64,
    },
    /// The index of a bin: how many of the inner edges are at or below the offset.
    Bin { offset: Offset, inner: Vec<u64> },
}

#[derive(Debug)]
pub(super) struct Offset {
    pub column: usize,
    /// Clamps infinities; NaN never reaches it.
    pub grid: Grid,
    pub missing: u64,
}

#[derive(Debug)]
pub(super) struct TableLayout {
    /// Public keys: the feature, and how many values it has.
    pub publics: Vec<(usize, usize)>,
    /// Columns of discovered keys.
    pub discovered: Vec<usize>,
    /// For each key in the order of the plan, whether it is discovered.
    pub is_discovered: Vec<bool>,
    /// How many groups the public keys make: at most 2^24.
    pub public_groups: usize,
    pub aggregates: Vec<AggregateLayout>,
    /// The features that the aggregates use, each once, in increasing order.
    pub used: Vec<usize>,
}

/// Aggregates of features, by their place in [`TableLayout::used`].
#[derive(Clone, Copy, Debug)]
pub(super) enum AggregateLayout {
    Rows,
    Moments(usize),
    Products(usize, usize),
    Counts { feature: usize, values: usize },
    Offsets(usize),
}

impl Layout {
    /// Refuses what no data could answer: grids that are too fine, edges out of order, no such category.
    pub(super) fn new(query: &Query) -> Result<Layout, EngineError> {
        let mut builder = Builder::default();
        let unit = match &query.unit {
            Unit::Row => None,
            Unit::Column {
                name,
                most_rows,
                most_groups,
            } => {
                if *most_rows == 0 || *most_groups == 0 {
                    return refuse(
                        "a unit needs at least one row and one group; raise most_rows or most_groups to 1",
                    );
                }
                Some(UnitLayout {
                    column: builder.column(name),
                    most_rows: *most_rows,
                    most_groups: *most_groups,
                })
            }
        };
        let tables = query
            .tables
            .iter()
            .map(|table| builder.table(table))
            .collect::<Result<_, _>>()?;
        Ok(Layout {
            columns: builder.columns,
            unit,
            features: builder.features,
            tables,
            hash_key: query.hash_key,
        })
    }
}

#[derive(Default)]
struct Builder {
    columns: Vec<String>,
    features: Vec<Feature>,
    /// What a feature was made from, so that equal ones are made once.
    known: HashMap<String, usize>,
}

impl Builder {
    fn column(&mut self, name: &str) -> usize {
        let found = self.columns.iter().position(|column| column == name);
        found.unwrap_or_else(|| {
            self.columns.push(name.to_owned());
            self.columns.len() - 1
        })
    }

    fn table(&mut self, table: &Table) -> Result<TableLayout, EngineError> {
        let mut publics = Vec::new();
        let mut discovered = Vec::new();
        for key in &table.keys {
            match key {
                Key::Categories(categories) => {
                    publics.push((self.category(categories)?, categories.names.len()));
                }
                Key::Bins(bins) => publics.push((self.bin(bins)?, bins.edges.len() - 1)),
                Key::Discovered { column } => discovered.push(self.column(column)),
            }
        }
        let public_groups = publics
            .iter()
            .try_fold(1usize, |product, (_, values)| product.checked_mul(*values))
            .filter(|groups| *groups <= MOST_GROUPS);
        let Some(public_groups) = public_groups else {
            return refuse(
                "the public keys of a table make more than 2^24 groups; use fewer keys or coarser bins",
            );
        };
        let aggregates: Vec<AggregateLayout> = table
            .aggregates
            .iter()
            .map(|aggregate| self.aggregate(aggregate))
            .collect::<Result<_, _>>()?;
        let mut used: Vec<usize> = aggregates
            .iter()
            .flat_map(AggregateLayout::features)
            .collect();
        used.sort_unstable();
        used.dedup();
        let place = |feature: usize| used.partition_point(|other| *other < feature);
        Ok(TableLayout {
            publics,
            discovered,
            is_discovered: table
                .keys
                .iter()
                .map(|key| matches!(key, Key::Discovered { .. }))
                .collect(),
            public_groups,
            aggregates: aggregates.iter().map(|a| a.map(place)).collect(),
            used,
        })
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Result<AggregateLayout, EngineError> {
        Ok(match aggregate {
            Aggregate::Rows => AggregateLayout::Rows,
            Aggregate::Moments(numeric) => AggregateLayout::Moments(self.offset(numeric)?),
            Aggregate::Products(x, y) => {
                AggregateLayout::Products(self.offset(x)?, self.offset(y)?)
            }
            Aggregate::Bins(bins) => AggregateLayout::Counts {
                feature: self.bin(bins)?,
                values: bins.edges.len() - 1,
            },
            Aggregate::Categories(categories) => AggregateLayout::Counts {
                feature: self.category(categories)?,
                values: categories.names.len(),
            },
            Aggregate::Offsets(numeric) => AggregateLayout::Offsets(self.offset(numeric)?),
        })
    }

    fn feature(&mut self, known: String, feature: Feature) -> usize {
        *self.known.entry(known).or_insert_with(|| {
            self.features.push(feature);
            self.features.len() - 1
        })
    }

    fn offset(&mut self, numeric: &Numeric) -> Result<usize, EngineError> {
        let offset = self.numeric(numeric)?;
        Ok(self.feature(format!("{numeric:?}"), Feature::Offset(offset)))
    }

    fn numeric(&mut self, numeric: &Numeric) -> Result<Offset, EngineError> {
        let column = &numeric.column;
        let given = &numeric.grid;
        // The bounds are multiples of the step already, so this is the same grid.
        let grid = Grid::new(given.bounds(), given.exponent(), NonFinite::ReplaceNan(0.0))
            .map_err(|error| EngineError::Query(error.to_string()))?;
        let (lower, upper) = grid.bounds_in_steps();
        if upper - lower > MOST_STEPS {
            return refuse(&format!(
                "the grid of column `{column}` has {} steps, and at most 2^40 fit; choose a coarser step",
                upper - lower
            ));
        }
        let missing = match numeric.missing {
            Missing::Drop => NONE,
            Missing::Value(value) if value.is_nan() => {
                return refuse(&format!(
                    "missing cells of column `{column}` cannot become NaN; choose a number within the bounds"
                ));
            }
            Missing::Value(value) => {
                let steps = grid
                    .steps(value)
                    .map_err(|error| EngineError::Query(error.to_string()))?;
                steps.abs_diff(lower)
            }
        };
        Ok(Offset {
            column: self.column(column),
            grid,
            missing,
        })
    }

    fn bin(&mut self, bins: &Bins) -> Result<usize, EngineError> {
        let offset = self.numeric(&bins.numeric)?;
        let (lower, upper) = offset.grid.bounds_in_steps();
        let edges = &bins.edges;
        let ordered = edges.len() >= 2 && edges.windows(2).all(|pair| pair[0] < pair[1]);
        if !ordered || edges.first() != Some(&lower) || edges.last() != Some(&upper) {
            return refuse(&format!(
                "the bin edges of column `{}` must increase from its lower to its upper bound",
                bins.numeric.column
            ));
        }
        let inner = edges[1..edges.len() - 1]
            .iter()
            .map(|edge| edge.abs_diff(lower))
            .collect();
        Ok(self.feature(format!("{bins:?}"), Feature::Bin { offset, inner }))
    }

    fn category(&mut self, categories: &Categories) -> Result<usize, EngineError> {
        let Categories {
            column,
            names,
            other,
        } = categories;
        if names.is_empty() || other.is_some_and(|other| other >= names.len()) {
            return refuse(&format!(
                "column `{column}` needs categories, and its `other` must be one of them"
            ));
        }
        let mut codes = HashMap::new();
        let mut numbers = HashMap::new();
        for (code, name) in names.iter().enumerate() {
            if codes.insert(name.clone(), code as u64).is_some() {
                return refuse(&format!(
                    "column `{column}` names the category `{name}` twice; remove one"
                ));
            }
            if let Some(number) = super::cells::whole_number(name) {
                numbers.insert(number, code as u64);
            }
        }
        let feature = Feature::Category {
            column: self.column(column),
            names: codes,
            numbers,
            other: other.map_or(NONE, |code| code as u64),
        };
        Ok(self.feature(format!("{categories:?}"), feature))
    }
}

impl AggregateLayout {
    fn features(&self) -> Vec<usize> {
        match *self {
            AggregateLayout::Rows => vec![],
            AggregateLayout::Moments(x) | AggregateLayout::Offsets(x) => vec![x],
            AggregateLayout::Products(x, y) => vec![x, y],
            AggregateLayout::Counts { feature, .. } => vec![feature],
        }
    }

    fn map(self, place: impl Fn(usize) -> usize) -> AggregateLayout {
        match self {
            AggregateLayout::Rows => AggregateLayout::Rows,
            AggregateLayout::Moments(x) => AggregateLayout::Moments(place(x)),
            AggregateLayout::Offsets(x) => AggregateLayout::Offsets(place(x)),
            AggregateLayout::Products(x, y) => AggregateLayout::Products(place(x), place(y)),
            AggregateLayout::Counts { feature, values } => AggregateLayout::Counts {
                feature: place(feature),
                values,
            },
        }
    }
}

fn refuse<T>(message: &str) -> Result<T, EngineError> {
    Err(EngineError::Query(message.to_owned()))
}
