"""The integers of examples/hospital/plan.toml, computed from the files and from nothing of the
program: Python's standard library alone.

Usage: python3 hospital.py DIRECTORY KEY, with the 32 bytes of the query's key in hexadecimal;
prints one line for each statistic and group.
"""
import csv
import datetime
import gzip
import hashlib
import io
import pathlib
import sys
from fractions import Fraction

KEY = sys.argv[2]
OFFICE = datetime.timedelta(hours=1)
FIRST = datetime.datetime(2024, 1, 1)
LAST = datetime.datetime(2024, 12, 31, 23, 59, 59)
SITES = ["river", "park", "farm"]
AREAS = ["coast", "town", "hills"]
OUTCOMES = ["home", "care home", "transfer", "not stated"]
NAMES = (
    "Heart|Bones|Lungs|Abdomen|Kidneys|Birth|Tumours|Mind|Children and accidents".split("|")
)
BELOW, ABOVE, NO_NUMBER, SOUND = range(4)
SHARE = 1 << 30


def rank(what, who, group, rest=""):
    """The SHA-256 of what docs/engines.md states. Longer names are hashed themselves."""
    if len(who.encode()) > 15:
        who = hashlib.sha256(who.encode()).hexdigest()[:30]
    sized = "".join(f"{len(part.encode())}:{part}" for part in (who, group))
    return hashlib.sha256(f"{KEY}|{what}|{sized}{rest}".encode()).hexdigest()


def table(path, **form):
    opened = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
    return csv.DictReader(io.TextIOWrapper(opened, "utf-8", newline=""), **form)


def one_text(cell):
    """The one text of a cell: of a number its value, without zeros at the end."""
    try:
        number = Fraction(cell)
    except ValueError:
        return cell
    return str(number.numerator) if number.denominator == 1 else repr(float(number))


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def steps(value, lower, upper, exponent=0):
    """Steps from the lower bound, of a double that is clamped and rounded, ties up."""
    if value is None:
        return None
    step = Fraction(2) ** exponent
    value = min(max(Fraction(value), Fraction(lower)), Fraction(upper))
    return (value / step + Fraction(1, 2)).__floor__() - int(lower / step)


def fine(value, lower, upper):
    """The same on the finest grid: from zero to the upper bound, at most 2^51 steps."""
    exponent = (int(upper) - 1).bit_length() - 51
    return steps(value, lower, upper, exponent)


def bin_of(value, edges):
    """The bin of a number: how many of the inner edges are at or below it."""
    return None if value is None else sum(edge <= value for edge in edges[1:-1])


def place(value, among):
    return among.index(value) if value in among else None


def state(value, lower, upper):
    if value is None:
        return NO_NUMBER
    return BELOW if value < lower else ABOVE if value > upper else SOUND


def patients(directory):
    """The one row of each patient: of several the one whose hash is smallest."""
    columns = ["born", "sex", "height", "weight", "district"]
    chosen = {}
    for row in table(directory / "patients.csv.gz", delimiter=";", quotechar="'"):
        cells = [one_text(row[column]) for column in columns]
        # Codes of missing cells.
        cells[2] = "" if cells[2] == "999" else cells[2]
        cells[3] = "" if cells[3] == "NA" else cells[3]
        group = "0" + "".join(f",{len(cell.encode())}:{cell}" for cell in cells)
        found = (rank(0, row["ID"], group), dict(zip(columns, cells)))
        if row["ID"] not in chosen or found[0] < chosen[row["ID"]][0]:
            chosen[row["ID"]] = found
    return {name: row for name, (_, row) in chosen.items()}


