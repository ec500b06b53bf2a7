//! The rows of the example of a clinic, in a database.

use std::path::Path;
use std::process::Command;

/// A text of SQL, for systems that read no backslashes.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// The rows of the clinic, as one table with the types that a database would have.
pub fn fill_clinic(run: &mut dyn FnMut(&str), text: &str) {
    run(&format!(
        "CREATE TABLE visits (patient {text}, ward {text}, town {text}, triage {text}, age double \
         precision, days integer, cost {text})"
    ));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clinic/visits.csv.gz");
    let unpacked = Command::new("gzip").arg("-dc").arg(file).output().unwrap();
    assert!(unpacked.status.success());
    let lines = String::from_utf8(unpacked.stdout).unwrap();
    let rows: Vec<String> = lines.lines().skip(1).map(row).collect();
    for rows in rows.chunks(5000) {
        run(&format!("INSERT INTO visits VALUES {}", rows.join(", ")));
    }
}

fn row(line: &str) -> String {
    let cells: Vec<&str> = line.split(',').collect();
    assert_eq!(cells.len(), 7, "a quoted cell: read it as CSV");
    let cell = |(place, cell): (usize, &&str)| match (place, *cell) {
        (_, "") => "NULL".to_owned(),
        (4 | 5, number) => number.to_owned(),
        (_, text) => literal(text),
    };
    let cells: Vec<String> = cells.iter().enumerate().map(cell).collect();
    format!("({})", cells.join(", "))
}
