#!/usr/bin/env python3
"""Makes people.csv: an invented village of 1,200 people. One seed, so the same rows every time;
nobody in it exists."""
import math
import pathlib
import random


def main():
    generator = random.Random(1841)
    lines = ["age,sex,income,rooms"]
    for _ in range(1200):
        age = int(95 * (1 - math.sqrt(generator.random())))
        sex = "f" if generator.random() < 0.51 else "m"
        normal = math.sqrt(-2 * math.log(1 - generator.random())) * math.cos(
            2 * math.pi * generator.random()
        )
        working = 18 <= age < 67 and generator.random() < 0.8
        income = int(math.exp(7.6 + 0.5 * normal)) if working else int(900 * generator.random())
        rooms = 1 + int(6 * generator.random() ** 1.5)
        lines.append(f"{age},{sex},{income},{rooms}")
    path = pathlib.Path(__file__).parent / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines) - 1} people")


if __name__ == "__main__":
    main()
