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

    /// These files of the example are what its script `make.py` writes: the first where it is
    /// told to, others beside it.
    pub fn is_made_by_its_script(&self, files: &[&str]) {
        let directory = tempfile::TempDir::new().unwrap();
        let status = Command::new("python3")
            .arg(self.directory().join("make.py"))
            .arg(directory.path().join(files[0]))
            .status();
        assert!(status.unwrap().success());
        let unpacked = |path: &Path| {
            let code = "import gzip,sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())";
            let output = Command::new("python3")
                .args(["-c", code])
                .arg(path)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", path.display());
            output.stdout
        };
        for file in files {
            let made = unpacked(&directory.path().join(file));
            assert!(made == unpacked(&self.directory().join(file)), "{file}");
        }
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
        Aggregated::Products {
            rows,
            sum_x,
            sum_y,
            products,
        } => format!("{rows} {sum_x} {sum_y} {products}"),
        Aggregated::Gram {
            rows,
            sums,
            products,
        } => format!("{rows} {} {}", spaced(sums), spaced(products)),
        Aggregated::Counts(counts) => spaced(counts),
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
    }
}

fn spaced(integers: &[impl ToString]) -> String {
    let integers: Vec<String> = integers.iter().map(ToString::to_string).collect();
    integers.join(" ")
}
