#!/usr/bin/env python3
"""Times one draw of Lastbit and of its peers in the same run, and prints the ratios as tables.

    python3 benches/peers.py              # draws, then selections
    python3 benches/peers.py selections   # the latter alone

Makes a virtual environment under target/ for the peers (OpenDP, diffprivlib, numpy), builds the
Rust side in release mode, and times both. Nothing else needs to be installed. The fastest of
several runs counts, on both sides.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
# diffprivlib 0.6 needs a scikit-learn from before 1.6.
PACKAGES = ["numpy", "opendp", "diffprivlib", "scikit-learn==1.5.2", "gmpy2"]


def fastest(draws, run, times=5):
    """Nanoseconds a draw, in the fastest of several runs."""
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter_ns()
        run()
        best = min(best, (time.perf_counter_ns() - start) / draws)
    return best


def lastbit(binary, *arguments, text=None):
    """What a program of `benches/src/bin` writes, given some text to read."""
    command = [
        "cargo",
        "run",
        "--quiet",
        "--profile",
        "bench",
        "-p",
        "lastbit-benches",
        "--bin",
        binary,
        "--",
        *arguments,
    ]
    return subprocess.run(
        command, cwd=ROOT, input=text, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def numpy_laplace():
    import numpy

    generator = numpy.random.default_rng()
    n = 1_000_000
    return fastest(n, lambda: 417.3 + generator.laplace(scale=0.7, size=n))


def opendp_vector():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    measurement = dp.m.make_laplace(*space, scale=0.7)
    values = [417.3] * 2000
    return fastest(len(values), lambda: measurement(values), times=3)


def opendp_scalar():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    measurement = dp.m.make_laplace(*space, scale=0.7)
    n = 500
    return fastest(n, lambda: [measurement(417.3) for _ in range(n)], times=3)


def diffprivlib_snapping():
    from diffprivlib.mechanisms import Snapping

    mechanism = Snapping(epsilon=1.0, sensitivity=0.7, lower=0.0, upper=1000.0)
    n = 5000
    return fastest(n, lambda: [mechanism.randomise(417.3) for _ in range(n)], times=3)


def mpfr_draw():
    """The arithmetic of a 118-bit draw in MPFR: ln, product, sum; the uniform is made
    beforehand."""
    import gmpy2

    gmpy2.get_context().precision = 118
    uniform = gmpy2.mpfr(1) / 3
    scale, value, log = gmpy2.mpfr("0.7"), gmpy2.mpfr("417.3"), gmpy2.log
    n = 100_000

    def run():
        for _ in range(n):
            value + scale * log(uniform)

    return fastest(n, run)


def gumbel_argmax():
    """Milliseconds of numpy's usual selection from 100,000 candidates: Gumbel noise on every score,
    and the largest."""
    import numpy

    generator = numpy.random.default_rng()
    scores = generator.random(100_000) * 1e5
    return (
        fastest(
            1, lambda: numpy.argmax(0.5 * scores + generator.gumbel(size=scores.size)), times=100
        )
        / 1e6
    )


def numpy_sort():
    """Milliseconds of sorting a million numbers."""
    import numpy

    rows = numpy.arange(1, 1_000_001, dtype=numpy.uint64) * numpy.uint64(0x9E3779B97F4A7C15)
    return fastest(1, lambda: numpy.sort(rows), times=10) / 1e6


def selections():
    """One selection of the exponential mechanism and one private median, beside what is commonly
    done."""
    # Turn by turn, so that other load falls on both sides.
    rounds = [(json.loads(lastbit("selections")), gumbel_argmax(), numpy_sort()) for _ in range(5)]
    ours = rounds[0][0]
    for other, _, _ in rounds:
        for kind in ("f64", "i64"):
            ours[kind] = {name: min(ms, other[kind][name]) for name, ms in ours[kind].items()}
        for name in ("median", "sort"):
            ours[name] = min(ours[name], other[name])
    gumbel = min(ms for _, ms, _ in rounds)
    sort = min(ms for _, _, ms in rounds)

    print("\nMilliseconds a selection from 100,000 candidates, over five shapes of scores.\n")
    print("| | " + " | ".join(ours["f64"]) + " | slowest / fastest | slowest / numpy |")
    print("|---|" + "---|" * (len(ours["f64"]) + 2))
    print(f"| numpy Gumbel-argmax (not exact) | | | | {gumbel:.3f} | | | |")
    for kind in ("f64", "i64"):
        times = list(ours[kind].values())
        row = " | ".join(f"{ms:.3f}" for ms in times)
        print(
            f"| Lastbit, {kind} scores | {row} | {max(times) / min(times):.3f} | "
            f"{max(times) / gumbel:.3f}× |"
        )

    print("\nMilliseconds for a million numbers of 64 bits.\n")
    print("| | ms | private median / it |")
    print("|---|---|---|")
    print(f"| Lastbit, private median at ε = 1 | {ours['median']:.2f} | |")
    print(
        f"| sorting in Rust, unstable | {ours['sort']:.2f} | {ours['median'] / ours['sort']:.3f}× |"
    )
    print(f"| numpy sort | {sort:.2f} | {ours['median'] / sort:.3f}× |")


def main():
    environment.enter("peers-venv", PACKAGES)
    if sys.argv[1:] != ["selections"]:
        draws()
    selections()


def draws():
    """One draw of each arithmetic of the snapping mechanism, beside the peers'."""
    # Nanoseconds a draw of our own arithmetics, and of the naive mechanism with the same generator.
    ours = json.loads(lastbit("draws"))
    peers = [
        ("naive f64 Laplace, same generator (leaks)", ours["naive"]),
        ("numpy Laplace, vectorised (leaks)", numpy_laplace()),
        ("diffprivlib Snapping", diffprivlib_snapping()),
        ("OpenDP Laplace, vector", opendp_vector()),
        ("OpenDP Laplace, scalar call", opendp_scalar()),
        ("MPFR through gmpy2, 118 bits, arithmetic alone", mpfr_draw()),
    ]
    mine = [
        ("exact, bulk", "exact_bulk"),
        ("exact, scalar", "exact_scalar"),
        ("binary64", "binary64"),
        ("multi, 118 bits", "multi"),
    ]
    print("Nanoseconds a draw; in the columns of Lastbit, its time over the peer's.\n")
    print("| peer | ns | " + " | ".join(name for name, _ in mine) + " |")
    print("|---|---|" + "---|" * len(mine))
    print("| Lastbit itself, ns | | " + " | ".join(f"{ours[key]:.1f}" for _, key in mine) + " |")
    print(f"| randomness alone | {ours['randomness']:.1f} |" + " |" * len(mine))
    for name, ns in peers:
        ratios = " | ".join(f"{ours[key] / ns:.4g}×" for _, key in mine)
        print(f"| {name} | {ns:.1f} | {ratios} |")


if __name__ == "__main__":
    main()
