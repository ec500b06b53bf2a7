//! How often stated errors hold, and how much larger they are than they would have to be: whole
//! releases of written files.
//!
//! For each kind of statistic, number of rows, place of the rows between the bounds and accountant:
//! the share of published numbers that are within their error of the exact one, and the mean stated
//! error over the 95 % quantile of the actual ones. Of quantiles: the share of intervals that hold
//! the exact quantile, and the mean length of an interval over the 95 % quantile of twice the
//! distance of the value; of quantiles without an interval, the same of errors in rank.
//!
//! `cargo run --release -p lastbit-benches --bin coverage [RELEASES [ROWS …]] [KIND …]`: 2,000 of
//! each kind, and groups of 30, 300 and 3,000 rows, unless told otherwise.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use lastbit_release::engine::TableEngine;
use lastbit_release::plan::Plan;
use lastbit_release::present::Cell;
use lastbit_release::release::release;

/// Releases at a time: as groups of one table, whose noises are independent.
const GROUPS: usize = 500;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let (mut sizes, mut only) = (Vec::new(), Vec::new());
    for text in std::env::args().skip(1) {
        match text.parse::<usize>() {
            Ok(number) => sizes.push(number),
            Err(_) => only.push(text),
        }
    }
    let kinds = |all: &[Kind]| -> Vec<Kind> {
        let is_wanted = |kind: &&Kind| only.is_empty() || only.iter().any(|name| name == kind.0);
        all.iter().filter(is_wanted).copied().collect()
    };
    let releases = match sizes.is_empty() {
        true => 2_000,
        false => sizes.remove(0),
    };
    if sizes.is_empty() {
        sizes = vec![30, 300, 3_000];
    }
    println!(
        "kind              rows  place       budget       numbers  coverage   stated ÷ empirical"
    );
    for rows in sizes {
        for place in [Place::Middle, Place::Low, Place::Ends] {
            // Of each statistic, and as much again for those that share.
            for (budget, loss) in [("epsilon = 25", "loss = 1"), ("rho = 12.5", "loss = 0.5")] {
                let plans = Plans::Apart(kinds(&KINDS));
                measure(rows, place, (budget, loss), releases, &plans)?;
            }
            for budget in ["epsilon = 6", "rho = 3"] {
                let plans = Plans::Consistent(kinds(&TABLES));
                measure(rows, place, (budget, ""), releases, &plans)?;
            }
        }
    }
    Ok(())
}

/// Where the rows are between 0 and 1.
#[derive(Clone, Copy, Debug)]
enum Place {
    Middle,
    Low,
    Ends,
}

impl Place {
    fn row(self, index: usize) -> (f64, f64) {
        let spread = |by: u64| {
            let word = (index as u64 + by).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (word >> 11) as f64 / (1u64 << 53) as f64
        };
        let (u, v) = (spread(1), 0.5 * spread(1) + 0.5 * spread(77));
        let of = |u: f64| match self {
            Place::Middle => 0.3 + 0.4 * u,
            Place::Low => 0.05 * u,
            Place::Ends => f64::from(u8::from(u > 0.5)),
        };
        (of(u), of(v))
    }
}

/// The name of a statistic, and what it is.
type Kind = (&'static str, &'static str);

/// Which statistics a plan has.
enum Plans {
    /// Of [`KINDS`], each by itself or sharing its noise.
    Apart(Vec<Kind>),
    /// Of [`TABLES`], which are made to add up.
    Consistent(Vec<Kind>),
}

