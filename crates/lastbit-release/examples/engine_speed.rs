//! Times the engine on a Parquet or CSV file: `engine_speed private|bounded|fingerprint FILE`, or
//! the mean of numbers in memory: `engine_speed mean ROWS`, or of numbers of another type:
//! `engine_speed mean ROWS f32|i32|i64`. `benches/release.py` runs it beside its peers.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use lastbit::Bounds;
use lastbit::statistics::{Grid, GridRow, NonFinite, grid_mean};
use lastbit_exact::Rational;
use lastbit_release::engine::query::{Aggregate, Derive, Key, Query, Table};
use lastbit_release::engine::{Options, answer, fingerprint};
use lastbit_release::plan::{Categories, FileFormat, Files, Missing, Numbers, Source, Unit};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = Instant::now();
    match words[..] {
        ["private", file] => {
            black_box(answer(&query(file, Unit::Row)?, &Options::default())?);
        }
        ["bounded", file, most_rows, most_groups, memory] => {
            let unit = Unit::Column {
                name: "unit".into(),
                most_rows: most_rows.parse()?,
                most_groups: most_groups.parse()?,
            };
            let options = Options {
                memory: memory.parse::<usize>()? << 20,
                ..Options::default()
            };
            black_box(answer(&query(file, unit)?, &options)?);
        }
        ["fingerprint", file] => {
            black_box(fingerprint(&query(file, Unit::Row)?.source)?);
        }
        ["mean", rows] => return mean(rows.parse()?, |number| number),
        ["mean", rows, "f32"] => return mean(rows.parse()?, |number| number as f32),
        ["mean", rows, "i32"] => return mean(rows.parse()?, |number| number as i32),
        ["mean", rows, "i64"] => return mean(rows.parse()?, |number| number as i64),
        _ => {
            return Err(
                "usage: engine_speed private|fingerprint FILE, bounded FILE M G MIB, or mean ROWS \
                 [f32|i32|i64]"
                    .into(),
            );
        }
    }
    println!("{}", start.elapsed().as_secs_f64());
    Ok(())
}

/// Count, and what sum, mean and variance need, by a key of ten values.
fn query(file: &str, unit: Unit) -> Result<Query> {
    let bounds = Bounds::parse("0", "1000")?;
    let x = Arc::new(Numbers::new(
        "x",
        bounds,
        -20,
        Missing::Value(Rational::ZERO),
    )?);
    let key = Arc::new(Categories {
        column: "key".into(),
        names: (0..10).map(|key| format!("k{key}")).collect(),
        other: None,
    });
    Ok(one_table(file, unit, key, x))
}

fn one_table(file: &str, unit: Unit, key: Arc<Categories>, x: Arc<Numbers>) -> Query {
    let format = match file.ends_with(".csv") {
        true => FileFormat::Csv {
            delimiter: b',',
            quote: b'"',
            gzip: false,
        },
        false => FileFormat::Parquet,
    };
    Query {
        source: Source::Files(Files {
            paths: vec![file.into()],
            base: PathBuf::new(),
            format,
        }),
        derive: Derive::default(),
        unit,
        tables: vec![Table {
            scope: Default::default(),
            keys: vec![Key::Categories(key)],
            aggregates: vec![Aggregate::Rows, Aggregate::Moments(x)],
        }],
        hash_key: [1; 32],
    }
}

/// Prints the fastest of several passes over numbers of a type; as doubles, the same as numpy's.
fn mean<R: GridRow>(rows: usize, row: impl Fn(f64) -> R) -> Result<()> {
    let numbers: Vec<R> = (0..rows).map(|i| row((i % 1000) as f64 + 0.5)).collect();
    let bounds = Bounds::parse("0", "1000")?;
    let grid = Grid::new(&bounds, -20, NonFinite::Refuse)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        black_box(grid_mean(black_box(&numbers), &grid)?);
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("{fastest}");
    Ok(())
}
