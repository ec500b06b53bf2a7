#!/usr/bin/env python3
"""The root mean square errors of accuracy.py without sampling, where the laws of both sides are
known: prints ratios as a table.

    python3 benches/accuracy_laws.py [--lastbit target/release/lastbit]

All at ε = 1. Our mechanisms and their scales are those of `lastbit plan --json`. Of the peers:

- Whole numbers of OpenDP, and histograms of diffprivlib far from the ends of their range, have
  discrete Laplace noise; those of PipelineDP, and sums, real Laplace noise on a fine grid. OpenDP
  counts a unit as often as it has rows in a group.
- A mean of an unknown number of rows is a ratio of two sums at half of ε: of OpenDP the rows and
  their number, of PipelineDP the distances from the middle of the bounds and their number. Of
  Lastbit it is a ratio of the shares of both bounds, at all of ε. The error of a ratio is that to
  first order.
- Medians of OpenDP are chosen by permute-and-flip among given numbers, with
  |rows below − rows above|/2 as the loss. Medians of diffprivlib are chosen by the exponential
  mechanism, in proportion to lengths. “If flipped” is what ours would be by permute-and-flip, which
  no release uses.
"""

import argparse
import json
import math
import subprocess
import tempfile
from bisect import bisect_left, bisect_right
from collections import Counter
from pathlib import Path

from accuracy import TABLES, TARGET, exact, kinds, plan, read


def laplace(scale):
    return 2 * scale**2


def rounded_laplace(scale, step):
    """The variance of real Laplace noise, rounded to multiples of `step`: a tail has the mass
    sinh(step/2scale)·q^k at the multiple k."""
    q = math.exp(-step / scale)
    return 2 * math.sinh(step / scale / 2) * step**2 * q * (1 + q) / (1 - q) ** 3


def discrete_laplace(scale):
    q = math.exp(-1 / scale)
    return 2 * q / (1 - q) ** 2


def exponential_mechanism(squares, losses, rate):
    """The mean of `squares` by weights exp(−rate·loss)."""
    weights = [math.exp(-rate * loss) for loss in losses]
    return sum(map(float.__mul__, weights, squares)) / sum(weights)


def permute_and_flip(squares, losses, rate, step=0.01, most=40.0):
    """The mean of `squares` at the largest of −rate·loss + an exponential variable, which has the
    law of permute-and-flip."""
    number, total, least = Counter(), Counter(), min(losses)
    for square, loss in zip(squares, losses):
        loss = rate * (loss - least)
        if loss < most:
            number[loss] += 1
            total[loss] += square
    mean = mass = 0.0
    for index in range(round(most / step)):
        # All others are below `z`.
        z = (index + 0.5) * step
        others = math.exp(
            sum(count * math.log1p(-math.exp(-z - loss)) for loss, count in number.items())
        )
        for loss, count in number.items():
            density = math.exp(-z - loss) / (1 - math.exp(-z - loss)) * others
            mean, mass = mean + density * total[loss], mass + density * count
    return mean / mass


def medians(table, rows):
    """Ours, OpenDP's and diffprivlib's mean square error at ε = 1."""
    (_, lower, upper), grid = table["numbers"], 2.0 ** table["grid"]
    x = sorted(row["x"] for row in rows)
    rounded, n, [truth] = (
        [grid * math.floor(one / grid + 0.5) for one in x],
        len(x),
        exact("median", table, rows),
    )
    candidates = [grid * step for step in range(round(lower / grid), round(upper / grid) + 1)]
    squares = [(one - truth) ** 2 for one in candidates]
    # A row that changes moves a rank by 1, and one that comes or goes by 1/2; the exponent is half
    # of the loss over that.
    rate = 1 / 2 if table.get("change_one") else 1 / (table["rows"] * table["groups"])
    ours = [
        max(0.0, n / 2 - bisect_right(rounded, one), bisect_left(rounded, one) - n / 2)
        for one in candidates
    ]
    theirs = [abs(bisect_left(x, one) - (n - bisect_right(x, one))) / 2 for one in candidates]
    found = {
        "Lastbit": exponential_mechanism(squares, ours, rate),
        "OpenDP": permute_and_flip(squares, theirs, rate),
        "if flipped": permute_and_flip(squares, ours, rate),
    }
    if table.get("change_one"):
        ends = [float(lower), *x, float(upper)]
        weights = [
            (b - a) * math.exp(-rate * abs(index - n / 2))
            for index, (a, b) in enumerate(zip(ends, ends[1:]))
        ]
        within = [
            ((a - truth) ** 2 + (a - truth) * (b - truth) + (b - truth) ** 2) / 3
            for a, b in zip(ends, ends[1:])
        ]
        found["diffprivlib"] = sum(map(float.__mul__, weights, within)) / sum(weights)
    return found


