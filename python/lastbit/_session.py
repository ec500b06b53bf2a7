"""A session of an analyst: one question after the other, each priced first, all through one
ledger."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any, Mapping, NoReturn, Optional, Union

from . import _lastbit
from ._databases import stays
from ._exact import Number, exact, positive
from ._kinds import Kinds, Names
from ._lastbit import ParameterError
from ._plan import Plan, Price
from ._release import Progress, _table, release
from ._report import Report


class Question:
    """A question that was not asked yet: see its price, then release it."""

    def __init__(self, session: "Session", plan: Plan) -> None:
        self._session = session
        #: What is released, as a plan.
        self.plan = plan

    def price(self) -> Price:
        """What it costs in the session's ledger, and how exact it will be. Nothing is read or
        spent."""
        return self.plan.price(self._session.ledger)

    def release(self, *, progress: Progress = None) -> Report:
        """Spends the loss in the session's ledger, and publishes the answer. Asked again, it is the
        same at no cost."""
        return release(self.plan, self._session._data, self._session.ledger, progress=progress)

    def __repr__(self) -> str:
        left = f"left before: {self._session.left}; nothing is spent until .release()"
        return f"{self.price()!r}\n{left}"


class Session(Kinds[Question]):
    """One table, one budget, one ledger, and questions.

    Bounds and categories must be public, so they are said here, before the first question:

    >>> import lastbit, pyarrow, tempfile, os
    >>> patients, wards = list(range(2000)), ["a", "b"] * 1000
    >>> visits = pyarrow.table({"patient": patients, "ward": wards, "cost": [70.0] * 2000})
    >>> ledger = os.path.join(tempfile.mkdtemp(), "visits.ledger")
    >>> keywords = {"unit": "patient", "most_rows": 1, "budget": {"epsilon": 1}}
    >>> session = lastbit.Session(visits, ledger=ledger, **keywords)
    >>> session.column("ward", categories=["a", "b"]).column("cost", lower=0, upper=100)
    <lastbit.Session: ε = 1 left>
    >>> question = session.count(by="ward", epsilon="0.25")
    >>> question.price().loss
    '0.25'
    >>> len(question.release()["count by ward"].rows())
    2
    >>> session.left
    'ε = 0.75'
    >>> session.sql("select max(cost) from visits", epsilon="0.25")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lastbit.PlanError: max(…): this is the cell of one row; ask for quantile(x, 0.01) or ...

    Under a budget of ε and δ, questions with `composes=True` add up as zCDP or Gaussian noise does,
    which is less than their sum: so do questions that say `part="1/10"`, a tenth of the budget.
    `currency` and `thresholds` of the budget are those of docs/plan.md.

    >>> both = {"epsilon": 1, "delta": "1e-6"}
    >>> ledger = os.path.join(tempfile.mkdtemp(), "composing.ledger")
    >>> session = lastbit.Session(visits, budget=both, composes=True, ledger=ledger)
    >>> for name in "abc":
    ...     report = session.count(epsilon="0.25", name=name).release()
    >>> report = session.count(part="1/10", name="d").release()
    >>> "ρ" in session.left
    True
    """

    def __init__(
        self,
        data: Any,
        *,
        budget: Mapping[str, Number],
        ledger: Union[str, "os.PathLike[str]"],
        unit: Optional[str] = None,
        most_rows: Optional[int] = None,
        most_groups: Optional[int] = None,
        neighbours: str = "add-remove",
        rows: Optional[int] = None,
        where: Optional[str] = None,
        columns: Optional[Mapping[str, Mapping[str, Any]]] = None,
        confidence: Optional[Number] = None,
        composes: bool = False,
    ) -> None:
        if not isinstance(budget, Mapping):
            raise ParameterError('a budget is a dictionary, such as budget={"epsilon": 1}')
        unknown = set(budget) - {*_SYMBOLS, "currency", "thresholds"}
        if unknown:
            raise ParameterError(
                "a budget has epsilon, epsilon and delta, or rho, and may have currency and "
                f"thresholds; got {', '.join(sorted(unknown))}"
            )
        if composes and "delta" not in budget:
            raise ParameterError(
                "composes is for budgets of epsilon and delta: losses in one number add up anyway; "
                "leave it out"
            )
        #: Where the ledger is.
        # Wherever this process goes: another directory has another ledger of that name.
        self.ledger = os.path.abspath(os.fspath(ledger))
        if isinstance(data, (str, os.PathLike)):
            self._data: Any = os.fspath(data)
        elif stays(data):
            self._data = data
        else:
            # Read once: what is asked later is asked of the same rows.
            self._data = _table(data)
        self._budget: dict[str, Any] = dict(budget)
        self._composes = bool(composes)
        self._head: dict[str, Any] = {
            "unit": unit,
            "most_rows": most_rows,
            "most_groups": most_groups,
            "neighbours": neighbours,
            "rows": rows,
            "where": where,
            "confidence": confidence,
        }
        self._columns: dict[str, dict[str, Any]] = {}
        self._plan("check", None)
        for name, settings in (columns or {}).items():
            self.column(name, **settings)

    def _plan(self, title: str, spend: Optional[Mapping[str, Any]]) -> Plan:
        plan = Plan(title, spend=spend, budget=self._budget, **self._head)
        for name, settings in self._columns.items():
            plan = plan.column(name, **settings)
        return plan

    def column(self, name: str, **settings: Any) -> "Session":
        """Says what is public about a column, as `Plan.column`; checked at once."""
        known = self._columns
        self._columns = {**known, name: settings}
        try:
            self._plan("check", None)
        except Exception:
            self._columns = known
            raise
        return self

    @property
    def left(self) -> str:
        """What the ledger has left, exactly, in words."""
        state = _lastbit.ledger_state(self.ledger)
        if state is not None:
            return state[2][3]
        budget = {name: exact(name, value) for name, value in self._limits.items()}
        return ", ".join(f"{_SYMBOLS[name]} = {value}" for name, value in budget.items())

    @property
    def _limits(self) -> dict[str, Number]:
        """The budget without the settings of how it adds up."""
        return {name: self._budget[name] for name in _SYMBOLS if name in self._budget}

    def _spend(
        self, settings: dict[str, Any], error: Optional[Number], *, priced: bool = True
    ) -> dict[str, Any]:
        """What a question may spend, out of its settings, as `[spend]` of a plan: what it says, or,
        for an error target, what is left."""
        said = {name: settings.pop(name, None) for name in (*_SYMBOLS, "part")}
        spend = {name: value for name, value in said.items() if value is not None}
        if "part" in spend:
            if len(spend) > 1:
                raise ParameterError(
                    "part is a part of the whole budget; say it, or epsilon, delta and rho"
                )
            # It composes by itself.
            return spend
        if not spend:
            spend = self._left_to_spend(error, priced)
        elif "delta" in self._budget and "delta" not in spend and "epsilon" in spend:
            whole = positive("epsilon", self._budget["epsilon"])
            part = positive("epsilon", spend["epsilon"]) / whole
            spend["delta"] = part * positive("delta", self._budget["delta"])
        return {**spend, "composes": True} if self._composes else spend

    def _left_to_spend(self, error: Optional[Number], priced: bool) -> dict[str, Any]:
        """What a question may spend that says nothing but an error."""
        main = "rho" if "rho" in self._budget else "epsilon"
        if error is None:
            raise ParameterError(
                f'say what the question may spend, {main}="0.1"'
                + (", or the error it may have, error=20" if priced else "")
            )
        state = _lastbit.ledger_state(self.ledger)
        # A ledger that composes counts what is left in another measure, and refuses by itself what
        # is too much.
        if state is None or state[2][0] != state[0][0]:
            return self._limits
        _, loss, delta, _ = state[2]
        left: dict[str, Number] = {main: Fraction(loss)}
        if "delta" in self._budget:
            left["delta"] = Fraction(delta)
        return left

    def statistic(
        self, kind: str, of: Optional[Names] = None, *, name: Optional[str] = None, **settings: Any
    ) -> Question:
        """A question about a statistic of any kind. Beside what `docs/plan.md` has for it, say what
        the question may spend, `epsilon=`, `rho=` or a `part=` of the budget, or the error it may
        have, `error=`. Of a budget with δ, a question takes δ in proportion to ε, if it does not
        say `delta=`."""
        about = "" if of is None else f" of {of if isinstance(of, str) else ' and '.join(of)}"
        plan = self._plan(kind + about, self._spend(settings, settings.get("error")))
        return Question(self, plan.statistic(kind, of, name=name, **settings))

    def sql(
        self,
        statement: str,
        *,
        epsilon: Optional[Number] = None,
        rho: Optional[Number] = None,
        delta: Optional[Number] = None,
        part: Optional[Number] = None,
    ) -> Question:
        """`select … from … [where …] [group by …]` with count(*), sum(x), avg(x), variance(x),
        median(x) and quantile(x, 0.9). What cannot be private is refused with the reason."""
        added = _lastbit.select_statistics(statement)
        asked = {"epsilon": epsilon, "rho": rho, "delta": delta, "part": part}
        spend = self._spend(asked, None, priced=False)
        return Question(self, self._plan(" ".join(statement.split()), spend)._with(added))

    def __repr__(self) -> str:
        return f"<lastbit.Session: {self.left} left>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a session is not copied or pickled: it spends from one ledger; make another one"
        )


_SYMBOLS = {"epsilon": "ε", "rho": "ρ", "delta": "δ"}
