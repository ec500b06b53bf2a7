//! Data that cannot be read, are too large or change: refused with a message, and nothing is spent.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::support::{Here, plan};

/// Less than the engine's memory and as much again.
const LIMIT: &str = "ulimit -v 1500000; ulimit -c 0";

fn of(file: &str) -> String {
    plan(50).replace("people.csv", file)
}

/// Releases, and asserts that nothing was spent of the ledger.
#[track_caller]
fn costs_nothing(here: &Here, words: &str) {
    let line = format!("{LIMIT}; lastbit release plan.toml --ledger lastbit.ledger");
    let done = here.shell(&line).refused(words);
    assert!(!done.err.contains("panicked"), "{}", done.err);
    let spent = here.spent("lastbit.ledger");
    assert!(
        spent.as_deref().is_none_or(|spent| spent == "0"),
        "{spent:?}"
    );
}

#[track_caller]
fn is_released(here: &Here) {
    let line = format!("{LIMIT}; lastbit release plan.toml --ledger lastbit.ledger");
    here.shell(&line).succeeded();
    assert_eq!(here.spent("lastbit.ledger").as_deref(), Some("1"));
}

fn gzip(here: &Here, name: &str, write: impl FnOnce(&mut dyn Write)) {
    let out = fs::File::create(here.path(name)).unwrap();
    let mut gzip = Command::new("gzip")
        .arg("-1c")
        .stdin(Stdio::piped())
        .stdout(out)
        .spawn()
        .unwrap();
    write(gzip.stdin.as_mut().unwrap());
    assert!(gzip.wait().unwrap().success());
}

