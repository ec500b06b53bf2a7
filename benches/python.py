"""The Python package beside numpy, polars and, where they are installed, OpenDP, diffprivlib and
PyDP, in one run.

    pip install target/wheels/lastbit-*.whl numpy polars pyarrow opendp diffprivlib python-dp \\
        scikit-learn==1.5.2
    python benches/python.py [draws] [groups] [lines]

`draws`: nanoseconds of processor time a draw, one at a time and 10^6 at once, the best of several
rounds. `groups`:
seconds for a mean and a histogram by group of 10^7 rows in polars. `lines`: lines of code for five
tasks; every program runs where its library is installed. Without a word, all of them.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import lastbit
import numpy

ROUNDS = 7


def has(package: str) -> bool:
    if importlib.util.find_spec(package) is None:
        print(f"{package} is not installed")
        return False
    return True


def best(work: Callable[[], object], times: int, draws: int = 1, rounds: int = ROUNDS) -> float:
    """Nanoseconds of processor time a draw, of all threads: other work on the machine does not
    count."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time_ns()
        for _ in range(times):
            work()
        least = min(least, (time.process_time_ns() - start) / (times * draws))
    return least


def draws() -> None:
    many = 1_000_000
    zeros = numpy.zeros(many)
    generator = numpy.random.default_rng()
    # The first draws pay for memory that is touched for the first time.
    best(lambda: lastbit.laplace(zeros, scale=1, grid=2**-10), 1, many, 3)
    best(lambda: zeros + generator.laplace(size=many), 1, many, 3)
    ours = best(lambda: lastbit.laplace(zeros, scale=1, grid=2**-10), 1, many)
    theirs = best(lambda: zeros + generator.laplace(size=many), 1, many)
    print(
        f"bulk of {many}: lastbit {ours:.1f} ns a draw, numpy (leaks) {theirs:.1f} ns: "
        f"{ours / theirs:.2f}x"
    )
    ours_too = best(lambda: lastbit.laplace(zeros, scale=1), 1, many)
    print(f"bulk of {many}, default grid: lastbit {ours_too:.1f} ns a draw")
    normal = best(lambda: lastbit.gaussian(zeros, sigma=1), 1, many)
    naive_normal = best(lambda: zeros + generator.normal(size=many), 1, many)
    print(
        f"bulk of {many} Gaussian: lastbit {normal:.1f} ns a draw, numpy (leaks) "
        f"{naive_normal:.1f} ns: {normal / naive_normal:.2f}x"
    )
    one = best(lambda: lastbit.laplace(417, scale=10), 20_000)
    naive = best(lambda: 417 + generator.laplace(scale=10), 20_000)
    print(f"scalar call: lastbit {one:.0f} ns, numpy (leaks) {naive:.0f} ns")
    if has("opendp"):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        noise = space >> dp.m.then_laplace(scale=10.0)
        peer = best(lambda: noise(417.0), 500)
        print(f"scalar call: OpenDP {peer:.0f} ns, {peer / one:.0f} times ours")
        vector = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
        noises = vector >> dp.m.then_laplace(scale=1.0)
        few = [0.0] * 20_000
        peer = best(lambda: noises(few), 1, len(few), 3)
        print(f"bulk of {len(few)}: OpenDP {peer:.0f} ns a draw, {peer / ours:.0f} times ours")
    if has("diffprivlib"):
        from diffprivlib.mechanisms import Laplace, Snapping

        laplace = Laplace(epsilon=0.1, sensitivity=1.0)
        peer = best(lambda: laplace.randomise(417.0), 2000)
        print(f"scalar call: diffprivlib {peer:.0f} ns, {peer / one:.0f} times ours")
        snapping = Snapping(epsilon=1.0, sensitivity=1.0, lower=0.0, upper=1000.0)
        peer = best(lambda: snapping.randomise(417.0), 500)
        mine = best(lambda: lastbit.snapping(417.0, lower=0, upper=1000, epsilon=1), 20_000)
        print(
            f"scalar snapping: diffprivlib {peer:.0f} ns, {peer / mine:.0f} times ours ({mine:.0f} "
            f"ns)"
        )
    if has("pydp"):
        from pydp.distributions import LaplaceDistribution

        noise_of_pydp = LaplaceDistribution(0.1, 1.0)
        peer = best(lambda: 417 + noise_of_pydp.sample(), 2000)
        print(f"scalar call: PyDP {peer:.0f} ns, {peer / one:.0f} times ours")


