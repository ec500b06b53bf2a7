#!/usr/bin/env python3
"""Makes interviews.csv.gz: two years of an invented labour force survey, 3,000 people with up to
four interviews each.

Nobody in it exists. One seed, and only random(), whose stream Python keeps from version to version:
the same rows every time. Usage: python3 make.py [FILE], by default interviews.csv.gz beside this
script.
"""
import datetime
import gzip
import pathlib
import random
import sys

PEOPLE = 3_000
FIRST = datetime.date(2023, 1, 1)
QUARTERS = 8


def quarter_start(quarter):
    return datetime.date(FIRST.year + quarter // 4, 3 * (quarter % 4) + 1, 1)


def rows(generator):
    def below(n):
        return int(generator.random() * n)

    for person in range(1, PEOPLE + 1):
        sex = 1 + below(2)
        age = 16 + below(60)
        region = 1 + below(9)
        weight = 40 + below(160)
        employed = generator.random() < (0.75 if 20 <= age <= 62 else 0.2)
        # The week: full time, part time, or more.
        usual = (38, 40, 20, 30, 48)[below(5)]
        first = below(QUARTERS) - 2
        for quarter in range(max(first, 0), min(first + 4, QUARTERS)):
            if generator.random() < 0.06:
                continue  # not at home
            if generator.random() < 0.05:
                employed = not employed
            day = quarter_start(quarter) + datetime.timedelta(days=below(90))
            asked = f"{day.isoformat()}T{8 + below(12):02}:{below(60):02}:00Z"
            status = "1" if employed else ("2" if generator.random() < 0.2 else "3")
            if generator.random() < 0.02:
                status = "9"
            hours = str(min(max(usual + below(11) - 5, 1), 98)) if status == "1" else "99"
            wage = f"{800 + usual * (20 + below(60))}.{below(10)}0" if status == "1" else ""
            if status == "1" and generator.random() < 0.1:
                wage = ("NA", "?", "-1")[below(3)]
            # Some offices write codes as 1, some as 1.0.
            shown = str(sex) if below(10) else f"{sex}.0"
            yield f"p{person:04},{asked},{region},{shown},{age},{status},{hours},{wage},{weight}"


def main():
    path = (
        pathlib.Path(sys.argv[1])
        if len(sys.argv) > 1
        else pathlib.Path(__file__).parent / "interviews.csv.gz"
    )
    lines = ["person,interviewed,region,sex,age,status,hours,wage,weight", *rows(random.Random(12))]
    # Without a time and a name in it, the file is the same every time.
    with open(path, "wb") as file, gzip.GzipFile("", "wb", mtime=0, fileobj=file) as packed:
        packed.write(("\n".join(lines) + "\n").encode())


main()
