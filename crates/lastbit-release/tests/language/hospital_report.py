"""Compares every number of a report of examples/hospital/plan.toml with the exact one: each is to
be within the error that the report states.

Usage: python3 hospital_report.py DIRECTORY KEY REPORT…, with reports in JSON and the hash of their
plan as the key; prints each number that is not, and how many there are.
"""
import datetime
import json
import math
import pathlib
import sys
from fractions import Fraction

import hospital

# The lower bound and the step of each word.
GRIDS = {
    "days": (0, Fraction(1)),
    "grade": (1, Fraction(1)),
    "age": (18, Fraction(1)),
    "bmi": (12, Fraction(1, 2**6)),
    "admitted": (0, Fraction(1)),
    "cost": (0, Fraction(1, 2**15)),
    "score": (0, Fraction(1)),
    "stands_for": (0, Fraction(1, 2)),
    "fine cost": (0, Fraction(1, 2**36)),
    "fine stands_for": (0, Fraction(1, 2**48)),
    "fine waited": (0, Fraction(1, 2**43)),
}
EDGES = [Fraction(0), *(Fraction(2) ** power for power in range(-16, 24)), Fraction(10_000_000)]


def columns(rows, words):
    """The numbers of the rows that have all words, column by column."""
    rows = [[row[word] for word in words] for row in rows]
    rows = [row for row in rows if None not in row]
    grids = [GRIDS[word] for word in words]
    return [
        [lower + step * row[place] for row in rows] for place, (lower, step) in enumerate(grids)
    ]


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def covariance(x, y):
    """With divisor n."""
    return mean([a * b for a, b in zip(x, y)]) - mean(x) * mean(y)


def least_squares(y, on):
    """Intercept and slopes, by elimination in fractions."""
    system = [[covariance(a, b) for b in on] + [covariance(a, y)] for a in on]
    for place, row in enumerate(system):
        row[:] = [number / row[place] for number in row]
        for other in system:
            if other is not row:
                other[:] = [a - other[place] * b for a, b in zip(other, row)]
    slopes = [row[-1] for row in system]
    return [mean(y) - sum(b * mean(x) for b, x in zip(slopes, on)), *slopes]


def exact(kind, rows, words):
    """The exact numbers of a group, in the order of its cells."""
    if kind in ("count", "units"):
        return [len(rows)]
    if kind in ("histogram", "share", "left-out"):
        counts = hospital.integers(rows, "counts", words)
        if kind == "histogram":
            return counts
        wanted = counts[:1] if words == ["circulation"] else counts
        # The last state of a cell is as it should be.
        wanted = wanted[:-1] if kind == "left-out" else wanted
        return [Fraction(count, sum(counts)) for count in wanted]
    x, *others = columns(rows, words)
    if kind == "mean" and others:
        return [sum(w * y for w, y in zip(x, others[0])) / sum(x)]
    if kind == "sum":
        return [sum(w * y for w, y in zip(x, others[0])) if others else sum(x)]
    if kind == "mean":
        return [mean(x)]
    if kind == "variance":
        return [covariance(x, x) * len(x) / (len(x) - 1)]
    if kind == "covariance":
        return [covariance(x, others[0]) * len(x) / (len(x) - 1)]
    if kind == "correlation":
        spread = covariance(x, x) * covariance(others[0], others[0])
        return [Fraction(float(covariance(x, others[0])) / math.sqrt(spread))]
    if kind == "regression":
        return least_squares(x, others)
    raise ValueError(kind)


def number(text):
    """A published number; of a time its seconds since the year began."""
    if "T" in text:
        since = datetime.datetime.fromisoformat(text) - hospital.FIRST
        return Fraction(int(since.total_seconds()))
    return Fraction(text)


