#!/usr/bin/env python3
"""Compares the errors of whole releases with those of the peers at equal loss, and prints the
ratios as a table.

    python3 benches/accuracy.py [--times 1000] [--seconds 20] [--only clinic+films] [--keep
    DIRECTORY] [--json FILE]

Takes the tables of examples/, cut beforehand so that the limits leave nothing out: so every side is
about the same rows, and the exact numbers are known. Each statistic is a release of its own at ε =
1, and at ε = 1 with δ = 1e-7, on a fresh ledger each time. All seconds are of the processor, of all
threads: those of Lastbit are of the command `lastbit release`, with its process. The peers are in
virtual environments under target/ (see accuracy_peers.py); one that does not install is left out by
name. A peer stops after so many seconds for a statistic, and the number of its releases stands
beside it. What peers publish can be kept in a directory, and is then read from there.

No peer gives an interval of a median, so that the plan asks for none; all who choose among numbers
choose among the same ones.

The root mean square error is over releases and groups, and the ratio is ours over theirs, with two
standard errors. A number that is not published is not counted, and said.
"""

import argparse
import csv
import gzip
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
# Each has its own environment, because they need other versions of OpenDP.
PEERS = {
    "OpenDP": ["opendp[polars]"],
    "SmartNoise SQL": ["smartnoise-sql", "setuptools<81"],
    # diffprivlib 0.6 needs a scikit-learn from before 1.6.
    "diffprivlib": ["diffprivlib", "scikit-learn==1.5.2"],
    "PipelineDP": ["pipeline-dp"],
}
KINDS = ["count", "sum", "mean", "variance", "histogram", "median", "units"]
# Releases of ours in one.
COPIES = 200
LOSSES = [("ε = 1", "1", None), ("ε = 1, δ = 1e-7", "1", "1e-7")]

# `numbers` are of a sum, mean, variance and median, `group` of tables, `bins` of the histogram.
# `unit` has at most `rows` rows in each of at most `groups` groups, and `rows · groups` in all. A
# median is chosen among the multiples of two to the power of `grid`.
TABLES = {
    "clinic": {
        "file": "clinic/visits.csv.gz", "unit": "patient", "rows": 2, "groups": 2,
        "numbers": ("cost", 0, 10_000), "grid": -2,
        "group": ("ward", ["emergency", "medicine", "surgery", "maternity", "children"]),
        "bins": ("triage", ["immediate", "urgent", "standard", "minor"]),
    },
    "labour": {
        "file": "labour/interviews.csv.gz", "unit": "person", "rows": 4, "groups": 1,
        "numbers": ("hours", 0, 80), "grid": 0, "missing": "99",
        "group": ("sex", ["1", "2"]), "bins": ("region", [str(region) for region in range(1, 10)]),
    },
    "films": {
        "file": "films/ratings.csv.gz", "unit": "user", "rows": 3, "groups": 4,
        "numbers": ("stars", 0.5, 5), "grid": -1,
        "group": ("genre", ["drama", "comedy", "thriller", "documentary", "children"]),
        "bins": ("device", ["phone", "tv", "computer"]),
    },
    "census": {
        "file": "census/people.csv", "unit": None, "rows": 1, "groups": 1,
        "numbers": ("income", 0, 6_000), "grid": 0,
        "group": ("sex", ["f", "m"]), "bins": ("rooms", [str(rooms) for rooms in range(1, 7)]),
    },
    # The same people; how many there are is public, and what is protected is what one of them says.
    "census, change-one": {
        "file": "census/people.csv", "unit": None, "rows": 1, "groups": 1,
        "numbers": ("income", 0, 6_000), "grid": 0, "change_one": True,
        "group": ("sex", ["f", "m"]), "bins": ("rooms", [str(rooms) for rooms in range(1, 7)]),
    },
}  # fmt: skip


