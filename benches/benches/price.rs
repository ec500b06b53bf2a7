//! The price of a plan: of the clinic's example, and of 200 statistics, each of other rows.
use criterion::{Criterion, criterion_group, criterion_main};
use lastbit_release::account::price;
use lastbit_release::plan::Plan;
use std::fmt::Write as _;
use std::hint::black_box;

/// Counts, sums and means, as the page is timed with.
fn many() -> String {
    let mut text = String::from(
        "expected_rows = 1000\n[source]\nfiles = \"x.csv\"\n[privacy]\nneighbours = \
         \"add-remove\"\n[budget]\nepsilon = 1\ndelta = 1e-9\n[columns.x]\nlower = 0\nupper = \
         100\n[columns.g]\ncategories = [\"a\", \"b\", \"c\"]\n",
    );
    for index in 0..200 {
        let kind = [
            "kind = \"count\"\nby = \"g\"",
            "kind = \"sum\"\nof = \"x\"",
            "kind = \"mean\"\nof = \"x\"\nby = \"g\"",
        ][index % 3];
        writeln!(
            text,
            "[[statistics]]\nname = \"s{index}\"\n{kind}\nwhere = \"x > {index}\""
        )
        .expect("a string takes any text");
    }
    text
}

fn prices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("price");
    group.sample_size(20);
    let clinic = include_str!("../../examples/clinic/plan.toml").to_owned();
    for (name, text) in [("clinic", clinic), ("200 statistics", many())] {
        let plan = Plan::parse(&text).expect("it is a plan");
        group.bench_function(format!("{name}: read"), |bencher| {
            bencher.iter(|| Plan::parse(black_box(&text)))
        });
        group.bench_function(format!("{name}: price"), |bencher| {
            bencher.iter(|| price(black_box(&plan)))
        });
    }
}

criterion_group!(benches, prices);
criterion_main!(benches);
