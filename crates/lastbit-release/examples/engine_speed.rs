//! Times the engine, and DataFusion without privacy, on a Parquet file: `engine_speed private|plain|bounded FILE`, or the mean of
//! numbers in memory: `engine_speed mean ROWS`. `benches/release.py` runs it beside its peers.

use std::env;
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use datafusion::functions_aggregate::expr_fn::{avg, count, sum, var_sample};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext, col};
use lastbit::Bounds;
use lastbit::statistics::{Grid, NonFinite, grid_mean};
use lastbit_release::engine::{Options, answer, fingerprint};
use lastbit_release::query::{
    Aggregate, Categories, FileFormat, Key, Missing, Numeric, Query, Source, Table, Unit,
};

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
        ["plain", file] => plain(file)?,
        ["mean", rows] => return mean(rows.parse()?),
        _ => return Err("usage: engine_speed private|plain|fingerprint FILE, bounded FILE M G MIB, or mean ROWS".into()),
    }
    println!("{}", start.elapsed().as_secs_f64());
    Ok(())
}

/// Count, and what sum, mean and variance need, by a key of ten values.
fn query(file: &str, unit: Unit) -> Result<Query> {
    let bounds = Bounds::parse("0", "1000")?;
    let x = Numeric {
        column: "x".into(),
        grid: Grid::new(&bounds, -20, NonFinite::Refuse)?,
        missing: Missing::Value(0.0),
    };
    let key = Categories {
        column: "key".into(),
        names: (0..10).map(|key| format!("k{key}")).collect(),
        other: None,
    };
    Ok(Query {
        source: Source {
            paths: vec![file.into()],
            base: PathBuf::new(),
            format: FileFormat::Parquet,
        },
        unit,
        tables: vec![Table {
            keys: vec![Key::Categories(key)],
            aggregates: vec![Aggregate::Rows, Aggregate::Moments(x)],
        }],
        hash_key: [1; 32],
    })
}

/// The same aggregates by DataFusion alone.
fn plain(file: &str) -> Result<()> {
    let threads = Options::default().threads;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .build()?;
    runtime.block_on(async {
        let config = SessionConfig::new().with_target_partitions(threads);
        let context = SessionContext::new_with_config(config);
        let table = context
            .read_parquet(file, ParquetReadOptions::default())
            .await?;
        let x = || col("x");
        let aggregates = vec![count(x()), sum(x()), avg(x()), var_sample(x())];
        black_box(
            table
                .aggregate(vec![col("key")], aggregates)?
                .collect()
                .await?,
        );
        Ok(())
    })
}

/// Prints the fastest of several passes over numbers that are the same as numpy's.
fn mean(rows: usize) -> Result<()> {
    let numbers: Vec<f64> = (0..rows).map(|i| (i % 1000) as f64 + 0.5).collect();
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
