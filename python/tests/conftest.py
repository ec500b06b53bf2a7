"""What the tests share: one table in every form that a data frame can have."""

from __future__ import annotations

import datetime
import decimal
import random
from pathlib import Path
from typing import Any

import lastbit
import pytest

WARDS = ["medicine", "surgery", "children"]


def rows() -> list[dict[str, Any]]:
    """Rows with nulls, NaN, categories, dates, times, decimals and texts; the same in every run."""
    made = random.Random(16)
    table = []
    for row in range(2_000):
        table.append(
            {
                "patient": f"p{row % 700}" if row % 31 else None,
                "ward": made.choice([*WARDS, "elsewhere", None]),
                "cost": made.choice([made.uniform(-10, 120), float("nan"), None, 0.1]),
                "price": decimal.Decimal(made.randrange(0, 10_000)) / 100 if row % 7 else None,
                "age": made.randrange(0, 100) if row % 5 else None,
                "day": datetime.date(2026, 1, 1) + datetime.timedelta(days=made.randrange(365)),
                "at": datetime.datetime(2026, 1, 1)
                + datetime.timedelta(microseconds=made.randrange(10**13)),
                "town": made.choice(["Rome", "Köln", "Łódź", "7", " 7 ", "", None]),
                "insured": made.choice([True, False, None]),
            }
        )
    return table


@pytest.fixture(scope="session")
def table() -> list[dict[str, Any]]:
    return rows()


@pytest.fixture(scope="session")
def arrow(table: list[dict[str, Any]]) -> Any:
    pa = pytest.importorskip("pyarrow")
    types = {
        "patient": pa.string(),
        "ward": pa.string(),
        "cost": pa.float64(),
        "price": pa.decimal128(10, 2),
        "age": pa.int64(),
        "day": pa.date32(),
        "at": pa.timestamp("us"),
        "town": pa.string(),
        "insured": pa.bool_(),
    }
    return pa.Table.from_pylist(table, schema=pa.schema(types))


#: So much ε that the noise is far below one step of a sum, and rounds to nothing in a count.
HUGE = 10**15


def plan(source: Any = None, epsilon: Any = HUGE) -> lastbit.Plan:
    return (
        lastbit.Plan(
            "Everything",
            source=source,
            unit="patient",
            most_rows=2,
            most_groups=3,
            epsilon=epsilon,
            expected_rows=1000,
        )
        .column("ward", categories=WARDS)
        .column("cost", lower=0, upper=100)
        .column("price", lower=0, upper=100)
        .column("age", edges=[0, 18, 65, 100])
        .column("day", date=True, lower="2025-01-01", upper="2027-01-01")
        .column("at", time=True, lower="2025-01-01T00:00:00", upper="2027-01-01T00:00:00")
        .column("town", categories=["Rome", "Köln", "Łódź", "7"])
        .column("insured", categories=["true", "false"])
        .count()
        .count(by="ward")
        .mean("cost", by="ward")
        .sum("price")
        .histogram("age")
        .mean("day")
        .mean("at")
        .histogram("town")
        .histogram("insured")
        .quantiles("cost", ["0.25", "0.5"])
        .count(where="cost > 50 and ward = 'surgery'")
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "test.ledger"
