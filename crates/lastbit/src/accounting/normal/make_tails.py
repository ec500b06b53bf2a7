"""Writes tails.rs: for each i, the largest double at or below P(N > i/32).

A test compares every entry with the enclosure of lastbit-noise. Run with mpmath installed:
python3 make_tails.py > tails.rs
"""

import math

from mpmath import mp, mpf, ncdf

mp.prec = 1400  # the last are below 2^-1022


def below(x):
    """The largest double at or below x."""
    value = float(x)
    return value if mpf(value) <= x else math.nextafter(value, 0.0)


print("//! Written by make_tails.py.")
print()
print("/// The largest double at or below `P(N > i/32)`, from `i = 1` on.")
print("#[rustfmt::skip]")
numbers = [repr(below(ncdf(-mpf(i) / 32))) for i in range(1, 38 * 32 + 1)]
print(f"pub(super) const TAILS: [f64; {len(numbers)}] = [")
for start in range(0, len(numbers), 3):
    print("    " + " ".join(f"{number}," for number in numbers[start : start + 3]))
print("];")
