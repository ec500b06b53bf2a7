//! The film ratings: every integer is that of an independent computation, heavy users are bounded,
//! films are discovered, and tables add up.

use lastbit_exact::Rational;
use lastbit_release::account::price;
use lastbit_release::engine::query::{Answer, KeyValue};
use lastbit_release::plan::Plan;
use lastbit_release::present::PublishedStatistic;
use lastbit_release::statistic::{Slot, exact_numbers};

use super::example::{Example, written};

const EXAMPLE: Example = Example("films");

/// One line for each statistic and group.
fn lines(plan: &Plan, slots: &[Slot], answer: &Answer) -> Vec<String> {
    let prices = price(plan).unwrap();
    let mut lines = Vec::new();
    for (index, (statistic, slot)) in plan.statistics.iter().zip(slots).enumerate() {
        let name = &statistic.name;
        // What a margin adds up is in the table of another.
        if plan.finest(index).is_some() {
            let chain = &prices.statistics[index].chain;
            let numbers = exact_numbers(chain, slot, answer).unwrap();
            let numbers = numbers.iter().enumerate();
            lines.extend(numbers.map(|(place, number)| format!("{name}|{place}|{}", number[0])));
            continue;
        }
        for (place, group) in answer.tables[slot.table].iter().enumerate() {
            let value = written(&group.values[slot.values[0]]);
            let key = match group.key.first() {
                Some(KeyValue::Discovered(text)) => text.clone(),
                _ => place.to_string(),
            };
            lines.push(format!("{name}|{key}|{value}"));
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
    EXAMPLE.is_made_by_its_script(&["ratings.csv.gz"]);
}

fn sum(statistic: &PublishedStatistic) -> Rational {
    let values = statistic.cells.iter().map(|cell| cell.value.as_ref());
    values.fold(Rational::ZERO, |sum, value| {
        &sum + &value.unwrap().parse().unwrap()
    })
}

#[test]
fn the_report_shows_films_that_many_rated_and_tables_that_add_up() {
    let report = EXAMPLE.released();
    let statistic = |name: &str| report.statistics.iter().find(|s| s.name == name).unwrap();
    let films = statistic("ratings by film");
    let means = statistic("mean stars by film");
    assert_eq!(
        films.cells.iter().map(|c| &c.group).collect::<Vec<_>>(),
        means.cells.iter().map(|c| &c.group).collect::<Vec<_>>()
    );
    assert!(statistic("ten most rated films").cells.len() <= 10);
    let all = statistic("ratings");
    for name in [
        "ratings by genre and device",
        "ratings by genre",
        "ratings by device",
    ] {
        assert_eq!(sum(statistic(name)), sum(all), "{name}");
    }
    assert_eq!(sum(statistic("users by genre")), sum(statistic("users")));
    assert_eq!(
        all.about,
        [
            "at most 3 rows of each `user` in a group, in at most 4 groups, as in \"ratings by \
             genre and device\", except rows without a `user`",
            "made to add up with \"ratings by genre and device\" and \"ratings by genre\" and \
             \"ratings by device\"",
        ]
    );
    // Which films there are is told by a threshold, so that they do not add up.
    let why = "\"ratings by film\" is not made to add up: groups of discovered keys below their \
        threshold are not shown.";
    assert!(
        report.notes.iter().any(|note| note == why),
        "{:?}",
        report.notes
    );
}