def groups(rows: int = 10_000_000) -> None:
    if not has("polars"):
        return
    import polars

    generator = numpy.random.default_rng(16)
    wards = [f"ward {index}" for index in range(10)]
    frame = polars.DataFrame(
        {
            "patient": numpy.arange(rows),
            "ward": numpy.array(wards)[generator.integers(0, 10, rows)],
            "cost": generator.uniform(0, 1000, rows),
        }
    )
    edges = list(range(0, 1001, 100))
    plan = (
        lastbit.Plan("Groups", epsilon=1)
        .column("ward", categories=wards)
        .column("cost", edges=edges, lower=0, upper=1000)
        .mean("cost", by="ward", expected_rows=rows // 10)
        .histogram("cost", by="ward")
    )

    def ours() -> None:
        with tempfile.TemporaryDirectory() as directory:
            lastbit.release(plan, frame, os.path.join(directory, "ledger"), progress=False)

    def plain() -> None:
        frame.group_by("ward").agg(polars.col("cost").clip(0, 1000).mean())
        frame.group_by("ward", polars.col("cost").cut(edges)).len()

    def bins() -> None:
        import diffprivlib.tools as tools

        for part in frame.partition_by("ward"):
            cost = part["cost"].to_numpy()
            tools.mean(cost, epsilon=0.5, bounds=(0, 1000))
            tools.histogram(cost, epsilon=0.5, bins=edges, range=(0, 1000))

    seconds = best(ours, 1, 1, 3) / 1e9
    exact = best(plain, 1, 1, 3) / 1e9
    print(
        f"mean and histogram by group of {rows} rows: lastbit {seconds:.2f} s, polars without "
        f"privacy {exact:.2f} s"
    )
    if has("diffprivlib"):
        peer = best(bins, 1, 1, 3) / 1e9
        print(f"mean and histogram by group of {rows} rows: diffprivlib {peer:.2f} s")


#: What people do, by package; `people` is a list of numbers, `visits` a polars frame. The result is
#: `answer`.
TASKS: dict[str, dict[str, str]] = {
    "a count at ε = 0.1": {
        "lastbit": "answer = lastbit.laplace(len(people), epsilon='0.1')",
        "opendp": """
space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
count = space >> dp.m.then_laplace(scale=10.0)
answer = count(len(people))
""",
        "diffprivlib": """
mechanism = diffprivlib.mechanisms.Geometric(epsilon=0.1, sensitivity=1)
answer = mechanism.randomise(len(people))
""",
        "pydp": """
count = dp.Count(epsilon=0.1, dtype='float')
answer = count.quick_result(people)
""",
    },
    "a mean of clamped numbers at ε = 1": {
        "lastbit": """
size = fw.rows(float, size=len(people), neighbours="change-one")
mean = size >> fw.clamp(0, 100) >> fw.mean() >> fw.laplace(epsilon=1)
answer = mean(people)
""",
        "opendp": """
at = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(people)), dp.symmetric_distance()
mean = at >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_mean()
release = dp.binary_search_chain(lambda s: mean >> dp.m.then_laplace(s), d_in=2, d_out=1.0)
answer = release(people)
""",
        "diffprivlib": "answer = diffprivlib.tools.mean(people, epsilon=1, bounds=(0, 100))",
        "pydp": """
mean = dp.BoundedMean(epsilon=1, lower_bound=0, upper_bound=100, dtype='float')
answer = mean.quick_result(people)
""",
    },
    "a histogram at ε = 1": {
        "lastbit": """
counts = fw.rows(float) >> fw.histogram([0.0, 25.0, 50.0, 75.0, 100.0]) >> fw.geometric(epsilon=1)
answer = counts(people)
""",
        "opendp": """
space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
bins = space >> dp.t.then_find_bin(edges=[0.0, 25.0, 50.0, 75.0, 100.0])
counts = bins >> dp.t.then_count_by_categories(list(range(5)), null_category=True)
histogram = counts >> dp.m.then_laplace(scale=1.0)
answer = histogram(people)
""",
        "diffprivlib": "answer = diffprivlib.tools.histogram(people, epsilon=1, bins=4, range=(0, "
        "100))[0]",
    },
    "quartiles at ε = 1": {
        "lastbit": "answer = lastbit.quantiles(people, ['0.25', '0.5', '0.75'], lower=0, "
        "upper=100, epsilon=1)",
        "diffprivlib": """
quarters = [0.25, 0.5, 0.75]
answer = diffprivlib.tools.quantile(people, quarters, epsilon=1, bounds=(0, 100))
""",
    },
    "counts and means by group, with a budget that is kept": {
        "lastbit": """
session = lastbit.Session(visits, budget={"epsilon": 2}, ledger=ledger)
session.column("ward", categories=["a", "b"]).column("cost", lower=0, upper=100)
question = session.sql("select ward, count(*), avg(cost) from visits group by ward", epsilon=1)
answer = question.release().to_polars()
""",
        "diffprivlib": """
accountant = diffprivlib.BudgetAccountant(epsilon=2)
answer = []
for ward in ["a", "b"]:
    rows = visits.filter(polars.col("ward") == ward)["cost"].to_numpy()
    count = diffprivlib.tools.count_nonzero(rows == rows, epsilon=0.5, accountant=accountant)
    mean = diffprivlib.tools.mean(rows, epsilon=0.5, bounds=(0, 100), accountant=accountant)
    answer.append((ward, count, mean))
""",
    },
}


def lines() -> None:
    import polars

    names: dict[str, Any] = {"lastbit": lastbit, "fw": lastbit.framework, "polars": polars}
    names["people"] = [float(row % 100) for row in range(1000)]
    names["visits"] = polars.DataFrame({"ward": ["a", "b"] * 500, "cost": names["people"]})
    heads = {
        "opendp": "import opendp.prelude as dp\ndp.enable_features('contrib', "
        "'honest-but-curious')",
        "diffprivlib": "import diffprivlib, diffprivlib.tools, diffprivlib.mechanisms",
        "pydp": "import pydp.algorithms.laplacian as dp",
    }
    installed = ["lastbit", *(package for package in heads if has(package))]
    print("lines of code: " + ", ".join(installed) + "; - is not tried")
    for task, programs in TASKS.items():
        told = []
        for package in installed:
            program = programs.get(package)
            if program is None:
                told.append("-")
                continue
            with tempfile.TemporaryDirectory() as directory:
                given = {**names, "ledger": Path(directory) / "ledger"}
                exec(heads.get(package, ""), given)
                try:
                    exec(program, given)
                    assert given["answer"] is not None
                    told.append(str(sum(bool(line.strip()) for line in program.splitlines())))
                except Exception as error:
                    told.append(f"failed ({type(error).__name__})")
        print(f"  {task}: {', '.join(told)}")


def main() -> None:
    parts: dict[str, Callable[[], None]] = {"draws": draws, "groups": groups, "lines": lines}
    for name in sys.argv[1:] or parts:
        parts[name]()


if __name__ == "__main__":
    main()
