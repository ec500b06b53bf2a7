"""The integers of examples/labour/plan.toml, computed from the file and from nothing of the
program: Python's standard library alone.

Usage: python3 labour.py DIRECTORY KEY, with the 32 bytes of the query's key in hexadecimal; prints
one line for each statistic and group.
"""
import csv
import datetime
import gzip
import hashlib
import io
import pathlib
import sys
from fractions import Fraction

MASK = (1 << 64) - 1


def rank(key, what, who, group, rest=""):
    """The SHA-256 of what docs/engines.md states."""
    sized = "".join(f"{len(part.encode())}:{part}" for part in (who, str(group)))
    return hashlib.sha256(f"{key}|{what}|{sized}{rest}".encode()).hexdigest()


def number(text, codes=()):
    """The number of a cell; None if it is empty or says a code."""
    if not text or any(
        text == code or is_number(text) and is_number(code) and Fraction(text) == Fraction(code)
        for code in codes
    ):
        return None
    return float(text)


def is_number(text):
    try:
        Fraction(text)
        return True
    except ValueError:
        return False


def steps(value, lower, upper, exponent=0):
    """Steps from the lower bound, of a double that is clamped and rounded, ties up."""
    step = Fraction(2) ** exponent
    nearest = (Fraction(value) / step + Fraction(1, 2)).__floor__()
    return min(max(nearest, int(lower / step)), int(upper / step)) - int(lower / step)


def read(directory):
    regions = {
        row["region"]: row
        for row in csv.DictReader(open(directory / "regions.csv", encoding="utf-8"))
    }
    packed = gzip.open(directory / "interviews.csv.gz")
    rows = []
    for cells in csv.DictReader(io.TextIOWrapper(packed, "utf-8", newline="")):
        if not 15 <= int(cells["age"]) <= 74:
            continue
        utc = datetime.datetime.fromisoformat(cells["interviewed"].replace("Z", "+00:00"))
        day = utc.astimezone(datetime.timezone(datetime.timedelta(hours=1))).date()
        first, last = datetime.date(2023, 1, 1), datetime.date(2024, 12, 31)
        hours, wage = number(cells["hours"], ["99"]), number(cells["wage"], ["NA", "?", "-1"])
        hourly = (
            None if hours is None or wage is None or hours == 0 else wage / (hours * 52.0 / 12.0)
        )
        inside = min(max(day, first), last)
        rows.append(
            {
                "person": cells["person"],
                "status": int(float(cells["status"])),
                "sex": int(float(cells["sex"])),
                "part": regions[cells["region"]]["part"],
                "quarter": 4 * (inside.year - 2023) + (inside.month - 1) // 3,
                "weekday": day.isoweekday(),
                "day": (inside - first).days,
                "hours": None if hours is None else steps(hours, 0, 80),
                "wage": None if wage is None else steps(wage, 0, 8000, -4),
                "hourly": None if hourly is None else steps(hourly, 0, 100, -10),
                "paid": hourly is not None and hourly > 0,
                "weight": steps(float(cells["weight"]), 0, 200),
            }
        )
    return rows


def chosen(rows, group, words, most_rows, most_groups, key):
    """The rows that count, by group: within the limits of each person."""
    people = {}
    for row in rows:
        people.setdefault(row["person"], {}).setdefault(group(row), []).append(row)
    kept = {}
    for person, groups in people.items():
        of_person = sorted(groups.items())
        if len(of_person) > most_groups:
            of_person.sort(key=lambda item: rank(key, 0, person, item[0]))
            of_person = of_person[:most_groups]
        for number_of_group, members in of_person:
            members = sorted(members, key=words)
            ranked, copy = [], 0
            for at, row in enumerate(members):
                copy = copy + 1 if at and words(members[at - 1]) == words(row) else 0
                rest = "".join("|-" if word == MASK else f"|{word}" for word in words(row))
                ranked.append((rank(key, 1, person, number_of_group, f"{rest}|{copy}"), at))
            stay = sorted(ranked)[:most_rows] if len(members) > most_rows else ranked
            kept.setdefault(number_of_group, []).extend(members[at] for _, at in stay)
    return kept


def moments(values):
    values = [value for value in values if value is not None]
    return f"{len(values)} {sum(values)} {sum(value * value for value in values)}"


def offsets(values):
    values = [value for value in values if value is not None]
    return " ".join(f"{value}:{values.count(value)}" for value in sorted(set(values)))


def main():
    rows, key = read(pathlib.Path(sys.argv[1])), sys.argv[2]
    employed = [row for row in rows if row["status"] == 1]
    codes = {1: 0, 2: 1, 3: 2, 9: 3}

    def word(row, name):
        return (MASK if row[name] is None else row[name],)

    def say(name, kept, groups, value):
        for group in range(groups):
            print(f"{name}|{group}|{value(kept.get(group, []))}")

    kept = chosen(employed, lambda row: row["quarter"], lambda row: word(row, "weight"), 1, 4, key)
    say("people in employment", kept, 8, lambda of: f"{len(of)} {sum(row['weight'] for row in of)}")
    kept = chosen(rows, lambda row: row["quarter"], lambda row: (codes[row["status"]],), 1, 4, key)
    say(
        "status by quarter",
        kept,
        8,
        lambda of: " ".join(str(sum(codes[r["status"]] == c for r in of)) for c in range(4)),
    )
    kept = chosen(rows, lambda row: row["sex"] - 1, lambda row: word(row, "hours"), 4, 1, key)
    say("mean hours", kept, 2, lambda of: moments(row["hours"] for row in of))
    some = [row for row in employed if row["hours"] is not None and row["hours"] > 0]
    kept = chosen(some, lambda row: 0, lambda row: word(row, "hours"), 4, 1, key)
    say("quartiles of hours", kept, 1, lambda of: offsets([row["hours"] for row in of]))
    kept = chosen(rows, lambda row: 0, lambda row: word(row, "wage"), 4, 1, key)
    say("median wage", kept, 1, lambda of: offsets([row["wage"] for row in of]))
    kept = chosen(employed, lambda row: 0, lambda row: word(row, "hours"), 2, 1, key)
    say("hours of two interviews", kept, 1, lambda of: moments(row["hours"] for row in of))
    parts = ["north", "middle", "south"]
    kept = chosen(employed, lambda row: parts.index(row["part"]), lambda row: (), 4, 1, key)
    say("employed by part", kept, 3, lambda of: str(len(of)))
    kept = chosen(
        [row for row in rows if row["paid"]],
        lambda row: 0,
        lambda row: word(row, "hourly"),
        4,
        1,
        key,
    )
    say("mean wage by hour", kept, 1, lambda of: moments(row["hourly"] for row in of))
    kept = chosen(rows, lambda row: 0, lambda row: word(row, "day"), 4, 1, key)
    say("mean day", kept, 1, lambda of: moments(row["day"] for row in of))
    unemployed = [row for row in rows if row["status"] == 2]
    kept = chosen(unemployed, lambda row: 0, lambda row: word(row, "day"), 4, 1, key)
    say("median day of the unemployed", kept, 1, lambda of: offsets([row["day"] for row in of]))
    kept = chosen(rows, lambda row: row["weekday"] - 1, lambda row: (), 1, 4, key)
    say("interviews by weekday", kept, 7, lambda of: str(len(of)))


main()
