#!/usr/bin/env python3
"""Makes stays.csv.gz and patients.csv.gz: a year of an invented hospital, 6,000 patients with their
stays.

Nobody in it exists. One seed, and only random(), whose stream Python keeps from version to version:
the same rows every time. Usage: python3 make.py [FILE], by default stays.csv.gz beside this script;
patients.csv.gz is written beside it.
"""
import datetime
import gzip
import pathlib
import random
import sys

PATIENTS = 6_000
YEAR = datetime.datetime(2024, 1, 1)
# As in wards.csv, the busiest first; the last one is in no list.
WARDS = ("W01", "W02", "W03", "W04", "W05", "W06", "W07", "W08", "W09", "W99")
# Diagnoses of each ward, by the first three characters of their codes.
DIAGNOSES = (
    ("I21", "I50", "I48"),
    ("S72", "S52", "M16"),
    ("J18", "J44"),
    ("K35", "K80"),
    ("N18",),
    ("O80", "O82"),
    ("C50", "C34"),
    ("F32", "F10"),
    ("Q21", "T14"),
    ("Z00",),
)
# As in districts.csv; the last one is not. One name needs quotes.
DISTRICTS = ("Harbour", "Market", "Hill; upper", "Hill; lower", "Mill", "Abbey", "Farmland", "Isle")


def people(generator):
    """What is known of each patient: the rows of patients.csv, and age and frailty for stays."""

    def below(n):
        return int(generator.random() * n)

    for number in range(1, PATIENTS + 1):
        # Some are insured abroad, under longer numbers.
        name = f"P{number:04}" if below(40) else f"EU-INSURED-{number:06}"
        age = 18 + int(78 * max(generator.random(), generator.random()))
        female = below(100) < 53
        height = 150 + below(25) + (0 if female else 11) + below(8)
        # The older, the heavier, up to sixty.
        mass = (height - 100) * (0.8 + 0.5 * generator.random()) + min(age, 60) / 4
        district = DISTRICTS[min(int(len(DISTRICTS) * generator.random() ** 1.5), 7)]
        frailty = (age / 100) ** 2 + 0.5 * generator.random()
        rows = []
        if below(60):
            # A few patients were written down twice, with another weight.
            for _ in range(1 if below(50) else 2):
                shown = f"{mass - 1 + 2 * generator.random():.1f}"
                tall = str(height)
                lucky = below(50)
                if lucky == 0:
                    tall = "999"
                elif lucky == 1:
                    shown = "NA"
                quoted = f"'{district}'" if ";" in district else district
                sex = "2" if female else "1"
                rows.append(f"{name};{2024 - age};{sex};{tall};{shown};{quoted}")
        yield name, age, frailty, rows


def stays(generator, name, age, frailty):
    def below(n):
        return int(generator.random() * n)

    ward = min(int(len(WARDS) * generator.random() ** 1.7), 9)
    many = 1
    while below(100) < 35 and many < 6:
        many += 1
    if below(100) == 0:
        # Those who come back every other week.
        ward, many = 4, 12 + below(14)
    for _ in range(many):
        if ward != 4 and below(3) == 0:
            ward = min(int(len(WARDS) * generator.random() ** 1.7), 9)
        severity = 1 + min(int(4 * (frailty + 0.6 * generator.random()) / 1.8), 3)
        # Many short stays, and few long ones.
        days = below(3)
        while below(100) < 60 + 8 * severity and days < 75:
            days += 1 + below(2)
        if many > 6:
            days = below(2)
        # Patients come by day more often than by night.
        minute = min(int(1440 * (generator.random() + generator.random()) / 2), 1439)
        came = YEAR + datetime.timedelta(days=below(366), minutes=minute)
        dismissed = (came + datetime.timedelta(hours=1, days=days)).strftime("%d/%m/%Y")
        kinds = DIAGNOSES[ward]
        code = f"{kinds[below(len(kinds))]}.{below(10)}"
        cost = 400 + 250 * severity + days * (310 + below(180)) + 12 * age + below(900)
        cost = f"{cost}.{below(10)}5"
        left = "home"
        if below(100) < 8 + 5 * severity:
            left = ("transfer", "care home")[below(2)]
        # What real tables are like: capitals, spaces, codes, empty cells.
        left = (left, left, left.capitalize(), left.upper())[below(4)]
        if below(15) == 0:
            code = (code.lower(), f" {code}")[below(2)]
        whose, shown = name, str(severity)
        lucky = below(200)
        if lucky < 4:
            cost = ("", "n/a", "pending", "99999.99")[lucky]
        elif lucky < 7:
            shown = "9"
        elif lucky < 9:
            left = ("", "not known")[lucky - 7]
        elif lucky == 9:
            dismissed = ""
        elif lucky == 10:
            whose = ""
        elif lucky == 11:
            code = ("", "?")[below(2)]
        # One stay in three is asked; who answers stands for one to eight stays.
        asked = ",,"
        if below(3) == 0:
            score = min(10, max(0, 9 - severity + below(5) - 2))
            asked = f"{score},{severity * 9 + below(90)},{(2 + below(15)) / 2:g}"
        yield (
            f"{whose},{came:%Y-%m-%dT%H:%M}Z,{dismissed},{WARDS[ward]},{code},{shown},{left},"
            f"{cost},{asked}"
        )


def main():
    here = pathlib.Path(__file__).parent
    path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "stays.csv.gz"
    generator = random.Random(2024)
    tables = (
        (
            "patient,admitted,dismissed,ward,code,severity,left,cost,score,waited,"
            "stands_for",
            [],
        ),
        ("ID;born;sex;height;weight;district", []),
    )
    for name, age, frailty, rows in people(generator):
        tables[1][1].extend(rows)
        tables[0][1].extend(stays(generator, name, age, frailty))
    for file, (header, rows) in zip((path, path.parent / "patients.csv.gz"), tables):
        # Without a time and a name in it, the file is the same every time.
        with open(file, "wb") as made, gzip.GzipFile("", "wb", 9, made, mtime=0) as packed:
            packed.write(("\n".join([header, *rows]) + "\n").encode())


main()
