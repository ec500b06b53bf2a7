"""Releases: every kind of data gives the same integers, and whatever goes wrong costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import lastbit
import pytest

from conftest import HUGE, plan


class Numbers:
    """What was published. Two of them are of the same integers if no number is farther from its
    other than noise explains: a stated error is three scales of the noise or more, so that 20 of
    them are exceeded with probability below e^-60, and one row more or less is thousands of errors.
    A quantile is any value between two rows."""

    def __init__(self, report: lastbit.Report) -> None:
        self.statistics = report.details["statistics"]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Numbers) or len(self.statistics) != len(other.statistics):
            return False
        pairs = [
            (one["kind"], a, b)
            for one, two in zip(self.statistics, other.statistics)
            for a, b in zip(one["cells"], two["cells"], strict=True)
        ]
        return all(self.same(*pair) for pair in pairs)

    @staticmethod
    def same(kind: str, a: dict[str, Any], b: dict[str, Any]) -> bool:
        if a["group"] != b["group"] or a["label"] != b["label"]:
            return False
        if a["value"] == b["value"]:
            return a["value"] is not None
        try:
            apart = abs(Decimal(a["value"]) - Decimal(b["value"]))
        except InvalidOperation:
            # Dates and times are printed as the nearest ones.
            return False
        if kind == "quantiles":
            return apart < 1
        if kind == "sum":
            # Its error is one of rounding, and not of noise: but for two units of the last digit it
            # is the same.
            return apart <= 2 * Decimal(1).scaleb(int(Decimal(a["value"]).as_tuple().exponent))
        return apart <= 20 * (Decimal(a["error"]) + Decimal(b["error"]))


def numbers(report: lastbit.Report) -> Numbers:
    return Numbers(report)


def test_numbers_are_told_apart(arrow: Any, ledger: Path) -> None:
    import pyarrow as pa

    first = lastbit.release(plan(), arrow, ledger)
    # One row more, which counts in every statistic.
    more = arrow.slice(1, 1).to_pylist()[0] | {
        "patient": "new",
        "ward": "surgery",
        "cost": 0.1,
        "price": Decimal("0.01"),
    }
    more |= {"age": 5, "insured": True, "town": "Rome"}
    longer = pa.concat_tables([arrow, pa.Table.from_pylist([more], schema=arrow.schema)])
    second = lastbit.release(plan(), longer, ledger.with_suffix(".2"))
    assert numbers(first) == numbers(first)
    for a, b in zip(first.details["statistics"], second.details["statistics"]):
        if (
            a["kind"] not in ("quantiles",)
            and a["of"] not in (["day"], ["at"])
            and "where" not in a["name"]
        ):
            assert not all(
                Numbers.same(a["kind"], *pair) for pair in zip(a["cells"], b["cells"])
            ), a["name"]


@pytest.fixture(scope="module")
def expected(arrow: Any, tmp_path_factory: Any) -> Any:
    """From a CSV file, which is the plan's own source."""
    csv = pytest.importorskip("pyarrow.csv")
    directory = tmp_path_factory.mktemp("expected")
    csv.write_csv(arrow, directory / "table.csv")
    source = plan(str(directory / "table.csv"))
    report = lastbit.release(source, ledger=directory / "a.ledger")
    assert report.stored is None
    return source, numbers(report)


def released(expected: Any, data: Any, ledger: Path) -> Any:
    return numbers(lastbit.release(expected[0], data, ledger))


def test_counts_are_what_python_counts(expected: Any, table: list[dict[str, Any]]) -> None:
    # Each patient counts with at most two rows in at most three groups; here the whole table is one
    # group.
    seen: dict[str, int] = {}
    for row in table:
        if row["patient"] is not None:
            seen[row["patient"]] = min(2, seen.get(row["patient"], 0) + 1)
    first = expected[1].statistics[0]
    assert first["name"] == "count"
    assert first["cells"][0]["value"] == str(sum(seen.values()))


