#!/usr/bin/env python3
"""Makes ages.csv: 1000 synthetic people. Seeded, so that it makes the same file each time."""

import random
from pathlib import Path

random.seed(2012)
with (Path(__file__).parent / "ages.csv").open("w") as out:
    out.write("person,age\n")
    for person in range(1, 1001):
        age = min(104.0, max(0.0, random.gauss(41, 23)))
        out.write(f"{person},{age:.1f}\n")
