#!/usr/bin/env python3
"""Times the statements of a plan beside the same aggregates without privacy, in the same engine and
run, and prints the ratios.

    cargo build --release -p lastbit-cli
    cargo xtask databases python3 benches/databases.py [--rows 100000 1000000] [--times 3]
    cargo xtask cluster --workers 1 python3 benches/databases.py --only spark

Asks `lastbit sql` for the statements and runs them in DuckDB (from a virtual environment under
target/), in PostgreSQL (by psql, at the server that LASTBIT_TEST_POSTGRESQL names, where it
makes and drops a table) and in Spark (by the program with which a release asks it, on the cluster
that LASTBIT_TEST_SPARK names, from files of Parquet). What counts is the processor time of the
engine, of the fastest of several runs, turn by turn: it says more than the clock on a machine that
does other things too. One thread each, and one for each worker of Spark; its time is that of all
its processes, and the clock is shown beside it.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["duckdb"]
# As `lastbit sql` calls the rows of a plan over files.
TABLE = "visits"

PLAIN = (
    "SELECT CAST(key AS {text}), CAST(count(x) AS {text}), CAST(sum(x) AS {text}), "
    "CAST(avg(x) AS {text}), CAST(var_samp(x) AS {text}) FROM {table} GROUP BY key"
)

UNITS = """unit = "person"
most_rows = {rows}
most_groups = {groups}
"""

# Which limits, and the most times that the plan should take of what plain aggregates take. A unit
# has about ten rows in about six of ten groups.
LIMITS = [
    ("none", "", 3),
    ("20 rows, 10 groups: no unit above", UNITS.format(rows=20, groups=10), 6),
    ("20 rows, 9 groups: hardly any above", UNITS.format(rows=20, groups=9), 6),
    ("2 rows, 3 groups: nearly all above", UNITS.format(rows=2, groups=3), 6),
]

PLAN = """[source]
files = "{table}.parquet"
[privacy]
neighbours = "add-remove"
{units}[budget]
epsilon = 1
[columns.key]
categories = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"]
[columns.x]
lower = 0
upper = 1000
missing = "drop"
typical = 500
"""

STATISTIC = """[[statistics]]
name = "{kind}"
kind = "{kind}"
by = "key"
"""


def statements(lastbit, units, dialect):
    """What a release runs: the fingerprint of the rows, and everything after it."""
    plan = PLAN.format(table=TABLE, units=units) + STATISTIC.format(kind="count")
    for kind in ("sum", "mean", "variance"):
        plan += STATISTIC.format(kind=kind) + 'of = "x"\n'
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "plan.toml"
        path.write_text(plan)
        command = [lastbit, "sql", path, "--dialect", dialect]
        text = subprocess.run(command, capture_output=True, text=True)
    if text.returncode:
        sys.exit(text.stderr)
    # Of each statement: a heading `-- 2 of 5: …`, comments, and the text up to a semicolon.
    parts = re.split(r"(?m)^-- [0-9]+ of [0-9]+: .*$", text.stdout)[1:]
    codes = [[line for line in part.splitlines() if not line.startswith("--")] for part in parts]
    texts = ["\n".join(lines).strip().rstrip(";") for lines in codes]
    # The first asks for types, which takes no time.
    return [texts[1]], texts[2:]


def invented(rows, units):
    """Rows, as DuckDB makes them."""
    return f"""SELECT CAST(hash(i) % {units} AS VARCHAR) AS person,
        'k' || (hash(i + {rows}) % 10) AS key, (hash(i * 7 + 1) % 1000000) / 1000.0 AS x
        FROM range({rows}) AS numbers(i)"""


class DuckDb:
    name, dialect = "DuckDB", "duckdb"
    plain = PLAIN.format(text="VARCHAR", table=TABLE)

    def __init__(self, rows, units):
        import duckdb

        # What does not fit is written to disk.
        self.place = tempfile.TemporaryDirectory()
        limits = {"threads": 1, "memory_limit": "12GB", "temp_directory": self.place.name}
        self.run = duckdb.connect(config=limits).execute
        self.run(f"CREATE TABLE {TABLE} AS {invented(rows, units)}")

    def seconds(self, texts):
        # The peak begins anew.
        Path("/proc/self/clear_refs").write_text("5")
        before = resource.getrusage(resource.RUSAGE_SELF)
        for text in texts:
            self.run(text).fetchall()
        status = Path("/proc/self/status").read_text()
        self.memory = int(re.search(r"VmHWM:\s+([0-9]+) kB", status)[1]) / 1024
        after = resource.getrusage(resource.RUSAGE_SELF)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def end(self):
        self.place.cleanup()


class PostgreSql:
    name, dialect = "PostgreSQL", "postgresql"
    plain = PLAIN.format(text="TEXT", table=TABLE)

    def __init__(self, rows, units):
        self.url = os.environ["LASTBIT_TEST_POSTGRESQL"]
        self.end()
        hashed = "abs(hashint8extended(i, {}))"
        self.psql(
            f"""CREATE TABLE {TABLE} AS SELECT CAST({hashed.format(1)} % {units} AS text) AS person,
                'k' || ({hashed.format(2)} % 10) AS key,
                CAST({hashed.format(3)} % 1000000 AS double precision) / 1000 AS x
                FROM generate_series(1, {rows}) AS numbers(i)"""
        )
        self.psql(f"VACUUM ANALYZE {TABLE}")

    def psql(self, *texts):
        command = ["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", self.url]
        given = "".join(text + ";\n" for text in texts)
        done = subprocess.run(command, input=given, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stderr

    def seconds(self, texts):
        """As the server counts them, of the one process that runs the statements."""
        settings = [
            "SET max_parallel_workers_per_gather = 0",
            "SET work_mem = '256MB'",
            "SET client_min_messages = log",
            # As in a session of `lastbit release`.
            "SET jit = off",
            "SET enable_mergejoin = off",
        ]
        said = self.psql(*settings, "SET log_statement_stats = on", *texts)
        found = re.findall(r"!\s+([0-9.]+) s user, ([0-9.]+) s system, [0-9.]+ s elapsed", said)
        if len(found) < len(texts):
            sys.exit("PostgreSQL did not say what statements took; the user must be a superuser")
        most = re.findall(r"!\s+([0-9]+) kB max resident size", said)
        self.memory = max(map(int, most)) / 1024 if most else None
        return sum(float(user) + float(system) for user, system in found[-len(texts) :])

    def end(self):
        self.psql(f"DROP TABLE IF EXISTS {TABLE}")


class Spark:
    name, dialect = "Spark", "spark"
    plain = PLAIN.format(text="STRING", table=f"`{TABLE}`")

    def __init__(self, rows, units):
        import duckdb

        self.place = tempfile.TemporaryDirectory()
        self.path = Path(self.place.name) / "rows.parquet"
        duckdb.execute(f"COPY ({invented(rows, units)}) TO '{self.path}' (FORMAT parquet)")
        session = ROOT / "crates/lastbit-release/src/engine/session/spark.py"
        self.session = subprocess.Popen(
            [os.environ["LASTBIT_PYTHON"], "-c", session.read_text()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if "ready" not in self.ask(os.environ["LASTBIT_TEST_SPARK"]):
            sys.exit("Spark did not start")
        # What Java compiles at first is not counted.
        self.seconds([self.plain])

    def ask(self, text):
        self.session.stdin.write(json.dumps(text) + "\n")
        self.session.stdin.flush()
        while "stages" in (said := json.loads(self.session.stdout.readline())):
            pass
        return said

    def processor(self):
        """Of the processes of the cluster, and of those that the session started."""
        found = {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                words = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parent, group = int(words[1]), int(words[2])
            found[int(stat.parent.name)] = parent, group, int(words[11]) + int(words[12])
        ours, before = {self.session.pid}, 0
        while len(ours) > before:
            before = len(ours)
            ours |= {process for process, (parent, *_) in found.items() if parent in ours}
        cluster = int(os.environ["LASTBIT_TEST_CLUSTER"])
        counted = [
            ticks
            for process, (_, group, ticks) in found.items()
            if process in ours or group == cluster
        ]
        return sum(counted) / os.sysconf("SC_CLK_TCK")

    def seconds(self, texts):
        before, start = self.processor(), time.monotonic()
        for text in texts:
            text = text.replace(f"`{TABLE}`", f"parquet.`{self.path}`")
            if "rows" not in (said := self.ask(text)):
                sys.exit(f"Spark: {said}")
        self.clock = time.monotonic() - start
        return self.processor() - before

    def end(self):
        self.session.stdin.close()
        self.session.wait()
        self.place.cleanup()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10**5, 10**6])
    parser.add_argument("--rows-of-a-unit", type=int, default=10)
    parser.add_argument("--times", type=int, default=3, help="runs of each, the fastest counts")
    parser.add_argument("--lastbit", default=ROOT / "target" / "release" / "lastbit")
    parser.add_argument("--only", choices=["duckdb", "postgresql", "spark"])
    parser.add_argument("--limits", type=int, nargs="+", default=range(len(LIMITS)))
    options = parser.parse_args()
    environment.enter("databases-venv", PACKAGES)
    engines = [DuckDb, PostgreSql]
    if options.only:
        engines = [one for one in (DuckDb, PostgreSql, Spark) if one.dialect == options.only]
    if PostgreSql in engines and "LASTBIT_TEST_POSTGRESQL" not in os.environ:
        sys.exit(
            "no server of PostgreSQL is named; run: cargo xtask databases python3 "
            "benches/databases.py, or --only duckdb"
        )
    names = ["engine", "rows", "unit limits", "without privacy", "the plan", "ratio", "goal"]
    print("| " + " | ".join([*names, "fingerprint", "memory"]) + " |")
    print("|---|---|---|---|---|---|---|---|---|")
    for engine in engines:
        for rows in options.rows:
            running = engine(rows, rows // options.rows_of_a_unit)
            for limits, units, goal in [LIMITS[place] for place in options.limits]:
                fingerprint, ours = statements(options.lastbit, units, engine.dialect)
                best, clocks = [float("inf")] * 3, [float("inf")] * 3
                memory = "unknown"
                for _ in range(options.times):
                    for place, texts in enumerate([[engine.plain], ours, fingerprint]):
                        best[place] = min(best[place], running.seconds(texts))
                        clocks[place] = min(clocks[place], getattr(running, "clock", 0))
                        if texts is ours and getattr(running, "memory", None):
                            memory = f"{running.memory:,.0f} MB"
                plain, plan, prints = best
                shown = [f"{seconds:.3f} s" for seconds in best]
                if any(clocks):
                    shown = [f"{one} ({clock:.1f} s)" for one, clock in zip(shown, clocks)]
                print(
                    f"| {engine.name} | {rows:.0e} | {limits} | {shown[0]} | {shown[1]} "
                    f"| {plan / plain:.1f}× | ≤ {goal}× | {shown[2]} | {memory} |",
                    flush=True,
                )
            running.end()


if __name__ == "__main__":
    main()
