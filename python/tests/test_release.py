"""Releases: every kind of data gives the same integers, and whatever goes wrong costs nothing."""

from __future__ import annotations

import json
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


def test_a_frame_from_parquet_gives_the_same(
    expected: Any, arrow: Any, tmp_path: Path, ledger: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow, tmp_path / "table.parquet")
    # The format is part of which release it is, and so of which rows stay; here through the frame
    # that pyarrow reads.
    assert released(expected, parquet.read_table(tmp_path / "table.parquet"), ledger) == expected[1]


def test_a_parquet_file_gives_the_same(arrow: Any, tmp_path: Path, ledger: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow, tmp_path / "table.parquet", row_group_size=700)
    # By the path, which our own reader reads, and by the frame of the same plan.
    source = plan(str(tmp_path / "table.parquet"))
    path = lastbit.release(source, ledger=ledger)
    frame = lastbit.release(source, arrow, ledger.with_suffix(".2"))
    assert path.stored is None and frame.stored is None
    assert numbers(path) == numbers(frame)


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
    ages = report["histogram of age"]
    last = ages.rows()[-1]
    assert ages.value(label=last["label"]) == last["value"]
    # The first of several would be taken for the only one.
    with pytest.raises(KeyError, match="say which label="):
        ages.value()
    for wrong in (lambda: report["nothing"], lambda: by_ward.value("nowhere")):
        with pytest.raises(KeyError, match="there are"):
            wrong()


def test_bounds_stay_bounds_as_doubles(arrow: Any, ledger: Path) -> None:
    report = lastbit.release(plan(epsilon=1), arrow, ledger)
    tried = 0
    for statistic in report:
        for row, cell in zip(statistic.rows(), statistic.details["cells"], strict=True):
            if row["value"] is None:
                continue
            if cell["lower"] is not None:
                assert Decimal(row["lower"]) <= Decimal(cell["lower"])
                assert Decimal(cell["upper"]) <= Decimal(row["upper"])
            if not cell["error_unit"]:
                # The error also covers what the double has moved.
                moved = abs(Decimal(row["value"]) - Decimal(row["text"]))
                assert Decimal(row["error"]) >= Decimal(cell["error"]) + moved
                tried += 1
    assert tried > 10


def test_a_frame_says_what_it_is(arrow: Any, ledger: Path) -> None:
    polars = pytest.importorskip("polars")
    pytest.importorskip("pandas")
    invented, published = plan(epsilon=1).rehearse(), lastbit.release(plan(), arrow, ledger)
    for report, expected in ((invented, True), (published, False)):
        frames = (report.to_pandas(), report.to_polars().to_pandas(), report.to_arrow().to_pandas())
        for frame in frames:
            assert list(frame.columns) == list(frames[0].columns)
            assert (frame["invented"] == expected).all()
            assert frame["confidence"].dtype == frame["rank_error"].dtype == "float64"
            assert frame["too_noisy"].dtype == frame["withheld"].dtype == bool
            assert frame["ledger_row"].dtype == "int64"
        # The names that came first stay.
        first = ["statistic", "kind", "of", "ward", "label", "value", "text", "error"]
        assert list(frames[0].columns)[:8] == first
        texts = frames[0]["text"].tolist()
        assert texts == [cell["value"] for one in report for cell in one.details["cells"]]
        assert texts == frames[0]["published"].tolist()
        assert all(row["invented"] is expected for one in report for row in one.rows())
    # Whatever takes Arrow's streams takes a report; and a key may have any name.
    assert polars.DataFrame(published).equals(published.to_polars())
    odd = lastbit.Plan(epsilon=1).column("value", categories=["a"]).column("by", categories=["b"])
    columns = odd.count(by=["value", "by"]).rehearse().to_arrow().column_names
    assert columns[3:5] == ["by.value", "by.by"] and len(set(columns)) == len(columns)


def test_what_is_withheld_says_so(ledger: Path) -> None:
    import pyarrow as pa

    # A mean of no rows may be declined, and is at best all noise.
    none = pa.table({"x": pa.array([], pa.float64())})
    made = lastbit.Plan(epsilon=1).column("x", lower=0, upper=1).mean("x")
    report = lastbit.release(made, none, ledger)
    frame = report.to_arrow().to_pylist()
    cells = report.details["statistics"][0]["cells"]
    assert [row["withheld"] for row in frame] == [cell["value"] is None for cell in cells]
    assert [row["too_noisy"] for row in frame] == [cell.get("too_noisy", False) for cell in cells]


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
        assert secret not in str(error.value)
        assert error.value.__cause__ is None and error.value.__context__ is None
    with pytest.raises(lastbit.DataError, match="cannot be read"):
        lastbit.release(plan(), object(), ledger)
    assert not ledger.exists()


def test_columns_of_nulls_are_read(ledger: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"x": [1.0, 2.0], "unused": [None, None]})
    made = lastbit.Plan(epsilon=HUGE).count()
    assert lastbit.release(made, frame, ledger)["count"].value() == 2


def test_a_batch_of_another_type_is_refused(ledger: Path) -> None:
    import pyarrow as pa

    told = pa.schema({"x": pa.string()})
    other = iter([pa.record_batch({"x": pa.array([1, 2, 3])})])
    reader = pa.RecordBatchReader.from_batches(told, other)
    with pytest.raises(lastbit.DataError):
        lastbit.release(lastbit.Plan(epsilon=1).count(), reader, ledger)
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
    assert (price.loss, price.measure) == ("1", "pure")
    assert set(price.errors) == set(made.statistics)
    assert price["count by ward"]["error"] is not None
    assert "this spends everything" in repr(made.price(tmp_path / "none.ledger"))
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


def test_statistics_are_found_however_they_are_written(tmp_path: Path) -> None:
    head = """
        {statistics}
        [source]
        files = "table.csv"
        where = {where}
        [privacy]
        neighbours = "add-remove"
        [budget]
        epsilon = 1
        """
    # An array of tables in one line is a plan as good as any.
    inline = head.format(
        statistics='statistics = [{ name = "people", kind = "count" }]', where='"x > 1"'
    )
    path = tmp_path / "plan.toml"
    path.write_text(inline, encoding="utf-8", newline="")
    for made in (lastbit.Plan.parse(inline), lastbit.Plan.read(path)):
        assert made.statistics == ["people"] and made.to_toml() == inline
        assert made.price().loss == "1" and len(made.rehearse()) == 1
    # What looks like a statistic inside of a text is none.
    quoted = '"' * 3 + "\n[[statistics]]\n" + '"' * 3
    none = head.format(statistics=f"title = {quoted}", where='"x > 1"')
    empty = lastbit.Plan.parse(none)
    assert empty.statistics == [] and empty.count().statistics == ["count"]
    with pytest.raises(lastbit.PlanError, match="no statistics"):
        empty.price()
    # A mistake is told as it is, not as one of a plan that nobody wrote.
    with pytest.raises(lastbit.PlanError, match="epsilon") as wrong:
        lastbit.Plan.parse(inline.replace("epsilon = 1", "epsilon = -1"))
    assert wrong.value.__cause__ is None


def test_the_ledger_lies_beside_a_plan_that_was_read(arrow: Any, tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(lastbit.Plan("Rows", epsilon=1).count().to_toml(), encoding="utf-8")
    report = lastbit.release(path, arrow)
    assert (tmp_path / "lastbit.ledger").exists()
    assert (
        lastbit.release(lastbit.Plan.read(path), arrow).details["statistics"]
        == report.details["statistics"]
    )


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
