#!/usr/bin/env python3
"""Prints table.rs: the constants of the natural logarithm.

    python3 make_tables.py > table.rs        (needs mpmath)

Rust re-derives every entry with its own enclosure of ln in `ln/tests.rs`; nothing rests on this
script being right.
"""

import struct

from mpmath import mp, mpf, floor, log, nint

mp.prec = 600


def bits(value):
    """The bit pattern of the f64 nearest to value."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', float(value)))[0]:016x}"


def limbs(value, count):
    """floor(value · 2^(64·count)), little-endian."""
    integer = int(floor(value * mpf(2) ** (64 * count)))
    return (
        "[" + ", ".join(f"0x{integer >> 64 * i & (1 << 64) - 1:016x}" for i in range(count)) + "]"
    )


def high_low(value):
    """A multiple of 2^-42 and the f64 nearest to the rest."""
    high = nint(value * mpf(2) ** 42) / mpf(2) ** 42
    return bits(high), bits(value - high)


def double_double_rows():
    """Row i serves m in [start, start + width): a multiple r of 2^-10 with m·r near 1, and -ln
    r."""
    for i in range(256):
        if i < 150:  # [0.70703125, 1) in steps of 2^-9
            start, width = mpf(362 + i) / 512, mpf(1) / 512
        else:  # [1, 1.4140625) in steps of 2^-8
            start, width = mpf(256 + i - 150) / 256, mpf(1) / 256
        # |m·r − 1| is largest at an end: the r that balances the ends, on the grid.
        r = nint(1024 / (start + width / 2)) / 1024
        yield (bits(r), *high_low(-log(r)))


print(
    "//! Constants of the natural logarithm, printed by `make_tables.py`; `tests.rs` re-derives "
    "every"
)
print("//! entry.")
print()
print("use super::double_double::Row;")
print("use super::fixed::{Factor, MAX_LIMBS, factor};")
print()
print("/// `ln 2` as a multiple of 2^-42 and the f64 nearest to the rest.")
high, low = high_low(log(mpf(2)))
print(f"pub(super) const LN_2_HIGH: f64 = f64::from_bits({high});")
print("/// See [`LN_2_HIGH`].")
print(f"pub(super) const LN_2_LOW: f64 = f64::from_bits({low});")
print()
print(
    "/// `r` (a multiple of 2^-10), `-ln r` as a multiple of 2^-42, and the f64 nearest to the "
    "rest."
)
print("#[rustfmt::skip]")
print("pub(super) static ROWS: [Row; 256] = [")
for row in double_double_rows():
    print(f"    Row::new({', '.join(row)}),")
print("];")
print()
print("/// `floor(ln 2 · 2^320)`.")
print("#[rustfmt::skip]")
print("pub(super) static LN_2: [u64; MAX_LIMBS + 1] = [")
for limb in limbs(log(mpf(2)), 5).strip("[]").split(", "):
    print(f"    {limb},")
print("];")
print()
print("/// `(ceil(2^10/(1 + i/128)), floor(-ln(factor/2^10) · 2^256))`.")
print("#[rustfmt::skip]")
print("pub(super) static COARSE: [Factor; 128] = [")
for i in range(128):
    factor = -(-(1 << 17) // (128 + i))
    print(f"    factor({factor}, {limbs(-log(mpf(factor) / 1024), 4)}),")
print("];")
print()
print("/// `(floor(2^16·j/(2^13 + j)), floor(-ln(1 - factor/2^16) · 2^256))`.")
print("#[rustfmt::skip]")
print("pub(super) static FINE: [Factor; 72] = [")
for j in range(72):
    factor = (1 << 16) * j // ((1 << 13) + j)
    print(f"    factor({factor}, {limbs(-log(1 - mpf(factor) / 65536), 4)}),")
print("];")