/// Names of statistics, and what they are. A loss of its own keeps each apart; those named “shared”
/// share their noise.
const KINDS: [Kind; 27] = [
    ("count", "kind = \"count\""),
    ("units", "kind = \"units\""),
    ("histogram", "kind = \"histogram\"\nof = \"c\""),
    ("sum", "kind = \"sum\"\nof = \"x\""),
    ("mean", "kind = \"mean\"\nof = \"x\""),
    ("variance", "kind = \"variance\"\nof = \"x\""),
    ("covariance", "kind = \"covariance\"\nof = [\"x\", \"y\"]"),
    ("quantiles", "kind = \"quantiles\"\nof = \"x\""),
    ("rank", "kind = \"quantiles\"\nof = \"x\"\ninterval = false"),
    ("share", "kind = \"share\"\nof = \"c\""),
    ("condition", "kind = \"share\"\nof = \"number(x) < 0.4\""),
    (
        "weighted mean",
        "kind = \"mean\"\nof = \"x\"\nweights = \"w\"",
    ),
    (
        "weighted sum",
        "kind = \"sum\"\nof = \"x\"\nweights = \"w\"",
    ),
    ("correlation", "kind = \"correlation\"\nof = [\"x\", \"y\"]"),
    (
        "regression",
        "kind = \"regression\"\nof = \"y\"\non = \"x\"",
    ),
    ("top", "kind = \"top\"\nof = \"c\"\nmost = 2"),
    ("bounds", "kind = \"bounds\"\nof = \"x\""),
    ("left-out", "kind = \"left-out\"\nof = \"z\""),
    ("whole sum", "kind = \"sum\"\nof = \"i\""),
    ("whole mean", "kind = \"mean\"\nof = \"i\""),
    ("whole quantiles", "kind = \"quantiles\"\nof = \"i\""),
    ("mean of dates", "kind = \"mean\"\nof = \"d\""),
    ("quantiles of dates", "kind = \"quantiles\"\nof = \"d\""),
    ("shared count", "kind = \"count\""),
    ("shared mean", "kind = \"mean\"\nof = \"x\""),
    ("shared share", "kind = \"share\"\nof = \"c\""),
    ("shared top", "kind = \"top\"\nof = \"c\"\nmost = 2"),
];

/// What shared statistics share the noise of.
const HOSTS: &str = "[[statistics]]\nname = \"host\"\nkind = \"variance\"\nof = \"x\"\nby = \"g\"\n\
    [[statistics]]\nname = \"host of shares\"\nkind = \"histogram\"\nof = \"c\"\nby = \"g\"\n";

/// Tables of the same rows.
const TABLES: [Kind; 5] = [
    ("tied cells", "kind = \"count\"\nby = [\"g\", \"c\"]"),
    ("tied margin", "kind = \"count\"\nby = \"g\""),
    (
        "tied sums",
        "kind = \"sum\"\nof = \"x\"\nby = [\"g\", \"c\"]",
    ),
    ("tied sum", "kind = \"sum\"\nof = \"x\"\nby = \"g\""),
    ("tied whole sum", "kind = \"sum\"\nof = \"i\"\nby = \"g\""),
];

/// A table that the last of [`TABLES`] is tied to.
const TIE: &str =
    "[[statistics]]\nname = \"tie\"\nkind = \"sum\"\nof = \"i\"\nby = [\"g\", \"c\"]\n";

/// The whole number of a row, from 0 to 20.
fn whole(x: f64) -> f64 {
    (20.0 * x + 0.5).floor()
}

/// The day of a row, from 0 to 300.
fn day(x: f64) -> f64 {
    (300.0 * x + 0.5).floor()
}

/// The day that a date of the year 2024 is.
fn day_of(date: &str) -> Option<f64> {
    let (month, of_month) = date.strip_prefix("2024-")?.split_once('-')?;
    let before = [0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335];
    let before = before.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    Some(f64::from(before + of_month.parse::<i32>().ok()? - 1))
}

/// The category of a row.
fn category(index: usize) -> usize {
    [0, 0, 1, 0, 2, 1, 0, 3, 0, 1][index % 10]
}

/// The weight of a row.
fn weight(index: usize) -> f64 {
    (index % 7) as f64 / 8.0
}

