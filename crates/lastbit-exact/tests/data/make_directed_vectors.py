#!/usr/bin/env python3
"""Writes directed_{exp,exp_m1,ln_1p,ln}.txt: arguments and results rounded down, by MPFR.

Each line is the bits of x and the bits of the largest f64 at or below f(x), in hexadecimal. Needs
gmpy2. The points are chosen without chance but for a fixed seed, so a second run writes the same
files.
"""
import math
import random
import struct

import gmpy2
from gmpy2 import mpfr

random.seed(20231)

# Round toward −∞ in binary64 with gradual underflow: MPFR's exponents are for significands in [1/2,
# 1).
DOWN = gmpy2.context(
    precision=53, emin=-1073, emax=1024, subnormalize=True, round=gmpy2.RoundDown
)
WIDE = gmpy2.context(precision=400)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(b):
    return struct.unpack("<d", struct.pack("<Q", b & (2**64 - 1)))[0]


def neighbours(x, count):
    """x and the f64s up to `count` steps away."""
    b = bits(float(x))
    return [from_bits(b + i) for i in range(-count, count + 1)]


def every_exponent(signs, low, high, count=1):
    """Random significands for every binary exponent, subnormals included."""
    points = []
    for e in range(low, high + 1):
        for sign in signs:
            for _ in range(count):
                if e < -1022:
                    top = e + 1074
                    b = (1 << top) | random.getrandbits(top)
                else:
                    b = ((e + 1023) << 52) | random.getrandbits(52)
                points.append(sign * from_bits(b))
    return points


def powers_of_two(signs, low, high):
    """Powers of two and the f64 on either side."""
    return [
        s * v
        for s in signs
        for e in range(low, high + 1)
        for v in neighbours(math.ldexp(1.0, e), 1)
    ]


def write(name, f, points, inside):
    points = sorted({p for p in points if math.isfinite(p) and p != 0.0 and inside(p)})
    with open(f"directed_{name}.txt", "w") as out:
        with DOWN:
            for x in points:
                y = float(f(mpfr(x)))
                out.write(f"{bits(x):x} {bits(y):x}\n")
    print(name, len(points))


with WIDE:
    ln2 = gmpy2.const_log2()
    ends = [
        gmpy2.log(mpfr(2) ** 1024),
        -1075 * ln2,
        -1074 * ln2,
        -1022 * ln2,
        -37 * mpfr(1),
        -53 * ln2,
        -54 * ln2,
    ]
    halves = [k * ln2 / 2 for k in range(-2150, 2049, 7)]
    # Where the nearest multiple of ln 2/128 changes, and where the reduced argument is least.
    cells = [
        (mpfr(k) + mpfr(1) / 2) * ln2 / 128
        for k in list(range(-300, 300, 3)) + list(range(-137000, 131000, 997))
    ]
    steps = [k * ln2 / 128 for k in list(range(-300, 300, 5)) + list(range(-137000, 131000, 1997))]

exp_points = (
    every_exponent([1, -1], -1074, -60)[::5]
    + every_exponent([1, -1], -60, 10, 12)
    + powers_of_two([1, -1], -56, 9)
    + [p for e in ends for p in neighbours(e, 20)]
    + [p for v in halves for p in neighbours(v, 1)]
    + [p for v in cells for p in neighbours(v, 1)]
    + [float(v) for v in steps]
    + [random.uniform(-746, 710) for _ in range(1800)]
    + [random.uniform(-746, -708) for _ in range(600)]
    + [random.uniform(-1, 1) for _ in range(900)]
)
write("exp", gmpy2.exp, exp_points, lambda x: -800 < x < 800)
write(
    "exp_m1",
    gmpy2.expm1,
    exp_points + [s * v for s in (1, -1) for v in neighbours(0.0625, 40)],
    lambda x: -800 < x < 800,
)

with WIDE:
    # The borders of the 128 parts of [1, 2), and of the series around 1.
    borders = [
        mpfr(2) ** e * (1 + mpfr(j) / 128) for e in (-30, -2, -1, 0, 1, 40) for j in range(128)
    ]
    multiples = [gmpy2.exp(k * ln2 / 2) for k in range(-2044, 2047, 9)]

ln_points = (
    every_exponent([1], -1074, 1023, 2)
    + powers_of_two([1], -60, 66)
    + powers_of_two([1], -1074, 1023)[::9]
    + [p for v in borders for p in neighbours(v, 1)]
    + [p for v in multiples for p in neighbours(v, 1)]
    + [
        1.0 + s * math.ldexp(1.0 + random.random(), -e)
        for e in range(3, 53)
        for s in (1, -1)
        for _ in range(8)
    ]
    + [random.uniform(0.5, 2) for _ in range(900)]
    + neighbours(1.0, 40)
)
write("ln", gmpy2.log, ln_points, lambda x: x > 0 and x != 1.0)

# Above 2^64, arguments with an f64 between ln x and ln(1 + x).
straddles = []
with DOWN:
    while len(straddles) < 6:
        x = math.ldexp(1.0 + random.random(), 64)
        if gmpy2.log(mpfr(x)) != gmpy2.log1p(mpfr(x)):
            straddles.append(x)

ln_1p_points = (
    straddles +
    every_exponent([1], -1074, 1023)
    + every_exponent([-1], -1074, -60)[::3]
    + every_exponent([1, -1], -60, -1, 12)
    + every_exponent([1], 0, 70, 6)
    + powers_of_two([1, -1], -60, 66)
    + [float(v) - 1.0 for v in borders]
    + [p for v in borders if v > 0.9 and v < 2 for p in neighbours(float(v) - 1.0, 2)]
    + [p for e in range(2, 53) for p in neighbours(-1.0 + math.ldexp(1.0, -e), 2)]
    + [random.uniform(-1, 3) for _ in range(2500)]
    + [s * v for s in (1, -1) for v in neighbours(1 / 128, 40)]
)
write("ln_1p", gmpy2.log1p, ln_1p_points, lambda x: x > -1)
