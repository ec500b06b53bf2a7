"""Oracle vectors for expressions, by DuckDB.

Writes expression_vectors.jsonl. The first line holds the columns of a table of nasty cells; every
other line an expression and its value in each row as DuckDB computes it. Numbers are shortest
decimals, dates days and timestamps microseconds since 1970; null is null.

Expressions are random, and are written twice: in Lastbit's words and in DuckDB's, whose results are
made null where they are not finite or outside the years 1 to 9999. What an operator or function
computes is left to DuckDB. Texts have neither digits nor spaces, so that comparing them by value,
which DuckDB does not do, is comparing them.
"""

import datetime
import json
import math
import random

import duckdb

random.seed(20240131)
EXPRESSIONS = 2400

INF = float("inf")
NUMBERS = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999999999999994,
    -0.49999999999999994,
    3.0,
    7.0,
    -7.5,
    1e-320,
    1e308,
    -1e308,
    2.0**53,
    -(2.0**53),
    2.0**52 + 0.5,
    4503599627370495.5,
    0.1,
    1 / 3,
    100.0,
    365.0,
    1e16,
    INF,
    -INF,
    None,
    float("nan"),
]
TEXTS = [
    "a",
    "A",
    "b",
    "ab",
    "Ab",
    "aB",
    "abc",
    "ABC",
    "äöü",
    "ÄÖÜ",
    "ß",
    "漢字",
    "e\u0301",
    "é",
    "😀x",
    "x😀",
    "%",
    "_",
    "a%b",
    "a_b",
    "a\\b",
    "it's",
    '"q"',
    "aaaab",
    "ba",
    "İ",
    "ı",
    "z",
    "Z",
    None,
    None,
    "abab",
]
DATES = [
    "0001-01-01",
    "9999-12-31",
    "1970-01-01",
    "1969-12-31",
    "2000-02-29",
    "1900-02-28",
    "1900-03-01",
    "2024-02-29",
    "2023-02-28",
    "2020-12-31",
    "2021-01-01",
    "2021-01-03",
    "2021-01-04",
    "2016-01-03",
    "2015-12-31",
    "2018-12-31",
    "2010-01-03",
    "2012-01-01",
    "2008-12-29",
    "1999-12-31",
    "0004-02-29",
    "1582-10-15",
    "1582-10-04",
    "2024-03-31",
    "2024-04-01",
    "2024-06-30",
    "2024-07-01",
    "2024-09-30",
    "2024-10-01",
    "2026-11-17",
    None,
    None,
]
TIMES = [
    "0001-01-01T00:00:00",
    "9999-12-31T23:59:59.999999",
    "1970-01-01T00:00:00",
    "1969-12-31T23:59:59.999999",
    "2000-02-29T12:30:45.123456",
    "2024-02-29T23:00:00",
    "2020-12-31T23:59:59",
    "2021-01-01T00:00:00.000001",
    "1900-01-01T01:02:03",
    "2024-10-27T02:30:00",
    "1582-10-15T05:06:07.5",
    "2024-07-01T00:59:59.999999",
    None,
]
TRUTHS = [True, False, None]
DATE_TEXTS = [
    "2024-02-29",
    "2023-02-29",
    "1900-02-29",
    "2000-02-29",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "2024-13-01",
    "2024-00-01",
    "2024-01-00",
    "2024-01-32",
    "2024-04-31",
    "2024-1-5",
    "20240105",
    "abc",
    None,
    "2024-01-31",
    "1969-12-31",
    "0000-12-31",
    "2024-01-31x",
    "-2024-01-31",
    "2100-02-29",
    "2400-02-29",
    "2024-12-31",
]
TIME_TEXTS = [
    "2024-01-31T10:00",
    "2024-01-31 10:00:01",
    "2024-01-31T10:00:01.5",
    "2024-01-31T10:00:01.123456",
    "2024-01-31T23:30:00-05:00",
    "2024-01-31T00:30:00+05:30",
    "2024-01-31T00:30:00Z",
    "2024-02-30T00:30:00Z",
    "2024-01-31T25:00",
    "2024-01-31T10:60",
    "2024-01-31",
    "2024-01-31T1:00",
    None,
    "abc",
    "1969-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00",
    "9999-12-31T23:59:59",
    "2024-01-31T10",
    "2024-02-29 23:59:59.000001",
    "2023-02-29 00:00:00",
    "2024-01-31T10:00:01.",
    "1900-03-01T12:00:00+01",
]
ROWS = 36


def column(values):
    cells = [values[i % len(values)] for i in range(ROWS)]
    random.shuffle(cells)
    return cells


