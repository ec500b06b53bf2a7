//! `lastbit inspect`: what the data do to a plan, for the steward alone.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use lastbit_release::inspect::{
    InspectedCells, Inspection, NOT_PRIVATE, inspect_not_private, lines, look_first,
};
use lastbit_release::plan::Plan;
use serde_json::{Value, json};

use crate::Usage;
use crate::engine::engine;
use crate::streams::Stdout;

const TEACH: &str = "\
Finds the mistakes of a plan that only the data show: listed categories that do not occur, cells \
that are cut to their bounds, missing or not listed, rows and units that the limits leave out. \
What is most probably a mistake comes first.

THIS IS NOT PRIVATE. It shows exact facts about the data, adds no noise, and spends nothing from \
the ledger. It is for whoever holds the data anyway. Do not publish what it prints, and do not \
choose bounds, categories or limits by it: a choice that depends on the data is a fact about them \
that no loss accounts for. Use it to find out what to ask about, and to correct spelling.";

#[derive(Args)]
#[command(before_long_help = TEACH)]
pub struct Inspect {
    /// The plan
    plan: PathBuf,

    /// Confirm that you know that the output is not private
    #[arg(long)]
    not_private: bool,

    /// Machine-readable output, no more private than the text
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub fn run(self, out: &mut Stdout) -> Result<()> {
        if !self.not_private {
            anyhow::bail!(Usage(
                "inspect shows exact facts about the data, which no noise protects; if you hold \
                 the data and will publish nothing of it, add --not-private"
                    .into()
            ));
        }
        self.show(out)
    }

    fn show(self, out: &mut Stdout) -> Result<()> {
        let plan = Plan::read(&self.plan)?;
        let engine = engine(&plan)?;
        let quiet = Arc::new(|_, _| {});
        let inspection = inspect_not_private(&plan, engine.as_ref(), quiet)?;
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &value(&plan, &inspection))?;
            writeln!(out)?;
            return Ok(());
        }
        for line in lines(&plan, &inspection) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// An inspection for programs of the steward.
fn value(plan: &Plan, inspection: &Inspection) -> Value {
    let kept = inspection.kept();
    let columns = inspection.columns.iter().map(|column| match &column.cells {
        InspectedCells::Numbers {
            below,
            above,
            no_number,
            missing,
        } => json!({
            "name": column.name,
            "cells": kept,
            "below": below,
            "above": above,
            "cut": below + above,
            "no_number": no_number,
            "missing": missing,
        }),
        InspectedCells::Categories {
            absent,
            missing,
            unlisted,
            commonest,
        } => json!({
            "name": column.name,
            "cells": kept,
            "absent": absent,
            "missing": missing,
            "unlisted": unlisted,
            "commonest_unlisted": commonest.iter().map(|(value, cells)| json!({
                "value": value,
                "cells": cells,
            })).collect::<Vec<_>>(),
        }),
        InspectedCells::Discovered { values, missing } => json!({
            "name": column.name,
            "cells": kept,
            "values": values,
            "missing": missing,
        }),
        _ => json!({ "name": column.name }),
    });
    let units = inspection.units.as_ref().map(|units| {
        let statistics = units.statistics.iter().map(|one| {
            json!({
                "name": one.name,
                "filtered": one.filtered,
                "rows": one.rows,
                "left_out": one.left_out,
                "most_rows": one.most_rows,
                "most_groups": one.most_groups,
            })
        });
        json!({
            "units": units.units,
            "rows_without": units.without,
            "beyond_most_rows": units.beyond,
            "statistics": statistics.collect::<Vec<_>>(),
        })
    });
    let filters = inspection.filters.iter().map(
        |one| json!({ "statistic": one.statistic, "rows": one.rows, "filtered": one.filtered }),
    );
    let conditions = inspection.conditions.iter().map(|one| {
        json!({
            "statistic": one.statistic,
            "condition": one.condition,
            "true": one.is_true,
            "false": one.is_false,
            "neither": one.neither,
        })
    });
    json!({
        "schema": 1,
        "not_private": NOT_PRIVATE,
        "look_first": look_first(plan, inspection),
        "rows": inspection.rows,
        "filtered": inspection.filtered,
        "never": inspection.never,
        "columns": columns.collect::<Vec<_>>(),
        "units": units,
        "filters": filters.collect::<Vec<_>>(),
        "conditions": conditions.collect::<Vec<_>>(),
    })
}
