"""Plans by keywords: the same price as the TOML that they stand for."""

from __future__ import annotations

import datetime
import re
import sqlite3
from pathlib import Path
from typing import Any

import lastbit
import pytest

ROOT = Path(__file__).parents[2]


def same(made: lastbit.Plan, read: lastbit.Plan) -> None:
    assert made.price().details == read.price().details
    # And through its own TOML once more.
    assert lastbit.Plan.parse(made.to_toml()).price().details == read.price().details


def test_the_plan_of_the_clinic() -> None:
    made = (
        lastbit.Plan(
            "Visits to the clinic, first quarter",
            confidence="0.95",
            publish_fingerprint=True,
            source="visits.csv.gz",
            neighbours="add-remove",
            unit="patient",
            most_rows=4,
            most_groups=4,
            epsilon=2,
            delta="1e-7",
        )
        .column("age", edges=[0, 18, 40, 65, 80, 100], unit="years", missing="drop", typical=50)
        .column("days", lower=0, upper=30, unit="days", missing=0)
        .column("cost", lower=0, upper=10_000, unit="EUR", missing="drop", typical=1000)
        .column("ward", categories=["emergency", "medicine", "surgery", "maternity", "children"])
        .column(
            "triage",
            categories=["immediate", "urgent", "standard", "minor", "not stated"],
            other="not stated",
        )
        .column("town", discover=True)
        .count(name="visits", error=150)
        .count(name="visits by ward", by="ward")
        .count(name="visits by town", by="town")
        .mean("cost", name="mean cost by town", by="town", expected_rows=6_000)
        .sum("cost", name="cost billed so far")
        .mean("cost", name="mean cost by ward", by="ward", weight=2, expected_rows=8_000)
        .variance("days", name="variance of days", expected_rows=40_000)
        .statistic("covariance", ["age", "cost"], name="age and cost", expected_rows=40_000)
        .histogram("age", name="ages")
        .histogram("triage", name="triage by ward", by="ward")
        .quantiles("cost", ["0.25", "0.5", "0.75"], name="quartiles of cost")
    )
    same(made, lastbit.Plan.read(ROOT / "examples" / "clinic" / "plan.toml"))


def test_a_plan_with_all_of_it() -> None:
    guide = (ROOT / "docs" / "plan.md").read_text(encoding="utf-8")
    block = re.search(r"## A plan with all of it\n+```toml\n(.*?)```", guide, re.DOTALL)
    assert block is not None
    made = (
        lastbit.Plan(
            "Stays in hospital",
            expected_rows=5_000,
            source="stays.csv",
            where="age >= 18 and ward in ('surgery', 'medicine')",
            unit="patient",
            most_rows=4,
            epsilon=1,
        )
        .column("bmi", **{"as": "weight / (height * height)"}, lower=10, upper=60)
        .column("weight", lower=30, upper=200, missing_codes=[999, "NA"])
        .column(
            "days",
            **{"as": "date(dismissed) - date(admitted)"},
            integer=True,
            lower=0,
            upper=60,
            unit="days",
        )
        .column(
            "admitted",
            date=True,
            lower=datetime.date(2024, 1, 1),
            upper=datetime.date(2024, 12, 31),
            every="quarter",
        )
        .column("weekday", **{"as": "weekday(admitted)"}, categories="weekdays")
        .column("sex", labels={1: "men", 2: "women"})
        .count(
            name="stays by quarter and sex", by=["admitted", "sex"], most_rows=1, most_groups=4
        )
        .count(name="stays by weekday", by="weekday")
        .statistic("quantiles", "days", name="median stay after surgery", where="ward = 'surgery'")
        .mean("bmi", name="mean bmi of long stays", where="days > 7")
        .statistic("quantiles", "admitted", name="middle of the year's admissions")
    )
    same(made, lastbit.Plan.parse(block[1]))


def test_every_section_by_keywords(tmp_path: Path) -> None:
    (tmp_path / "wards.csv").write_text("ward,region\na,north\nb,south\n")
    text = """
        title = "All sections"
        accountant = "zcdp"
        consistent = true
        [source]
        files = "visits.txt"
        format = "csv"
        delimiter = ";"
        quote = "'"
        gzip = true
        [[source.lookup]]
        file = "wards.csv"
        key = "ward"
        columns = ["region"]
        [[source.join]]
        files = "patients.csv"
        columns = ["age"]
        [privacy]
        neighbours = "add-remove"
        unit = "patient"
        most_rows = 1
        [budget]
        epsilon = 1
        delta = 1e-6
        currency = "zcdp"
        thresholds = 1e-8
        [spend]
        part = 0.5
        [columns.region]
        categories = ["north", "south"]
        other = "south"
        [[statistics]]
        name = "all"
        kind = "count"
        [[statistics]]
        name = "by region"
        kind = "count"
        by = "region"
        """
    read = lastbit.Plan.parse(text, tmp_path)
    lookup = {"file": tmp_path / "wards.csv", "key": "ward", "columns": ["region"]}
    sections: dict[str, Any] = {
        "source": {
            "files": "visits.txt",
            "format": "csv",
            "delimiter": ";",
            "quote": "'",
            "gzip": True,
            "lookup": [lookup],
            "join": [{"files": "patients.csv", "columns": ["age"]}],
        },
        "privacy": {"unit": "patient", "most_rows": 1},
        "budget": {"currency": "zcdp", "thresholds": "1e-8", "epsilon": 1},
        "spend": {"part": 0.5},
    }
    made = (
        lastbit.Plan("All sections", accountant="zcdp", delta="1e-6", **sections)
        .column("region", categories=["north", "south"], other="south")
        .count(name="all")
        .count(name="by region", by="region")
        .setting(consistent=True)
    )
    same(made, read)
    with pytest.raises(lastbit.PlanError, match="`delta` is there twice"):
        lastbit.Plan(epsilon=1, budget={"delta": 0}, delta=0)
    with pytest.raises(lastbit.PlanError, match="delimitre"):
        lastbit.Plan(epsilon=1, source={"files": "a.csv", "delimitre": ";"})


def test_a_database_by_keywords(tmp_path: Path, ledger: Path) -> None:
    database = sqlite3.connect(tmp_path / "wages.db")
    database.execute("CREATE TABLE wages (wage INTEGER)")
    database.executemany("INSERT INTO wages VALUES (?)", [(1000,), (2000,), (3000,)])
    database.commit()
    database.close()
    # So much ε that a noisy count is the exact one but with probability below e^-100.
    source = {"database": f"sqlite:{tmp_path / 'wages.db'}", "table": "wages"}
    made = lastbit.Plan(source=source, where="wage > 1500", epsilon=1000).count()
    assert lastbit.release(made, ledger=ledger)["count"].value() == 2
