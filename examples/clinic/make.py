#!/usr/bin/env python3
"""Makes visits.csv.gz: one quarter of an invented clinic, 20,000 patients with up to four visits
each.

Nobody in it exists. One seed, and only random(), whose stream Python keeps from version to version:
the same rows every time. Usage: python3 make.py [FILE], by default visits.csv.gz beside this
script.
"""
import gzip
import math
import pathlib
import random
import sys

PATIENTS = 20_000
WARDS = [
    ("emergency", 0.34),
    ("medicine", 0.26),
    ("surgery", 0.17),
    ("maternity", 0.10),
    ("children", 0.13),
]
TRIAGE = ["immediate", "urgent", "standard", "minor"]
# A few large towns, and a long tail of hamlets with a patient or two each.
TOWNS = ["Ashford", "Brenn", "Caldmoor", "Dunlin", "Elsworth", "Farrow", "Glenby", "Harwick"]


def choose(generator, weighted):
    at = generator.random() * sum(weight for _, weight in weighted)
    for value, weight in weighted:
        at -= weight
        if at < 0:
            return value
    return weighted[-1][0]


def normal(generator):
    """Box and Muller, from random() alone."""
    radius = math.sqrt(-2 * math.log(1 - generator.random()))
    return radius * math.cos(2 * math.pi * generator.random())


def rows(generator):
    for patient in range(1, PATIENTS + 1):
        large = generator.random() < 0.97
        town = choose(generator, [(town, 1 / (k + 1)) for k, town in enumerate(TOWNS)])
        if not large:
            town = f"hamlet {int(generator.random() * 500) + 1}"
        child = generator.random() < 0.18
        age = (
            generator.random() * 16
            if child
            else 16 + 84 * (generator.random() + generator.random()) / 2
        )
        frailty = math.exp(0.6 * normal(generator))
        # One visit at least, and four at most: the insurers pay for no more in a quarter.
        visits = 1 + int(-1.8 * frailty * math.log(1 - generator.random()))
        for _ in range(min(visits, 4)):
            ward = choose(generator, WARDS)
            if ward == "children" and not child:
                ward = "medicine"
            severity = generator.random() ** (1 / (0.6 + age / 100))
            triage = TRIAGE[min(3, int(4 * (1 - severity)))]
            # After 30 days a patient moves to another house, and the tariff ends at 10,000 EUR.
            days = min(30, int(-math.log(1 - generator.random()) * (0.5 + 4 * severity * frailty)))
            cost = min(10_000, 85 * math.exp(0.9 * normal(generator) + 1.3 * severity) + 310 * days)
            cost = f"{cost:.2f}"
            shown_age = str(int(age))
            # What real tables are like: cells that are empty, or hold something else.
            lucky = generator.random()
            if lucky < 0.02:
                cost = ""
            elif lucky < 0.025:
                cost = "pending"
            elif lucky < 0.04:
                shown_age = ""
            elif lucky < 0.042:
                triage = "unknown"
            yield f"P{patient:05},{ward},{town},{triage},{shown_age},{days},{cost}"


def main():
    here = pathlib.Path(__file__).parent
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "visits.csv.gz"
    lines = list(rows(random.Random(20_260_101)))
    # As it comes out of a hospital's system: not sorted by patient.
    order = random.Random(7)
    keyed = sorted((order.random(), line) for line in lines)
    text = "patient,ward,town,triage,age,days,cost\n" + "".join(line + "\n" for _, line in keyed)
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode())
    print(f"{path}: {len(lines)} visits of {PATIENTS} patients")


if __name__ == "__main__":
    main()
