"""Plans: read from TOML, or built here with keyword arguments. Either way the same parser checks
them."""

from __future__ import annotations

import datetime
import json
import os
from decimal import Decimal
from fractions import Fraction
from typing import Any, Mapping, Optional, Union

from ._exact import Number, exact
from ._kinds import Kinds, Names
from ._lastbit import NativePlan, PlanError
from ._report import Report, framed

#: What the source of a plan is called that is about a data frame.
NO_FILES = "a data frame"

#: What a plan is checked with as long as it has no statistic of its own.
_ANY_STATISTIC = '\n[[statistics]]\nname = "rows"\nkind = "count"\n'



def _toml(name: str, value: Any) -> str:
    """A value in TOML, exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, os.PathLike):
        return _toml(name, os.fspath(value))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return _toml(name, value.isoformat())
    if isinstance(value, Mapping):
        pairs = ", ".join(
            f"{_toml(name, str(key))} = {_toml(str(key), one)}"
            for key, one in value.items()
            if one is not None
        )
        return f"{{{pairs}}}"
    if isinstance(value, (int, float, Fraction, Decimal)):
        text = exact(name, value)
        # TOML has no fractions, no exponents without digits, and the parser reads numbers in
        # quotes, too.
        return text if text.lstrip("-").isdigit() else _toml(name, text)
    if hasattr(value, "tolist"):
        value = value.tolist()
        if not isinstance(value, list):
            return _toml(name, value)
    if isinstance(value, (list, tuple, set, frozenset, range)):
        return f"[{', '.join(_toml(name, one) for one in value)}]"
    raise PlanError(
        f"{name}: a plan holds texts, numbers, truth values and lists, got {type(value).__name__}"
    )


def _entries(values: Mapping[str, Any]) -> str:
    lines = [
        f"{_key(name)} = {_toml(name, value)}\n"
        for name, value in values.items()
        if value is not None
    ]
    return "".join(lines)


def _key(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.isascii() else _toml("name", name)


def _section(name: str, given: Optional[Mapping[str, Any]], **keys: Any) -> dict[str, Any]:
    """A section of a plan, from a mapping and from single keys."""
    entries = dict(given or {})
    for key, value in keys.items():
        if value is None:
            continue
        if key in entries:
            raise PlanError(f"{name}: `{key}` is there twice; say it in `{name}=` or by itself")
        entries[key] = value
    return entries


class Price:
    """What a plan costs and how exact its numbers will be, before any data is read."""

    def __init__(self, json_text: str, html: str) -> None:
        self._html = html
        #: Everything, as `lastbit plan --json` has it.
        self.details: dict[str, Any] = json.loads(json_text)

    @property
    def loss(self) -> str:
        """The loss of the whole release, exactly, such as `2` for ε = 2."""
        return str(self.details["loss"]["exact"])

    @property
    def measure(self) -> str:
        """What the loss is measured in."""
        return str(self.details["loss"]["measure"])

    @property
    def left(self) -> Optional[str]:
        """What the ledger has left before the release, exactly, such as `1.5` for ε = 1.5; None
        without a ledger."""
        left = self.details["left"]
        return None if left is None else str(left["exact"])

    @property
    def errors(self) -> dict[str, Optional[float]]:
        """The error of each statistic, with the plan's confidence; None where it is only known
        afterwards."""
        return {one["name"]: one["error"] for one in self.details["statistics"]}

    def __getitem__(self, name: str) -> dict[str, Any]:
        for one in self.details["statistics"]:
            if one["name"] == name:
                return dict(one)
        known = ", ".join(repr(one["name"]) for one in self.details["statistics"])
        raise KeyError(f"no statistic {name!r}; there are {known}")

    def to_html(self) -> str:
        """A page with pictures."""
        return self._html

    def _repr_html_(self) -> str:
        return framed(self._html)

    def __repr__(self) -> str:
        lines = [
            f"{self.details['title']}: {self.measure} loss {self.loss}",
            *self.details["loss_in_words"],
        ]
        for one in self.details["statistics"]:
            error = (
                "" if one["error"] is None else f" ± {one['error']} {one['error_unit']}".rstrip()
            )
            if one["error"] is None:
                error = " its error is known with the release, or with expected_rows"
            loss = one["loss"]
            # The double above it, if it has many digits.
            told = loss["exact"] if len(loss["exact"]) <= 12 else loss["value"]
            lines.append(f"  {one['name']}:{error}, {loss['measure']} ≤ {told}")
        lines += [f"  warning: {warning}" for warning in self.details["warnings"]]
        if self.details["spends_everything"]:
            lines.append("  warning: this spends everything that is left")
        return "\n".join(lines)


class Plan(Kinds["Plan"]):
    """What to publish about a table, and what it may cost.

    Keywords are the keys of docs/plan.md. Those of the sections `[source]`, `[privacy]`, `[budget]`
    and `[spend]` may also be given together, as `source={"database": …, "table": …}`; lists of
    tables, such as `lookup` and `join`, are lists of dictionaries there. Dates may be
    `datetime.date`. Each step gives a new plan, and is checked at once:

    >>> import lastbit
    >>> plan = (
    ...     lastbit.Plan("Visits", epsilon=1)
    ...     .column("ward", categories=["medicine", "surgery"])
    ...     .column("cost", lower=0, upper=10_000, unit="EUR")
    ...     .count(by="ward")
    ...     .mean("cost", by="ward", weight=2, expected_rows=5000)
    ... )
    >>> plan.price().loss
    '1'
    >>> plan.mean("cots")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lastbit.PlanError: 34:1: statistic "mean of cots": there is no column `cots` in the plan; ...
    """

    __slots__ = ("_text", "_base", "_path", "_native", "_draft")

    def __init__(
        self,
        title: Optional[str] = None,
        *,
        source: Union[Names, "os.PathLike[str]", Mapping[str, Any], None] = None,
        source_format: Optional[str] = None,
        where: Optional[str] = None,
        privacy: Optional[Mapping[str, Any]] = None,
        neighbours: Optional[str] = None,
        rows: Optional[int] = None,
        unit: Optional[str] = None,
        most_rows: Optional[int] = None,
        most_groups: Optional[int] = None,
        budget: Optional[Mapping[str, Any]] = None,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        rho: Optional[Number] = None,
        spend: Optional[Mapping[str, Any]] = None,
        accountant: Optional[str] = None,
        confidence: Optional[Number] = None,
        expected_rows: Optional[int] = None,
        publish_fingerprint: Optional[bool] = None,
    ) -> None:
        root = {
            "title": title,
            "confidence": confidence,
            "accountant": accountant,
            "expected_rows": expected_rows,
            "publish_fingerprint": publish_fingerprint,
        }
        if source is None:
            files: Mapping[str, Any] = {"files": NO_FILES}
            source_format = source_format or "parquet"
        elif isinstance(source, Mapping):
            files = source
        else:
            files = {"files": source}
        sections = {
            "source": _section("source", files, format=source_format, where=where),
            "privacy": _section(
                "privacy",
                privacy,
                neighbours=neighbours,
                rows=rows,
                unit=unit,
                most_rows=most_rows,
                most_groups=most_groups,
            ),
            "budget": _section("budget", budget, epsilon=epsilon, delta=delta, rho=rho),
        }
        sections["privacy"] = {"neighbours": "add-remove", **sections["privacy"]}
        if spend is not None:
            sections["spend"] = dict(spend)
        text = _entries(root)
        for name, entries in sections.items():
            text += f"\n[{name}]\n{_entries(entries)}"
        self._set(text, "", draft=True)

    def _set(self, text: str, base: str, *, draft: bool) -> None:
        self._text, self._base, self._draft = text, base, draft
        self._path: Optional[str] = None
        self._native = NativePlan.parse(text + _ANY_STATISTIC if draft else text, base)

    @staticmethod
    def _of(text: str, base: str, *, draft: bool) -> "Plan":
        plan = Plan.__new__(Plan)
        plan._set(text, base, draft=draft)
        return plan

    @staticmethod
    def read(path: Union[str, "os.PathLike[str]"]) -> "Plan":
        """Reads a plan from a file; relative paths in it start at its directory."""
        path = os.fspath(path)
        plan = Plan.__new__(Plan)
        # Its text comes with it: what is priced and what `to_toml` gives is read once.
        plan._native, plan._text = NativePlan.read(path)
        plan._base, plan._path, plan._draft = os.path.dirname(path), path, False
        return plan

    @staticmethod
    def parse(text: str, base: Union[str, "os.PathLike[str]"] = "") -> "Plan":
        """Reads a plan from its TOML; relative paths in it start at `base`. It may lack statistics,
        which can be added."""
        base = os.fspath(base)
        try:
            return Plan._of(text, base, draft=False)
        except PlanError as refused:
            try:
                return Plan._of(text, base, draft=True)
            except PlanError:
                pass
            raise refused from None

    def _with(self, text: str) -> "Plan":
        """With statistics, as TOML."""
        return self._of(self._text + "\n" + text, self._base, draft=False)

    def column(self, name: str, **settings: Any) -> "Plan":
        """With a column: `lower` and `upper`, `edges`, `categories` or `discover=True`, and
        whatever else `docs/plan.md` has for one."""
        text = f"\n[columns.{_key(name)}]\n{_entries(settings)}"
        return self._of(self._text + text, self._base, draft=self._draft)

    def statistic(
        self, kind: str, of: Optional[Names] = None, *, name: Optional[str] = None, **settings: Any
    ) -> "Plan":
        """With a statistic of any kind, and whatever `docs/plan.md` has for it."""
        if name is None:
            name = _name(kind, of, settings.get("by"), settings.get("where"))
        entries = {"name": name, "kind": kind, "of": of, **settings}
        return self._with("[[statistics]]\n" + _entries(entries))

    def setting(self, **settings: Any) -> "Plan":
        """With keys of the plan that stand before its sections. `consistent=True` is one: it is
        checked with the statistics, and so comes after them."""
        return self._of(_entries(settings) + self._text, self._base, draft=self._draft)

    @property
    def title(self) -> str:
        """What it is called."""
        return self._native.title

    @property
    def statistics(self) -> list[str]:
        """The names of its statistics."""
        return [] if self._draft else self._native.statistics

    def to_toml(self) -> str:
        """The plan as a file would have it."""
        return self._text

    def _ready(self) -> NativePlan:
        if self._draft:
            raise PlanError(
                'the plan has no statistics; add one, for example plan.count(by="ward")'
            )
        return self._native

    def price(self, ledger: Union[str, "os.PathLike[str]", None] = None) -> Price:
        """Loss, error, mechanism and grid of every statistic. No data is read and nothing is spent.

        With a ledger it is the price of the release there, which depends on how that ledger adds
        losses up, and says what is left. There may be none yet at that path.
        """
        return Price(*self._ready().price(None if ledger is None else os.fspath(ledger)))

    def rehearse(self) -> Report:
        """The whole report on rows that the plan makes up: no data, nothing spent."""
        return Report(self._ready().rehearse(), None)

    def __repr__(self) -> str:
        return f"<lastbit.Plan {self.title!r}: {', '.join(self.statistics) or 'no statistics yet'}>"


def _name(kind: str, of: Optional[Names], by: Optional[Names], where: Optional[str]) -> str:
    def listed(names: Names) -> str:
        return names if isinstance(names, str) else " and ".join(names)

    name = kind
    if of is not None:
        name += f" of {listed(of)}"
    if by is not None:
        name += f" by {listed(by)}"
    if where is not None:
        name += f" where {where}"
    return name