COLUMNS = {
    "n": column(NUMBERS),
    "m": column(NUMBERS),
    "t": column(TEXTS),
    "u": column(TEXTS),
    "d": column(DATES),
    "e": column(DATES),
    "s": column(TIMES),
    "r": column(TIMES),
    "b": column(TRUTHS),
    "c": column(TRUTHS),
    "dt": column(DATE_TEXTS),
    "st": column(TIME_TEXTS),
}

connection = duckdb.connect()
connection.execute("set timezone = 'UTC'")
connection.execute(
    "create table rows (i integer, n double, m double, t varchar, u varchar, d date, e date, s "
    "timestamp, r timestamp, b boolean,"
    " c boolean, dt varchar, st varchar)"
)
for i in range(ROWS):
    cells = [COLUMNS[name][i] for name in COLUMNS]
    cells = [None if isinstance(cell, float) and math.isnan(cell) else cell for cell in cells]
    connection.execute(
        "insert into rows values (?, " + ", ".join("?" * len(cells)) + ")", [i] + cells
    )
connection.execute("create macro fin(x) as case when isfinite(x) then x end")
connection.execute(
    "create macro day_ok(x) as case when x between date '0001-01-01' and date '9999-12-31' then x "
    "end"
)
connection.execute(
    "create macro time_ok(x) as case when x between timestamp '0001-01-01 00:00:00' and timestamp "
    "'9999-12-31 23:59:59.999999' then x end"
)
LOWER, UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def quote(text):
    return "'" + text.replace("'", "''") + "'"


def pick(*choices):
    return random.choice(choices)


def cell(kind, names, bare):
    name = pick(*names)
    return (name if bare and random.random() < 0.7 else f"{kind}({name})"), name


def number(depth, bare=False):
    """Lastbit's text and DuckDB's."""
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.65:
            return cell("number", ["n", "m"], bare)
        x = pick(
            "0",
            "1",
            "2",
            "0.5",
            "3",
            "7.25",
            "1e308",
            "1e-10",
            "-1",
            "-2.5",
            "100",
            "9007199254740992",
        )
        return x, f"({x})::double"
    case = random.randrange(15)
    if case < 5:
        op = "+-*/%"[case]
        (a, x), (b, y) = number(depth - 1, True), number(depth - 1, True)
        return f"({a} {op} {b})", f"fin({x} {op} {y})"
    if case == 5:
        a, x = number(depth - 1, True)
        name = pick("abs", "floor", "ceil", "round", "trunc")
        return f"{name}({a})", f"fin({name}({x}))"
    if case == 6:
        a, x = number(depth - 1, True)
        return f"sqrt({a})", f"fin(case when {x} >= 0 then sqrt({x}) end)"
    if case == 7:
        a, x = text(depth - 1, True)
        return f"length({a})", f"length({x})::double"
    if case == 8:
        a, x = date(depth - 1, True)
        name = pick("year", "quarter", "month", "week", "weekday", "day")
        return f"{name}({a})", f"{'isodow' if name == 'weekday' else name}({x})::double"
    if case == 9:
        a, x = time(depth - 1, True)
        return f"hour({a})", f"hour({x})::double"
    if case == 10:
        (a, x), (b, y) = date(depth - 1), date(depth - 1)
        return f"({a} - {b})", f"({x} - {y})::double"
    if case == 11:
        (a, x), (b, y) = time(depth - 1), time(depth - 1)
        return f"({a} - {b})", f"((epoch_us({x}) - epoch_us({y}))::double / 1e6)"
    if case == 12:
        a, x = truth(depth - 1)
        return f"number({a})", f"({x})::integer::double"
    if case == 13:
        return choice(number, depth)
    a, x = number(depth - 1, True)
    return f"(- {a})", f"fin(-({x}))"


def choice(of, depth):
    case = random.randrange(6)
    if case == 0:
        parts = [of(depth - 1) for _ in range(random.randint(1, 3))]
        return (
            f"coalesce({', '.join(a for a, _ in parts)})",
            f"coalesce({', '.join(x for _, x in parts)})",
        )
    if case == 1:
        (a, x), (b, y) = of(depth - 1), of(depth - 1)
        return f"nullif({a}, {b})", f"nullif({x}, {y})"
    if case == 2 and of is not truth:
        name = pick("least", "greatest")
        parts = [of(depth - 1) for _ in range(random.randint(1, 3))]
        return (
            f"{name}({', '.join(a for a, _ in parts)})",
            f"{name}({', '.join(x for _, x in parts)})",
        )
    if case == 3:
        o, p = of(depth - 1)
        (v, w), (a, x), (b, y) = of(depth - 1), of(depth - 1), of(depth - 1)
        return (
            f"case {o} when {v} then {a} else {b} end",
            f"case {p} when {w} then {x} else {y} end",
        )
    branches = [(truth(depth - 1), of(depth - 1)) for _ in range(random.randint(1, 3))]
    ours = "".join(f"when {c[0]} then {r[0]} " for c, r in branches)
    theirs = "".join(f"when {c[1]} then {r[1]} " for c, r in branches)
    if random.random() < 0.5:
        a, x = of(depth - 1)
        ours, theirs = f"{ours}else {a} ", f"{theirs}else {x} "
    return f"case {ours}end", f"(case {theirs}end)"