def read(directory):
    """The stays, as words: whole numbers, or None where there is none."""
    known = patients(directory)
    wards = {row["ward"]: row for row in table(directory / "wards.csv")}
    districts = {row["district"]: row["area"] for row in table(directory / "districts.csv")}
    nobody = dict.fromkeys(("born", "sex", "height", "weight", "district"), "")
    powers = [Fraction(2) ** power for power in range(-16, 24)]
    for cells in table(directory / "stays.csv.gz"):
        if cells["ward"] == "W99" or not cells["patient"]:
            continue
        ward = wards.get(cells["ward"], {})
        patient = known.get(cells["patient"], nobody)
        clock = datetime.datetime.strptime(cells["admitted"], "%Y-%m-%dT%H:%MZ") + OFFICE
        inside = min(max(clock, FIRST), LAST)
        left = cells["dismissed"]
        left = datetime.datetime.strptime(left, "%d/%m/%Y").date() if left else None
        days = (left - clock.date()).days if left else None
        code, went = cells["code"].strip().upper(), cells["left"].strip().lower()
        severity = None if cells["severity"] == "9" else int(cells["severity"])
        age = 2024 - int(patient["born"]) if patient["born"] else None
        tall, mass = number(patient["height"]), number(patient["weight"])
        bmi = None
        if tall is not None and mass is not None:
            bmi = mass / (tall / 100.0 * (tall / 100.0))
        cost, score, waited, stands_for = map(
            number, (cells[name] for name in ("cost", "score", "waited", "stands_for"))
        )
        yield {
            "patient": cells["patient"],
            "overnight": days is not None and days > 0,
            "grown": bool(patient["born"]) and int(patient["born"]) <= 2006,
            "diagnosis": code[:3],
            "site": place(ward.get("site"), SITES),
            "name": place(ward.get("name"), NAMES),
            "area": place(districts.get(patient["district"]), AREAS),
            "sex": place(patient["sex"], ["1", "2"]),
            "age bin": bin_of(age, [18, 40, 60, 75, 100]),
            "month": clock.month - 1,
            "week": clock.isocalendar()[1] - 1,
            "hour": clock.hour,
            "quarter": (inside.month - 1) // 3,
            "ended": (left.month - 1) // 3 if left else None,
            "arrived": 0 if 7 <= clock.hour <= 17 else 1 if clock.hour < 22 else 2,
            "severity": None if severity is None else severity - 1,
            "outcome": OUTCOMES.index(went) if went in OUTCOMES else 3,
            "circulation": None if not code else int(not code.startswith("I")),
            "days": steps(days, 0, 40),
            "grade": steps(severity, 1, 4),
            "age": steps(age, 18, 100),
            "bmi": steps(bmi, 12, 60, -6),
            "admitted": int((inside - FIRST).total_seconds()),
            # Without a grid in the plan: 2^30 steps for 2^15 euros.
            "cost": steps(cost, 0, 25_000, -15),
            "fine cost": fine(cost, 0, 25_000),
            "wide": bin_of(cost, [0, *powers, 10_000_000]),
            "score": steps(score, 0, 10),
            "stands_for": steps(stands_for, 0, 8, -1),
            "fine stands_for": fine(stands_for, 0, 8),
            "fine waited": fine(waited, 0, 180),
            "state of cost": state(cost, 0, 25_000),
            "state of outcome": 0 if not went else 2 if went in OUTCOMES else 1,
            "state of diagnosis": int(bool(code)),
        }


SIZES = {
    "site": 3,
    "month": 12,
    "hour": 24,
    "ended": 4,
    "area": 3,
    "sex": 2,
    "age bin": 4,
    "week": 53,
    "name": 9,
    "quarter": 4,
    "severity": 4,
    "outcome": 4,
    "arrived": 3,
    "circulation": 2,
    "wide": 41,
    "state of cost": 4,
    "state of outcome": 3,
    "state of diagnosis": 2,
}
# Of each statistic: its name, what it is grouped by, which rows count, the most rows and groups of
# a patient, and what is computed of which words. Where all keys are the patient's there is one
# group.
STATISTICS = [
    ("patients", [], None, 1, 1, "rows", []),
    ("patients by area and sex", ["area", "sex"], None, 1, 1, "rows", []),
    ("stays", [], None, 2, 2, "rows", []),
    ("stays by diagnosis", ["diagnosis"], None, 2, 2, "rows", []),
    ("five commonest diagnoses", ["diagnosis"], None, 2, 2, "rows", []),
    ("three busiest wards", [], None, 2, 2, "counts", ["name"]),
    ("stays by site and month", ["site", "month"], None, 2, 2, "rows", []),
    ("stays by week", [], None, 2, 2, "counts", ["week"]),
    ("stays by hour of admission", ["hour"], None, 2, 2, "rows", []),
    ("stays that ended, by quarter", ["ended"], None, 2, 2, "rows", []),
    ("stays by quarter of admission", [], None, 2, 2, "counts", ["quarter"]),
    ("how patients arrive, by age", ["age bin"], None, 2, 1, "counts", ["arrived"]),
    ("share of each severity", [], None, 2, 2, "counts", ["severity"]),
    ("outcomes by site", ["site"], None, 2, 2, "counts", ["outcome"]),
    ("share with a disease of the circulation", ["sex"], None, 2, 1, "counts", ["circulation"]),
    ("mean length of stay by site", ["site"], None, 2, 2, "moments", ["days"]),
    ("variance of the length of stay", [], None, 2, 2, "moments", ["days"]),
    ("days and severity", [], None, 2, 2, "products", ["days", "grade"]),
    ("length of stay and cost", [], None, 2, 2, "gram", ["days", "cost"]),
    ("what a stay costs", [], None, 2, 2, "gram", ["cost", "days", "age"]),
    ("cost of stays, at most two each", ["site"], None, 2, 2, "sum", ["fine cost"]),
    ("quartiles of the length of stay", ["sex"], None, 2, 1, "offsets", ["days"]),
    ("median bmi", [], "grown", 1, 1, "offsets", ["bmi"]),
    ("middle of the year's admissions", [], "overnight", 2, 2, "offsets", ["admitted"]),
    ("mean time of admission", [], None, 2, 2, "moments", ["admitted"]),
    ("mean score, weighted", [], None, 2, 2, "products", ["stands_for", "score"]),
    (
        "minutes waited, weighted",
        ["site"],
        None,
        2,
        2,
        "products",
        ["fine stands_for", "fine waited"],
    ),
    ("stays that the questionnaire stands for", [], None, 2, 2, "sum", ["fine stands_for"]),
    ("bounds of cost", [], None, 2, 2, "counts", ["wide"]),
    ("patients with stays left out", ["site", "month"], None, 2, 2, "kept", []),
    ("costs that are no costs", [], None, 2, 2, "counts", ["state of cost"]),
    ("outcomes that are not stated", [], None, 2, 2, "counts", ["state of outcome"]),
    ("stays without a diagnosis", [], None, 2, 2, "counts", ["state of diagnosis"]),
]


