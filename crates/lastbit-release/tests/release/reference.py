"""Answers a query independently of the engine, with Python's standard library alone: rows from a
CSV file, integers of any size, and the hashes that choose which rows of a unit count.

Usage: python3 release_reference.py QUERY.json  (made by release/clinic.rs); prints one line for
each group.
"""
import csv
import gzip
import hashlib
import io
import json
import sys
from fractions import Fraction

MASK = (1 << 64) - 1
NONE = MASK


def rank(key, what, who, group, rest=""):
    """The SHA-256 of what docs/engines.md states."""
    sized = "".join(f"{len(part.encode())}:{part}" for part in (who, group))
    return hashlib.sha256(f"{key}|{what}|{sized}{rest}".encode()).hexdigest()


def number(column, missing, row):
    """The double of a cell, or what a missing one becomes; None if it is left out."""
    try:
        value = float(row[column].strip())
    except ValueError:
        value = float("nan")
    if value == value:
        return value
    return None if missing is None else float(Fraction(missing))


def offset(numeric, row):
    """Steps from the lower bound: the exact value of the cell's double, clamped, to the nearest
    step, ties up."""
    value = number(numeric["column"], numeric["missing"], row)
    if value is None:
        return NONE
    low, high, exponent = numeric["lower"], numeric["upper"], numeric["exponent"]
    if value in (float("inf"), float("-inf")):
        return high - low if value > 0 else 0
    steps = Fraction(value) / Fraction(2) ** exponent
    return min(max((steps + Fraction(1, 2)).__floor__(), low), high) - low


def bin_of(bins, row):
    value = number(bins["column"], bins["missing"], row)
    if value is None:
        return NONE
    return sum(1 for edge in bins["inner"] if float(edge) <= value)


def category(categories, row):
    cell = row[categories["column"]]
    if cell in categories["names"]:
        return categories["names"].index(cell)
    return NONE if categories["other"] is None else categories["other"]


FEATURES = {
    "sum": offset,
    "moments": offset,
    "offsets": offset,
    "bins": bin_of,
    "categories": category,
}


def features_of(aggregate):
    """What an aggregate reads of a row: pairs of a function and its parameter."""
    (kind, parameter), = aggregate.items()
    if kind == "rows":
        return []
    if kind == "products":
        return [(offset, parameter[0]), (offset, parameter[1])]
    return [(FEATURES[kind], parameter)]


class Layout:
    """Numbers features in the order in which they first appear, keys of a table before its
    aggregates."""

    def __init__(self, tables):
        self.known = {}
        self.used = []
        for table in tables:
            for key in table["keys"]:
                (kind, parameter), = key.items()
                if kind != "discovered":
                    self.number(FEATURES[kind], parameter)
            used = {
                self.number(*f) for aggregate in table["aggregates"] for f in features_of(aggregate)
            }
            self.used.append(sorted(used))

    def number(self, function, parameter):
        name = (function.__name__, json.dumps(parameter, sort_keys=True))
        return self.known.setdefault(name, (len(self.known), function, parameter))[0]

    def words(self, row):
        return [function(parameter, row) for _, function, parameter in self.known.values()]


def unit_of(text):
    """None for no unit. Texts here have at most 15 bytes."""
    assert len(text.encode()) <= 15
    return text or None


def group_of(table, row):
    """The key, and the text of it that is hashed."""
    key, public, texts = [], 0, []
    for part in table["keys"]:
        (kind, parameter), = part.items()
        if kind == "discovered":
            text = row[parameter]
            if not text:
                return None
            key.append(text)
            texts.append(f",{len(text.encode())}:{text}")
        else:
            index = FEATURES[kind](parameter, row)
            if index == NONE:
                return None
            size = len(parameter["names"]) if kind == "categories" else len(parameter["inner"]) + 1
            public = public * size + index
            key.append(index)
    return tuple(key), str(public) + "".join(texts)


