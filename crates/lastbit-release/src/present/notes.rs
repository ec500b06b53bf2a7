//! What a reader of a report should know.

use super::about::many;
use super::guess::budget_in_words;
use super::loss_in_words;
use crate::loss::Loss;
use crate::plan::{Neighbours, Plan};
use crate::schema::{ColumnKind, Missing, NumberKind, Unit};
use crate::statistic::Method;

/// What a reader should know about a release of this loss, one sentence each.
pub fn notes(plan: &Plan, loss: &Loss) -> Vec<String> {
    let mut notes = vec![match (&plan.unit, plan.neighbours) {
        (Unit::Row, Neighbours::AddRemove) => {
            "Each row is protected by itself: the loss bounds what the presence of one row \
             changes. A person with several rows is protected less."
                .to_owned()
        }
        (Unit::Row, Neighbours::ChangeOne { rows }) => format!(
            "Each row is protected by itself: the loss bounds what the contents of one row change; \
             that there are {} rows is public. A person with several rows is protected less.",
            rows.unwrap_or_default()
        ),
        (
            Unit::Column {
                name,
                most_rows,
                most_groups,
            },
            neighbours,
        ) => {
            let change = match neighbours {
                Neighbours::AddRemove => "the presence of all rows of one",
                Neighbours::ChangeOne { .. } => "the contents of all rows of one",
            };
            format!(
                "Rows with the same {name} are one unit: the loss bounds what {change} {name} \
                 changes. At most {} of each {name} {} in a group, and it counts in at most {} of \
                 a statistic{}.",
                many(*most_rows, "row"),
                if *most_rows == 1 { "counts" } else { "count" },
                many(*most_groups, "group"),
                match plan
                    .statistics
                    .iter()
                    .any(|s| plan.limits(s) != Some((*most_rows, *most_groups)))
                {
                    true => ", but where a statistic says otherwise",
                    false => "",
                }
            )
        }
    }];
    notes.extend(loss_in_words(plan, loss));
    notes.extend(budget_in_words(plan, loss));
    if let Some(filter) = &plan.derive.filter {
        notes.push(format!("Only rows where {} count.", filter.written()));
    }
    let used = |name: &str| plan.used_columns().any(|used| used == name);
    for column in plan.columns.iter().filter(|column| used(&column.name)) {
        if let ColumnKind::Numbers(numbers) = &column.kind {
            let (scale, unit) = (numbers.scale, &numbers.unit);
            let unit = match unit.is_empty() || scale.is_calendar() {
                true => String::new(),
                false => format!(" {unit}"),
            };
            let (what, rounded) = match scale {
                NumberKind::Real => (
                    "number",
                    format!("multiples of 2^{}", numbers.grid.exponent()),
                ),
                NumberKind::Whole => ("number", "whole numbers".to_owned()),
                NumberKind::Days => ("date", "whole days".to_owned()),
                NumberKind::Seconds => ("time", "whole seconds".to_owned()),
            };
            let missing = match &numbers.missing {
                Missing::Drop => format!("rows without a {what} are left out"),
                Missing::Value(value) => {
                    format!("a missing {what} counts as {}", scale.show(value))
                }
            };
            let (lower, upper) = (numbers.bounds.lower(), numbers.bounds.upper());
            notes.push(format!(
                "{} is clamped to [{}, {}]{unit} and rounded to {rounded}; {missing}.",
                match &column.title {
                    Some(title) => format!("{title} (`{}`)", column.name),
                    None => column.name.clone(),
                },
                scale.show(lower),
                scale.show(upper)
            ));
        }
    }
    if !plan.families.is_empty() {
        notes.push(
            "Numbers that are made to add up do so to the last digit, and may be below zero for \
             that; each error is that of the number as it is printed."
                .to_owned(),
        );
    }
    notes.extend(plan.apart.iter().map(|why| format!("{why}.")));
    let intervals = plan
        .statistics
        .iter()
        .filter_map(|statistic| match statistic.kind.method() {
            Method::Selection(selected) => Some(selected.has_interval()),
            Method::Noise(_) => None,
        });
    let intervals: Vec<bool> = intervals.collect();
    if !intervals.is_empty() {
        let mut note = "The error of a quantile is in rank: some number within one unit of its \
                        last digit, or one step of its grid if that is more, has a rank that is \
                        off by no more."
            .to_owned();
        if intervals.contains(&true) {
            note += " Its interval holds the exact quantile of the rows that count, by any of the \
                     usual definitions, with the same confidence.";
        }
        if intervals.contains(&false) {
            note += " A quantile without an interval says nothing about a group whose number of \
                     rows is not well above that error.";
        }
        notes.push(note);
    }
    notes
}
