//! How long a plan takes to be read and priced: `price_speed [STATISTICS | PLAN] [TIMES]`, by
//! default one of 200 statistics, five times. Prints seconds, the fastest of them.

use std::time::Instant;

use lastbit_release::account::price;
use lastbit_release::plan::Plan;

/// Kinds and columns as a statistical office asks for them, by several keys, filters and limits.
fn plan(statistics: usize) -> String {
    let mut text = String::from(
        "consistent = true\nexpected_rows = 1_000\n\
         [source]\nfiles = \"t.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\nunit = \"person\"\nmost_rows = 2\n\
         most_groups = 3\n\
         [budget]\nepsilon = 20\ndelta = 1e-7\n\
         [columns.age]\nedges = [0, 18, 40, 65, 100]\nmissing = 40\n\
         [columns.pay]\nlower = 0\nupper = 10_000\n\
         [columns.hours]\ninteger = true\nlower = 0\nupper = 80\n\
         [columns.weight]\nlower = 0\nupper = 200\n\
         [columns.sex]\ncategories = [\"f\", \"m\", \"x\"]\nother = \"x\"\n\
         [columns.part]\ncategories = [\"north\", \"middle\", \"south\", \"abroad\"]\n\
         other = \"abroad\"\n",
    );
    let kinds = [
        ("count", ""),
        ("mean", "of = \"pay\""),
        ("sum", "of = \"pay\""),
        ("units", ""),
        ("histogram", "of = \"age\""),
        ("quantiles", "of = \"pay\"\nat = [0.25, 0.5, 0.75]"),
        ("variance", "of = \"hours\""),
        ("share", "of = \"sex\""),
        ("mean", "of = \"hours\"\nweights = \"weight\""),
        ("covariance", "of = [\"pay\", \"hours\"]"),
    ];
    let keys = ["[]", "[\"sex\"]", "[\"part\"]", "[\"part\", \"sex\"]"];
    for index in 0..statistics {
        let (kind, of) = kinds[index % kinds.len()];
        let by = keys[index / kinds.len() % keys.len()];
        // A share of a column is not by it.
        let by = if of.contains("sex") {
            by.replace("\"sex\"", "\"age\"")
        } else {
            by.to_owned()
        };
        let filter = match index / (kinds.len() * keys.len()) {
            0 => String::new(),
            part => format!("where = \"number(age) > {part}\"\n"),
        };
        text += &format!(
            "[[statistics]]\nname = \"statistic {index}\"\nkind = \"{kind}\"\n{of}\nby = \
             {by}\n{filter}"
        );
    }
    text
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let text = match arguments.next() {
        None => plan(200),
        Some(which) => match which.parse() {
            Ok(statistics) => plan(statistics),
            Err(_) => std::fs::read_to_string(which).expect("the plan can be read"),
        },
    };
    let times = arguments.next().and_then(|times| times.parse().ok());
    let times = (0..times.unwrap_or(5)).map(|_| {
        let start = Instant::now();
        let plan = Plan::parse(&text).expect("the plan is one");
        price(&plan).expect("the plan has a price");
        start.elapsed().as_secs_f64()
    });
    println!("{:.4}", times.fold(f64::INFINITY, f64::min));
}