def value(aggregate, rows):
    (kind, parameter), = aggregate.items()
    if kind == "rows":
        return f"rows {len(rows)}"
    if kind == "sum":
        xs = [x for x in (offset(parameter, row) for row in rows) if x != NONE]
        return f"sum {len(xs)} {sum(xs)}"
    if kind == "moments":
        xs = [x for x in (offset(parameter, row) for row in rows) if x != NONE]
        return f"moments {len(xs)} {sum(xs)} {sum(x * x for x in xs)}"
    if kind == "products":
        pairs = [(offset(parameter[0], row), offset(parameter[1], row)) for row in rows]
        pairs = [(x, y) for x, y in pairs if x != NONE and y != NONE]
        sums = sum(x for x, _ in pairs), sum(y for _, y in pairs), sum(x * y for x, y in pairs)
        return f"products {len(pairs)} {sums[0]} {sums[1]} {sums[2]}"
    if kind == "offsets":
        counts = {}
        for row in rows:
            x = offset(parameter, row)
            if x != NONE:
                counts[x] = counts.get(x, 0) + 1
        return "offsets " + ",".join(f"{x}:{n}" for x, n in sorted(counts.items()))
    size = len(parameter["names"]) if kind == "categories" else len(parameter["inner"]) + 1
    places = [FEATURES[kind](parameter, row) for row in rows]
    return "counts " + ",".join(str(places.count(index)) for index in range(size))


def public_keys(table):
    keys = [()]
    for part in table["keys"]:
        (kind, parameter), = part.items()
        if kind == "discovered":
            return []
        size = len(parameter["names"]) if kind == "categories" else len(parameter["inner"]) + 1
        keys = [key + (index,) for key in keys for index in range(size)]
    return keys


def main():
    query = json.load(open(sys.argv[1]))
    opened = (
        gzip.open(query["file"]) if query["file"].endswith(".gz") else open(query["file"], "rb")
    )
    rows = list(csv.DictReader(io.TextIOWrapper(opened, "utf-8", newline="")))
    key = query["hash_key"]
    layout = Layout(query["tables"])
    unit = query["unit"]
    words = [layout.words(row) for row in rows] if unit else []
    print(f"rows {len(rows)}")
    for index, table in enumerate(query["tables"]):
        groups = {public: [] for public in public_keys(table)}
        units = {}
        for place, row in enumerate(rows):
            group = group_of(table, row)
            if group is None:
                continue
            if unit is None:
                groups.setdefault(group[0], []).append(row)
            elif unit_of(row[unit["column"]]):
                of_unit = units.setdefault(unit_of(row[unit["column"]]), {})
                of_unit.setdefault(group[0], (group, []))[1].append(place)
        for who, of_unit in units.items():
            chosen = list(of_unit.values())
            if len(chosen) > unit["most_groups"]:
                chosen.sort(key=lambda g: rank(key, 0, who, g[0][1]))
                chosen = chosen[: unit["most_groups"]]
            for group, places in chosen:
                if len(places) > unit["most_rows"]:
                    content = {p: tuple(words[p][f] for f in layout.used[index]) for p in places}
                    places.sort(key=lambda p: content[p])
                    ranked, copy = [], 0
                    for at, p in enumerate(places):
                        copy = copy + 1 if at and content[places[at - 1]] == content[p] else 0
                        rest = "".join("|-" if word == NONE else f"|{word}" for word in content[p])
                        ranked.append((rank(key, 1, who, group[1], f"{rest}|{copy}"), at))
                    places = [places[at] for _, at in sorted(ranked)[: unit["most_rows"]]]
                groups.setdefault(group[0], []).extend(rows[p] for p in places)
        for group, members in groups.items():
            values = "; ".join(value(aggregate, members) for aggregate in table["aggregates"])
            print(f"{index} {json.dumps(list(group), ensure_ascii=False)} {values}")


if __name__ == "__main__":
    main()