def means(table, rows):
    """Mean square errors of means by group, to first order."""
    (_, lower, upper), most = table["numbers"], table["rows"] * table["groups"]
    found = Counter()
    for group in table["group"][1]:
        x = [row["x"] for row in rows if row["g"] == group]
        n, mean = len(x), math.fsum(x) / len(x)
        share, size = (mean - lower) / (upper - lower), max(abs(lower), abs(upper))
        found["Lastbit"] += (
            laplace(most) * ((upper - lower) / n) ** 2 * (share**2 + (1 - share) ** 2)
        )
        found["OpenDP"] += laplace(2 * most) / n**2 * (size**2 + mean**2)
        found["PipelineDP"] += (
            laplace(2 * most) * ((upper - lower) / n) ** 2 * (1 / 4 + (share - 1 / 2) ** 2)
        )
    return {name: square / len(table["group"][1]) for name, square in found.items()}


def numbers(lastbit, kind, table, rows):
    """Mean square errors of numbers with noise."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "plan.toml"
        file.write_text(plan(kind, table, rows, "1", None))
        priced = subprocess.run(
            [lastbit, "plan", "--json", file], check=True, capture_output=True, text=True
        ).stdout
    noise = json.loads(priced)["statistics"][0]["mechanism"]
    scale = noise["scale"]
    found = {"Lastbit": rounded_laplace(scale, 2.0 ** noise["grid_exponent"])}
    found["OpenDP"] = (
        laplace(scale)
        if kind in ("sum", "mean")
        else discrete_laplace(scale * (table["rows"] if kind == "units" else 1))
    )
    if table.get("change_one"):
        return {**found, "diffprivlib": found["OpenDP"]}
    return {**found, "PipelineDP": laplace(scale)}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--lastbit", type=Path, default=TARGET / "release" / "lastbit", help="the command"
    )
    options = parser.parse_args()
    peers = ("OpenDP", "PipelineDP", "diffprivlib")
    print(
        "| table | statistic | Lastbit | "
        + " | ".join(f"{peer}, ratio" for peer in peers)
        + " |\n|"
        + "---|" * (3 + len(peers))
    )
    for name, table in TABLES.items():
        rows = read(table)
        for kind in kinds(table):
            if kind == "variance":
                continue
            if kind == "median":
                found = medians(table, rows)
            elif kind == "mean" and not table.get("change_one"):
                found = means(table, rows)
            else:
                found = numbers(options.lastbit, kind, table, rows)
            for whose, shown in (("Lastbit", kind), ("if flipped", f"{kind}, if flipped")):
                if whose not in found:
                    continue
                ours = math.sqrt(found[whose])
                line = [name, shown, f"{ours:.4g}"]
                for peer in peers:
                    their = math.sqrt(found[peer]) if peer in found else None
                    # Errors that no sample would see.
                    ratio = lambda: (
                        f"{their:.4g}, **{ours / their:.3f}**" if their > 1e-3 else "both exact"
                    )
                    line.append("—" if their is None else ratio())
                print("| " + " | ".join(line) + " |", flush=True)


if __name__ == "__main__":
    main()
