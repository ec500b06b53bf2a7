#!/usr/bin/env python3
"""Writes ../../src/gaussian/table.rs with mpmath: the nodes of the first tier of the Gaussian
sampler.

For each bin of k, from 2^21 to 2^63, 16 to the octave, with middle c: z with P(Z > z) = c/2^64, and
2^-64 divided by the density at z, both rounded to nearest. The unit tests prove what the sampler
needs of these numbers with enclosures of their own.
"""
import pathlib

from mpmath import erfc, exp, log, mp, mpf, pi, sqrt

mp.prec = 200


def tail(z):
    return erfc(z / sqrt(2)) / 2


def density(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def quantile(p):
    """z with tail(z) = p, by Newton's method for the logarithm."""
    twice = -2 * log(p)
    z = sqrt(twice - log(2 * pi * twice)) if p < mpf("0.1") else (mpf("0.5") - p) * mpf("2.5")
    while True:
        step = log(tail(z) / p) * tail(z) / density(z)
        z += step
        if abs(step) < mpf(2) ** -100:
            return z


entries = []
for exponent in range(21, 63):
    for bin in range(16):
        middle = mpf(2) ** exponent * (1 + mpf(2 * bin + 1) / 32)
        node = float(quantile(middle / mpf(2) ** 64))
        entries.append(f"[{node!r}, {float(mpf(2)**-64 / density(mpf(node)))!r}]")

lines = [", ".join(entries[i : i + 2]) + "," for i in range(0, len(entries), 2)]
text = (
    f"""\
//! Nodes of the first tier. Written by `tests/data/make_gaussian_table.py`; `kernel/tests.rs`
//! proves their errors.

/// For each bin of `k`, 16 to the octave from 2^21 to 2^63, with middle `c`: `z` with
/// `Q(z) = c/2^64`, and `2^-64/φ(z)`.
#[rustfmt::skip]
pub(super) static NODES: [[f64; 2]; {len(entries)}] = [
"""
    + "".join(f"    {line}\n" for line in lines)
    + "];\n"
)
path = pathlib.Path(__file__).resolve().parents[2] / "src" / "gaussian" / "table.rs"
path.write_text(text, encoding="utf-8")
