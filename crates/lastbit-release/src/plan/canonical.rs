//! The hash of a plan: of what it means, not of how it is written.

use core::fmt::Write;

use super::{ColumnKind, Kind, Missing, Neighbours, Plan, Share};
use crate::loss::Loss;

impl Plan {
    /// A hash of everything that decides what is published: BLAKE3 of [`Plan::canonical`]. Comments, spaces, the order of keys and
    /// the way that numbers are written do not matter; nor does the title, or where the plan's directory is.
    pub fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.canonical().as_bytes()).as_bytes()
    }

    /// [`Plan::hash`] in hexadecimal.
    pub fn hash_hex(&self) -> String {
        blake3::Hash::from_bytes(self.hash()).to_hex().to_string()
    }

    /// The plan in one fixed notation, one fact a line; texts are quoted, so that two plans with the same lines mean the same.
    pub fn canonical(&self) -> String {
        let mut out = String::from("lastbit plan 1\n");
        let mut line = |key: &str, value: &dyn core::fmt::Debug| {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{key} {value:?}");
        };
        line("files", &self.source.paths);
        line("format", &self.source.format);
        line("neighbours", &neighbours(self.neighbours));
        line("unit", &self.unit);
        line("budget", &loss(&self.budget));
        line("spend", &loss(&self.spend));
        line("accountant", &self.accountant.map(|a| a.name()));
        line("confidence", &self.confidence.get().to_string());
        line("publish_fingerprint", &self.publish_fingerprint);
        line("expected_rows", &self.expected_rows);
        let mut columns: Vec<_> = self.columns.iter().collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        for column in columns {
            line("column", &column.name);
            match &column.kind {
                ColumnKind::Categories { names, other } => line("categories", &(names, other)),
                ColumnKind::Discovered => line("discovered", &true),
                ColumnKind::Numeric(numeric) => {
                    let bounds = &numeric.bounds;
                    line("bounds", &[bounds.lower(), bounds.upper()]);
                    line(
                        "missing",
                        &match &numeric.missing {
                            Missing::Drop => None,
                            Missing::Value(value) => Some(value),
                        },
                    );
                    line("grid", &numeric.grid);
                    line("edges", &numeric.edges);
                    line("typical", &numeric.typical);
                    line("in", &numeric.unit);
                }
            }
        }
        for statistic in &self.statistics {
            line("statistic", &statistic.name);
            line(statistic.kind.name(), &statistic.kind.columns());
            if let Kind::Quantiles { at, .. } = &statistic.kind {
                line("at", at);
            }
            line("by", &statistic.by);
            match &statistic.share {
                Share::Loss(loss) => line("loss", loss),
                Share::Weight(weight) => line("weight", weight),
                Share::Error { target, confidence } => line("error", &(target, confidence.get())),
            }
            line("expected_rows", &statistic.expected_rows);
        }
        out
    }
}

fn neighbours(neighbours: Neighbours) -> (&'static str, Option<u64>) {
    match neighbours {
        Neighbours::AddRemove => ("add-remove", None),
        Neighbours::ChangeOne { rows } => ("change-one", rows),
    }
}

fn loss(loss: &Loss) -> (String, String) {
    (
        format!("{:?} {}", loss.measure, loss.main),
        loss.delta.to_string(),
    )
}
