//! From a plan to the query that its statistics need.

use crate::plan::{ColumnKind, Kind, Plan, Statistic};
use crate::price::{Form, Moment, Price, PriceError, Prices, Steps, bins};
use crate::query::{Aggregate, Categories, Key, Query, Table};

/// Where in the answer the exact value of a statistic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Which table.
    pub table: usize,
    /// Which value of each of its groups.
    pub value: usize,
}

/// The query of a plan, and for each statistic where its value is. Statistics that share their grouping share a table, and those that
/// need the same integers share them.
pub fn query(plan: &Plan, prices: &Prices) -> Result<(Query, Vec<Slot>), PriceError> {
    let mut tables: Vec<Table> = Vec::new();
    let mut groupings: Vec<&[String]> = Vec::new();
    let mut names: Vec<Vec<String>> = Vec::new();
    let mut slots = Vec::new();
    for (statistic, price) in plan.statistics.iter().zip(&prices.statistics) {
        let table = match groupings.iter().position(|by| *by == &statistic.by[..]) {
            Some(table) => table,
            None => {
                groupings.push(&statistic.by);
                names.push(vec![]);
                tables.push(Table {
                    keys: keys(plan, &statistic.by)?,
                    aggregates: vec![],
                });
                tables.len() - 1
            }
        };
        let (name, aggregate) = aggregate(plan, statistic, price)?;
        let value = match names[table].iter().position(|known| *known == name) {
            Some(value) => value,
            None => {
                names[table].push(name);
                tables[table].aggregates.push(aggregate);
                names[table].len() - 1
            }
        };
        slots.push(Slot { table, value });
    }
    let query = Query {
        source: plan.source.clone(),
        unit: plan.unit.clone(),
        tables,
        hash_key: plan.hash(),
    };
    Ok((query, slots))
}

fn keys(plan: &Plan, by: &[String]) -> Result<Vec<Key>, PriceError> {
    by.iter()
        .map(|name| {
            Ok(match plan.column(name).map(|column| &column.kind) {
                Some(ColumnKind::Categories { names, other }) => Key::Categories(Categories {
                    column: name.clone(),
                    names: names.clone(),
                    other: *other,
                }),
                Some(ColumnKind::Numeric(_)) => Key::Bins(bins(plan, name)?),
                _ => Key::Discovered {
                    column: name.clone(),
                },
            })
        })
        .collect()
}

/// What to compute, and a name that two statistics share if they can share it.
fn aggregate(
    plan: &Plan,
    statistic: &Statistic,
    price: &Price,
) -> Result<(String, Aggregate), PriceError> {
    let label = |x: &Steps| format!("{:?} by 2^{}", x.column, x.grid.exponent());
    let moments = |x: &Steps| {
        let name = format!("moments of {}", label(x));
        (name, Aggregate::Moments(x.numeric()))
    };
    Ok(match &price.form {
        Form::Counts { .. } => match &statistic.kind {
            Kind::Histogram(column) => {
                let name = format!("bins of {column:?}");
                match plan.column(column).map(|column| &column.kind) {
                    Some(ColumnKind::Categories { names, other }) => {
                        let categories = Categories {
                            column: column.clone(),
                            names: names.clone(),
                            other: *other,
                        };
                        (name, Aggregate::Categories(categories))
                    }
                    _ => (name, Aggregate::Bins(bins(plan, column)?)),
                }
            }
            _ => ("rows".to_owned(), Aggregate::Rows),
        },
        Form::Sum { x, .. } => moments(x),
        Form::Fixed { moment, .. } | Form::Shared { moment } => match moment {
            Moment::Mean(x) | Moment::Variance(x) => moments(x),
            Moment::Covariance(x, y) => (
                format!("products of {} and {}", label(x), label(y)),
                Aggregate::Products(x.numeric(), y.numeric()),
            ),
        },
        Form::Quantiles { x, .. } => (
            format!("offsets of {}", label(x)),
            Aggregate::Offsets(x.numeric()),
        ),
    })
}
