#!/usr/bin/env python3
"""Times a scan with a filter, a derived ratio and months beside the same query in DuckDB and beside
a scan without them.

    python3 benches/expression.py [--rows 10000000] [--times 5] [--lastbit COMMAND]

Makes a virtual environment under target/ for DuckDB, a Parquet and a CSV file of random rows, and
builds the command. All seconds are of the processor, of all threads: of Lastbit those of the
process of `lastbit release`, of DuckDB those of the query alone. The least of several runs counts,
on all sides, turn by turn.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))

ROWS = """
import duckdb
duckdb.sql('''
    select setseed(0.5);
    copy (
        select 40 + 60 * random() as weight, 1.5 + random() / 2 as height,
            (100 * random())::integer as age, 'w' || (10 * random())::integer as ward,
            date '2020-01-01' + (1800 * random())::integer as day
        from range({rows})
    ) to '{file}' ({format});
''')
"""
# With the derived columns in the file.
WRITTEN = """
import duckdb
duckdb.sql('''
    copy (select weight / (height * height) as bmi, month(day) as month from '{source}')
        to '{file}' ({format});
''')
"""
# What a mean and a variance of each month need.
QUERY = """
import time, duckdb
start = time.process_time()
duckdb.sql('''
    select month(day), count(*), count(bmi), sum(bmi), sum(bmi * bmi)
    from (
        select *, weight / (height * height) as bmi from '{file}'
        where age >= 18 and ward in ('w1', 'w3', 'w5'))
    group by all
''').fetchall()
print(time.process_time() - start)
"""
# A mean and a variance share their noise, and their scan.
PLAN = """
[source]
files = "{file}"
{where}
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 1
[columns.bmi]
{bmi}
lower = 0
upper = 64
[columns.month]
{month}
categories = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
[[statistics]]
name = "mean"
kind = "mean"
of = "bmi"
by = "month"
[[statistics]]
name = "variance"
kind = "variance"
of = "bmi"
by = "month"
"""
DERIVED = {
    "where": "where = \"age >= 18 and ward in ('w1', 'w3', 'w5')\"",
    "bmi": 'as = "weight / (height * height)"',
    "month": 'as = "month(day)"',
}
WRITTEN_ALREADY = {"where": "", "bmi": "", "month": ""}


def python(code):
    return float(
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout
        or "nan"
    )


def children():
    """The processor's seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def release(lastbit, file, columns):
    """The processor's seconds of a release on a fresh ledger."""
    with tempfile.TemporaryDirectory() as directory:
        plan = Path(directory) / "plan.toml"
        plan.write_text(PLAN.format(file=file, **columns))
        before = children()
        subprocess.run(
            [lastbit, "release", "--json", "--ledger", Path(directory) / "ledger", plan],
            check=True,
            capture_output=True,
        )
        return children() - before


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--lastbit", type=Path, help="the command, instead of building it")
    arguments = parser.parse_args()
    environment.enter("release-venv", ["duckdb", "numpy"])
    if not arguments.lastbit:
        subprocess.run("cargo build --release -p lastbit-cli".split(), cwd=ROOT, check=True)
    lastbit = arguments.lastbit or TARGET / "release" / "lastbit"
    print("| file | rows | derived here | DuckDB | ratio | written columns, no filter | ratio |")
    print("|---|---|---|---|---|---|---|")
    for name, form in [("parquet", "format parquet"), ("csv", "format csv, header")]:
        rows = arguments.rows if name == "parquet" else arguments.rows // 4
        file, written = (
            TARGET / f"expression-{rows}.{name}",
            TARGET / f"expression-written-{rows}.{name}",
        )
        if not written.exists():
            python(ROWS.format(rows=rows, file=file, format=form))
            python(WRITTEN.format(source=file, file=written, format=form))
        times = [[], [], []]
        for _ in range(arguments.times):
            times[0].append(release(lastbit, file, DERIVED))
            times[1].append(python(QUERY.format(file=file)))
            times[2].append(release(lastbit, written, WRITTEN_ALREADY))
        ours, duckdb, plain = map(min, times)
        print(
            f"| {name} | {rows:,} | {ours:.3f} s | {duckdb:.3f} s | {ours / duckdb:.2f} | "
            f"{plain:.3f} s | {ours / plain:.2f} |",
            flush=True,
        )


main()