fn measure(
    rows: usize,
    place: Place,
    (budget, loss): (&str, &str),
    releases: usize,
    plans: &Plans,
) -> Result<(), Failure> {
    let (kinds, consistent) = match plans {
        Plans::Apart(kinds) => (kinds, ""),
        Plans::Consistent(kinds) => (kinds, "consistent = true\n"),
    };
    if kinds.is_empty() {
        return Ok(());
    }
    let data: Vec<(f64, f64)> = (0..rows).map(|index| place.row(index)).collect();
    let mut csv = String::from("g,x,y,w,c\n");
    for group in 0..GROUPS {
        for (index, (x, y)) in data.iter().enumerate() {
            let (w, c) = (weight(index), category(index));
            writeln!(csv, "g{group},{x:?},{y:?},{w:?},c{c}")?;
        }
    }
    let groups: Vec<String> = (0..GROUPS).map(|group| format!("g{group}")).collect();
    let mut plan = format!(
        "{consistent}[source]\nfiles = \"x.csv\"\n\
         [privacy]\nneighbours = \"add-remove\"\n\
         [budget]\n{budget}\n\
         [columns.x]\nlower = 0\nupper = 1\nmissing = 0\n\
         [columns.y]\nlower = 0\nupper = 1\n\
         [columns.w]\nlower = 0\nupper = 1\n\
         [columns.z]\nas = \"number(x)\"\nlower = 0.35\nupper = 0.6\n\
         [columns.i]\nas = \"floor(20 * number(x) + 0.5)\"\ninteger = true\nlower = 0\nupper = 20\n\
         missing = 0\n\
         [columns.d]\nas = \"date '2024-01-01' + floor(300 * number(x) + 0.5)\"\ndate = true\n\
         lower = 2024-01-01\nupper = 2024-12-31\n\
         [columns.c]\ncategories = [\"c0\", \"c1\", \"c2\", \"c3\"]\nother = \"c3\"\n\
         [columns.g]\ncategories = {groups:?}\nother = \"g0\"\n"
    );
    for (name, kind) in kinds {
        let rest = match plans {
            Plans::Consistent(_) => "",
            _ if name.starts_with("shared") => "by = \"g\"\n",
            Plans::Apart(_) => &format!("by = \"g\"\n{loss}"),
        };
        writeln!(plan, "[[statistics]]\nname = \"{name}\"\n{kind}\n{rest}")?;
    }
    plan += match plans {
        Plans::Apart(kinds) if kinds.iter().any(|kind| kind.0.starts_with("shared")) => HOSTS,
        Plans::Apart(_) => "",
        Plans::Consistent(_) => TIE,
    };
    let directory = std::env::temp_dir().join(format!("lastbit-coverage-{}", std::process::id()));
    fs::create_dir_all(&directory)?;
    fs::write(directory.join("x.csv"), csv)?;
    let plan = Plan::parse_in(&plan, &directory)?;
    let mut cells: Vec<Vec<Cell>> = vec![Vec::new(); kinds.len()];
    for turn in 0..releases.div_ceil(GROUPS) {
        let ledger = directory.join(format!("ledger{turn}"));
        let released = release(&plan, &ledger, &TableEngine::default(), Arc::new(|_, _| {}))?;
        for (cells, statistic) in cells.iter_mut().zip(&released.report().statistics) {
            cells.extend(statistic.cells.iter().cloned());
        }
    }
    fs::remove_dir_all(&directory)?;
    for ((kind, _), cells) in kinds.iter().zip(&cells) {
        let found: Vec<Found> = cells
            .iter()
            .filter_map(|cell| compare(kind, cell, &data))
            .collect();
        if found.is_empty() {
            println!("{kind:<18} {rows:>5}  {place:?}  {budget}  no numbers");
            continue;
        }
        let mut off: Vec<f64> = found.iter().map(|found| found.off).collect();
        off.sort_by(f64::total_cmp);
        let quantile = off[(off.len() * 95).div_ceil(100).clamp(1, off.len()) - 1];
        let stated = found.iter().map(|found| found.stated).sum::<f64>() / found.len() as f64;
        let held = found.iter().filter(|found| found.holds).count();
        println!(
            "{kind:<18} {rows:>5}  {:<10}  {budget:<11} {:>5}  {:>7.2} %  {:.2}",
            format!("{place:?}"),
            found.len(),
            100.0 * held as f64 / found.len() as f64,
            stated / quantile
        );
    }
    Ok(())
}

struct Found {
    holds: bool,
    stated: f64,
    off: f64,
}

