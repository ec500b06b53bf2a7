#!/usr/bin/env python3
"""Writes tables.rs: the constants of the exp and ln kernels, as floors of scaled reals.

Needs mpmath. Run `python3 make_tables.py > tables.rs`; the unit tests re-derive every entry from
exact arithmetic.
"""
from mpmath import mp, mpf, floor, log

mp.prec = 400


def scaled_floor(x, bits):
    return int(floor(x * mpf(2) ** bits))


print("//! Written by make_tables.py; re-derived by the unit tests of the kernels.")
print()
print("/// `floor(ln 2 / 128 · 2^103)`.")
print(f"pub(super) const LN2_OVER_128: i128 = {scaled_floor(log(2) / 128, 103)};")
print()
print("/// `floor(ln 2 · 2^112)`.")
print(f"pub(super) const LN2: i128 = {scaled_floor(log(2), 112)};")
print()
print("/// `floor(2^(j/128) · 2^71)`.")
print("#[rustfmt::skip]")
print("pub(super) const EXP2: [u128; 128] = [")
for j in range(128):
    print(f"    {scaled_floor(mpf(2) ** (mpf(j) / 128), 71):#x},")
print("];")
print()
print(
    "/// For the j-th of 128 equal parts of `[1, 2)`: `c`, with `c/2^16` near the reciprocal of its"
)
print("/// middle, and `floor(-ln(c/2^16) · 2^80)`.")
print("#[rustfmt::skip]")
print("pub(super) const RECIPROCALS: [(u32, i128); 128] = [")
for j in range(128):
    c = int(floor(mpf(2) ** 16 / (1 + (mpf(j) + mpf(1) / 2) / 128) + mpf(1) / 2))
    print(f"    ({c}, {scaled_floor(-log(mpf(c) / 2 ** 16), 80):#x}),")
print("];")