def group_of(row, by):
    """The group of a row, and its text: a number among public ones, or a discovered key."""
    if by == ["diagnosis"]:
        return row["diagnosis"] or None
    group = 0
    for key in by:
        if row[key] is None:
            return None
        group = group * SIZES[key] + row[key]
    return group


def text_of(group):
    return f"0,{len(group.encode())}:{group}" if isinstance(group, str) else str(group)


def chosen(rows, by, most_rows, most_groups, words):
    """The rows that count, by group, and for each patient how many there are and how many count."""
    people = {}
    for row in rows:
        group = group_of(row, by)
        if group is not None:
            people.setdefault(row["patient"], {}).setdefault(group, []).append(row)
    kept, of_people = {}, []
    for person, groups in people.items():
        stay = sorted(groups)
        if len(stay) > most_groups:
            stay.sort(key=lambda group: rank(0, person, text_of(group)))
            stay = stay[:most_groups]
        count = 0
        for group in stay:
            members = groups[group]
            if len(members) > most_rows:
                seen, ranked = {}, []
                for row in members:
                    rest = "".join("|-" if row[w] is None else f"|{row[w]}" for w in words)
                    # Equal rows are numbered; which of them is which makes no difference.
                    copy = seen[rest] = seen.get(rest, -1) + 1
                    ranked.append((rank(1, person, text_of(group), f"{rest}|{copy}"), row))
                ranked.sort(key=lambda pair: pair[0])
                members = [row for _, row in ranked[:most_rows]]
            count += len(members)
            kept.setdefault(group, []).extend(members)
        of_people.append((sum(map(len, groups.values())), count))
    return kept, of_people


def integers(rows, what, words):
    """The integers of a group: of the rows that have all words."""
    if what == "rows":
        return [len(rows)]
    rows = [[row[word] for word in words] for row in rows]
    rows = [row for row in rows if None not in row]
    if what == "counts":
        counts = [0] * SIZES[words[0]]
        for (word,) in rows:
            counts[word] += 1
        return counts
    if what == "offsets":
        counts = {}
        for (word,) in rows:
            counts[word] = counts.get(word, 0) + 1
        return [f"{word}:{counts[word]}" for word in sorted(counts)]
    columns = range(len(words))
    if what == "sum":
        pairs = []
    elif what == "moments":
        pairs = [(0, 0)]
    elif what == "products":
        pairs = [(0, 1)]
    else:
        pairs = [(i, j) for i in columns for j in columns if i <= j]
    sums = [sum(row[i] for row in rows) for i in columns]
    return [len(rows), *sums, *(sum(row[i] * row[j] for row in rows) for i, j in pairs)]


def computed(directory):
    """Of each statistic its groups, each with the rows that count, and for each patient how many
    rows there are and how many count."""
    rows = list(read(directory))

    # Statistics with the same keys, rows and limits are one table, and its rows are told apart by
    # the words of all of them, in the order in which the plan first needs each.
    def table_of(statistic):
        _, by, where, most_rows, most_groups, what, _ = statistic
        return (tuple(by), where, most_rows, most_groups, what == "kept")

    order, used = [], {}
    for wanted in dict.fromkeys(map(table_of, STATISTICS)):
        order.extend(wanted[0])
        for statistic in STATISTICS:
            if table_of(statistic) == wanted:
                order.extend(statistic[6])
                used.setdefault(wanted, set()).update(statistic[6])
    order = list(dict.fromkeys(order))
    tables = {}
    for statistic in STATISTICS:
        _, by, where, most_rows, most_groups, _, _ = statistic
        wanted = table_of(statistic)
        if wanted not in tables:
            some = [row for row in rows if where is None or row[where]]
            mine = [word for word in order if word in used[wanted]]
            tables[wanted] = chosen(some, by, most_rows, most_groups, mine)
        groups, of_people = tables[wanted]
        if by == ["diagnosis"]:
            places = sorted(groups)
        else:
            size = 1
            for key in by:
                size *= SIZES[key]
            places = range(size)
        yield statistic, {place: groups.get(place, []) for place in places}, of_people


def left_out(of_people):
    """Patients, those of whom rows are left out, and the sum of the shares that are."""
    cut = sum(count < every for every, count in of_people)
    shares = sum((every - count) * SHARE // every for every, count in of_people)
    return len(of_people), cut, shares


def main():
    for (name, *_, what, words), groups, of_people in computed(pathlib.Path(sys.argv[1])):
        if what == "kept":
            print(f"{name}|0|" + " ".join(map(str, left_out(of_people))))
            continue
        for group, rows in groups.items():
            print(f"{name}|{group}|" + " ".join(map(str, integers(rows, what, words))))


if __name__ == "__main__":
    main()
