"""The Python package beside numpy and, where they are installed, OpenDP and diffprivlib, in one run.

    pip install target/wheels/lastbit-*.whl numpy opendp diffprivlib && python benches/python.py

Prints nanoseconds a draw, the best of several rounds, and ratios.
"""

from __future__ import annotations

import time
from typing import Callable

import lastbit
import numpy

ROUNDS = 7


def best(work: Callable[[], object], times: int, draws: int) -> float:
    """Nanoseconds a draw."""
    least = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(times):
            work()
        least = min(least, (time.perf_counter_ns() - start) / (times * draws))
    return least


def main() -> None:
    many = 1_000_000
    zeros = numpy.zeros(many)
    generator = numpy.random.default_rng()
    ours = best(lambda: lastbit.laplace(zeros, scale=1, grid=2**-10), 1, many)
    theirs = best(lambda: zeros + generator.laplace(size=many), 1, many)
    print(f"bulk of {many}: lastbit {ours:.1f} ns a draw, numpy (leaks) {theirs:.1f} ns: {ours / theirs:.2f}x")
    one = best(lambda: lastbit.laplace(417, scale=10), 20_000, 1)
    print(f"scalar call: lastbit {one:.0f} ns")
    try:
        import opendp.prelude as dp
    except ImportError:
        print("OpenDP is not installed")
    else:
        dp.enable_features("contrib")
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        noise = space >> dp.m.then_laplace(scale=10.0)
        peer = best(lambda: noise(417.0), 500, 1)
        print(f"scalar call: OpenDP {peer:.0f} ns, {peer / one:.0f} times ours")
    try:
        from diffprivlib.mechanisms import Snapping
    except ImportError:
        print("diffprivlib is not installed")
    else:
        snapping = Snapping(epsilon=1.0, sensitivity=1.0, lower=0.0, upper=1000.0)
        peer = best(lambda: snapping.randomise(417.0), 500, 1)
        ours = best(lambda: lastbit.snapping(417.0, lower=0, upper=1000, epsilon=1), 20_000, 1)
        print(f"scalar snapping: diffprivlib {peer:.0f} ns, {peer / ours:.0f} times ours ({ours:.0f} ns)")


if __name__ == "__main__":
    main()
