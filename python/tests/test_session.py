"""Sessions: questions are priced, paid for from one ledger, and refused where they cannot be
private."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import lastbit
import pytest

from conftest import HUGE, WARDS


@pytest.fixture
def session(arrow: Any, ledger: Path) -> lastbit.Session:
    return lastbit.Session(
        arrow,
        unit="patient",
        most_rows=2,
        most_groups=3,
        budget={"epsilon": 2},
        ledger=ledger,
        columns={"ward": {"categories": WARDS}, "cost": {"lower": 0, "upper": 100}},
    )


def test_questions_spend_until_nothing_is_left(session: lastbit.Session, ledger: Path) -> None:
    assert session.left == "ε = 2" and not ledger.exists()
    question = session.count(by="ward", epsilon="0.5")
    assert (
        question.price().loss == "0.5"
        and "nothing is spent" in repr(question)
        and not ledger.exists()
    )
    report = question.release()
    assert len(report["count by ward"].rows()) == 3 and session.left == "ε = 1.5"
    assert session.count(by="ward", epsilon="0.5").release().stored is not None
    assert session.left == "ε = 1.5"
    session.mean("cost", by="ward", epsilon=1).release()
    with pytest.raises(lastbit.BudgetError):
        session.quantiles("cost", [0.5], epsilon=1).release()
    session.quantiles("cost", [0.5], epsilon="0.5").release()
    assert session.left == "ε = 0"


def test_an_error_target_costs_what_it_needs(session: lastbit.Session) -> None:
    question = session.count(error=200)
    assert (question.price()["count"]["error"] or 0) <= 200
    question.release()
    left = session.left
    assert left.startswith("ε = 1.9")
    with pytest.raises(lastbit.ParameterError, match="say what the question may spend"):
        session.count()
    assert session.left == left


def test_sql_asks_what_methods_ask(arrow: Any, tmp_path: Path) -> None:
    huge = lastbit.Session(
        arrow,
        budget={"epsilon": 10 * HUGE},
        ledger=tmp_path / "huge.ledger",
        columns={"ward": {"categories": WARDS}, "cost": {"lower": 0, "upper": 100}},
    )
    asked = huge.sql(
        "select ward, count(*), avg(cost) as mean, median(cost), sum(cost) from visits where cost "
        "> 10 group by ward",
        epsilon=HUGE,
    ).release()
    methods = [
        huge.count(by="ward", where="cost > 10", epsilon=HUGE),
        huge.mean("cost", by="ward", where="cost > 10", epsilon=HUGE),
        huge.quantiles("cost", [0.5], by="ward", where="cost > 10", epsilon=HUGE),
        huge.sum("cost", by="ward", where="cost > 10", epsilon=HUGE),
    ]
    values = [[row["value"] for row in one.rows()] for one in asked]
    for mine, question in zip(values[:2], methods[:2]):
        (statistic,) = question.release()
        assert mine == pytest.approx([row["value"] for row in statistic.rows()])
    assert asked["mean"].rows()[0]["ward"] == WARDS[0]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("select * from t", "rows of people"),
        ("select cost from t", "single rows"),
        ("select max(cost) from t", "one row"),
        ("select count(distinct patient) from t", "units"),
        ("select count(cost) from t", "is not null"),
        ("select ward, count(*) from t group by ward having count(*) > 5", "having"),
        ("select count(*) from t limit 5", "limit"),
        ("select count(*) from t order by 1", "order by"),
        ("select distinct ward from t", "distinct"),
        ("select count(*) from t join u on t.a = u.a", "join"),
        ("select count(*) from t, u", "one table"),
        ("select count(*) from (select * from t)", "one table"),
        ("select count(*) over () from t", "plain arguments"),
        ("select sum(cost) + 1 from t", "compute it yourself"),
        ("select sum(cost * 2) from t", "not a column"),
        ("select count(*) from t group by cost + 1", "not a column"),
        ("select count(*), count(*) from t", "asked twice"),
        ("select ward from t group by ward", "nothing is asked"),
        ("select count(*) from t union select count(*) from u", "one `select`"),
        ("with x as (select 1) select count(*) from x", "with"),
        ("select stddev(cost) from t", "variance"),
        ("select count(*) from t for update", "only"),
        ("delete from t", "one `select"),
        ("select", "not SQL"),
        ("select count(*) from t; select count(*) from t", "one `select"),
        ("select avg(nothing) from t", "nothing"),
        ("select avg(ward) from t", "ward"),
    ],
)
def test_what_cannot_be_private_is_refused(
    session: lastbit.Session, ledger: Path, statement: str, reason: str
) -> None:
    with pytest.raises(lastbit.PlanError) as refused:
        session.sql(statement, epsilon=1)
    assert reason in str(refused.value)
    assert not ledger.exists()


def test_every_kind_can_be_asked(arrow: Any, ledger: Path) -> None:
    budget: dict[str, Any] = {"epsilon": 2, "delta": "1e-6"}
    session = lastbit.Session(
        arrow,
        unit="patient",
        most_rows=2,
        budget=budget,
        ledger=ledger,
        columns={"ward": {"categories": WARDS}, "cost": {"lower": 0, "upper": 100}},
    )
    asked = [
        session.units(epsilon="0.25"),
        session.share("cost > 50", epsilon="0.25"),
        session.top("ward", 2, epsilon="0.25"),
        session.statistic("variance", "cost", name="spread", epsilon="0.25"),
    ]
    kinds = [question.plan.price().details["statistics"][0]["kind"] for question in asked]
    assert kinds == ["units", "share", "top", "variance"] and asked[3].plan.statistics == ["spread"]
    # It may take δ in proportion, and takes what it needs: none, for Laplace noise.
    assert asked[0].plan.to_toml().count('delta = "1/8000000"') == 1
    loss = asked[0].price().details["loss"]
    assert (loss["exact"], loss["delta"]) == ("0.25", "0")
    asked[0].release()
    assert session.left.startswith("ε = 1.75, δ = ")
    with pytest.raises(lastbit.ParameterError, match="dictionary"):
        lastbit.Session(arrow, budget=1, ledger=ledger)  # type: ignore[arg-type]


def test_another_directory_has_no_other_budget(
    arrow: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    session = lastbit.Session(arrow, ledger="l.ledger", budget={"epsilon": 1})
    session.count(epsilon="0.25").release(progress=False)
    monkeypatch.chdir(tmp_path / "there")
    assert str(session.left) == "ε = 0.75"
    session.count(epsilon="0.5", name="again").release(progress=False)
    assert str(session.left) == "ε = 0.25"
    assert not (tmp_path / "there" / "l.ledger").exists()


def test_a_session_is_not_copied(session: lastbit.Session) -> None:
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            attempt(session)


def test_bad_columns_leave_a_session_as_it_was(session: lastbit.Session) -> None:
    with pytest.raises(lastbit.PlanError):
        session.column("age", lower=5, upper=2)
    with pytest.raises(lastbit.ParameterError):
        lastbit.Session([], budget={"epsilom": 1}, ledger="x")
    session.count(epsilon=1).price()


def test_a_price_is_that_of_the_ledger(session: lastbit.Session, ledger: Path) -> None:
    plan = lastbit.Plan(
        "Rows", epsilon=2, spend={"epsilon": "0.5"}, unit="patient", most_rows=2, most_groups=3
    ).count()
    assert plan.price().left is None and plan.price(ledger).left == "2" and not ledger.exists()
    question = session.count(epsilon="0.5")
    assert question.price().left == "2"
    question.release()
    assert plan.price(ledger).left == "1.5" and plan.price(ledger).loss == "0.5"
    assert session.mean("cost", epsilon=1).price().left == "1.5"
    with pytest.raises(lastbit.LedgerError):
        plan.price(Path(__file__))


def test_questions_compose(arrow: Any, tmp_path: Path) -> None:
    budget: dict[str, Any] = {"epsilon": 2, "delta": "1e-6", "currency": "gaussian"}

    def asked(composes: bool) -> int:
        """How many tables of thirty counts at ε = 0.2 fit."""
        session = lastbit.Session(
            arrow,
            budget=budget,
            composes=composes,
            ledger=tmp_path / f"{composes}.ledger",
            columns={"age": {"edges": list(range(0, 101, 5))}},
        )
        for times in range(100):
            # Each time another one: what was asked before costs nothing.
            question = session.histogram("age", where=f"age <> {times}", epsilon="0.2")
            try:
                question.release()
            except lastbit.BudgetError:
                return times
        return 100

    assert asked(False) == 10 and asked(True) > 20


def test_a_part_of_the_budget_is_spent(arrow: Any, ledger: Path) -> None:
    session = lastbit.Session(arrow, budget={"epsilon": 2, "delta": "1e-6"}, ledger=ledger)
    question = session.count(part="1/4")
    spend = question.plan.to_toml().split("[spend]")[1].split("[")[0]
    assert spend.split() == ["part", "=", '"1/4"']
    assert session.sql("select count(*) from t", part="1/4").price().loss == question.price().loss
    question.release()
    left = session.left
    assert "ρ" in left
    for again in "abc":
        session.count(part="1/4", name=again).release()
    with pytest.raises(lastbit.BudgetError):
        session.count(part="1/4", name="d").release()
    with pytest.raises(lastbit.ParameterError, match="part is a part"):
        session.count(part="1/4", epsilon=1)
    with pytest.raises(lastbit.PlanError, match="at most 1"):
        session.count(part=2)
    assert left != session.left


def test_composing_needs_delta(arrow: Any, ledger: Path) -> None:
    with pytest.raises(lastbit.ParameterError, match="epsilon and delta"):
        lastbit.Session(arrow, budget={"epsilon": 2}, composes=True, ledger=ledger)