def kinds(table):
    """Statistics that say something: without a unit, people are rows, and under change-one the sum
    is the mean times the rows."""
    if table.get("change_one"):
        return ["mean", "variance", "histogram", "median"]
    return KINDS if table["unit"] else KINDS[:-1]


def read(table):
    """Rows that have all cells, in the order of the file, as far as the limits let them in."""
    path = ROOT / "examples" / table["file"]
    opened = gzip.open if path.suffix == ".gz" else open
    kept, in_group, groups = [], Counter(), defaultdict(set)
    (number, lower, upper), (group, names), (bins, labels) = (
        table["numbers"],
        table["group"],
        table["bins"],
    )
    with opened(path, "rt", newline="") as file:
        for index, row in enumerate(csv.DictReader(file)):
            unit = row[table["unit"]] if table["unit"] else str(index)
            try:
                x = float(row[number])
            except ValueError:
                continue
            tidy = lambda text: text.removesuffix(".0")
            g, b = tidy(row[group]), tidy(row[bins])
            if row[number] == table.get("missing") or g not in names or b not in labels or not unit:
                continue
            if in_group[unit, g] == table["rows"] or len(groups[unit] | {g}) > table["groups"]:
                continue
            in_group[unit, g] += 1
            groups[unit].add(g)
            kept.append({"unit": unit, "g": g, "b": b, "x": min(max(x, lower), upper)})
    return kept


