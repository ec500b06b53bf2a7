//! An example of `examples/`, and what is tested of each.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use lastbit_release::engine::query::{Aggregated, Answer};
use lastbit_release::engine::{Options, TableEngine, answer};
use lastbit_release::plan::Plan;
use lastbit_release::present::Report;
use lastbit_release::release::release;
use lastbit_release::statistic::{Slot, query};

/// An example by its name; the script `NAME.py` beside this file computes the same integers.
pub struct Example(pub &'static str);

impl Example {
    pub fn directory(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(self.0)
    }

    pub fn plan(&self) -> Plan {
        Plan::read(&self.directory().join("plan.toml")).unwrap()
    }

    /// The integers, a line for each statistic and group, are those of an independent computation.
    pub fn has_the_same_integers(&self, lines: impl Fn(&Plan, &[Slot], &Answer) -> Vec<String>) {
        let plan = self.plan();
        let (query, slots) = query(&plan, [7; 32]);
        let answer = answer(&query, &Options::default()).unwrap();
        let found = lines(&plan, &slots, &answer);
        let script = format!("tests/language/{}.py", self.0);
        let output = Command::new("python3")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(script))
            .arg(self.directory())
            .arg("07".repeat(32))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let expected = String::from_utf8(output.stdout).unwrap();
        let expected: Vec<&str> = expected.lines().collect();
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.len());
    }

    /// This file of the example is what its script `make.py` writes.
    pub fn is_made_by_its_script(&self, file: &str) {
        let directory = tempfile::TempDir::new().unwrap();
        let made = directory.path().join("made.csv.gz");
        let status = Command::new("python3")
            .arg(self.directory().join("make.py"))
            .arg(&made)
            .status();
        assert!(status.unwrap().success());
        let unpacked = |path: &Path| {
            let code = "import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())";
            let output = Command::new("python3")
                .args(["-c", code])
                .arg(path)
                .output();
            output.unwrap().stdout
        };
        assert!(unpacked(&made) == unpacked(&self.directory().join(file)));
    }

    pub fn released(&self) -> Report {
        let directory = tempfile::TempDir::new().unwrap();
        let ledger = directory.path().join("lastbit.ledger");
        let engine = TableEngine::default();
        let released = release(&self.plan(), &ledger, &engine, Arc::new(|_, _| {})).unwrap();
        released.report().clone()
    }
}

/// The integers of an answer as the scripts print them.
pub fn written(value: &Aggregated) -> String {
    match value {
        Aggregated::Rows(rows) => rows.to_string(),
        Aggregated::Sum { rows, sum } => format!("{rows} {sum}"),
        Aggregated::Moments { rows, sum, squares } => format!("{rows} {sum} {squares}"),
        Aggregated::Counts(counts) => {
            let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
            counts.join(" ")
        }
        Aggregated::Offsets(offsets) => {
            let pairs = offsets
                .iter()
                .map(|(value, rows)| format!("{value}:{rows}"));
            pairs.collect::<Vec<_>>().join(" ")
        }
        Aggregated::Kept {
            units,
            cut,
            left_out,
        } => format!("{units} {cut} {left_out}"),
        other => panic!("{other:?}"),
    }
}
