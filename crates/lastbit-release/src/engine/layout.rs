//! A query made ready to run: which columns are read, and which integers ("words") a row becomes.

use std::sync::Arc;

use hashbrown::HashMap;
use lastbit::statistics::Grid;
use lastbit_exact::{Rational, Rounding};

use super::EngineError;
use crate::expression::Expression;
use crate::query::{
    Aggregate, GroupKey, Key, KeyValue, MOST_OFFSETS, MOST_STEPS, Query, States, Table,
};
use crate::schema::{Categories, Numbers, Unit};
use crate::value::{Value, value};

/// A word that says: the row has no such value.
pub(super) const NONE: u64 = u64::MAX;

/// More groups than these, all public, are refused: their memory would be taken whatever the data.
const MOST_GROUPS: usize = 1 << 24;

/// A query made ready to run.
#[derive(Debug)]
pub(super) struct Layout {
    /// The columns that are read, each once.
    pub columns: Vec<String>,
    /// The filters of tables, each once.
    pub filters: Vec<Expression>,
    /// The column of the unit, unless every row is one.
    pub unit: Option<usize>,
    /// The words of a row, each once.
    pub features: Vec<Feature>,
    pub tables: Vec<TableLayout>,
    pub hash_key: [u8; 32],
}

/// How a cell becomes a word: at most [`MOST_OFFSETS`], at most [`MOST_STEPS`] where products are
/// summed, or [`NONE`].
#[derive(Debug)]
pub(super) enum Feature {
    /// Steps from the lower bound.
    Offset(Offset),
    /// The index of a category.
    Category {
        column: usize,
        /// By the one text of each.
        names: HashMap<String, u64>,
        /// Categories that are whole numbers.
        numbers: HashMap<i64, u64>,
        other: u64,
    },
    /// The index of a bin.
    Bin {
        column: usize,
        bins: Bins,
        missing: u64,
    },
    /// The state of a number: below the bounds, above them, none, or as it should be.
    NumberState {
        column: usize,
        lower: f64,
        upper: f64,
    },
    /// The state of a text: missing, and of listed ones not listed, or as it should be.
    TextState {
        column: usize,
        /// The words of listed texts, if they are listed.
        listed: Option<usize>,
    },
}

/// Where all bins but the first begin; they do not decrease.
#[derive(Debug)]
pub(super) struct Bins(Vec<f64>);

impl Bins {
    /// Where all bins but the first begin.
    pub(super) fn edges(&self) -> &[f64] {
        &self.0
    }

    /// The bin of a number that is not NaN.
    pub(super) fn bin(&self, number: f64) -> usize {
        self.0.partition_point(|edge| *edge <= number)
    }
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
    /// Which of [`Layout::filters`] a row must pass.
    pub filter: Option<usize>,
    /// The most rows of a unit in a group; of no meaning if every row is a unit.
    pub most_rows: u64,
    /// The most groups of a unit.
    pub most_groups: u64,
    /// Public keys: the feature, and how many values it has.
    pub publics: Vec<(usize, usize)>,
    /// Columns of discovered keys.
    pub discovered: Vec<usize>,
    /// For each key in the order of the plan, whether it is discovered.
    pub is_discovered: Vec<bool>,
    /// How many groups the public keys make: at most 2^24.
    pub public_groups: usize,
    pub aggregates: Vec<AggregateLayout>,
    /// Whether it is of what is kept of units, and has one group.
    pub is_of_units: bool,
    /// The features that the aggregates use, each once, in increasing order.
    pub used: Vec<usize>,
}

/// Aggregates of features, by their place in [`TableLayout::used`].
#[derive(Clone, Debug)]
pub(super) enum AggregateLayout {
    Rows,
    Kept,
    Sum(usize),
    Moments(usize),
    Products(usize, usize),
    FineProducts(usize, usize),
    Counts { feature: usize, values: usize },
    Offsets(usize),
    Gram(Vec<usize>),
}