def text(depth, bare=False):
    if depth == 0 or random.random() < 0.15:
        if random.random() < 0.7:
            return cell("text", ["t", "u"], bare)
        x = quote(random.choice([t for t in TEXTS if t]))
        return x, x
    case = random.randrange(6)
    if case == 0:
        a, x = text(depth - 1, True)
        return f"upper({a})", f"translate({x}, '{LOWER}', '{UPPER}')"
    if case == 1:
        a, x = text(depth - 1, True)
        return f"lower({a})", f"translate({x}, '{UPPER}', '{LOWER}')"
    if case == 2:
        a, x = text(depth - 1, True)
        (f, p), (c, q) = number(depth - 1, True), number(depth - 1, True)
        if random.random() < 0.7:
            f = p = str(random.randint(-1, 4))
            c = q = str(random.randint(-1, 4))
        good = (
            f"({p})::double >= 1 and ({q})::double >= 0 and ({p})::double = trunc(({p})::double) "
            f"and ({q})::double = trunc(({q})::double)"
        )
        clip = lambda z: f"least(({z})::double, 1000)::bigint"
        return (
            f"substr({a}, {f}, {c})",
            f"case when {good} then substr({x}, {clip(p)}, {clip(q)}) end",
        )
    if case == 3:
        parts = [text(depth - 1, True) for _ in range(random.randint(1, 3))]
        if random.random() < 0.5:
            return (
                f"({' || '.join(a for a, _ in parts)})",
                f"({' || '.join(f'({x})' for _, x in parts)})",
            )
        return (
            f"concat({', '.join(a for a, _ in parts)})",
            f"({' || '.join(f'({x})' for _, x in parts)})",
        )
    return choice(text, depth)


def date(depth, bare=False):
    if depth == 0 or random.random() < 0.2:
        case = random.random()
        if case < 0.6:
            return cell("date", ["d", "e"], bare)
        if case < 0.75:
            guard = r"regexp_full_match(dt, '\d{4}-\d{2}-\d{2}')"
            return "date(dt)", f"case when {guard} then day_ok(try_cast(dt as date)) end"
        x = f"date '{random.choice([d for d in DATES if d])}'"
        return x, x
    case = random.randrange(5)
    if case == 0:
        a, x = date(depth - 1)
        b, y = number(depth - 1, True)
        if random.random() < 0.7:
            b = y = str(random.randint(-800, 800))
        good = f"({y})::double = trunc(({y})::double) and abs(({y})::double) <= 4000000"
        days = f"case when {good} then ({y})::double::integer end"
        return f"({a} + {b})", f"day_ok(({x}) + {days})"
    if case == 1:
        a, x = date(depth - 1, True)
        unit = pick("year", "quarter", "month", "week", "day")
        return f"date_trunc('{unit}', {a})", f"date_trunc('{unit}', {x})::date"
    if case == 2:
        a, x = time(depth - 1)
        return f"date({a})", f"({x})::date"
    if case == 3:
        a, x = time(depth - 1)
        unit = pick("year", "quarter", "month", "week", "day")
        return f"date_trunc('{unit}', {a})", f"date_trunc('{unit}', {x})::date"
    return choice(date, depth)


def time(depth, bare=False):
    if depth == 0 or random.random() < 0.2:
        case = random.random()
        if case < 0.6:
            return cell("timestamp", ["s", "r"], bare)
        if case < 0.75:
            pattern = (
                r"\d{4}-\d{2}-\d{2}([ T]([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,6})?)?"
                r"(Z|[+-]\d{2}(:\d{2})?)?)?"
            )
            value = "time_ok(try_cast(st as timestamptz) at time zone 'UTC')"
            return "timestamp(st)", f"case when regexp_full_match(st, '{pattern}') then {value} end"
        x = f"timestamp '{random.choice([s for s in TIMES if s]).replace('T', ' ')}'"
        return x, x
    case = random.randrange(4)
    if case == 0:
        a, x = date(depth - 1)
        return f"timestamp({a})", f"({x})::timestamp"
    if case == 1:
        a, x = time(depth - 1, True)
        return f"date_trunc('hour', {a})", f"date_trunc('hour', {x})"
    if case == 2:
        a, x = time(depth - 1, True)
        hours, minutes, sign = random.randint(0, 14), pick(0, 30, 45), pick("+", "-")
        return (
            f"at_offset({a}, '{sign}{hours:02}:{minutes:02}')",
            f"time_ok(({x}) {sign} interval ({hours * 60 + minutes}) minute)",
        )
    return choice(time, depth)


