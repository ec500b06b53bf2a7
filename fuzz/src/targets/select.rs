//! Questions in SQL.

use std::sync::LazyLock;

use lastbit_release::account::price;
use lastbit_release::loss::Loss;
use lastbit_release::plan::Plan;
use lastbit_release::select::{ask, statistics};

/// What is asked about.
static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let text = include_str!("../../../examples/clinic/plan.toml");
    Plan::parse(text).expect("an example is a plan")
});

/// A question is refused, or is a plan that differs from the steward's in its statistics alone. It
/// then has a price, or is refused.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let spend = Loss::pure("0.1".parse().expect("a number")).expect("a loss");
    // A panic of the parser ends its thread alone, and would not be seen here.
    if let Err(refused) = statistics(text) {
        assert!(!refused.to_string().contains("the parser failed"));
    }
    if let Ok(asked) = ask(&PLAN, text, &spend) {
        let same = asked.budget == PLAN.budget
            && asked.neighbours == PLAN.neighbours
            && asked.unit == PLAN.unit
            && asked.columns.len() == PLAN.columns.len();
        assert!(same && asked.spend == spend && !asked.statistics.is_empty());
        let _ = price(&asked);
    }
}

/// Questions that are answered, and some that are not.
pub fn corpus() -> Vec<Vec<u8>> {
    let texts = [
        "select count(*) from visits",
        "select ward, count(*), avg(cost), sum(cost) as \"all of it\" from visits group by ward",
        "select median(age), quantile(age, 0.9) from t where cost > 0 and ward = 'surgery'",
        "select variance(cost) from visits where \"ward\" in ('medicine', 'o''clock');",
        "select max(cost) from visits",
        "select count(distinct patient) from (select * from visits) order by 1 limit 5",
        "-- \u{e9}\nselect avg(cost) /* 'x' */ from visits where (((age + 1) * 2)) between 3 and 9",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
