"""The kinds of statistics, for whatever statistics are added to or asked of."""

from __future__ import annotations

from typing import Any, Generic, Optional, Sequence, TypeVar, Union

from ._exact import Number, listed_shares

Names = Union[str, Sequence[str]]
Made = TypeVar("Made")


class Kinds(Generic[Made]):
    """A method for each common kind of `statistic`. Other keywords are those of `[[statistics]]` in
    docs/plan.md: `by` groups, `where` filters; `weight`, `loss` or `error` say what it may cost;
    `expected_rows` is a guess of the rows, for prices; `name` is what it is called."""

    __slots__ = ()

    def statistic(
        self, kind: str, of: Optional[Names] = None, *, name: Optional[str] = None, **settings: Any
    ) -> Made:
        """A statistic of any kind, and whatever `docs/plan.md` has for it."""
        raise NotImplementedError

    def count(self, **settings: Any) -> Made:
        """A number of rows."""
        return self.statistic("count", **settings)

    def units(self, **settings: Any) -> Made:
        """A number of units, such as people, however many rows each has."""
        return self.statistic("units", **settings)

    def sum(self, of: str, **settings: Any) -> Made:
        """A sum."""
        return self.statistic("sum", of, **settings)

    def mean(self, of: str, **settings: Any) -> Made:
        """A mean."""
        return self.statistic("mean", of, **settings)

    def variance(self, of: str, **settings: Any) -> Made:
        """A variance."""
        return self.statistic("variance", of, **settings)

    def share(self, of: str, **settings: Any) -> Made:
        """The share of rows for which a condition is true, such as `"cost > 100"`."""
        return self.statistic("share", of, **settings)

    def histogram(self, of: str, **settings: Any) -> Made:
        """A histogram."""
        return self.statistic("histogram", of, **settings)

    def top(self, of: str, most: int, **settings: Any) -> Made:
        """The most frequent values."""
        return self.statistic("top", of, most=most, **settings)

    def quantiles(self, of: str, at: Sequence[Number], **settings: Any) -> Made:
        """Quantiles, at shares from 0 to 1."""
        return self.statistic("quantiles", of, at=listed_shares(at), **settings)