def quantile_holds(cell, rows, words):
    """The error in rank holds of some number within the last digit, and the interval holds the
    quantile by any of the usual definitions."""
    share = Fraction(cell["label"])
    value, error = number(cell["value"]), Fraction(cell["error"])
    ordered = sorted(columns(rows, words)[0])
    digits = len(cell["value"].partition(".")[2]) if "T" not in cell["value"] else 0
    digit = max(Fraction(1, 10**digits), GRIDS[words[0]][1])
    wanted = share * len(ordered)
    at_or_below = sum(x <= value + digit for x in ordered)
    below = sum(x < value - digit for x in ordered)
    holds = at_or_below >= wanted - error and below <= wanted + error
    if cell["lower"] is None:
        return holds
    # Definitions differ by less than one row on each side.
    first = ordered[max(math.floor(wanted) - 1, 0)]
    last = ordered[min(math.ceil(wanted), len(ordered) - 1)]
    return holds and number(cell["lower"]) <= first and last <= number(cell["upper"])


def bounds_hold(cells, counts):
    """The outermost bins have rows, and the rows outside are as many as stated."""
    lower, upper, outside = cells
    if lower["value"] is None:
        return [True] * 3
    first = EDGES.index(number(lower["value"]))
    last = EDGES.index(number(upper["value"])) - 1
    rows = sum(counts[:first]) + sum(counts[last + 1 :])
    off = abs(number(outside["value"]) - rows)
    return [counts[first] > 0, counts[last] > 0, off <= Fraction(outside["error"])]


def compared(report, of_plan):
    """Each number: the statistic's name, its cell, whether it is within its error, and the exact
    one. A number that is withheld says nothing."""
    for published, found in zip(report["statistics"], of_plan, strict=True):
        (name, *_, what, words), groups, of_people = found
        kind, cells = published["kind"], published["cells"]
        assert published["name"] == name
        if kind == "bounds":
            counts = hospital.integers(groups[0], "counts", words)
            for cell, holds in zip(cells, bounds_hold(cells, counts), strict=True):
                yield name, cell, holds, counts
            continue
        if kind == "quantiles":
            each = len(cells) // len(groups)
            for place, cell in enumerate(cells):
                yield name, cell, quantile_holds(cell, groups[place // each], words), ""
            continue
        if kind == "top" or published["by"] == ["diagnosis"]:
            # Those that are shown say which they are.
            if kind == "top" and words:
                counts = dict(zip(hospital.NAMES, hospital.integers(groups[0], "counts", words)))
            else:
                counts = {group: len(rows) for group, rows in groups.items()}
            truths = [counts[cell["label"] or cell["group"][0]] for cell in cells]
        elif what == "kept":
            units, cut, shares = hospital.left_out(of_people)
            truths = [Fraction(cut, units), Fraction(shares, hospital.SHARE * units)]
        else:
            truths = [truth for rows in groups.values() for truth in exact(kind, rows, words)]
        for cell, truth in zip(cells, truths, strict=True):
            if cell["value"] is not None:
                off = abs(number(cell["value"]) - truth)
                # A time is printed as the nearest second.
                off -= Fraction(1, 2) if "T" in cell["value"] else 0
                # Square roots here are doubles.
                yield name, cell, off <= Fraction(cell["error"]) + Fraction(1, 10**9), float(truth)


def main():
    of_plan = list(hospital.computed(pathlib.Path(sys.argv[1])))
    held = {}
    for path in sys.argv[3:]:
        report = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        assert report["receipt"]["plan"] == sys.argv[2]
        for name, cell, holds, truth in compared(report, of_plan):
            held.setdefault(name, []).append(holds)
            if not holds:
                shown = f"{cell['value']} ± {cell['error']}"
                print(f"{name}|{cell['group']}|{cell['label']}|{shown}|{truth}")
    for name, of_name in held.items():
        print(f"{name}: {len(of_name)} numbers, {len(of_name) - sum(of_name)} outside")
    every = [holds for of_name in held.values() for holds in of_name]
    print(f"{len(every)} numbers, {len(every) - sum(every)} outside")
    sys.exit(0 if all(every) else 1)


main()
