//! Which statistics of a plan add up.

use std::collections::BTreeSet;

use crate::plan::{Neighbours, Plan, Statistic};
use crate::schema::{ColumnKind, Missing, Scope, Unit};

/// The most axes of tied tables, and the most cells of all of them together.
const MOST_AXES: usize = 8;
const MOST_CELLS: u64 = 200_000;

/// The meaning of a statistic's numbers, if those of groups add up to those of all rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Additive {
    /// What is counted or added.
    pub what: Quantity,
    /// The column that splits each group into its values.
    pub split: Option<String>,
}

impl Additive {
    /// Numbers of which a group has one.
    pub fn of(what: Quantity) -> Additive {
        Additive { what, split: None }
    }
}

/// What is counted or added: equal quantities of the same rows are the same numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Rows.
    Rows,
    /// Units, each once in a group.
    Units,
    /// The total of what rows have, in words that tell one such total from another.
    Sum(String),
}

/// Statistics whose exact numbers are margins of one table of the same rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The statistics, in the order of the plan.
    pub members: Vec<Member>,
    /// The number of values of each column that they are grouped by.
    pub sizes: Vec<usize>,
    /// What all cells of a table add up to, if that is public.
    pub total: Option<u64>,
    /// For a unit with several rows: the statistic whose groups the limits apply to, so that all
    /// describe the same rows.
    pub finest: Option<usize>,
}

/// A statistic of a family.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its place in the plan.
    pub statistic: usize,
    /// The columns that it is grouped by, as places in [`Family::sizes`]; the last changes fastest.
    pub axes: Vec<usize>,
}

/// A statistic that could add up with others.
struct Candidate<'a> {
    index: usize,
    adds: Additive,
    statistic: &'a Statistic,
    columns: Vec<String>,
    /// A row is left out if it lacks a value in one of these columns.
    drops: BTreeSet<String>,
}

/// The families of a plan, and why other statistics, which could add up, do not.
pub(crate) fn find(plan: &Plan) -> (Vec<Family>, Vec<String>) {
    let mut apart = Vec::new();
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (index, statistic) in plan.statistics.iter().enumerate() {
        let Some(adds) = statistic.kind.adds() else {
            continue;
        };
        let mut columns = statistic.by.clone();
        columns.extend(adds.split.clone());
        let candidate = Candidate {
            drops: columns
                .iter()
                .filter(|name| drops(plan, name))
                .cloned()
                .collect(),
            index,
            adds,
            statistic,
            columns,
        };
        match alone(plan, &candidate) {
            None => candidates.push(candidate),
            Some(why) => apart.push(format!(
                "\"{}\" is not made to add up: {why}",
                statistic.name
            )),
        }
    }
    let mut families = Vec::new();
    let mut tied = BTreeSet::new();
    for (place, first) in candidates.iter().enumerate() {
        if tied.contains(&first.index) {
            continue;
        }
        let all = candidates[place..].iter();
        let mut same: Vec<&Candidate<'_>> = all
            .filter(|other| !tied.contains(&other.index) && differ(plan, first, other).is_none())
            .collect();
        let mut finest = None;
        if let Unit::Column { .. } = plan.unit {
            let most = same.iter().map(|c| c.columns.len()).max().unwrap_or(0);
            let Some(found) = same.iter().find(|c| c.columns.len() == most).copied() else {
                continue;
            };
            if !is_within(first, found) {
                continue;
            }
            same.retain(|c| is_within(c, found));
            if found.adds.what == Quantity::Units && groups_of_unit(plan, found) > 1 {
                let names: Vec<String> = same
                    .iter()
                    .map(|c| format!("\"{}\"", c.statistic.name))
                    .collect();
                if same.len() > 1 {
                    apart.push(format!(
                        "{} are not made to add up: a unit counts in several groups; set \
                         `most_groups` to 1",
                        names.join(" and ")
                    ));
                }
                tied.extend(same.iter().map(|c| c.index));
                continue;
            }
            finest = Some(found.index);
        }
        let total = public_total(plan, first);
        if same.len() < 2 && (total.is_none() || first.columns.is_empty()) {
            continue;
        }
        let family = family(plan, &same, total, finest);
        let cells: u64 = family.members.iter().map(|m| family.cells(m)).sum();
        if family.sizes.len() > MOST_AXES || cells > MOST_CELLS {
            apart.push(format!(
                "\"{}\" and those like it are not made to add up: they are by more than \
                 {MOST_AXES} columns, or have more than {MOST_CELLS} numbers",
                first.statistic.name
            ));
        } else {
            families.push(family);
        }
        tied.extend(same.iter().map(|c| c.index));
    }
    for candidate in candidates.iter().filter(|c| !tied.contains(&c.index)) {
        let others = candidates.iter().filter(|other| {
            other.index != candidate.index && other.adds.what == candidate.adds.what
        });
        // It is not within the one that groups the same rows by the most columns.
        let same = others
            .clone()
            .filter(|other| differ(plan, candidate, other).is_none());
        let finest = same.max_by_key(|other| other.columns.len());
        let reason = match finest {
            Some(finest) => Some((finest, not_within())),
            None => others
                .filter_map(|other| Some((other, differ(plan, candidate, other)?)))
                .next(),
        };
        if let Some((other, why)) = reason {
            apart.push(format!(
                "\"{}\" is not made to add up with \"{}\": {why}",
                candidate.statistic.name, other.statistic.name
            ));
        }
    }
    (families, apart)
}

