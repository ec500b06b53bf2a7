//! A price is a function of its plan: what was priced before, and what is kept of it, does not
//! matter.

use lastbit_release::account::price;
use lastbit_release::plan::Plan;
use proptest::prelude::*;

const COLUMNS: &str = r#"
    [columns.pay]
    lower = 0
    upper = 5000
    [columns.sex]
    categories = ["f", "m"]
"#;

const KINDS: [&str; 6] = [
    "kind = \"count\"",
    "kind = \"count\"\nby = \"sex\"",
    "kind = \"sum\"\nof = \"pay\"",
    "kind = \"mean\"\nof = \"pay\"\nby = \"sex\"",
    "kind = \"variance\"\nof = \"pay\"",
    "kind = \"quantiles\"\nof = \"pay\"\nat = [0.5]",
];

/// Every digit of a price.
fn digits(plan: &Plan) -> String {
    format!("{:?}", price(plan))
}

fn plans() -> impl Strategy<Value = Plan> {
    let statistics = prop::collection::vec((0..KINDS.len(), 1u32..9, any::<bool>()), 1..5);
    (1u32..30, 3u32..10, any::<bool>(), statistics).prop_map(|(tenths, digits, pure, all)| {
        let delta = match pure {
            true => String::new(),
            false => format!("delta = 1e-{digits}\n"),
        };
        let mut text = format!(
            "expected_rows = 900\n[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \
             \"add-remove\"\n[budget]\nepsilon = {}\n{delta}{COLUMNS}",
            f64::from(tenths) / 10.0
        );
        for (index, (kind, weight, filtered)) in all.into_iter().enumerate() {
            let filter = match filtered {
                true => format!("where = \"pay > {index}\"\n"),
                false => String::new(),
            };
            text += &format!(
                "[[statistics]]\nname = \"{index}\"\n{}\nweight = {weight}\n{filter}",
                KINDS[kind]
            );
        }
        Plan::parse(&text).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn a_price_does_not_depend_on_what_was_priced_before(
        plans in prop::collection::vec(plans(), 2..4),
    ) {
        let first: Vec<String> = plans.iter().map(digits).collect();
        let mut again: Vec<String> = plans.iter().rev().map(digits).collect();
        again.reverse();
        prop_assert_eq!(&first, &again);
        let elsewhere = std::thread::scope(|scope| {
            let alone = plans.last().map(|plan| scope.spawn(move || digits(plan)));
            alone.and_then(|thread| thread.join().ok())
        });
        prop_assert_eq!(first.last(), elsewhere.as_ref());
    }
}