/// `None` where no number was published.
fn compare(kind: &str, cell: &Cell, data: &[(f64, f64)]) -> Option<Found> {
    let number = |text: &Option<String>| {
        let text = text.as_deref()?;
        text.parse::<f64>().ok().or_else(|| day_of(text))
    };
    let value = number(&cell.value)?;
    let n = data.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| data.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let part = |f: &dyn Fn(&(f64, f64)) -> bool| data.iter().filter(|row| f(row)).count() as f64;
    if kind == "bounds" {
        // With the confidence there are rows in the outermost bins: some row is at or above half of
        // the upper bound. The bin from 0 on has no half.
        let upper = (cell.label == "upper").then_some(value)?;
        let holds = data.iter().any(|p| p.0 >= 0.5 * upper || upper < 1e-9);
        return Some(Found {
            holds,
            stated: 1.0,
            off: 1.0,
        });
    }
    if kind.contains("quantiles") {
        let of = |x: f64| match kind {
            "whole quantiles" => whole(x),
            "quantiles of dates" => day(x),
            _ => x,
        };
        let mut rows: Vec<f64> = data.iter().map(|p| of(p.0)).collect();
        rows.sort_by(f64::total_cmp);
        let median = 0.5 * (rows[(rows.len() - 1) / 2] + rows[rows.len() / 2]);
        let (lower, upper) = (number(&cell.lower)?, number(&cell.upper)?);
        return Some(Found {
            // By any of the usual definitions.
            holds: lower <= rows[(rows.len() - 1) / 2] && rows[rows.len() / 2] <= upper,
            stated: upper - lower,
            off: 2.0 * (value - median).abs(),
        });
    }
    if kind == "rank" {
        // Of some number within the last digit printed.
        let decimals = cell
            .value
            .as_deref()?
            .split_once('.')
            .map_or(9, |it| it.1.len());
        let digit = 0.1f64.powi(decimals as i32);
        let below = part(&|p| p.0 < value - digit);
        let up_to = part(&|p| p.0 <= value + digit);
        let (stated, off) = (number(&cell.error)?, (0.5 * n - up_to).max(below - 0.5 * n));
        let off = off.max(0.0);
        return Some(Found {
            holds: off <= stated,
            stated,
            off,
        });
    }
    let indexed = |f: &dyn Fn(usize) -> f64| (0..data.len()).map(f).sum::<f64>();
    let of_category = |label: &str| {
        indexed(&|index| f64::from(u8::from(format!("c{}", category(index)) == label)))
    };
    let (spread_x, spread_y) = (
        mean(&|p| (p.0 - x) * (p.0 - x)),
        mean(&|p| (p.1 - y) * (p.1 - y)),
    );
    let slope = mean(&|p| (p.0 - x) * (p.1 - y)) / spread_x;
    let exact = match kind {
        "count" | "units" | "shared count" | "tied margin" => n,
        "tied cells" => of_category(&cell.group[1]),
        "tied sums" => indexed(&|index| {
            let is_of = format!("c{}", category(index)) == cell.group[1];
            if is_of { data[index].0 } else { 0.0 }
        }),
        "sum" | "tied sum" => x * n,
        "whole sum" | "tied whole sum" => mean(&|p| whole(p.0)) * n,
        "whole mean" => mean(&|p| whole(p.0)),
        "mean of dates" => mean(&|p| day(p.0)),
        "mean" | "shared mean" => x,
        "share" | "shared share" => of_category(&cell.label) / n,
        "top" | "shared top" | "histogram" => of_category(&cell.label),
        "condition" => part(&|p| p.0 < 0.4) / n,
        "weighted sum" => indexed(&|index| weight(index) * data[index].0),
        "weighted mean" => {
            indexed(&|index| weight(index) * data[index].0) / indexed(&|index| weight(index))
        }
        "correlation" => slope * (spread_x / spread_y).sqrt(),
        "regression" if cell.label == "intercept" => y - slope * x,
        "regression" => slope,
        "left-out" => match cell.label.as_str() {
            "below the bounds" => part(&|p| p.0 < 0.35) / n,
            "above the bounds" => part(&|p| p.0 > 0.6) / n,
            _ => 0.0,
        },
        "variance" => mean(&|p| (p.0 - x) * (p.0 - x)) * n / (n - 1.0),
        _ => mean(&|p| (p.0 - x) * (p.1 - y)) * n / (n - 1.0),
    };
    let (stated, off) = (number(&cell.error)?, (value - exact).abs());
    Some(Found {
        // The sums of this program are off by less.
        holds: off <= stated + 1e-9,
        stated,
        off,
    })
}
