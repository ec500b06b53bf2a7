"""Rows that stay in a database: a session of one's own gives the integers of the frame, and what it
says about cells is not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import lastbit
import pytest

from conftest import HUGE, plan
from test_release import numbers


class Duck:
    """A session over DuckDB's own package."""

    dialect = "duckdb"

    def __init__(self, frame: Any, table: Any = "visits") -> None:
        duckdb = pytest.importorskip("duckdb")
        self.connection = duckdb.connect()
        self.connection.execute("set timezone = 'UTC'")
        self.connection.register("given", frame)
        self.connection.execute("create table visits as select * from given")
        self.table = table
        self.asked: list[str] = []

    def rows(self, sql: str) -> list[tuple[Optional[str], ...]]:
        self.asked.append(sql)
        found: list[tuple[Optional[str], ...]] = self.connection.execute(sql).fetchall()
        return found


def test_a_session_gives_the_same(arrow: Any, tmp_path: Path) -> None:
    frame = lastbit.release(plan(), arrow, tmp_path / "frame.ledger")
    session = Duck(arrow)
    report = lastbit.release(plan(), session, tmp_path / "session.ledger")
    assert report.stored is None and numbers(report) == numbers(frame)
    # The rows stay there: what comes is one row of types, one of each fingerprint, and groups.
    assert len(session.asked) > 3 and "WHERE 1 = 0" in session.asked[0]
    before = len(session.asked)
    again = lastbit.release(plan(), session, tmp_path / "session.ledger")
    assert again.stored is not None and numbers(again) == numbers(report)
    assert len(session.asked) - before == 3
    session.connection.execute("delete from visits where age = 7")
    changed = lastbit.release(plan(), session, tmp_path / "other.ledger")
    assert numbers(changed) != numbers(report)


def test_an_analyst_asks_a_session(arrow: Any, ledger: Path) -> None:
    session = lastbit.Session(Duck(arrow), budget={"epsilon": HUGE}, ledger=ledger)
    report = session.sql("select count(*) from visits where age > 50", epsilon=1000).release()
    (statistic,) = report
    counted = sum(age is not None and age > 50 for age in arrow.column("age").to_pylist())
    assert statistic.value() == counted


def test_the_table_may_be_the_plans(arrow: Any, ledger: Path) -> None:
    source = {"database": "duckdb:elsewhere.db", "schema": "main", "table": "visits"}
    made = lastbit.Plan(source=source, epsilon=HUGE).count()
    report = lastbit.release(made, Duck(arrow, table=None), ledger)
    assert report["count"].value() == arrow.num_rows
    parts = Duck(arrow, table=["memory", "main", "visits"])
    report = lastbit.release(made, parts, ledger.with_suffix(".2"))
    assert report["count"].value() == arrow.num_rows


class Wrong:
    """A session that is asked once."""

    dialect: str = "duckdb"
    table: Any = "visits"

    def __init__(self, answer: Any, **settings: Any) -> None:
        self.answer = answer
        for name, value in settings.items():
            setattr(self, name, value)

    def rows(self, sql: str) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Quoting(Exception):
    sqlstate = "22P02"


def test_what_a_session_does_wrong_costs_nothing(ledger: Path) -> None:
    made = lastbit.Plan(epsilon=1).count()
    for answer, words in [
        (Quoting("Ms Smith has 7"), "SQLSTATE 22P02"),
        (ValueError("Ms Smith has 7"), "the session raised ValueError"),
        ([[7]], "the session raised TypeError"),
        (7, "the session raised TypeError"),
        ([["Smith"], ["Smith"]], "another shape"),
        ([], "another shape"),
    ]:
        with pytest.raises(lastbit.DataError) as refused:
            lastbit.release(made, Wrong(answer), ledger)
        assert words in str(refused.value) and "Smith" not in str(refused.value)
        assert refused.value.__cause__ is None and refused.value.__context__ is None
    with pytest.raises(KeyboardInterrupt):
        lastbit.release(made, Wrong(KeyboardInterrupt()), ledger)
    for settings, words in [
        ({"dialect": "sqlite"}, "name the file in the plan"),
        ({"dialect": "mysql"}, "no such dialect"),
        ({"table": None}, "give the session a `table`"),
        ({"table": 7}, "table is a name or its parts"),
        ({"table": []}, "a table needs a name"),
    ]:
        with pytest.raises(lastbit.LastbitError, match=words):
            lastbit.release(made, Wrong([], **settings), ledger)
    of_sqlite = lastbit.Plan(source={"database": "sqlite:a.db", "table": "visits"}, epsilon=1)
    with pytest.raises(lastbit.ParameterError, match="of sqlite, and the session speaks duckdb"):
        lastbit.release(of_sqlite.count(), Wrong([], table=None), ledger)
    assert not ledger.exists()


def test_a_frame_of_spark_gives_the_same(ledger: Path) -> None:
    # Where pyspark and Java are; the tests install neither.
    sql = pytest.importorskip("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    try:
        frame = spark.range(0, 1000).selectExpr("cast(id % 7 as double) as cost")
        made = lastbit.Plan(epsilon=HUGE).column("cost", lower=0, upper=10).count().sum("cost")
        report = lastbit.release(made, frame, ledger)
    finally:
        spark.stop()
    assert report["count"].value() == 1000
    assert report["sum of cost"].value() == pytest.approx(sum(one % 7 for one in range(1000)))