PATTERNS = [
    "a%",
    "%b",
    "%a%b%",
    "_",
    "__",
    "a_",
    "%",
    "",
    "a%b%c",
    "_%_",
    "%é",
    "漢_",
    "😀%",
    "%_b",
    "ab%ab",
    "A%",
]


def truth(depth):
    if depth == 0 or random.random() < 0.1:
        case = random.random()
        if case < 0.7:
            name = pick("b", "c")
            return f"boolean({name})", name
        x = pick("true", "false")
        return x, x
    case = random.randrange(13)
    if case < 4:
        of = pick(number, number, text, date, time)
        op = pick("=", "<>", "<", "<=", ">", ">=")
        (a, x), (b, y) = of(depth - 1), of(depth - 1)
        return f"({a} {op} {b})", f"({x} {op} {y})"
    if case == 4:
        of = pick(number, text, date, time)
        no = pick("", "not ")
        (a, x), (b, y), (c, z) = of(depth - 1), of(depth - 1), of(depth - 1)
        return f"({a} {no}between {b} and {c})", f"({x} {no}between {y} and {z})"
    if case == 5:
        of = pick(number, text, date, time)
        no = pick("", "not ")
        a, x = of(depth - 1)
        parts = [of(pick(0, 0, depth - 1)) for _ in range(random.randint(1, 12))]
        ours, theirs = [p for p, _ in parts], [q for _, q in parts]
        if random.random() < 0.2:
            ours.append("null")
            theirs.append("null")
        return f"({a} {no}in ({', '.join(ours)}))", f"({x} {no}in ({', '.join(theirs)}))"
    if case == 6:
        a, x = text(depth - 1, True)
        no, pattern = pick("", "not "), quote(random.choice(PATTERNS))
        return f"({a} {no}like {pattern})", f"({x} {no}like {pattern})"
    if case == 7:
        a, x = pick(number, text, date, time, truth)(depth - 1)
        no = pick("", "not ")
        return f"({a} is {no}null)", f"({x} is {no}null)"
    if case == 8:
        a, x = truth(depth - 1)
        test = pick("true", "false", "not true", "not false")
        return f"({a} is {test})", f"({x} is {test})"
    if case == 9:
        a, x = truth(depth - 1)
        return f"(not {a})", f"(not {x})"
    if case == 10:
        op = pick("and", "or")
        parts = [truth(depth - 1) for _ in range(random.randint(2, 3))]
        return (
            f"({f' {op} '.join(a for a, _ in parts)})",
            f"({f' {op} '.join(x for _, x in parts)})",
        )
    if case == 11:
        (a, x), (b, y) = text(depth - 1, True), text(depth - 1, True)
        return f"starts_with({a}, {b})", f"starts_with({x}, {y})"
    return choice(truth, depth)


EPOCH = datetime.datetime(1970, 1, 1)
KINDS = {number: "number", text: "text", date: "date", time: "timestamp", truth: "boolean"}
SELECT = {
    number: "({})",
    text: "({})",
    truth: "({})",
    date: "(({})::date - date '1970-01-01')::bigint",
    time: "epoch_us({})",
}


def plain(of, value):
    if value is None:
        return None
    return repr(float(value)) if of is number else value


with open("expression_vectors.jsonl", "w", encoding="utf-8") as out:
    shown = {
        name: [repr(cell) if isinstance(cell, float) else cell for cell in cells]
        for name, cells in COLUMNS.items()
    }
    out.write(json.dumps(shown, ensure_ascii=False) + "\n")
    written, seen = 0, set()
    while written < EXPRESSIONS:
        of = pick(number, number, text, date, time, truth, truth)
        ours, theirs = of(random.randint(1, 3))
        if len(ours) > 400 or ours in seen:
            continue
        seen.add(ours)
        rows = connection.execute(
            f"select {SELECT[of].format(theirs)} from rows order by i"
        ).fetchall()
        values = [plain(of, row[0]) for row in rows]
        if all(value == values[0] for value in values) and random.random() < 0.9:
            continue
        line = {"expression": ours, "type": KINDS[of], "values": values}
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
        written += 1
print(f"{EXPRESSIONS} expressions by DuckDB {duckdb.__version__}")