impl Family {
    /// How many numbers a member has.
    pub fn cells(&self, member: &Member) -> u64 {
        let sizes = member.axes.iter().map(|&axis| self.sizes[axis] as u64);
        sizes.fold(1, u64::saturating_mul)
    }
}

fn family(
    plan: &Plan,
    same: &[&Candidate<'_>],
    total: Option<u64>,
    finest: Option<usize>,
) -> Family {
    let mut columns: Vec<&String> = Vec::new();
    for column in same.iter().flat_map(|c| &c.columns) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let axis = |name: &String| columns.iter().position(|other| *other == name);
    Family {
        members: same
            .iter()
            .map(|c| Member {
                statistic: c.index,
                axes: c.columns.iter().filter_map(axis).collect(),
            })
            .collect(),
        sizes: columns
            .iter()
            .map(|name| {
                let kind = plan.column(name).map(|column| &column.kind);
                kind.and_then(ColumnKind::values).unwrap_or(1) as usize
            })
            .collect(),
        total,
        finest,
    }
}

/// Whether rows are left out where this column has no value.
fn drops(plan: &Plan, name: &str) -> bool {
    match plan.column(name).map(|column| &column.kind) {
        Some(ColumnKind::Categories(categories)) => categories.other.is_none(),
        Some(ColumnKind::Numbers(numbers)) => numbers.missing == Missing::Drop,
        Some(ColumnKind::Discovered) | None => true,
    }
}

/// Why a statistic adds up with no other; `None` if it may.
fn alone(plan: &Plan, candidate: &Candidate<'_>) -> Option<String> {
    if plan.is_discovered(candidate.statistic) {
        return Some("groups of discovered keys below their threshold are not shown".to_owned());
    }
    if candidate.adds.split.is_some() && plan.unit != Unit::Row {
        return Some(
            "the limits of a unit's rows do not apply to each of its bins; use a count by the \
             column instead"
                .to_owned(),
        );
    }
    None
}

/// Why two statistics describe different rows or different numbers.
fn differ(plan: &Plan, a: &Candidate<'_>, b: &Candidate<'_>) -> Option<String> {
    let (of_a, of_b) = (&a.statistic.scope, &b.statistic.scope);
    if a.adds.what != b.adds.what {
        return Some("their numbers mean different things".to_owned());
    }
    if of_a.filter != of_b.filter {
        return Some("they have different conditions in `where`".to_owned());
    }
    if limits(plan, of_a) != limits(plan, of_b) {
        return Some("they have different limits, `most_rows` or `most_groups`".to_owned());
    }
    let column = a.drops.symmetric_difference(&b.drops).next()?;
    let remedy = match plan.column(column).map(|column| &column.kind) {
        Some(ColumnKind::Numbers(_)) => "set its `missing` to a number",
        _ => "name one of its categories as `other`",
    };
    Some(format!(
        "rows without a listed `{column}` are left out of one of them; {remedy}"
    ))
}

fn limits(plan: &Plan, scope: &Scope) -> Option<(u64, u64)> {
    scope.limits(&plan.unit)
}

/// In how many groups of a statistic a unit counts.
fn groups_of_unit(plan: &Plan, candidate: &Candidate<'_>) -> u64 {
    let (_, most) = plan.limits(candidate.statistic).unwrap_or((1, 1));
    let there = plan.public_groups(candidate.statistic);
    there.map_or(most, |there| most.min(there))
}

fn is_within(candidate: &Candidate<'_>, finest: &Candidate<'_>) -> bool {
    let mut columns = candidate.columns.iter();
    columns.all(|column| finest.columns.contains(column))
}

/// Why two statistics of the same rows are not tied: the limits of a unit's rows apply only to the
/// groups of one of them.
fn not_within() -> String {
    "the limits of a unit's rows apply to the groups of one of them, which lacks a column that the \
     other is by; add a statistic by all columns of both"
        .to_owned()
}

/// The number of rows, if it is public and all of them count.
fn public_total(plan: &Plan, candidate: &Candidate<'_>) -> Option<u64> {
    let is_filtered = plan.derive.filter.is_some() || candidate.statistic.scope.filter.is_some();
    match (plan.neighbours, &plan.unit) {
        (Neighbours::ChangeOne { rows }, Unit::Row)
            if candidate.adds.what == Quantity::Rows
                && candidate.drops.is_empty()
                && !is_filtered =>
        {
            rows
        }
        _ => None,
    }
}
