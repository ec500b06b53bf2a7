"""Plans: read from TOML, or built here with keyword arguments. Either way the same parser checks
them."""

from __future__ import annotations

import html as _html
import json
import os
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Mapping, Optional, Sequence, Union

from ._exact import Number, exact
from ._lastbit import NativePlan, ParameterError, PlanError
from ._report import Report

#: What the source of a plan is called that is about a data frame.
NO_FILES = "a data frame"

#: The heading of a statistic, as TOML may write it.
_STATISTICS = re.compile(r"""^[ \t]*\[\[[ \t]*["']?statistics["']?[ \t]*\]\]""", re.MULTILINE)

Names = Union[str, Sequence[str]]


def _toml(name: str, value: Any) -> str:
    """A value in TOML, exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, os.PathLike):
        return _toml(name, os.fspath(value))
    if isinstance(value, Mapping):
        pairs = ", ".join(
            f"{_toml(name, str(key))} = {_toml(str(key), one)}" for key, one in value.items()
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
        raise KeyError(name)

    def to_html(self) -> str:
        """A page with pictures."""
        return self._html

    def _repr_html_(self) -> str:
        return _frame(self._html)

    def __repr__(self) -> str:
        lines = [
            f"{self.details['title']}: {self.measure} loss {self.loss}",
            *self.details["loss_in_words"],
        ]
        for one in self.details["statistics"]:
            error = (
                "" if one["error"] is None else f" ± {one['error']} {one['error_unit']}".rstrip()
            )
            lines.append(
                f"  {one['name']}:{error}, {one['loss']['measure']} ≤ {one['loss']['value']}"
            )
        return "\n".join(lines)


def _frame(page: str, height: int = 640) -> str:
    """A whole page inside of a notebook, with its own styles."""
    text = _html.escape(page, quote=True)
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe srcdoc="{text}" sandbox="" style="{style}"></iframe>'


class Plan:
    """What to publish about a table, and what it may cost.

    Each step gives a new plan, and is checked at once:

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

    __slots__ = ("_text", "_base", "_path", "_native")

    def __init__(
        self,
        title: Optional[str] = None,
        *,
        source: Union[Names, "os.PathLike[str]", None] = None,
        source_format: Optional[str] = None,
        where: Optional[str] = None,
        neighbours: str = "add-remove",
        rows: Optional[int] = None,
        unit: Optional[str] = None,
        most_rows: Optional[int] = None,
        most_groups: Optional[int] = None,
        epsilon: Optional[Number] = None,
        delta: Optional[Number] = None,
        rho: Optional[Number] = None,
        spend: Optional[Mapping[str, Number]] = None,
        accountant: Optional[str] = None,
        confidence: Optional[Number] = None,
        expected_rows: Optional[int] = None,
        publish_fingerprint: Optional[bool] = None,
    ) -> None:
        root = _entries(
            {
                "title": title,
                "confidence": confidence,
                "accountant": accountant,
                "expected_rows": expected_rows,
                "publish_fingerprint": publish_fingerprint,
            }
        )
        if source is None:
            files: dict[str, Any] = {
                "files": NO_FILES,
                "format": source_format or "parquet",
                "where": where,
            }
        else:
            files = {"files": source, "format": source_format, "where": where}
        text = root + "\n[source]\n" + _entries(files)
        privacy = {
            "neighbours": neighbours,
            "rows": rows,
            "unit": unit,
            "most_rows": most_rows,
            "most_groups": most_groups,
        }
        text += "\n[privacy]\n" + _entries(privacy)
        text += "\n[budget]\n" + _entries({"epsilon": epsilon, "delta": delta, "rho": rho})
        if spend is not None:
            text += "\n[spend]\n" + _entries(spend)
        self._set(text, "", None)

    def _set(self, text: str, base: str, path: Optional[str]) -> None:
        self._text, self._base, self._path = text, base, path
        self._native = NativePlan.parse(self._complete(), base)

    @classmethod
    def _of(cls, text: str, base: str, path: Optional[str]) -> "Plan":
        plan = cls.__new__(cls)
        plan._set(text, base, path)
        return plan

    def _complete(self) -> str:
        """The text, with a statistic to check the rest by as long as there is none."""
        if self._has_statistics:
            return self._text
        return self._text + '\n[[statistics]]\nname = "rows"\nkind = "count"\n'

    @property
    def _has_statistics(self) -> bool:
        return _STATISTICS.search(self._text) is not None

    @staticmethod
    def read(path: Union[str, "os.PathLike[str]"]) -> "Plan":
        """Reads a plan from a file; relative paths in it start at its directory."""
        path = os.fspath(path)
        plan = Plan.__new__(Plan)
        plan._native = NativePlan.read(path)
        with open(path, encoding="utf-8") as file:
            plan._text = file.read()
        plan._base, plan._path = os.path.dirname(path), path
        return plan

    @staticmethod
    def parse(text: str, base: Union[str, "os.PathLike[str]"] = "") -> "Plan":
        """Reads a plan from its TOML; relative paths in it start at `base`."""
        return Plan._of(text, os.fspath(base), None)

    def _with(self, text: str) -> "Plan":
        return self._of(self._text + "\n" + text, self._base, None)

    def column(self, name: str, **settings: Any) -> "Plan":
        """With a column: `lower` and `upper`, `edges`, `categories` or `discover=True`, and
        whatever else `docs/plan.md` has for one."""
        text = f"\n[columns.{_key(name)}]\n{_entries(settings)}"
        return self._of(self._text + text, self._base, None)

    def statistic(
        self, kind: str, of: Optional[Names] = None, *, name: Optional[str] = None, **settings: Any
    ) -> "Plan":
        """With a statistic of any kind, and whatever `docs/plan.md` has for it."""
        if name is None:
            name = _name(kind, of, settings.get("by"), settings.get("where"))
        text = "\n[[statistics]]\n" + _entries({"name": name, "kind": kind, "of": of, **settings})
        return self._of(self._text + text, self._base, None)

    def count(self, **settings: Any) -> "Plan":
        """With a number of rows."""
        return self.statistic("count", **settings)

    def sum(self, of: str, **settings: Any) -> "Plan":
        """With a sum."""
        return self.statistic("sum", of, **settings)

    def mean(self, of: str, **settings: Any) -> "Plan":
        """With a mean."""
        return self.statistic("mean", of, **settings)

    def variance(self, of: str, **settings: Any) -> "Plan":
        """With a variance."""
        return self.statistic("variance", of, **settings)

    def histogram(self, of: str, **settings: Any) -> "Plan":
        """With a histogram."""
        return self.statistic("histogram", of, **settings)

    def quantiles(self, of: str, at: Sequence[Number], **settings: Any) -> "Plan":
        """With quantiles."""
        return self.statistic("quantiles", of, at=list(at), **settings)

    @property
    def title(self) -> str:
        """What it is called."""
        return self._native.title

    @property
    def statistics(self) -> list[str]:
        """The names of its statistics."""
        return self._native.statistics if self._has_statistics else []

    def to_toml(self) -> str:
        """The plan as a file would have it."""
        return self._text

    def _ready(self) -> NativePlan:
        if not self._has_statistics:
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


__all__ = ["Plan", "Price", "ParameterError"]
