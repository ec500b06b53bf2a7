//! Terminal, JSON and CSV.

use super::clinic::{HOSTILE, clinic, renamed};
use lastbit_release::present::{ReportError, csv, from_json, text, to_json};

#[test]
fn json_reads_back_as_the_same_report() {
    for report in HOSTILE.iter().map(|name| renamed(name)).chain([clinic()]) {
        assert_eq!(from_json(&to_json(&report)).unwrap(), report);
    }
}

#[test]
fn other_json_is_refused_with_the_reason() {
    let other = to_json(&clinic()).replace("\"schema\": 1", "\"schema\": 2");
    assert!(matches!(
        from_json(&other),
        Err(ReportError::OtherSchema(2))
    ));
    for text in ["", "{}", "[1]", "{\"schema\": 1}", "nonsense"] {
        let error = from_json(text).unwrap_err().to_string();
        assert!(
            error.starts_with("this is not a report of lastbit"),
            "{error}"
        );
    }
}

/// The keys of the schema, as `docs/report.md` lists them: a change of either without the other
/// fails.
#[test]
fn the_documented_fields_are_those_of_the_json() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/report.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let value: serde_json::Value = serde_json::from_str(&to_json(&clinic())).unwrap();
    for (section, object) in [
        ("## The report", &value),
        ("## A statistic", &value["statistics"][0]),
        ("## A number", &value["statistics"][0]["cells"][0]),
        ("## The receipt", &value["receipt"]),
    ] {
        let part = guide
            .split(section)
            .nth(1)
            .unwrap_or_else(|| panic!("{section}"));
        let part = part.split("\n## ").next().unwrap();
        let documented: Vec<&str> = part
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
            .collect();
        let present: Vec<&str> = object
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(documented, present, "{section}");
    }
}

/// Reads CSV as RFC 4180 says.
fn records(csv: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut characters = csv.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            c => field.push(c),
        }
    }
    assert!(record.is_empty() && field.is_empty() && !quoted);
    records
}

#[test]
fn csv_has_one_line_a_number_whatever_the_names() {
    for report in HOSTILE.iter().map(|name| renamed(name)).chain([clinic()]) {
        let records = records(&csv(&report));
        let numbers: usize = report.statistics.iter().map(|one| one.cells.len()).sum();
        assert_eq!(records.len(), numbers + 1);
        assert!(
            records
                .iter()
                .all(|record| record.len() == records[0].len())
        );
        assert!(
            records
                .iter()
                .flatten()
                .all(|field| !field.starts_with(['=', '@']))
        );
    }
    let records = records(&csv(&clinic()));
    assert_eq!(records[1][0], "visits");
    assert_eq!(records[1][6..10], ["71934", "120", "visits", "visits"]);
    let quantile = records
        .iter()
        .find(|record| record[1] == "quantiles")
        .unwrap();
    assert_eq!(quantile[5..10], ["0.1", "58", "41", "€", "ranks"]);
    let withheld = records
        .iter()
        .find(|record| record[4] == "rare & odd")
        .unwrap();
    assert_eq!(withheld[6..8], ["", ""]);
}

#[test]
fn formulas_of_spreadsheets_are_disarmed_and_numbers_are_not() {
    let field = |name: &str| records(&csv(&renamed(name)))[1][0].clone();
    assert_eq!(field("=1+1"), "'=1+1");
    assert_eq!(field("@SUM(A1)"), "'@SUM(A1)");
    assert_eq!(field("-2+3+cmd|' /C calc'!D2"), "'-2+3+cmd|' /C calc'!D2");
    assert_eq!(field("-10 – 0"), "'-10 – 0");
    assert_eq!(field("+A1*A2"), "'+A1*A2");
    assert_eq!(field("-2+3"), "'-2+3");
    assert_eq!(field("\u{ff1d}1"), "'\u{ff1d}1");
    assert_eq!(field("a;=1"), "a;'=1");
    for number in ["+1", "-10", "-0.5e3"] {
        assert_eq!(field(number), number);
    }
}

#[test]
fn the_terminal_sees_no_commands() {
    for name in HOSTILE {
        let text = text(&renamed(name));
        assert!(
            !text.contains(|c: char| c.is_control() && c != '\n'),
            "{name:?}"
        );
        assert!(!text.contains('\u{202e}'));
    }
}

#[test]
fn the_terminal_shows_value_and_error_beside_each_other() {
    let text = text(&clinic());
    let start = text.find("age: histogram").unwrap();
    let table: Vec<&str> = text[start..].lines().take(6).collect();
    assert_eq!(
        table,
        [
            "age: histogram of age, in visits (snapping, exact, ε = 0.125)",
            "  of at most 4 rows of each `patient` in a group, in at most 2 groups; rows",
            "  without a `patient` are left out",
            "  bin     value  ± error",
            "  0–9       412     ± 90  ██▌",
            "  10–19     520     ± 90  ███▏",
        ]
    );
    assert!(
        text.lines()
            .any(|line| line.contains("rare & odd") && line.contains("withheld"))
    );
    assert!(text.contains("± 41 ranks"), "{text}");
}