def test_parquet_gives_the_same(expected: Any, arrow: Any, tmp_path: Path, ledger: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow, tmp_path / "table.parquet")
    # The format is part of which release it is, and so of which rows stay; here through the frame
    # that pyarrow reads.
    assert released(expected, parquet.read_table(tmp_path / "table.parquet"), ledger) == expected[1]


def test_pyarrow_gives_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    assert released(expected, arrow, ledger) == expected[1]


def test_batches_and_dictionaries_give_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    import pyarrow as pa

    parts = pa.concat_tables([arrow.slice(0, 1), arrow.slice(1, 999), arrow.slice(1000)])
    for name in ("ward", "town", "patient"):
        parts = parts.set_column(
            parts.schema.get_field_index(name), name, parts.column(name).dictionary_encode()
        )
    first = lastbit.release(expected[0], parts, ledger)
    assert numbers(first) == expected[1]
    # However it is cut and coded, it is the same data.
    again = lastbit.release(expected[0], arrow, ledger)
    assert again.stored is not None and numbers(again) == expected[1]


def test_readers_give_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    assert released(expected, arrow.to_reader(max_chunksize=300), ledger) == expected[1]


def test_pandas_gives_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = arrow.to_pandas()
    assert released(expected, frame, ledger) == expected[1]
    frame["ward"] = pandas.Categorical(frame["ward"])
    frame["age"] = frame["age"].astype("Int64")
    assert released(expected, frame, ledger.with_suffix(".2")) == expected[1]


def test_polars_gives_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(arrow)
    assert released(expected, frame, ledger) == expected[1]
    assert released(expected, frame.lazy(), ledger.with_suffix(".2")) == expected[1]
    coded = frame.with_columns(
        polars.col("ward").cast(polars.Categorical), polars.col("cost").fill_null(float("nan"))
    )
    assert released(expected, coded, ledger.with_suffix(".3")) == expected[1]


