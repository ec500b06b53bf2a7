//! Terminal, JSON and CSV.

use super::clinic::{HOSTILE, cell, clinic, renamed};
use lastbit_release::present::{
    Cell, ReportError, csv, from_json, html, method, styled_text_within, text, to_json,
};

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

#[test]
fn tables_fit_80_columns_and_no_name_is_cut() {
    let long = "Professional, scientific and technical occupations of the public sector";
    for (name, bars) in [
        ("ward 7", true),
        ("Elementary administration", true),
        (long, true),
        (&long.repeat(2), true),
        (
            "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamte",
            true,
        ),
    ] {
        for keys in 1..=3 {
            let mut report = clinic();
            let statistic = &mut report.statistics[1];
            statistic.name = name.into();
            statistic.by = (0..keys).map(|key| format!("key {key}")).collect();
            let groups = ["one", "two", "three"].iter().zip([9876, 5432, 123]);
            statistic.cells = groups
                .map(|(group, value)| {
                    let mut labels = vec![(*group).to_owned()];
                    labels.resize(keys, name.to_owned());
                    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
                    cell(&labels, "", &value.to_string(), "310")
                })
                .collect();
            report.statistics = vec![report.statistics[1].clone()];
            let text = text(&report);
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{line:?} in {text}");
            }
            // Only hashes are cut.
            let (tables, _) = text.split_once("receipt:").unwrap();
            assert!(!tables.contains('…'), "{text}");
            let drawn = text.lines().filter(|line| line.contains('█'));
            assert_eq!(drawn.count() >= 2, bars, "{text}");
            // Bars are not broken: only lines with a number have one.
            for line in text.lines().filter(|line| line.ends_with('█')) {
                assert!(line.contains('±'), "{text}");
            }
        }
    }
}

#[test]
fn a_quantile_that_is_too_noisy_is_not_taken_for_a_number_of_rows() {
    let mut report = clinic();
    let quantiles = report
        .statistics
        .iter_mut()
        .find(|one| one.kind == "quantiles");
    quantiles.unwrap().cells = vec![Cell {
        error_unit: "rows in rank".into(),
        lower: Some("18".into()),
        upper: Some("100".into()),
        too_noisy: true,
        ..cell(&[], "0.5", "82", "15")
    }];
    let text = text(&report);
    let shown = "too noisy to say  82 in [18, 100], ± 15 rows in rank";
    assert!(text.contains(shown), "{text}");
    let page = html(&report);
    assert!(page.contains("82 in [18, 100], ±&nbsp;15 rows in rank"));
    // In CSV, the flags are columns.
    let records = records(&csv(&report));
    let place = |name: &str| records[0].iter().position(|one| one == name).unwrap();
    let [withheld, noisy] = ["withheld", "too_noisy"].map(place);
    assert_eq!(
        &records[0][records[0].len() - 3..],
        ["withheld", "too_noisy", "rank_error"]
    );
    let quantile = records.iter().find(|one| one[1] == "quantiles").unwrap();
    assert_eq!([&*quantile[withheld], &*quantile[noisy]], ["false", "true"]);
    // An error in ranks is not taken for one in the unit of the number.
    let [lower, upper, rank] = ["lower", "upper", "rank_error"].map(place);
    let ends = [lower, upper, rank].map(|place| &*quantile[place]);
    assert_eq!(ends, ["18", "100", "15"]);
    let count = records.iter().find(|one| one[1] == "count").unwrap();
    let ends = [lower, upper, rank].map(|place| &*count[place]);
    assert_eq!(ends, ["71814", "72054", ""]);
    let rare = records.iter().find(|one| one[4] == "rare & odd").unwrap();
    assert_eq!([&*rare[withheld], &*rare[noisy]], ["true", "false"]);
}

/// A number that noise carried far away is shown, and those that it did not are marked.
#[test]
fn few_numbers_among_many_that_say_nothing_are_doubted() {
    let told = "Do not take that for a finding";
    for (said, is_doubted) in [(1, true), (10, true), (11, false), (40, false)] {
        let mut report = clinic();
        report.statistics.truncate(2);
        report.statistics[1].cells = (0..40)
            .map(|index| Cell {
                too_noisy: index >= said,
                ..cell(&[&format!("g{index}")], "", "900", "5000")
            })
            .collect();
        let shown = text(&report);
        let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words.contains(told), is_doubted, "{said}");
        assert_eq!(html(&report).contains(told), is_doubted, "{said}");
    }
}

#[test]
fn a_wide_terminal_is_used_and_a_narrow_one_kept() {
    let mut report = clinic();
    let long = "a name of a ward that is long and has many words in it";
    report.statistics[1].cells[0].group = vec![long.to_owned()];
    let of = |columns| -> String {
        let parts = styled_text_within(&report, columns);
        parts.into_iter().map(|(_, part)| part).collect()
    };
    assert!(!of(80).contains(long) && of(120).contains(long));
    for columns in [60, 80, 120] {
        let shown = of(columns);
        let widest = shown.lines().map(|line| line.chars().count()).max();
        assert!(widest.unwrap() <= columns, "{shown}");
    }
    // The words of the field come last.
    let shown = of(80);
    let place = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}"));
    assert!(place("Noise was added") < place(&report.statistics[0].name));
    assert!(place("Pure differential privacy") > place(&report.statistics[1].name));
}

#[test]
fn a_report_says_the_budget_and_the_definition_of_its_loss() {
    for (loss, definition) in [
        ("ε = 1", "pure differential privacy"),
        ("ε = 1, δ = 1e-7", "approximate differential privacy"),
        ("ρ = 0.1", "zero-concentrated differential privacy"),
        // As earlier versions wrote it.
        (
            "ρ = 0.1, δ = 1e-7",
            "approximate zero-concentrated differential privacy",
        ),
        (
            "ρ = 0.1, δ = 1e-7 of thresholds",
            "approximate zero-concentrated differential privacy",
        ),
        (
            "μ² = 0.1, δ = 1e-7 of thresholds",
            "approximate Gaussian differential privacy",
        ),
    ] {
        let mut report = clinic();
        report.loss = loss.into();
        let unbroken = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let method = unbroken(&method(&report));
        let cited = format!("Published with {definition} ({loss}), ");
        assert!(method.contains(&cited), "{method}");
        assert!(
            method.contains("The budget of these data is ε = 2."),
            "{method}"
        );
        let budget = format!("{loss}, of a budget of ε = 2 for all releases about these data");
        assert!(unbroken(&text(&report)).contains(&budget));
        assert!(html(&report).contains(&budget));
        // Reports of earlier versions do not say it.
        report.budget.clear();
        assert!(!to_json(&report).contains("budget\""));
        assert!(!text(&report).contains("of a budget of"));
    }
}
