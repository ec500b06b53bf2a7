//! Releases a plan many times, each on a ledger of its own: for `accuracy.py`, which would start as
//! many processes otherwise.
//!
//! `repeat PLAN TIMES` writes a line of JSON for each release: the numbers of the first statistic,
//! `null` for one that is not published.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use lastbit_release::engine::TableEngine;
use lastbit_release::plan::Plan;
use lastbit_release::release::release;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(times)) = (arguments.next(), arguments.next()) else {
        return Err("usage: repeat PLAN TIMES".into());
    };
    let directory = Path::new(&file)
        .parent()
        .ok_or("a plan has a directory")?
        .to_owned();
    let plan = Plan::parse_in(&fs::read_to_string(&file)?, &directory)?;
    for turn in 0..times.parse::<usize>()? {
        let place = directory.join(format!("repeat{turn}"));
        fs::create_dir(&place)?;
        let engine = TableEngine::default();
        let released = release(&plan, &place.join("ledger"), &engine, Arc::new(|_, _| {}))?;
        fs::remove_dir_all(&place)?;
        let report = released.report();
        let cells = report.statistics.first().map_or(&[][..], |s| &s.cells);
        let numbers: Vec<&str> = cells
            .iter()
            .map(|cell| cell.value.as_deref().unwrap_or("null"))
            .collect();
        println!("[{}]", numbers.join(","));
    }
    Ok(())
}