def test_duckdb_gives_the_same(expected: Any, arrow: Any, ledger: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("visits", arrow)
    assert released(expected, connection.sql("select * from visits"), ledger) == expected[1]


def test_a_path_gives_the_same(expected: Any, arrow: Any, tmp_path: Path, ledger: Path) -> None:
    from pyarrow import csv

    csv.write_csv(arrow, tmp_path / "other.csv")
    assert released(expected, tmp_path / "other.csv", ledger) == expected[1]


def test_other_cells_are_other_data(arrow: Any, ledger: Path) -> None:
    small = lastbit.Plan("Rows", epsilon=1, spend={"epsilon": 0.5}).count()
    assert lastbit.release(small, arrow, ledger).stored is None
    assert lastbit.release(small, arrow, ledger).stored is not None
    assert lastbit.release(small, arrow.slice(1), ledger).stored is None
    with pytest.raises(lastbit.BudgetError) as refused:
        lastbit.release(small, arrow.slice(2), ledger)
    assert "requested" in str(refused.value) and "remaining" in str(refused.value)


def test_a_report_has_every_form(arrow: Any, ledger: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    report = lastbit.release(plan(), arrow, ledger)
    frame = report.to_pandas()
    assert list(frame["statistic"].unique()) == [one.name for one in report]
    assert isinstance(frame, pandas.DataFrame) and frame["value"].dtype == "float64"
    assert report.to_polars().equals(polars.from_arrow(report.to_arrow()))
    assert len(frame) == report.to_arrow().num_rows == sum(len(one.rows()) for one in report)
    assert json.loads(report.to_json()) == report.details
    assert report.to_html().startswith("<!") and "<iframe" in report._repr_html_()
    assert report.to_csv().startswith("statistic,kind") and "count by ward" in str(report)
    by_ward = report["count by ward"]
    assert by_ward.value("surgery") == by_ward.rows()[1]["value"]
    with pytest.raises(KeyError):
        report["nothing"]


def test_bounds_stay_bounds_as_doubles() -> None:
    from decimal import Decimal

    from lastbit._report import _down, _up

    for text in ["0.1", "0.3", "1e-400", "123456789.123456789", "-0.1", "5"]:
        up, down = _up(text), _down(text)
        assert up is not None and down is not None
        assert Decimal(down) <= Decimal(text) <= Decimal(up)


def test_a_plan_without_data_says_so(ledger: Path) -> None:
    with pytest.raises(lastbit.DataError, match="names no files"):
        lastbit.release(plan(), ledger=ledger)
    with pytest.raises(lastbit.ParameterError, match="needs a ledger"):
        lastbit.release(plan(), data="table.csv")
    with pytest.raises(lastbit.PlanError, match="no statistics"):
        lastbit.release(lastbit.Plan("None", epsilon=1), data="table.csv", ledger=ledger)
    assert not ledger.exists()


def test_errors_have_no_cell(arrow: Any, ledger: Path) -> None:
    import pyarrow as pa

    secret = "Jean Valjean"
    with pytest.raises(lastbit.DataError) as unknown:
        lastbit.release(plan(), arrow.rename_columns(["patients", *arrow.column_names[1:]]), ledger)
    assert "did you mean `patients`" in str(unknown.value)
    lists = pa.table({"cost": pa.array([[secret]])})
    with pytest.raises(lastbit.DataError) as wrong:
        lastbit.release(
            lastbit.Plan(epsilon=1).column("cost", lower=0, upper=1).sum("cost"), lists, ledger
        )
    pandas = pytest.importorskip("pandas")
    mixed = pandas.DataFrame({"cost": [1.5, secret, object()]})
    with pytest.raises(lastbit.DataError) as failed:
        lastbit.release(
            lastbit.Plan(epsilon=1).column("cost", lower=0, upper=1).sum("cost"), mixed, ledger
        )
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.register("people", pa.table({"name": [secret]}))
    late = connection.sql("select cast(name as double) as cost from people")
    with pytest.raises(lastbit.DataError) as stopped:
        lastbit.release(
            lastbit.Plan(epsilon=1).column("cost", lower=0, upper=1).sum("cost"), late, ledger
        )
    for error in (unknown, wrong, failed, stopped):
        assert secret not in str(error.value) and error.value.__cause__ is None
    with pytest.raises(lastbit.DataError, match="cannot be read"):
        lastbit.release(plan(), object(), ledger)
    assert not ledger.exists()


def test_a_damaged_text_is_refused() -> None:
    import pyarrow as pa

    from lastbit._lastbit import NativeTable

    bytes_ = pa.array([b"\xff\xfe"], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 1, bytes_.buffers())
    with pytest.raises(lastbit.DataError, match="rules of Arrow"):
        NativeTable(pa.table({"name": text}).__arrow_c_stream__())


def test_plans_are_priced_and_rehearsed(tmp_path: Path) -> None:
    made = plan(epsilon=1)
    price = made.price()
    assert (price.loss, price.measure) == ("1", "epsilon") or price.loss == "1"
    assert set(price.errors) == set(made.statistics)
    assert price["count by ward"]["error"] is not None
    report = made.rehearse()
    assert report.details["invented"] is True
    path = tmp_path / "plan.toml"
    path.write_text(made.to_toml(), encoding="utf-8")
    assert lastbit.Plan.read(path).price().details == price.details


def test_a_plan_is_checked_as_it_is_built() -> None:
    with pytest.raises(lastbit.PlanError) as unknown:
        plan().mean("cots")
    assert "`cost`" in str(unknown.value) and unknown.value.place is not None
    with pytest.raises(lastbit.PlanError):
        lastbit.Plan(epsilon=-1)
    with pytest.raises(lastbit.ParameterError, match="not exactly 0.1"):
        lastbit.Plan(epsilon=0.1)
    assert lastbit.Plan(epsilon="0.1").count().price().loss == "0.1"
    odd = (
        lastbit.Plan('A "title"\n\x7f', epsilon=1)
        .column('odd "name".x', categories=["a"])
        .count(by='odd "name".x')
    )
    assert odd.title == 'A "title"\n\x7f' and len(odd.statistics) == 1


def test_the_ledger_lies_beside_a_plan_that_was_read(arrow: Any, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(lastbit.Plan("Rows", epsilon=1).count().to_toml(), encoding="utf-8")
    report = lastbit.release(path, arrow)
    assert (tmp_path / "lastbit.ledger").exists()
    assert (
        lastbit.release(lastbit.Plan.read(path), arrow).details["statistics"]
        == report.details["statistics"]
    )


def test_progress_is_told_and_other_threads_run(tmp_path: Path, ledger: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("x\n")
        for _ in range(40):
            file.write("1\n" * 50_000)
    told: list[float] = []
    turns = 0
    done = threading.Event()

    def turn() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            done.wait(0.001)

    other = threading.Thread(target=turn)
    other.start()
    before = turns
    report = lastbit.release(lastbit.Plan(epsilon=HUGE).count(), path, ledger, progress=told.append)
    done.set()
    other.join()
    assert report["count"].value() == 2_000_000
    # Less than the time between two looks is told to nobody.
    assert turns > before or not told
    assert all(0 <= part <= 1 for part in told) and told == sorted(told)


def large(path: Path) -> Path:
    """A table that takes longer to read than the release waits before it tells of progress, on most
    machines."""
    with path.open("w") as file:
        file.write("x\n")
        for _ in range(200):
            file.write("1\n" * 50_000)
    return path


def test_what_progress_raises_ends_the_release(tmp_path: Path, ledger: Path) -> None:
    class Enough(Exception):
        pass

    called = 0

    def stop(part: float) -> None:
        nonlocal called
        called += 1
        raise Enough

    raised = 0
    try:
        lastbit.release(
            lastbit.Plan(epsilon=1).count(), large(tmp_path / "large.csv"), ledger, progress=stop
        )
    except Enough:
        raised = 1
    assert raised == called


CTRL_C = """
import os, signal, sys, lastbit
# Whoever started the tests may have had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
told = []
def interrupt(part):
    told.append(part)
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
try:
    lastbit.release(lastbit.Plan(epsilon=1).count(), sys.argv[1], sys.argv[2], progress=interrupt)
except KeyboardInterrupt:
    print("interrupted", len(told))
else:
    print("finished", len(told))
"""


def test_ctrl_c_ends_a_release(tmp_path: Path, ledger: Path) -> None:
    arguments = [sys.executable, "-c", CTRL_C, str(large(tmp_path / "large.csv")), str(ledger)]
    run = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    # A machine that reads the table at once tells of no progress.
    assert run.stdout.split() in (["interrupted", "1"], ["finished", "0"]), run.stderr


def test_a_database_gives_the_rows_of_the_plan(tmp_path: Path) -> None:
    import sqlite3

    database = sqlite3.connect(tmp_path / "wages.db")
    database.execute("CREATE TABLE wages (wage INTEGER, place TEXT)")
    rows = [(1000, "north"), (2000, "south"), (3000, "north")]
    database.executemany("INSERT INTO wages VALUES (?, ?)", rows)
    database.commit()
    database.close()
    # So much ε that a noisy count is the exact one but with probability below e^-100.
    (tmp_path / "plan.toml").write_text(
        """
        [source]
        database = "sqlite:wages.db"
        table = "wages"
        [privacy]
        neighbours = "add-remove"
        [budget]
        epsilon = 1000
        [columns.place]
        categories = ["north", "south"]
        [[statistics]]
        name = "people"
        kind = "count"
        by = "place"
        """
    )
    source = lastbit.Plan.read(tmp_path / "plan.toml")
    report = lastbit.release(source, ledger=tmp_path / "a.ledger")
    cells = report.details["statistics"][0]["cells"]
    assert [(cell["group"], cell["value"]) for cell in cells] == [
        (["north"], "2"),
        (["south"], "1"),
    ]
    assert lastbit.release(source, ledger=tmp_path / "a.ledger").stored is not None
    (tmp_path / "wages.db").unlink()
    with pytest.raises(lastbit.DataError, match="no database at `wages.db`"):
        lastbit.release(source, ledger=tmp_path / "b.ledger")
    assert not (tmp_path / "b.ledger").exists()
