//! Plans.

use lastbit_release::account::price;
use lastbit_release::plan::Plan;

/// A plan that is read has a price, or is refused.
pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(plan) = Plan::parse(text) {
        let _ = price(&plan);
    }
}

/// The plans of the examples and of the command's transcripts.
pub fn corpus() -> Vec<Vec<u8>> {
    super::texts![
        "examples/census/plan.toml",
        "examples/clinic/plan.toml",
        "examples/films/plan.toml",
        "examples/hospital/plan.toml",
        "examples/labour/plan.toml",
        "crates/lastbit-cli/tests/cmd/plan.in/wages.toml",
        "crates/lastbit-cli/tests/cmd/plan.in/zero.toml",
    ]
}
