#!/usr/bin/env python3
"""Writes ln_hard.txt and ln_random.txt with MPFR (gmpy2).

Hard cases: a search of our own. ln has a rounding boundary (an f64, or the midpoint of two) every
half ulp of the result. Around x0 it is nearly linear, so `ln(x0 + t·ulp)` in half ulps is `a + b·t`
modulo 1 up to a curvature that limits |t|, and the first t with `a + b·t mod 1` in a small window
is found by Euclid's algorithm instead of by trying all t. Within 2^-30 of 1 the curvature leaves no
such range; there, x are tried one by one (all of them where they are few).
"""

import math
import random
import struct

import gmpy2
from gmpy2 import mpfr

gmpy2.set_context(gmpy2.context(precision=300))
DIRECTIONS = [
    gmpy2.context(precision=53, round=mode)
    for mode in (gmpy2.RoundToNearest, gmpy2.RoundUp, gmpy2.RoundDown)
]
MODULUS = 1 << 90
KEEP = 20
# A worst case that Lefèvre and Muller (2001) published, 2^-65 ulp from an f64; rated here like the
# others.
PUBLISHED = [float.fromhex("0x1.62a88613629b6p678")]


def to_bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def from_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def first_in_range(b, m, low, high):
    """The smallest t ≥ 0 with low ≤ b·t mod m ≤ high, or None; 0 ≤ low ≤ high < m."""
    if low == 0:
        return 0
    b %= m
    if b == 0:
        return None
    if 2 * b > m:
        b, low, high = m - b, m - high, m - low
    t = -(-low // b)
    if t * b <= high:
        return t
    # b·t − m·y in [low, high] for the smallest y, found modulo b.
    y = first_in_range(m % b, b, -high % b, -low % b)
    return None if y is None else -(-(low + m * y) // b)


def hits(a, b, window, count):
    """All 0 ≤ t < count with a + b·t within window of 0, modulo MODULUS."""
    start = 0
    while start < count:
        low = (-window - a - b * start) % MODULUS
        high = low + 2 * window
        t = 0 if high >= MODULUS else first_in_range(b, MODULUS, low, high)
        if t is None or start + t >= count:
            return
        yield start + t
        start += t + 1


def distance(x):
    """How far ln x is from the nearest boundary, in half ulps of the result, and that boundary's
    parity (1: a midpoint)."""
    y = gmpy2.log(mpfr(x))
    scaled = y * mpfr(2) ** (54 - gmpy2.get_exp(y))
    boundary = gmpy2.rint(scaled)
    return abs(scaled - boundary), int(boundary) & 1


def linear_search(k, sign):
    """About 60 x with 2^k ≤ |ln x| < 2^(k+1), the hardest that the number of blocks allows."""
    # The first tier's bound is absolute, so larger results need closer, rarer cases to defeat it.
    blocks = max(4000, int(2 ** (k + 10.5)))
    # ln'' = -1/x²: over |t| ≤ T/2 ulps, ln x strays from its tangent by at most (T/2)² · curvature
    # half ulps of the result. A quarter of the window is allowed for that; then blocks · T · 2 ·
    # window = 60 cases are expected.
    curvature = 2.0 ** (-53 - k)
    window = (30 * math.sqrt(curvature) / blocks) ** (2 / 3)
    count = int(math.sqrt(window / curvature))
    found = set()
    for _ in range(blocks):
        y = sign * 2.0**k * random.uniform(1, 2)
        if not -708 < y < 709.7:
            continue
        x0 = math.exp(y)
        ulp = math.ulp(x0)
        shift = 53 - k + MODULUS.bit_length() - 1
        a = int(gmpy2.mul_2exp(gmpy2.log(mpfr(x0)), shift))
        b = (1 << shift) // int(x0 / ulp)
        for t in hits(a - b * (count // 2), b, int(window * MODULUS), count):
            found.add(x0 + (t - count // 2) * ulp)
    return found


def near_one_search(k, sign):
    """The hardest x = 1 ± n·2^-s, 2^k ≤ n·2^-s < 2^(k+1), by the first three terms of the series;
    all n where there are few."""
    s = 52 if sign > 0 else 53
    length = s + k
    if length < 0:
        return set()
    low, high = 1 << length, 2 << length
    if length <= 13:
        numbers = range(low, high)
    else:
        # Round n first: where n² is a multiple of 2^length, ln x is only about z³/3 from a
        # boundary.
        stride = 1 << (length - 12)
        numbers = {low + i * stride for i in range(1 << 12)} | {
            random.randrange(low, high) for _ in range(1 << 13)
        }
    rated = []
    for n in numbers:
        y = (n << 2 * s) - (sign * n * n << s - 1) + n**3 // 3  # |ln x| in units of 2^-3s
        half_ulp = 1 << y.bit_length() - 54
        rest = y % half_ulp
        parity = (y + half_ulp // 2) // half_ulp & 1
        rated.append((parity, min(rest, half_ulp - rest) / half_ulp, n))
    rated.sort()
    midpoints = [r for r in rated if r[0] == 1]
    chosen = rated[: 2 * KEEP] + midpoints[: 2 * KEEP]
    return {1.0 + sign * n * 2.0**-s for _, _, n in chosen}


def hard_cases():
    for x in PUBLISHED:
        yield (*distance(x), x)
    for k in range(-53, 10):
        for sign in (1, -1):
            candidates = near_one_search(k, sign) if k < -30 else linear_search(k, sign)
            rated = sorted((*distance(x), x) for x in candidates if x != 1.0)
            for parity in (0, 1):
                yield from [r for r in rated if r[1] == parity][:KEEP]


def expected(x):
    return [to_bits(float(context.log(mpfr(x)))) for context in DIRECTIONS]


def tier(x, gap):
    """2 if the first tier cannot decide, 1 if it must, 0 if its bound leaves it open.

    Its error is below 7/8 of its bound, so a boundary within 1/8 of the bound is inside its
    enclosure; a boundary farther than twice the bound is outside.
    """
    gap = gap * mpfr(2) ** (gmpy2.get_exp(gmpy2.log(mpfr(x))) - 54)
    z = abs(mpfr(x) - 1)
    bound = z * mpfr(2) ** -67 if z < mpfr(2) ** -8 else mpfr(2) ** -75
    return 2 if gap < bound / 8 else 1 if gap > 2 * bound else 0


def write_hard():
    seen = set()
    with open("ln_hard.txt", "w") as out:
        out.write(
            "# make_ln_vectors.py: x whose ln is close to an f64 (r) or to the midpoint of two "
            "(m); bits in hex.\n"
            "# x nearest up down | r or m | -log2 of the distance in ulps | 2: tier 1 cannot "
            "decide, 1: it must, 0: either\n"
        )
        for gap, parity, x in hard_cases():
            if x in seen:
                continue
            seen.add(x)
            bits = -float(gmpy2.log2(gap)) + 1
            results = " ".join(f"{r:016x}" for r in expected(x))
            out.write(f"{to_bits(x):016x} {results} {'rm'[parity]} {bits:.1f} {tier(x, gap)}\n")


def write_random():
    def inputs():
        top = to_bits(math.inf)
        for _ in range(8000):
            yield random.randrange(1, top)  # every exponent
        for _ in range(2000):
            yield random.randrange(1, 1 << random.randrange(1, 53))  # subnormal
        one = to_bits(1.0)
        for _ in range(5000):
            yield one + random.randrange(1, 1 << random.randrange(1, 53))
            yield one - random.randrange(1, 1 << random.randrange(1, 53))
        yield from (1, (1 << 52) - 1, 1 << 52, top - 1)

    with open("ln_random.txt", "w") as out:
        out.write(
            "# make_ln_vectors.py: x, ln x rounded to nearest, and whether ln x lies above (>) or "
            "below (<) that; bits in hex.\n"
        )
        for bits in inputs():
            nearest, up, _ = expected(from_bits(bits))
            out.write(f"{bits:016x} {nearest:016x} {'<' if nearest == up else '>'}\n")


random.seed(20)
write_hard()
write_random()