impl Layout {
    /// Refuses what no data could answer: grids that are too fine, edges out of order, no such
    /// category.
    pub(super) fn new(query: &Query) -> Result<Layout, EngineError> {
        let mut builder = Builder::default();
        let unit = match &query.unit {
            Unit::Row => None,
            Unit::Column { name, .. } => Some(builder.column(name)),
        };
        let tables = query
            .tables
            .iter()
            .map(|table| builder.table(table, &query.unit))
            .collect::<Result<_, _>>()?;
        Ok(Layout {
            columns: builder.columns,
            filters: builder.filters,
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
    filters: Vec<Expression>,
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

    fn filter(&mut self, filter: &Expression) -> usize {
        let found = self.filters.iter().position(|other| other == filter);
        found.unwrap_or_else(|| {
            self.filters.push(filter.clone());
            self.filters.len() - 1
        })
    }

    fn table(&mut self, table: &Table, unit: &Unit) -> Result<TableLayout, EngineError> {
        let (most_rows, most_groups) = table.scope.limits(unit).unwrap_or((1, 1));
        if most_rows == 0 || most_groups == 0 {
            return refuse(
                "a unit needs at least one row and one group; raise most_rows or most_groups to 1",
            );
        }
        let mut publics = Vec::new();
        let mut discovered = Vec::new();
        for key in &table.keys {
            match key {
                Key::Categories(categories) => {
                    publics.push((self.category(categories)?, categories.names.len()));
                }
                Key::Bins(numbers) => publics.push((self.bin(numbers)?, numbers.bins())),
                Key::Discovered { column } => discovered.push(self.column(column)),
            }
        }
        let public_groups = publics
            .iter()
            .try_fold(1usize, |product, (_, values)| product.checked_mul(*values))
            .filter(|groups| *groups <= MOST_GROUPS);
        let Some(public_groups) = public_groups else {
            return refuse(
                "the public keys of a table make more than 2^24 groups; use fewer keys or coarser \
                 bins",
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
        let is_of_units = table
            .aggregates
            .iter()
            .any(|aggregate| matches!(aggregate, Aggregate::Kept));
        if is_of_units && (*unit == Unit::Row || table.aggregates.len() > 1) {
            return refuse("what the limits keep is asked of units with rows, and by itself");
        }
        Ok(TableLayout {
            is_of_units,
            filter: table.scope.filter.as_ref().map(|f| self.filter(f)),
            most_rows,
            most_groups,
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
            Aggregate::Kept => AggregateLayout::Kept,
            Aggregate::Sum(x) => AggregateLayout::Sum(self.offset(x, &x.fine, MOST_OFFSETS)?),
            Aggregate::Moments(x) => AggregateLayout::Moments(self.offset(x, &x.grid, MOST_STEPS)?),
            Aggregate::Products(x, y) => AggregateLayout::Products(
                self.offset(x, &x.grid, MOST_STEPS)?,
                self.offset(y, &y.grid, MOST_STEPS)?,
            ),
            Aggregate::FineProducts(x, y) => AggregateLayout::FineProducts(
                self.offset(x, &x.fine, MOST_OFFSETS)?,
                self.offset(y, &y.fine, MOST_OFFSETS)?,
            ),
            Aggregate::Bins(numbers) => AggregateLayout::Counts {
                feature: self.bin(numbers)?,
                values: numbers.bins(),
            },
            Aggregate::Categories(categories) => AggregateLayout::Counts {
                feature: self.category(categories)?,
                values: categories.names.len(),
            },
            Aggregate::States(states) => AggregateLayout::Counts {
                feature: self.state(states)?,
                values: states.labels().len() + 1,
            },
            Aggregate::Gram(columns) => AggregateLayout::Gram(
                columns
                    .iter()
                    .map(|x| self.offset(x, &x.grid, MOST_STEPS))
                    .collect::<Result<_, _>>()?,
            ),
            Aggregate::Offsets(x) => {
                AggregateLayout::Offsets(self.offset(x, &x.grid, MOST_OFFSETS)?)
            }
        })
    }

    fn state(&mut self, states: &States) -> Result<usize, EngineError> {
        let (column, known) = (self.column(states.column()), format!("state {states:?}"));
        let feature = match states {
            States::Numbers(numbers) => {
                // As for edges, a cell is compared with the double nearest to a bound.
                let double = |bound: &Rational| bound.to_f64(Rounding::NearestEven);
                Feature::NumberState {
                    column,
                    lower: double(numbers.bounds.lower()),
                    upper: double(numbers.bounds.upper()),
                }
            }
            States::Categories(categories) => {
                // With no category for others, so that they show.
                let apart = Categories {
                    other: None,
                    ..(**categories).clone()
                };
                Feature::TextState {
                    column,
                    listed: Some(self.category(&apart)?),
                }
            }
            States::Discovered(_) => Feature::TextState {
                column,
                listed: None,
            },
        };
        Ok(self.feature(known, feature))
    }

    fn feature(&mut self, known: String, feature: Feature) -> usize {
        *self.known.entry(known).or_insert_with(|| {
            self.features.push(feature);
            self.features.len() - 1
        })
    }

    fn offset(&mut self, numbers: &Numbers, grid: &Grid, most: i64) -> Result<usize, EngineError> {
        let column = &numbers.column;
        if grid.count() > most.unsigned_abs() {
            return refuse(&format!(
                "the grid of column `{column}` has {} steps, and at most 2^{} fit; choose a \
                 coarser step",
                grid.count(),
                most.ilog2()
            ));
        }
        let missing = match numbers.missing.double() {
            None => NONE,
            Some(value) => {
                let steps = grid
                    .steps(value)
                    .map_err(|error| EngineError::Query(error.to_string()))?;
                steps.abs_diff(grid.bounds_in_steps().0)
            }
        };
        let offset = Offset {
            column: self.column(column),
            grid: grid.clone(),
            missing,
        };
        let known = format!("offset {column:?} {grid:?} {missing}");
        Ok(self.feature(known, Feature::Offset(offset)))
    }

    fn bin(&mut self, numbers: &Numbers) -> Result<usize, EngineError> {
        let column = &numbers.column;
        let inner = numbers.inner_edges();
        // False for NaN too.
        let ordered = inner.windows(2).all(|pair| pair[0] <= pair[1]);
        if !ordered || inner.iter().any(|edge| edge.is_nan()) {
            return refuse(&format!("the bin edges of column `{column}` must increase"));
        }
        let known = format!("bin {column:?} {inner:?} {:?}", numbers.missing);
        let bins = Bins(inner);
        let missing = numbers
            .missing
            .double()
            .map_or(NONE, |value| bins.bin(value) as u64);
        let feature = Feature::Bin {
            column: self.column(column),
            bins,
            missing,
        };
        Ok(self.feature(known, feature))
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
        let mut buffer = String::new();
        for (code, name) in names.iter().enumerate() {
            let code = code as u64;
            let before = match value(name, &mut buffer) {
                Value::Missing => {
                    return refuse(&format!(
                        "column `{column}` has an empty category, and an empty cell is a missing \
                         one; remove it"
                    ));
                }
                Value::Whole(number) => numbers.insert(number, code),
                Value::Text(text) => codes.insert(text.to_owned(), code),
            };
            if before.is_some() {
                return refuse(&format!(
                    "column `{column}` names the category `{name}` twice; remove one"
                ));
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

impl TableLayout {
    /// The values of the keys of a group, in the order of the plan, from its number among the
    /// public ones and the values of discovered keys. The last public key changes fastest.
    pub(super) fn key(&self, mut group: u64, discovered: &GroupKey) -> GroupKey {
        if self.is_of_units {
            return GroupKey::default();
        }
        if self.publics.is_empty() {
            return Arc::clone(discovered);
        }
        let mut publics: Vec<usize> = self
            .publics
            .iter()
            .rev()
            .map(|(_, values)| {
                let value = group % *values as u64;
                group /= *values as u64;
                value as usize
            })
            .collect();
        let mut discovered = discovered.iter();
        self.is_discovered
            .iter()
            .filter_map(|is_discovered| match is_discovered {
                true => discovered.next().cloned(),
                false => publics.pop().map(KeyValue::Public),
            })
            .collect()
    }
}

impl AggregateLayout {
    fn features(&self) -> Vec<usize> {
        match *self {
            AggregateLayout::Gram(ref columns) => columns.clone(),
            AggregateLayout::Rows | AggregateLayout::Kept => vec![],
            AggregateLayout::Sum(x) | AggregateLayout::Moments(x) | AggregateLayout::Offsets(x) => {
                vec![x]
            }
            AggregateLayout::Products(x, y) | AggregateLayout::FineProducts(x, y) => vec![x, y],
            AggregateLayout::Counts { feature, .. } => vec![feature],
        }
    }

    fn map(&self, place: impl Fn(usize) -> usize) -> AggregateLayout {
        match *self {
            AggregateLayout::Gram(ref columns) => {
                AggregateLayout::Gram(columns.iter().map(|x| place(*x)).collect())
            }
            AggregateLayout::Rows => AggregateLayout::Rows,
            AggregateLayout::Kept => AggregateLayout::Kept,
            AggregateLayout::Sum(x) => AggregateLayout::Sum(place(x)),
            AggregateLayout::Moments(x) => AggregateLayout::Moments(place(x)),
            AggregateLayout::Offsets(x) => AggregateLayout::Offsets(place(x)),
            AggregateLayout::Products(x, y) => AggregateLayout::Products(place(x), place(y)),
            AggregateLayout::FineProducts(x, y) => {
                AggregateLayout::FineProducts(place(x), place(y))
            }
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
