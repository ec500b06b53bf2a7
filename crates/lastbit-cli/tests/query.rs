//! `lastbit query`: questions in SQL.

use crate::support::Here;

const COUNT: &str = "select count(*) from people where age >= 18";

#[test]
fn a_question_is_priced_answered_and_known_again() {
    let here = Here::new();
    let priced = here.run(&["query", "plan.toml", COUNT, "--epsilon", "0.25", "--price"]);
    let priced = priced.succeeded();
    assert!(
        priced.out.contains("count(*)") && priced.out.contains("nothing was spent"),
        "{}",
        priced.out
    );
    assert_eq!(here.spent("lastbit.ledger"), None);
    let first = here
        .run(&["query", "plan.toml", COUNT, "--epsilon", "0.25", "--json"])
        .succeeded();
    assert!(first.err.contains("is left"), "{}", first.err);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.25"));
    let again = here
        .run(&["query", "plan.toml", COUNT, "--epsilon", "0.25", "--json"])
        .succeeded();
    assert_eq!(again.out, first.out);
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("0.25"));
    let over = here.run(&[
        "query",
        "plan.toml",
        "select count(*) from people",
        "--epsilon",
        "0.8",
    ]);
    assert_eq!(over.status, Some(1));
    assert!(over.err.contains("remaining:  ε = 0.75"), "{}", over.err);
}

#[test]
fn a_question_that_says_no_loss_or_is_not_private_costs_nothing() {
    let here = Here::new();
    let silent = here.run(&["query", "plan.toml", COUNT]);
    assert_eq!(silent.status, Some(2));
    assert!(silent.err.contains("--epsilon 0.1"), "{}", silent.err);
    for (statement, reason) in [
        ("select max(age) from people", "one row"),
        ("select * from people", "rows of people"),
        ("select age from people", "single rows"),
        ("select avg(wage) from people", "wage"),
        ("drop table people", "one `select"),
    ] {
        let refused = here.run(&["query", "plan.toml", statement, "--epsilon", "0.1"]);
        assert_eq!(refused.status, Some(1), "{statement}");
        assert!(refused.err.contains(reason), "{statement}: {}", refused.err);
    }
    let much = here.run(&["query", "plan.toml", COUNT, "--epsilon", "2"]);
    assert_eq!(much.status, Some(1));
    assert_eq!(here.spent("lastbit.ledger"), None);
}
