#!/usr/bin/env python3
"""Writes gaussian_tail.txt, gaussian_mass.txt and gaussian_cells.txt, from mpmath and MPFR.

Each line holds exact arguments (decimals or fractions) and results to 60 significant digits. The
complementary error function comes from MPFR (gmpy2); mpmath has to agree with it. The points are
chosen without chance, so a second run writes the same files.

  gaussian_tail.txt   x  P(Z > x)
  gaussian_mass.txt   a b  P(a < Z < b)                                   (an end may be -inf or
  inf) gaussian_cells.txt  variance grid_exponent location cell  P(= cell)  P(<= cell)
"""
import fractions
import pathlib

import gmpy2
from mpmath import erfc, mp, mpf, nstr, sqrt

mp.prec = 2000
gmpy2.get_context().precision = 2000
HERE = pathlib.Path(__file__).resolve().parent


def exact(text):
    value = fractions.Fraction(text)
    return mpf(value.numerator) / value.denominator


def tail(x):
    """P(Z > x)."""
    by_mpmath = erfc(x / sqrt(2)) / 2
    mantissa, exponent = int((x / sqrt(2)).man) * (1 if x >= 0 else -1), int((x / sqrt(2)).exp)
    argument = (
        gmpy2.mul_2exp(gmpy2.mpfr(mantissa), exponent)
        if exponent >= 0
        else gmpy2.div_2exp(gmpy2.mpfr(mantissa), -exponent)
    )
    m, e = (gmpy2.erfc(argument) / 2).as_mantissa_exp()
    by_mpfr = mpf(int(m)) * mpf(2) ** int(e)
    assert abs(by_mpfr - by_mpmath) <= by_mpmath * mpf(2) ** -1000, x
    return by_mpfr


def mass(a, b):
    """P(a < Z < b), from the side on which the tails are small."""
    if a > 0:
        return tail(a) - tail(b)
    if b < 0:
        return tail(-b) - tail(-a)
    return 1 - tail(-a) - tail(b)


def digits(value):
    return nstr(value, 60, strip_zeros=False, min_fixed=0, max_fixed=0)


def write(name, lines):
    (HERE / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


points = [
    "0",
    "1e-300",
    "1e-30",
    "1e-9",
    "0.001",
    "0.1",
    "1/3",
    "0.5",
    "2/3",
    "1",
    "1.25",
    "1.644853627",
    "2",
    "2.5",
    "3",
    "3.2",
    "3.5",
]
points += [
    "3.75",
    "4",
    "4.5",
    "5",
    "5.5",
    "6",
    "7",
    "8",
    "9.5",
    "11",
    "13",
    "16",
    "20",
    "25",
    "30",
    "33.3",
    "37",
    "37.5",
    "38.4",
]
points += ["38.9", "39.5", "50", "63", "100", "150"]
write("gaussian_tail.txt", [f"{x} {digits(tail(exact(x)))}" for x in points])

lines = []
for x in points[:36]:
    lines.append(f"{x} inf {digits(tail(exact(x)))}")
    lines.append(f"-inf {x} {digits(tail(-exact(x)))}")
    for width in ["1e-250", "1e-40", "1e-18", "1e-16", "1e-15", "1e-9", "1e-3", "0.7", "6", "100"]:
        upper = str(fractions.Fraction(x) + fractions.Fraction(width))
        lines.append(f"{x} {upper} {digits(mass(exact(x), exact(upper)))}")
        # The same width around zero, not in its middle.
        lower = str(-fractions.Fraction(width) / 3)
        upper = str(fractions.Fraction(width) * 2 / 3)
        line = f"{lower} {upper} {digits(mass(exact(lower), exact(upper)))}"
        if line not in lines:
            lines.append(line)
write("gaussian_mass.txt", lines)

lines = []
for variance in ["2", "0.3", "9/4", "1e-6", "1e40", "12345.678"]:
    for grid in [-3, 0, 5]:
        for location in ["0", "-1.25", "1/3", "1000.5"]:
            sigma = sqrt(exact(variance)) / mpf(2) ** grid
            centre = fractions.Fraction(location) / fractions.Fraction(2) ** grid
            middle = (centre + fractions.Fraction(1, 2)).__floor__()
            for away in [0, 1, -3, 7, -20]:
                cell = middle + away
                ends = [(fractions.Fraction(2 * cell + side, 2) - centre) for side in (-1, 1)]
                a, b = (mpf(end.numerator) / end.denominator / sigma for end in ends)
                # Far out there is no double.
                if min(abs(a), abs(b)) < 37:
                    lines.append(
                        f"{variance} {grid} {location} {cell} {digits(mass(a, b))} "
                        f"{digits(tail(-b))}"
                    )
write("gaussian_cells.txt", lines)
