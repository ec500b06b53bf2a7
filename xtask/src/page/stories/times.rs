//! How soon a price is on the page.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use super::Stage;
use crate::page::server::Scratch;

impl Stage<'_> {
    /// How long the price takes in the browser after a slider moves: stated, and no condition.
    pub(super) fn times(&mut self) -> Result<String> {
        let directory = Scratch::new("times")?;
        let examples = crate::run::root().join("examples/clinic/plan.toml");
        directory.write("clinic.toml", &fs::read_to_string(examples)?)?;
        let mut many = String::from(
            "title = \"Many\"\nexpected_rows = 1000\n[source]\nfiles = \
             \"x.csv\"\n[privacy]\nneighbours = \"add-remove\"\n[budget]\nepsilon = 1\ndelta = \
             1e-9\n[columns.x]\nlower = 0\nupper = 100\n[columns.g]\ncategories = [\"a\", \"b\", \
             \"c\"]\n",
        );
        for index in 0..200 {
            let kind = [
                "kind = \"count\"\nby = \"g\"",
                "kind = \"sum\"\nof = \"x\"",
                "kind = \"mean\"\nof = \"x\"\nby = \"g\"",
            ][index % 3];
            let _ = writeln!(
                many,
                "[[statistics]]\nname = \"s{index}\"\n{kind}\nwhere = \"x > {index}\""
            );
        }
        directory.write("many.toml", &many)?;
        let served = self.serve(&directory)?;
        let idle = served.memory();
        let (mut medians, mut worked) = (Vec::new(), Vec::new());
        for name in ["clinic.toml", "many.toml"] {
            self.open(&served, name)?;
            if name == "clinic.toml" {
                self.check("clinic")?;
            }
            let median = self.browser.run_async(TIMES)?;
            medians.push(median.as_f64().context("no time")?);
            let before = served.worked();
            self.browser
                .run_async(&DRAG.replace("MOVES", &MOVES.to_string()))?;
            let work = served.worked().zip(before);
            worked.push(work.map_or(f64::NAN, |(after, before)| (after - before) / MOVES as f64));
        }
        self.quiet()?;
        let memory = idle.map_or("unknown".to_owned(), |bytes| {
            format!("{:.1} MB", bytes as f64 / 1e6)
        });
        Ok(format!(
            "price after a slider moves, median in the browser: clinic {:.0} ms, 200 statistics \
             {:.0} ms, of which the server works {:.0} and {:.0} ms; idle server {memory}",
            medians[0], medians[1], worked[0], worked[1]
        ))
    }
}

/// How often the slider is moved where the work of the server is measured, in hundredths of a
/// second.
const MOVES: usize = 60;

/// Moves the slider of the whole budget 15 times, and hands over the median time until the new
/// price is on the page.
const TIMES: &str = r"
const done = arguments[0];
const range = document.getElementById('slider-spend');
const price = document.getElementById('price');
const times = [];
const once = () => {
  if (price.getAttribute('aria-busy') !== 'false') { setTimeout(once, 5); return; }
  if (times.length === 15) { times.sort((a, b) => a - b); done(times[7]); return; }
  const start = performance.now();
  const watch = new MutationObserver(() => {
    watch.disconnect();
    times.push(performance.now() - start);
    setTimeout(once, 400);
  });
  watch.observe(price, { childList: true });
  range.value = String(900 - 20 * times.length);
  range.dispatchEvent(new Event('input'));
};
once();
";

/// Drags the slider of the whole budget: as soon as a price is there, it moves on.
const DRAG: &str = r"
const done = arguments[0];
const range = document.getElementById('slider-spend');
const price = document.getElementById('price');
let moves = 0;
const once = () => {
  if (price.getAttribute('aria-busy') !== 'false') { setTimeout(once, 1); return; }
  if (moves === MOVES) { done(null); return; }
  range.value = String(900 - 5 * moves);
  moves += 1;
  range.dispatchEvent(new Event('input'));
  setTimeout(once, 1);
};
once();
";
