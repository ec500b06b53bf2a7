"""Answers a query independently of the engine, with Python's standard library alone: rows from a CSV file, integers of any size, and
the hashes that choose which rows of a unit count, each written from its specification (SipHash-2-4; BLAKE3 of one block).

Usage: python3 release_reference.py QUERY.json  (made by release/clinic.rs); prints one line for each group.
"""
import csv
import gzip
import io
import json
import sys
from fractions import Fraction

MASK = (1 << 64) - 1
NONE = MASK


def siphash(key, words):
    def rotate(x, by):
        return ((x << by) | (x >> (64 - by))) & MASK

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:16], "little")
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    # Messages are whole words, so the last block holds nothing but the length.
    blocks = list(words) + [(8 * len(words) & 0xFF) << 56]
    for place, block in enumerate(blocks + [None]):
        if block is None:
            v2 ^= 0xFF
        else:
            v3 ^= block
        for _ in range(4 if block is None else 2):
            v0 = (v0 + v1) & MASK
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 = (v2 + v3) & MASK
            v3 = rotate(v3, 16) ^ v2
            v0 = (v0 + v3) & MASK
            v3 = rotate(v3, 21) ^ v0
            v2 = (v2 + v1) & MASK
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        if block is not None:
            v0 ^= block
    return v0 ^ v1 ^ v2 ^ v3


def blake3_keyed(key, message):
    """The first eight bytes of the keyed hash of at most 64 bytes, as a number."""
    assert len(message) <= 64
    iv = [0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A]
    words = [int.from_bytes(key[4 * i : 4 * i + 4], "little") for i in range(8)]
    padded = message + bytes(64 - len(message))
    block = [int.from_bytes(padded[4 * i : 4 * i + 4], "little") for i in range(16)]
    # Flags: first and last block of the only chunk, root, keyed.
    state = words + iv + [0, 0, len(message), 1 | 2 | 8 | 16]

    def rotate(x, by):
        return ((x >> by) | (x << (32 - by))) & 0xFFFFFFFF

    def mix(a, b, c, d, x, y):
        state[a] = (state[a] + state[b] + x) & 0xFFFFFFFF
        state[d] = rotate(state[d] ^ state[a], 16)
        state[c] = (state[c] + state[d]) & 0xFFFFFFFF
        state[b] = rotate(state[b] ^ state[c], 12)
        state[a] = (state[a] + state[b] + y) & 0xFFFFFFFF
        state[d] = rotate(state[d] ^ state[a], 8)
        state[c] = (state[c] + state[d]) & 0xFFFFFFFF
        state[b] = rotate(state[b] ^ state[c], 7)

    for _ in range(7):
        mix(0, 4, 8, 12, block[0], block[1])
        mix(1, 5, 9, 13, block[2], block[3])
        mix(2, 6, 10, 14, block[4], block[5])
        mix(3, 7, 11, 15, block[6], block[7])
        mix(0, 5, 10, 15, block[8], block[9])
        mix(1, 6, 11, 12, block[10], block[11])
        mix(2, 7, 8, 13, block[12], block[13])
        mix(3, 4, 9, 14, block[14], block[15])
        block = [block[i] for i in (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)]
    out = [state[i] ^ state[i + 8] for i in range(2)]
    return out[0] | out[1] << 32


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
    """Steps from the lower bound: the exact value of the cell's double, clamped, to the nearest step, ties up."""
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


FEATURES = {"sum": offset, "moments": offset, "offsets": offset, "bins": bin_of, "categories": category}


def features_of(aggregate):
    """What an aggregate reads of a row: pairs of a function and its parameter."""
    (kind, parameter), = aggregate.items()
    if kind == "rows":
        return []
    if kind == "products":
        return [(offset, parameter[0]), (offset, parameter[1])]
    return [(FEATURES[kind], parameter)]


class Layout:
    """Numbers features in the order in which they first appear, keys of a table before its aggregates."""

    def __init__(self, tables):
        self.known = {}
        self.used = []
        for table in tables:
            for key in table["keys"]:
                (kind, parameter), = key.items()
                if kind != "discovered":
                    self.number(FEATURES[kind], parameter)
            used = {self.number(*f) for aggregate in table["aggregates"] for f in features_of(aggregate)}
            self.used.append(sorted(used))

    def number(self, function, parameter):
        name = (function.__name__, json.dumps(parameter, sort_keys=True))
        return self.known.setdefault(name, (len(self.known), function, parameter))[0]

    def words(self, row):
        return [function(parameter, row) for _, function, parameter in self.known.values()]


def unit_of(text):
    """None for no unit. Texts here have at most 15 bytes and are no whole numbers."""
    data = text.encode()
    if not data:
        return None
    assert len(data) <= 15 and not data.isdigit()
    number = int.from_bytes(data + bytes(15 - len(data)) + bytes([len(data)]), "little")
    return number & MASK, number >> 64


def group_of(table, row):
    """The key, the number of its public part, and the hash of its discovered part."""
    key, public, texts = [], 0, []
    for part in table["keys"]:
        (kind, parameter), = part.items()
        if kind == "discovered":
            text = row[parameter]
            if not text:
                return None
            key.append(text)
            texts.append(text.encode())
        else:
            index = FEATURES[kind](parameter, row)
            if index == NONE:
                return None
            size = len(parameter["names"]) if kind == "categories" else len(parameter["inner"]) + 1
            public = public * size + index
            key.append(index)
    return tuple(key), public, texts


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
    opened = gzip.open(query["file"]) if query["file"].endswith(".gz") else open(query["file"], "rb")
    rows = list(csv.DictReader(io.TextIOWrapper(opened, "utf-8", newline="")))
    key = bytes.fromhex(query["hash_key"])
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

            def identity(group):
                _, public, texts = group
                assert len(texts) <= 1
                return public, blake3_keyed(key, texts[0]) if texts else 0

            chosen = list(of_unit.values())
            if len(chosen) > unit["most_groups"]:
                chosen.sort(key=lambda g: (siphash(key, [0, *who, *identity(g[0])]), g[0][2], g[0][1]))
                chosen = chosen[: unit["most_groups"]]
            for group, places in chosen:
                if len(places) > unit["most_rows"]:
                    content = {p: tuple(words[p][f] for f in layout.used[index]) for p in places}
                    places.sort(key=lambda p: content[p])
                    ranked, copy = [], 0
                    for at, p in enumerate(places):
                        copy = copy + 1 if at and content[places[at - 1]] == content[p] else 0
                        ranked.append((siphash(key, [1, *who, *identity(group), *content[p], copy]), at))
                    places = [places[at] for _, at in sorted(ranked)[: unit["most_rows"]]]
                groups.setdefault(group[0], []).extend(rows[p] for p in places)
        for group, members in groups.items():
            values = "; ".join(value(aggregate, members) for aggregate in table["aggregates"])
            print(f"{index} {json.dumps(list(group), ensure_ascii=False)} {values}")


if __name__ == "__main__":
    main()
