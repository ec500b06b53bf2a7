//! Plans, and what must hold for every database.

use std::fs;
use std::path::Path;

use super::support::{Done, Here, numbers};

/// Names that end a quote, a comment or a statement somewhere.
pub fn hostile() -> Vec<String> {
    let mut names: Vec<String> = [
        "it's",
        "say \"so\"",
        "back\\slash",
        "\\' or 1=1 --",
        "'; DROP TABLE hostile; --",
        "%s %d {0} $1 ?",
        "$$x$$",
        "/* comment */",
        "line\nbreak",
        "E'\\x41'",
        "ünïcödé 漢字 🦀",
        "A",
        "a",
        "NULL",
        "null",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push("long ".repeat(2000) + "end");
    names
}

/// A plan that counts rows by the categories of a column, with so much of a budget that no count is
/// off.
pub fn counts(source: &str, column: &str, categories: &[String]) -> String {
    let quoted: Vec<String> = categories.iter().map(|name| toml(name)).collect();
    format!(
        "[source]\n{source}\n[privacy]\nneighbours = \"add-remove\"\n[budget]\nepsilon = \
         100_000\n[columns.{}]\ncategories = [{}]\n[[statistics]]\nname = \"rows\"\nkind \
         = \"count\"\nby = {}\n",
        toml(column),
        quoted.join(", "),
        toml(column)
    )
}

/// A basic string of TOML.
fn toml(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// Releases a plan; which numbers.
pub fn released(here: &Here, plan: &str) -> Vec<Option<String>> {
    here.write("plan.toml", plan);
    let done = here.run(&["release", "plan.toml", "--yes", "--json"]);
    numbers(&done.succeeded().out)
}

/// Releases a plan; which counts, whose noise is too small to be seen.
pub fn released_counts(here: &Here, plan: &str) -> Vec<Option<String>> {
    here.write("plan.toml", plan);
    let done = here
        .run(&["release", "plan.toml", "--yes", "--json"])
        .succeeded();
    let mut report = done.json();
    let statistics = report["statistics"].as_array_mut().unwrap();
    statistics.retain(|statistic| statistic["kind"] == "count" || statistic["kind"] == "histogram");
    assert_eq!(statistics.len(), 5);
    numbers(&report.to_string())
}

/// Refuses a plan for this reason, and spends nothing.
pub fn refused(here: &Here, plan: &str, words: &str) -> Done {
    here.write("plan.toml", plan);
    let done = here
        .run(&[
            "release",
            "plan.toml",
            "--yes",
            "--ledger",
            "refused.ledger",
        ])
        .refused(words);
    if let Some(spent) = here.spent("refused.ledger") {
        assert_eq!(spent, "0");
    }
    done
}

/// That no file, not even the ledger, holds a text.
pub fn nowhere(directory: &Path, secret: &str) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert!(!found, "{}", path.display());
    }
}

/// The plan of the clinic with another source and a budget that leaves no noise, and the same in
/// files.
pub fn clinic(source: &str) -> [String; 2] {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinic");
    let plan = fs::read_to_string(examples.join("plan.toml")).unwrap();
    let files = format!("files = \"{}\"", examples.join("visits.csv.gz").display());
    let with = |source: &str| {
        let (before, rest) = plan.split_once("files = \"visits.csv.gz\"").unwrap();
        format!("{before}{source}{rest}")
            .replace("epsilon = 2\n", "epsilon = 100_000\n")
            .replace("error = 150 ", "weight = 1 ")
    };
    [with(source), with(&files)]
}
