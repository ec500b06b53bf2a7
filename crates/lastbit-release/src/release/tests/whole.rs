//! A release is one measurement, and what is drawn is drawn from it.

use std::collections::BTreeSet;
use std::sync::Arc;

use lastbit_exact::Rational;
use lastbit_noise::entropy::System;

use super::memory::{Memory, Row};
use crate::account::{Prices, price};
use crate::plan::Plan;
use crate::query::{GroupKey, KeyValue};
use crate::statistic::{LossUnit, Pick, Scan, Slot, Whole, query};

/// Public and discovered groups, shared noise, selections and facts about units.
fn plan(accountant: &str, budget: &str) -> Plan {
    let text = format!(
        r#"
accountant = "{accountant}"
expected_rows = 100
[source]
files = "x.csv"
[privacy]
neighbours = "add-remove"
unit = "person"
most_rows = 2
most_groups = 3
[budget]
{budget}
[columns.x]
edges = [0, 2, 4]
missing = 0
[columns.ward]
categories = ["a", "b"]
[columns.town]
discover = true
[[statistics]]
name = "mean by town"
kind = "mean"
of = "x"
by = "town"
[[statistics]]
name = "towns"
kind = "count"
by = "town"
[[statistics]]
name = "mean"
kind = "mean"
of = "x"
[[statistics]]
name = "count"
kind = "count"
[[statistics]]
name = "wards"
kind = "histogram"
of = "x"
by = "ward"
[[statistics]]
name = "median"
kind = "quantiles"
of = "x"
[[statistics]]
name = "left out"
kind = "left-out"
"#
    );
    Plan::parse(&text).unwrap()
}

fn plans() -> Vec<Plan> {
    let budget = "epsilon = 2\ndelta = 1e-6";
    let part = "epsilon = 2\ndelta = 1e-6\n[spend]\npart = \"1/4\"";
    vec![
        plan("pure", budget),
        plan("zcdp", budget),
        plan("zcdp", part),
    ]
}

fn town(name: &str) -> GroupKey {
    [KeyValue::Discovered(name.to_owned())].into()
}

/// What no scan can change: neither the groups that a count has published, nor where the integers
/// are, nor what they are.
#[test]
fn the_map_of_a_release_does_not_depend_on_what_a_scan_returns() {
    let only = |names: &[&str]| {
        let keys: BTreeSet<GroupKey> = names.iter().map(|name| town(name)).collect();
        Pick::Only(Arc::new(keys))
    };
    let picks = || {
        [
            Pick::All,
            only(&[]),
            only(&["Rome"]),
            only(&["Oslo", "Rome", "Kyiv"]),
        ]
    };
    for plan in plans() {
        let prices = price(&plan).unwrap();
        let (_, slots) = query(&plan, [5; 32]);
        let elsewhere = Slot {
            table: 7,
            values: vec![3, 1],
        };
        for (price, slot) in prices.statistics.iter().zip(&slots) {
            let rho = |slot: &Slot, pick| price.paid(slot).zcdp(pick).unwrap().map(&1).unwrap();
            let known = rho(slot, Pick::All);
            for slot in [slot, &Slot::default(), &elsewhere] {
                for pick in picks() {
                    assert_eq!(rho(slot, pick), known);
                }
            }
            if price.loss_unit == LossUnit::Epsilon {
                let epsilon = |slot, pick| price.paid(slot).pure(pick).unwrap().map(&1).unwrap();
                let known = epsilon(slot, Pick::All);
                for pick in picks() {
                    assert_eq!(epsilon(&elsewhere, pick), known);
                }
            }
        }
        let whole = prices.whole(&slots).unwrap().loss().unwrap();
        let anywhere = vec![elsewhere; slots.len()];
        assert_eq!(prices.whole(&anywhere).unwrap().loss().unwrap(), whole);
    }
}

#[test]
fn the_map_of_a_release_is_the_sum_of_what_its_statistics_are_charged() {
    for plan in plans() {
        let prices = price(&plan).unwrap();
        let (_, slots) = query(&plan, [5; 32]);
        let whole = prices.whole(&slots).unwrap().loss().unwrap();
        let charged = prices.statistics.iter();
        let charged = charged.fold(Rational::ZERO, |sum, price| &sum + &price.loss);
        // A loss of ρ from an ε is rounded up when it is charged.
        assert!(*whole.loss() <= charged, "{whole} above {charged}");
        let nearly = &charged * &Rational::new(999_999, 1_000_000);
        assert!(*whole.loss() >= nearly, "{whole} below {charged}");
        assert!(whole.delta().get() > 0.0);
    }
}

fn rows() -> Vec<Row> {
    let row = |index: usize| -> Row {
        let cells = [
            ("person", format!("{index}")),
            ("x", format!("{}", index % 5)),
            ("ward", ["a", "b"][index % 2].to_owned()),
            (
                "town",
                if index == 0 { "hamlet" } else { "Rome" }.to_owned(),
            ),
        ];
        cells.into_iter().collect()
    };
    (0..400).map(row).collect()
}

/// Draws all statistics of a release, in its order.
fn drawn(prices: &Prices, slots: &[Slot], whole: &Whole, table: &Scan) -> usize {
    let mut drawing = whole.ask(table).unwrap();
    let mut published = BTreeSet::new();
    let order = prices.drawn();
    for &index in &order {
        let (price, slot) = (&prices.statistics[index], &slots[index]);
        let pick = match (&price.threshold, price.chain.groups) {
            (None, None) => Pick::Only(Arc::new(published.clone())),
            _ => Pick::All,
        };
        let paid = price.paid(slot);
        let drawn = drawing.draw(&paid, pick, &mut System::default()).unwrap();
        if price.threshold.is_some() {
            published.extend(drawn.iter().map(|(key, _)| key.clone()));
        } else if price.chain.groups.is_none() {
            let keys: BTreeSet<GroupKey> = drawn.into_iter().map(|(key, _)| key).collect();
            assert_eq!(keys, published);
        }
    }
    // Every loss was declared for one draw.
    let last = &prices.statistics[order[order.len() - 1]];
    let again = drawing.draw(&last.paid(&slots[0]), Pick::All, &mut System::default());
    assert!(again.unwrap_err().is_composition());
    order.len()
}

#[test]
fn a_release_is_drawn_from_its_composition_and_nothing_beyond_it() {
    for (plan, larger) in plans().into_iter().zip([
        plan("pure", "epsilon = 4\ndelta = 1e-6"),
        plan("zcdp", "epsilon = 4\ndelta = 1e-6"),
        plan("zcdp", "epsilon = 4\ndelta = 1e-6"),
    ]) {
        let prices = price(&plan).unwrap();
        let (query, slots) = query(&plan, [5; 32]);
        let answer = Arc::new(Memory::new(rows()).answer(&query));
        let table: Scan = Arc::new(move || Ok(Arc::clone(&answer)));
        let whole = prices.whole(&slots).unwrap();
        // The count follows from the mean.
        assert_eq!(drawn(&prices, &slots, &whole, &table), 6);
        // A chain with less noise than was declared is refused, and draws nothing.
        let loud = price(&larger).unwrap();
        let first = loud.drawn()[0];
        let mut drawing = whole.ask(&table).unwrap();
        let paid = loud.statistics[first].paid(&slots[first]);
        let refused = drawing.draw(&paid, Pick::All, &mut System::default());
        assert!(refused.unwrap_err().is_budget());
    }
}
