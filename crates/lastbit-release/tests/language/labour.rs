//! The labour force survey: every integer is that of an independent computation, and the report
//! says what the plan means.

use lastbit_release::account::price;
use lastbit_release::engine::query::Answer;
use lastbit_release::plan::Plan;
use lastbit_release::present::{html, text};
use lastbit_release::release::report_bytes;
use lastbit_release::statistic::Slot;

use super::example::{Example, written};

const EXAMPLE: Example = Example("labour");

/// One line for each statistic and group.
fn lines(plan: &Plan, slots: &[Slot], answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    for (statistic, slot) in plan.statistics.iter().zip(slots) {
        for (place, group) in answer.tables[slot.table].iter().enumerate() {
            let value = written(&group.values[slot.values[0]]);
            lines.push(format!("{}|{place}|{value}", statistic.name));
        }
    }
    lines
}

#[test]
fn every_integer_is_that_of_an_independent_computation() {
    EXAMPLE.has_the_same_integers(lines);
}

#[test]
fn the_example_is_made_by_its_script() {
    EXAMPLE.is_made_by_its_script(&["interviews.csv.gz"]);
}

#[test]
fn the_report_has_labels_dates_and_words_for_every_filter() {
    let report = EXAMPLE.released();
    let statistic = |name: &str| report.statistics.iter().find(|s| s.name == name).unwrap();
    let hours = statistic("mean hours");
    let groups: Vec<&str> = hours
        .cells
        .iter()
        .map(|cell| cell.group[0].as_str())
        .collect();
    assert_eq!(groups, ["men", "women"]);
    assert_eq!(
        hours.about,
        [
            "at most 4 rows of each `person` in a group, in at most 1 group, of rows where `age \
             between 15 and 74`, except rows without a `person` and rows whose `sex` is missing \
             or not listed and rows whose `hours` is no number",
            "`hours` of 99 is missing",
            "`hours` below 0 counts as 0, above 80 as 80",
        ]
    );
    let employed = statistic("employed by part");
    assert_eq!(
        employed.about[0],
        "at most 4 rows of each `person` in a group, in at most 1 group, of rows where `age \
         between 15 and 74` and where `status = 1`, except rows without a `person` and rows whose \
         `part` is missing or not listed"
    );
    assert_eq!(employed.about[1], "`part` is looked up by `region`");
    let status = statistic("status by quarter");
    let labels: Vec<&str> = status.cells[..4]
        .iter()
        .map(|cell| cell.label.as_str())
        .collect();
    assert_eq!(labels, ["employed", "unemployed", "inactive", "not stated"]);
    assert_eq!(status.cells[0].group, ["2023-Q1 or earlier"]);
    assert_eq!(status.cells[31].group, ["2024-Q4 or later"]);
    assert!(
        status
            .about
            .contains(&"`status` that is missing or not listed counts as `not stated`".to_owned())
    );
    assert_eq!(
        status.about[1],
        "`interviewed` is `date(at_offset(\"interviewed\", '+01:00'))`"
    );
    let quartiles = statistic("quartiles of hours");
    for cell in &quartiles.cells {
        for text in [&cell.value, &cell.lower, &cell.upper] {
            assert!(text.as_ref().unwrap().parse::<u32>().unwrap() <= 80);
        }
    }
    let day = &statistic("mean day").cells[0];
    assert_eq!(statistic("mean day").unit, "");
    assert_eq!(day.error_unit, "days");
    assert!(day.value.as_ref().unwrap().starts_with("202"), "{day:?}");
    let median = &statistic("median day of the unemployed").cells[0];
    for text in [&median.value, &median.lower, &median.upper] {
        let text = text.as_ref().unwrap();
        assert!(
            "2023-01-01" <= text.as_str() && text.as_str() <= "2024-12-31",
            "{text}"
        );
        assert_eq!(text.len(), 10);
    }
    let employed = statistic("people in employment");
    for cell in &employed.cells {
        assert!(
            cell.value.as_ref().unwrap().parse::<u64>().is_ok(),
            "{cell:?}"
        );
    }
    let weekdays = statistic("interviews by weekday");
    assert_eq!(weekdays.cells[6].group, ["Sunday"]);
    assert!(
        report
            .notes
            .contains(&"Only rows where age between 15 and 74 count.".to_owned())
    );
    let plan = EXAMPLE.plan();
    let stored = serde_json::to_string(&report).unwrap().len() as u64;
    assert!(stored <= report_bytes(&plan, &price(&plan).unwrap()));
    let (plain, page) = (text(&report), html(&report));
    for word in ["women", "2023-Q1", "Sunday", "age between 15 and 74"] {
        assert!(plain.contains(word) && page.contains(word), "{word}");
    }
}

#[test]
fn whole_numbers_have_no_rounding_in_their_errors() {
    let plan = EXAMPLE.plan();
    let prices = price(&plan).unwrap();
    let of = |name: &str| {
        let place = plan.statistics.iter().position(|s| s.name == name).unwrap();
        &prices.statistics[place]
    };
    // A sum of whole numbers has noise on whole numbers, and a whole error.
    let error = of("people in employment").error.unwrap().get();
    assert_eq!(error, error.floor());
}
