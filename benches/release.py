#!/usr/bin/env python3
"""Times the engine of releases beside its peers in the same run, and prints the ratios as a table.

    python3 benches/release.py [--rows 20000000] [--units 1000000] [--times 5] [--built]

Makes a virtual environment under target/ for the peers (DuckDB, DataFusion, numpy), a Parquet file
of random rows, and builds the Rust side as the first command of the README does. Every run is a
process of its own, so that its processor time and its peak memory are its own; the fastest of
several runs counts, on both sides, turn by turn.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PACKAGES = ["datafusion", "duckdb", "numpy"]
MEAN = """
import time, numpy
numbers = (numpy.arange({rows}) % 1000) + 0.5
best = float("inf")
for _ in range(15):
    start = time.perf_counter()
    numbers.mean()
    best = min(best, time.perf_counter() - start)
print(best)
"""

PLAIN = """
import time, duckdb
start = time.perf_counter()
sql = "SELECT key, count(x), sum(x), avg(x), var_samp(x) FROM '{file}' GROUP BY key"
duckdb.sql(sql).fetchall()
print(time.perf_counter() - start)
"""

DATAFUSION = """
import time, datafusion
context = datafusion.SessionContext()
start = time.perf_counter()
context.register_parquet("rows", "{file}")
sql = "SELECT key, count(x), sum(x), avg(x), var_samp(x) FROM rows GROUP BY key"
context.sql(sql).collect()
print(time.perf_counter() - start)
"""

# Up to M rows of a unit in each of up to G keys, chosen by hashes; then what count, sum, mean and
# variance need.
DUCKDB = """
import time, duckdb
start = time.perf_counter()
duckdb.sql('''
    WITH ranked AS (
        SELECT unit, key, x,
            row_number() OVER (PARTITION BY unit, key ORDER BY hash(unit, key, x)) AS row,
            {rank} AS place
        FROM '{file}')
    SELECT key, count(*), sum(x), sum(x * x) FROM ranked
    WHERE row <= {most_rows} AND place <= {most_groups} GROUP BY key
''').fetchall()
print(time.perf_counter() - start)
"""


class Best:
    """The fastest of the runs of a command: seconds it reports, processor seconds and peak memory
    of its process."""

    def __init__(self, *command):
        self.command = [str(word) for word in command]
        self.seconds = self.cpu = self.memory = float("inf")

    def run(self):
        process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(self.command)} failed")
        self.seconds = min(self.seconds, float(output.split()[-1]))
        self.cpu = min(self.cpu, usage.ru_utime + usage.ru_stime)
        self.memory = min(self.memory, usage.ru_maxrss / 1024)


def compare(times, title, ours, peer, peer_name, goal=""):
    for _ in range(times):
        peer.run()
        ours.run()
    ratio, of_cpu = ours.seconds / peer.seconds, ours.cpu / peer.cpu
    print(
        f"| {title} | {ours.seconds:.3f} s | {ours.cpu:.2f} s | {ours.memory:.0f} MiB | "
        f"{peer_name} | {peer.seconds:.3f} s "
        f"| {peer.cpu:.2f} s | {peer.memory:.0f} MiB | {ratio:.2f}× | {of_cpu:.2f}× | {goal} |",
        flush=True,
    )


def build():
    command = [
        "cargo",
        "build",
        "--release",
        "--quiet",
        "-p",
        "lastbit-release",
        "--example",
        "engine_speed",
    ]
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.check_call([*command, "--features", "test-entropy"], cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"built in {time.perf_counter() - start:.0f} s, {cpu:.0f} s of processor time\n",
        file=sys.stderr,
    )


def make(file, rows, units):
    import duckdb

    print(f"making {file.name} …", file=sys.stderr)
    duckdb.sql(
        f"""COPY (SELECT (hash(i) % {units})::BIGINT AS unit, 'k' || (hash(i + {rows}) % 10) AS key,
            (hash(i * 7 + 1) % 1000000) / 1000.0 AS x FROM range({rows}) AS rows(i))
            TO '{file}.part' (FORMAT parquet)"""
    )
    os.rename(f"{file}.part", file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument(
        "--times", type=int, default=5, help="runs of each, of which the fastest counts"
    )
    parser.add_argument("--built", action="store_true", help="do not build the Rust side again")
    options = parser.parse_args()
    times = options.times
    environment.enter("release-venv", PACKAGES)
    speed = TARGET / "release" / "examples" / "engine_speed"
    if not options.built:
        build()
    file = ROOT / "target" / f"release-{options.rows}-{options.units}.parquet"
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        make(file, options.rows, options.units)
    print(
        "| | Lastbit | processor | memory | peer | | processor | memory | ratio | of processors "
        "| goal |\n|---|---|---|---|---|---|---|---|---|---|---|"
    )
    for name, plain, goal in (("DuckDB", PLAIN, "≤ 1×"), ("DataFusion", DATAFUSION, "≤ 0.45×")):
        compare(
            times,
            "count, sum, mean, variance by 10 keys",
            Best(speed, "private", file),
            Best(sys.executable, "-c", plain.format(file=file)),
            f"{name}, no privacy",
            goal,
        )
    for most_rows, most_groups, memory in [(2, 10, 1024), (1, 2, 1024), (1, 2, 128)]:
        rank = (
            "1"
            if most_groups == 10
            else "dense_rank() OVER (PARTITION BY unit ORDER BY hash(unit, key), key)"
        )
        query = DUCKDB.format(file=file, rank=rank, most_rows=most_rows, most_groups=most_groups)
        title = (
            f"≤ {most_rows} rows of a unit in each of ≤ {most_groups} keys, {memory} MiB for rows"
        )
        ours = Best(speed, "bounded", file, most_rows, most_groups, memory)
        compare(times, title, ours, Best(sys.executable, "-c", query), "DuckDB", "≤ 0.3×")
    mean = Best(sys.executable, "-c", MEAN.format(rows=10**7))
    compare(
        times, "mean of 10^7 doubles in memory", Best(speed, "mean", 10**7), mean, "numpy", "≤ 1.5×"
    )
    for kind in ("f32", "i32", "i64"):
        narrow = Best(speed, "mean", 10**7, kind)
        for _ in range(times):
            narrow.run()
        print(f"| mean of 10^7 {kind} in memory | {narrow.seconds:.4f} s |")
    fingerprint = Best(speed, "fingerprint", file)
    fingerprint.run()
    print(
        f"\nfingerprint of the {file.stat().st_size / 2**20:.0f} MiB file: "
        f"{fingerprint.seconds:.3f} s"
    )


if __name__ == "__main__":
    main()