def exact(kind, table, rows):
    groups, bins = table["group"][1], table["bins"][1]
    of = {name: [row["x"] for row in rows if row["g"] == name] for name in groups}
    everyone = sorted(row["x"] for row in rows)
    match kind:
        case "count":
            return [len(of[name]) for name in groups]
        case "sum":
            return [math.fsum(of[name]) for name in groups]
        case "mean" if table.get("change_one"):
            return [math.fsum(everyone) / len(everyone)]
        case "mean":
            return [math.fsum(of[name]) / len(of[name]) for name in groups]
        case "variance":
            mean = math.fsum(everyone) / len(everyone)
            return [math.fsum((x - mean) ** 2 for x in everyone) / (len(everyone) - 1)]
        case "histogram":
            return [sum(row["b"] == name for row in rows) for name in bins]
        case "median":
            n = len(everyone)
            return [(everyone[(n - 1) // 2] + everyone[n // 2]) / 2]
        case "units":
            return [len({row["unit"] for row in rows if row["g"] == name}) for name in groups]


def plan(kind, table, rows, epsilon, delta):
    (_, lower, upper), (_, groups), (_, bins) = table["numbers"], table["group"], table["bins"]
    quoted = lambda names: json.dumps(names)
    by = (
        ""
        if kind in ("variance", "histogram", "median") or table.get("change_one")
        else 'by = "g"\n'
    )
    privacy = 'neighbours = "add-remove"\n'
    if table.get("change_one"):
        privacy = f'neighbours = "change-one"\nrows = {len(rows)}\n'
    if table["unit"]:
        # Without groups, a unit has the rows of all its groups.
        most = (table["rows"], table["groups"]) if by else (table["rows"] * table["groups"], 1)
        privacy += f'unit = "unit"\nmost_rows = {most[0]}\nmost_groups = {most[1]}\n'
    name = {"median": "quantiles"}.get(kind, kind)
    of = {"histogram": 'of = "b"\n', "count": "", "units": ""}.get(kind, 'of = "x"\n')
    grid = f"grid = {table['grid']}\n" if kind == "median" else ""
    value = "interval = false\n" if kind == "median" else ""
    budget = f"epsilon = {epsilon}\n" + (f"delta = {delta}\n" if delta else "")
    return (
        f'[source]\nfiles = "rows.csv"\n[privacy]\n{privacy}[budget]\n{budget}'
        f"[columns.x]\nlower = {lower}\nupper = {upper}\nmissing = {lower}\n{grid}"
        f"[columns.g]\ncategories = {quoted(groups)}\n[columns.b]\ncategories = {quoted(bins)}\n"
        f'[[statistics]]\nname = "s"\nkind = "{name}"\n{of}{by}{value}expected_rows = {len(rows)}\n'
    )


def children():
    """The processor's seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(lastbit, verb, file, text, *options):
    """What the command says of a plan, and the processor's seconds of it."""
    file.write_text(text)
    start = children()
    said = subprocess.run(
        [lastbit, verb, "--json", *options, file], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(said), children() - start


def ours(lastbit, directory, kind, table, rows, loss, times):
    """Many releases, and the seconds of the command for one, the fastest of five.

    The many are copies of the statistic in a release of as many times the loss, each with a loss of
    its own, so that they share no noise; but only if the plan of one has the same mechanism, which
    does not follow under (ε, δ).
    """
    _, epsilon, delta = loss
    file, one = directory / "plan.toml", plan(kind, table, rows, epsilon, delta)
    head, statistic = plan(kind, table, rows, COPIES, None).split("[[statistics]]\n")
    copies = "".join(
        f"[[statistics]]\n{statistic}loss = {epsilon}\n".replace('"s"', f'"s{copy}"')
        for copy in range(COPIES)
    )
    wanted = command(lastbit, "plan", file, one)[0]["statistics"][0]["mechanism"]
    is_same = all(
        of["mechanism"] == wanted
        for of in command(lastbit, "plan", file, head + copies)[0]["statistics"]
    )
    releases, seconds = [], math.inf

    def release(text):
        with tempfile.TemporaryDirectory() as place:
            report, used = command(
                lastbit, "release", file, text, "--ledger", Path(place) / "ledger"
            )
        numbers = lambda cells: [cell["value"] and float(cell["value"]) for cell in cells]
        releases.extend(numbers(statistic["cells"]) for statistic in report["statistics"])
        return used

    while len(releases) < times and is_same:
        release(head + copies)
    while len(releases) < times:
        release(one)
    of_many = len(releases)
    for _ in range(5):
        seconds = min(seconds, release(one))
    return {"releases": releases[:of_many], "seconds": seconds}


def environment(name, packages):
    """The interpreter of a peer's virtual environment, made on first use; `None` if it does not
    install."""
    venv = TARGET / f"accuracy-{name.split()[0].lower()}"
    python, done = venv / "bin" / "python", venv / "installed"
    if not done.exists():
        subprocess.check_call([sys.executable, "-m", "venv", str(venv)])
        install = [str(python), "-m", "pip", "install", "--quiet", *packages]
        failed = subprocess.run(install, capture_output=True, text=True)
        if failed.returncode:
            print(
                f"{name} does not install: {failed.stderr.strip().splitlines()[-1]}",
                file=sys.stderr,
            )
            return None
        done.touch()
    return python


def peer(name, python, directory, asked, options):
    """What a peer publishes of the cases that it can say, in one process for a table; kept ones are
    read instead."""
    found = {}
    keep = options.keep and options.keep / f"{asked[0]['name']}, {name}.jsonl"
    if keep and keep.exists():
        found = {
            (case["kind"], case["loss"]): case
            for case in map(json.loads, keep.read_text().splitlines())
        }
    asked = [case for case in asked if (case["kind"], case["loss"]) not in found]
    request = {
        "peer": name,
        "file": str(directory / "rows.csv"),
        "cases": asked,
        "times": options.times,
        "seconds": options.seconds,
    }
    command = [python, Path(__file__).with_name("accuracy_peers.py")]
    if asked:
        with (
            tempfile.TemporaryFile("w+") as said,
            subprocess.Popen(command, stdin=-1, stdout=-1, stderr=said, text=True) as process,
        ):
            process.stdin.write(json.dumps(request))
            process.stdin.close()
            for line in process.stdout:
                if line.startswith("{"):
                    case = json.loads(line)
                    found[case["kind"], case["loss"]] = case
                    if keep:
                        with open(keep, "a") as file:
                            file.write(line)
            if process.wait():
                said.seek(0)
                print(f"{name} failed: {said.read().strip().splitlines()[-1:]}", file=sys.stderr)
    return found


class Error:
    """The root mean square error over all numbers, its own relative standard error, and how many
    were not published."""

    def __init__(self, released, truth):
        squares = [
            (value - of) ** 2
            for row in released
            for value, of in zip(row, truth)
            if value is not None
        ]
        self.missing = len(released) * len(truth) - len(squares)
        mean = sum(squares) / len(squares)
        spread = sum((square - mean) ** 2 for square in squares) / len(squares)
        self.root = math.sqrt(mean)
        # Of a root, half of that of the mean square.
        self.relative = math.sqrt(spread / len(squares)) / mean / 2 if mean else 0.0

    def over(self, other):
        """The ratio, and how far it may be off: two standard errors."""
        if not other.root:
            return "—"
        ratio = self.root / other.root
        return f"**{ratio:.2f}** ± {2 * ratio * math.hypot(self.relative, other.relative):.2f}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=1000, help="releases of each statistic")
    parser.add_argument("--seconds", type=float, default=20, help="after which a peer stops")
    parser.add_argument("--only", help="tables, with + between them")
    parser.add_argument("--peers", help="peers, with commas")
    parser.add_argument("--keep", type=Path, help="a directory for what peers publish")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    parser.add_argument("--lastbit", type=Path, help="the command, instead of building it")
    options = parser.parse_args()
    if not options.lastbit:
        subprocess.run("cargo build --release --quiet -p lastbit-cli".split(), cwd=ROOT, check=True)
    lastbit = options.lastbit or TARGET / "release" / "lastbit"
    wanted = options.peers.split(",") if options.peers else PEERS
    pythons = {name: environment(name, PEERS[name]) for name in wanted}
    names = [name for name, python in pythons.items() if python]
    header = [
        "table",
        "statistic",
        "loss",
        "Lastbit: error, seconds",
        *(f"{name}: error, seconds, ratio" for name in names),
    ]
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    figures = []
    for table_name in options.only.split("+") if options.only else TABLES:
        table = TABLES[table_name]
        rows = read(table)
        with tempfile.TemporaryDirectory() as place:
            directory = Path(place)
            with open(directory / "rows.csv", "w", newline="") as file:
                writer = csv.DictWriter(file, ["unit", "g", "b", "x"], lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            cases = [(kind, loss) for kind in kinds(table) for loss in LOSSES]
            asked = [
                {
                    "name": table_name,
                    "kind": kind,
                    "loss": loss[0],
                    "epsilon": float(loss[1]),
                    "delta": float(loss[2] or 0),
                    "table": table,
                    "rows": len(rows),
                }
                for kind, loss in cases
            ]
            theirs = {name: peer(name, pythons[name], directory, asked, options) for name in names}
            for kind, loss in cases:
                truth = exact(kind, table, rows)
                mine = ours(lastbit, directory, kind, table, rows, loss, options.times)
                off = Error(mine["releases"], truth)
                missing = f" ({off.missing} not published)" if off.missing else ""
                line = [
                    table_name,
                    kind,
                    loss[0],
                    f"{off.root:.4g}, {mine['seconds']:.3f}{missing}",
                ]
                figure = {
                    "table": table_name,
                    "kind": kind,
                    "loss": loss[0],
                    "Lastbit": [off.root, off.relative, mine["seconds"], len(mine["releases"])],
                }
                for name in names:
                    found = theirs[name].get((kind, loss[0]))
                    if not found or not found["releases"]:
                        line.append(found["why"] if found else "—")
                        continue
                    their = Error(found["releases"], truth)
                    count = len(found["releases"])
                    few = "" if count >= options.times else f" ({count} releases)"
                    line.append(f"{their.root:.4g}, {found['seconds']:.3f}, {off.over(their)}{few}")
                    figure[name] = [their.root, their.relative, found["seconds"], count]
                print("| " + " | ".join(line) + " |", flush=True)
                figures.append(figure)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