fn parquet(here: &Here, ages: ArrayRef, parts: usize, properties: WriterProperties) {
    let batch = RecordBatch::try_from_iter([("age", ages)]).unwrap();
    let file = fs::File::create(here.path("people.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    for _ in 0..parts {
        writer.write(&batch).unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn text_that_cannot_be_read_costs_nothing() {
    let here = Here::new();
    let rows = "41\n".repeat(200_000);
    for (text, words) in [
        (
            format!("age\n{rows}4,1\n{rows}").into_bytes(),
            "line 200002",
        ),
        ([b"age\n", rows.as_bytes(), b"\xff\n"].concat(), "UTF-8"),
        (
            format!("age\n{rows}\"4\n{rows}").into_bytes(),
            "never closed",
        ),
        (format!("years\n{rows}").into_bytes(), "no column `age`"),
    ] {
        here.write("people.csv", text);
        costs_nothing(&here, words);
    }
    here.write("plan.toml", of("people.jsonl"));
    let lines = "{\"age\": 4}\n".repeat(5000);
    here.write(
        "people.jsonl",
        format!("{lines}{{\"age\": 4, \"age\": 5}}\n"),
    );
    costs_nothing(&here, "line 5001");
    here.write("plan.toml", of("people.csv.gz"));
    gzip(&here, "people.csv.gz", |out| {
        write!(out, "age\n{rows}").unwrap();
    });
    let whole = fs::read(here.path("people.csv.gz")).unwrap();
    here.write("people.csv.gz", &whole[..whole.len() - 20]);
    costs_nothing(&here, "people.csv.gz");
    here.write("people.csv.gz", whole);
    is_released(&here);
}

/// A column that is first named on a late line is a column, and a number beyond all doubles is
/// clamped as in CSV.
#[test]
fn late_columns_and_huge_numbers_of_json_are_read() {
    let here = Here::new();
    here.write("plan.toml", of("people.jsonl"));
    let lines = "{\"name\": \"x\"}\n".repeat(1500);
    here.write(
        "people.jsonl",
        format!("{lines}{{\"age\": 1e400}}\n{{\"age\": -1e400}}\n"),
    );
    is_released(&here);
}

/// JSON has no header: whether a column occurs is a fact about rows, and one row does not decide
/// whether there is a release. The steward is told by `inspect`.
#[test]
fn a_column_that_no_row_of_json_has_is_missing() {
    let inspected = |here: &Here| {
        let shown = here.run(&["inspect", "plan.toml", "--not-private"]);
        let words = shown.succeeded().out;
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let none = "{\"years\": 4}\n".repeat(500);
    for (rows, never) in [
        (none.clone(), true),
        (format!("{none}{{\"age\": null}}\n"), true),
        (format!("{none}{{\"age\": 7}}\n"), false),
    ] {
        let here = Here::new();
        here.write("plan.toml", of("people.jsonl"));
        here.write("people.jsonl", rows);
        is_released(&here);
        let words = inspected(&here);
        assert_eq!(
            words.contains("age HAS A VALUE IN NO ROW"),
            never,
            "{words}"
        );
    }
    // One of several files has it, and the columns of the unit, a filter, an expression and a
    // joined table are told, too.
    let here = Here::new();
    let text = of("part*.jsonl").replace(
        "[privacy]",
        "where = \"town = 'x'\"\n[[source.join]]\nfiles = \"j.jsonl\"\n\
             columns = [\"school\"]\n[privacy]\nunit = \"who\"\nmost_rows = 1",
    ) + "[columns.far]\nas = \"miles * 2\"\nlower = 0\nupper = 1\n[columns.school]\n\
           categories = [\"a\"]\n[[statistics]]\nname = \"far\"\nkind = \"sum\"\nof = \"far\"\n\
           [[statistics]]\nname = \"schools\"\nkind = \"count\"\nby = [\"school\"]\n";
    here.write("plan.toml", text);
    here.write("part1.jsonl", "{\"age\": 4}\n");
    here.write("part2.jsonl", &none);
    here.write("j.jsonl", "{\"who\": 1}\n");
    let words = inspected(&here);
    for name in ["miles", "school", "town", "who"] {
        let told = format!("{name} HAS A VALUE IN NO ROW");
        assert!(words.contains(&told), "{name}: {words}");
    }
    for name in ["age", "far", "years"] {
        let told = format!("{name} HAS A VALUE IN NO ROW");
        assert!(!words.contains(&told), "{name}: {words}");
    }
    is_released(&here);
}

/// A table without a header: its first person is not told, neither as the names of columns nor as
/// what was meant.
#[test]
fn a_row_in_the_place_of_the_header_is_not_told() {
    let here = Here::new();
    for row in ["4711,Doe,agf", "Doe,,agf", "Doe,agf,Doe"] {
        here.write("people.csv", format!("{row}\n4712,Roe,agg\n"));
        for command in [
            &["release", "plan.toml"][..],
            &["inspect", "plan.toml", "--not-private"],
        ] {
            let refused = here.run(command).refused("has no column `age`");
            for cell in ["4711", "Doe", "agf"] {
                assert!(!refused.err.contains(cell), "{}", refused.err);
            }
        }
    }
    // Names are.
    here.write("people.csv", "agf,town\n1,2\n");
    let refused = here.run(&["release", "plan.toml"]);
    assert!(
        refused.err.contains("did you mean `agf`?"),
        "{}",
        refused.err
    );
}

#[test]
fn a_wrong_public_number_of_rows_costs_nothing() {
    let here = Here::new();
    let public = |rows: u32| {
        // The number of rows is public, so that there is no count of them.
        plan(50)
            .replace("[[statistics]]\nname = \"people\"\nkind = \"count\"\n", "")
            .replace(
                "neighbours = \"add-remove\"",
                &format!("neighbours = \"change-one\"\nrows = {rows}"),
            )
    };
    here.write("plan.toml", public(499));
    costs_nothing(&here, "the data have 500 rows");
    here.write("plan.toml", public(500));
    is_released(&here);
}

#[test]
fn parquet_that_cannot_be_read_costs_nothing() {
    let here = Here::new();
    here.write("plan.toml", of("people.parquet"));
    here.write("people.parquet", "PAR1 garbage PAR1");
    costs_nothing(&here, "people.parquet");
    let ages: ArrayRef = Arc::new((0..5000).map(f64::from).collect::<Float64Array>());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false);
    parquet(&here, ages, 3, properties.build());
    let mut bytes = fs::read(here.path("people.parquet")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 200].fill(0xa5);
    here.write("people.parquet", bytes);
    costs_nothing(&here, "people.parquet");
}

/// A header and rows of tens of thousands of cells, of which one is wanted.
#[test]
fn wide_tables_are_read_in_little_memory() {
    for columns in [20_000, 60_000] {
        let here = Here::new();
        let names: Vec<String> = (0..columns).map(|i| format!("c{i}")).collect();
        let cells = "12345,".repeat(columns);
        let mut text = format!("{},age\n", names.join(","));
        for _ in 0..200 {
            text += &cells;
            text += "41\n";
        }
        here.write("people.csv", text);
        is_released(&here);
    }
}

/// Rows of fifteen megabytes that are nearly nothing in a compressed file, in a column that is
/// read.
#[test]
fn long_rows_that_were_compressed_are_read_in_little_memory() {
    let here = Here::new();
    here.write("plan.toml", of("people.csv.gz"));
    let long = "7".repeat(15 << 20);
    gzip(&here, "people.csv.gz", |out| {
        writeln!(out, "age").unwrap();
        for _ in 0..60 {
            writeln!(out, "{long}").unwrap();
        }
    });
    is_released(&here);
}

/// Gigabytes of text in a few kilobytes: one entry of a dictionary, over and over.
#[test]
fn repeated_long_texts_of_parquet_are_read_in_little_memory() {
    let here = Here::new();
    here.write("plan.toml", of("people.parquet"));
    let long = "7".repeat(1 << 20);
    let ages: ArrayRef = Arc::new(StringArray::from(vec![long.as_str(); 500]));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_page_size_limit(4 << 20);
    parquet(&here, ages, 5, properties.build());
    assert!(fs::metadata(here.path("people.parquet")).unwrap().len() < 200_000);
    is_released(&here);
}

/// A page of more bytes than may be held is refused by its header.
#[test]
fn pages_that_do_not_fit_cost_nothing() {
    let here = Here::new();
    here.write("plan.toml", of("people.parquet"));
    let long = "7".repeat(1 << 20);
    let ages: ArrayRef = Arc::new(StringArray::from(vec![long.as_str(); 600]));
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_data_page_size_limit(2 << 30)
        .set_write_batch_size(1 << 20);
    parquet(&here, ages, 1, properties.build());
    costs_nothing(&here, "memory");
}

/// Does something in the middle of the scan of a release that does not succeed then. On a busy
/// machine the scan may be over before: more rows take longer.
#[cfg(target_os = "linux")]
fn in_the_scan(then: impl Fn(&Here, u32)) -> (Here, std::process::Output) {
    for rows in [6_000_000, 12_000_000, 24_000_000, 48_000_000] {
        let here = Here::new();
        // With a quote in the first line, so that one thread reads it from its start to its end.
        here.write("people.csv", format!("age\n{}", "\"41\"\n".repeat(rows)));
        let output = while_it_scans(&here, |id| then(&here, id));
        if output.status.code() != Some(0) {
            return (here, output);
        }
    }
    panic!("every release had ended before");
}

/// Runs a release in the background until it has read the data more than once and less than twice.
#[cfg(target_os = "linux")]
fn while_it_scans(here: &Here, then: impl FnOnce(u32)) -> std::process::Output {
    let size = fs::metadata(here.path("people.csv")).unwrap().len();
    let mut child = here
        .command(&["release", "plan.toml", "--ledger", "lastbit.ledger"])
        .spawn()
        .unwrap();
    let begun = Instant::now();
    loop {
        let io = fs::read_to_string(format!("/proc/{}/io", child.id())).unwrap_or_default();
        let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
        let read: u64 = read.and_then(|read| read.parse().ok()).unwrap_or(0);
        if read > size + size / 8 || child.try_wait().unwrap().is_some() {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{io}");
        sleep(Duration::from_millis(1));
    }
    then(child.id());
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_while_data_are_read_costs_nothing() {
    let (here, output) = in_the_scan(|_, id| {
        // Fails where the release is over, and then it is tried again. A process that was started
        // in the background may ignore the first signal, and not the second.
        for signal in ["-INT", "-TERM"] {
            let _ = Command::new("kill")
                .args([signal, &id.to_string()])
                .status();
        }
    });
    assert!(output.stdout.is_empty());
    let spent = here.spent("lastbit.ledger");
    assert!(
        spent.as_deref().is_none_or(|spent| spent == "0"),
        "{spent:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_change_while_they_are_read_cost_nothing() {
    let (here, output) = in_the_scan(|here, _| {
        let path = here.path("people.csv");
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"7\n").unwrap();
    });
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("changed while they were read"),
        "{message}"
    );
    assert!(!here.path("lastbit.ledger").exists());
}

#[test]
fn a_pipe_as_data_is_refused_at_once() {
    let here = Here::new();
    fs::remove_file(here.path("people.csv")).unwrap();
    here.shell("mkfifo people.csv").succeeded();
    costs_nothing(&here, "not a regular file");
}
