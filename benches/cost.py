#!/usr/bin/env python3
"""Prints what a whole `lastbit release` costs against rows, groups, statistics and units.

    python3 benches/cost.py [--most-rows 100000000] [--times 2] [rows groups statistics units csv]

Makes a virtual environment under target/ with DuckDB, which makes the tables, and builds the
command as the first one of the README does. Every run is a process of its own, with a ledger of its
own; the least of several runs counts, and a failure is a row that says so. Beside the processor
time, the clock and the peak memory stands the growth: how many times the cost of the row above, for
how many times the size.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["duckdb"]
DATA = ROOT / "target" / "cost"

PLAN = """title = "Cost"
[source]
files = "{file}"
[privacy]
neighbours = "add-remove"
{privacy}[budget]
epsilon = {epsilon}
{delta}"""

NUMBER = """[columns.{name}]
lower = 0
upper = 1000
"""

DISCOVERED = "[columns.key]\ndiscover = true\n"


def public(groups):
    """The column of keys, as a list of so many."""
    keys = ", ".join(f'"key-{n}"' for n in range(groups))
    return f"[columns.key]\ncategories = [{keys}]\n"


def numbered(name, count):
    """A column of keys that are the whole numbers below this one."""
    return f"[columns.{name}]\nfrom = 0\nto = {count - 1}\n"


def plan(file, columns, statistics, privacy="", epsilon=20, delta=""):
    head = PLAN.format(file=file, privacy=privacy, epsilon=epsilon, delta=delta)
    return head + "".join(columns) + "".join(statistics)


def statistic(kind, by=None, of=None, where=None, name=None):
    lines = ["[[statistics]]", f'name = "{name or kind}"', f'kind = "{kind}"', "expected_rows = 10"]
    lines += [f'of = "{of}"'] if of else []
    # One key, or a list of several.
    lines += [f"by = {by!r}"] if by else []
    lines += [f"where = '{where}'"] if where else []
    return "\n".join(lines) + "\n"


def table(rows, groups=10, units=10**6, form="parquet"):
    """A table of random rows, made once."""
    import duckdb

    DATA.mkdir(parents=True, exist_ok=True)
    file = DATA / f"{rows}-{groups}-{units}.{form}"
    if not file.exists():
        print(f"making {file.name} …", file=sys.stderr)
        numbers = ", ".join(f"(hash(i * 17 + {n}) % 1000000) / 1000.0 AS x{n}" for n in range(4))
        options = "FORMAT csv, HEADER, FORCE_QUOTE *" if form == "csv" else "FORMAT parquet"
        duckdb.sql(
            f"""COPY (SELECT (hash(i) % {units})::BIGINT AS unit,
                'key-' || (hash(i + {rows}) % {groups}) AS key,
                (hash(i + {rows}) % {groups} % 1000)::INTEGER AS low,
                (hash(i + {rows}) % {groups} // 1000)::INTEGER AS high, {numbers}
                FROM range({rows}) AS rows(i)) TO '{file}.part' ({options})"""
        )
        os.rename(f"{file}.part", file)
    return file


class Failed(Exception):
    """A release that failed."""


class Cost:
    """The least cost of several runs."""

    def __init__(self, command, times, text, form="--json"):
        self.cpu = self.clock = self.memory = float("inf")
        for _ in range(times):
            with tempfile.TemporaryDirectory() as place:
                path = Path(place) / "plan.toml"
                path.write_text(text)
                start = time.perf_counter()
                words = [command, "release", path, "--yes", "--quiet", form]
                errors = Path(place) / "errors"
                with errors.open("w") as stderr:
                    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=stderr)
                    _, status, usage = os.wait4(process.pid, 0)
                if status:
                    raise Failed(" ".join(errors.read_text().split())[:300])
                self.clock = min(self.clock, time.perf_counter() - start)
                self.cpu = min(self.cpu, usage.ru_utime + usage.ru_stime)
                self.memory = min(self.memory, usage.ru_maxrss / 1024)


def series(title, sizes, run):
    print(
        f"\n| {title} | processor | clock | peak memory | cost grew | size grew |\n"
        "|---|---|---|---|---|---|"
    )
    before = None
    for size, name in sizes:
        try:
            cost = run(size)
        except Failed as error:
            print(f"| {name} | failed: {error} | | | | |", flush=True)
            continue
        grew = ["", ""]
        if before:
            grew = [f"{cost.cpu / before[1].cpu:.1f}×", f"{size / before[0]:.0f}×"]
        before = (size, cost)
        print(
            f"| {name} | {cost.cpu:.2f} s | {cost.clock:.2f} s | {cost.memory:.0f} MiB "
            f"| {grew[0]} | {grew[1]} |",
            flush=True,
        )


def powers(*exponents):
    return [(10**n, f"10^{n}") for n in exponents]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most-rows", type=int, default=10**8)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--built", action="store_true", help="do not build the command again")
    parser.add_argument("what", nargs="*", default=["rows", "groups", "statistics", "units", "csv"])
    options = parser.parse_args()
    environment.enter("cost-venv", PACKAGES)
    if not options.built:
        subprocess.check_call(["cargo", "build", "--release", "--quiet"], cwd=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    command = target / "release" / "lastbit"

    def cost(text):
        return Cost(command, options.times, text)

    number = NUMBER.format(name="x0")
    def two(by="key"):
        return [statistic("count", by=by), statistic("mean", by=by, of="x0")]

    last = len(str(options.most_rows)) - 1

    def of_rows(rows):
        return cost(plan(table(rows), [public(10), number], two()))

    def of_public(groups):
        # A plan lists few categories; above those, groups are those of two keys.
        if groups <= 1000:
            return cost(plan(table(10**7, groups=groups), [public(groups), number], two()))
        keys = [numbered("low", 1000), numbered("high", groups // 1000)]
        return cost(plan(table(10**7, groups=groups), [*keys, number], two(["high", "low"])))

    def of_discovered(groups):
        file = table(10**7, groups=groups)
        return cost(plan(file, [DISCOVERED, number], two(), delta="delta = 1e-6\n"))

    def of_statistics(count):
        numbers = [NUMBER.format(name=f"x{n}") for n in range(4)]
        kinds = ["count", "sum", "mean", "variance"]
        statistics = [
            statistic(
                kinds[n % 4],
                of=None if n % 4 == 0 else f"x{n // 4 % 4}",
                by="key",
                where=f"x{n // 16 % 4} >= {n // 64}",
                name=f"statistic {n}",
            )
            for n in range(count)
        ]
        file = table(10**6, groups=10)
        return cost(plan(file, [public(10), *numbers], statistics))

    def of_units(units):
        privacy = 'unit = "unit"\nmost_rows = 2\nmost_groups = 2\n'
        file = table(10**7, units=units)
        return cost(plan(file, [public(10), number], two(), privacy))

    def of_csv(rows):
        return cost(plan(table(rows, form="csv"), [public(10), number], two()))

    if "rows" in options.what:
        series("rows, in 10 public groups", powers(*range(5, last + 1)), of_rows)
    if "csv" in options.what:
        series("rows of CSV, every cell quoted", powers(*range(5, min(last, 7) + 1)), of_csv)
    if "groups" in options.what:
        series("public groups, of 10^7 rows", powers(0, 2, 4, 5, 6), of_public)
        series("discovered groups, of 10^7 rows", powers(0, 2, 4, 5, 6), of_discovered)
    if "statistics" in options.what:
        counts = [(n, str(n)) for n in (1, 2, 5, 10, 20, 50, 100, 200)]
        series("statistics with filters, of 10^6 rows", counts, of_statistics)
    if "units" in options.what:
        series("units, of 10^7 rows, at most 2 rows and groups", powers(2, 4, 6, 7), of_units)


if __name__ == "__main__":
    main()
