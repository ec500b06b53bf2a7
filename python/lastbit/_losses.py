"""Losses in other measures, and what many releases cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from . import _lastbit
from ._exact import Number, exact
from ._lastbit import ParameterError


@dataclass(frozen=True)
class Loss:
    """What is known of the loss of a release. Every number is an upper bound; None where there is none."""

    epsilon: Optional[float]
    rho: float
    eta: Optional[float]


@dataclass(frozen=True)
class Release:
    """A release to be made, once or several times: one of the four losses."""

    epsilon: Optional[Number] = None
    rho: Optional[Number] = None
    laplace: Optional[Number] = None
    bounded_range: Optional[Number] = None
    times: int = 1

    def _told(self) -> tuple[str, str, int]:
        given = [
            (name, value)
            for name, value in (
                ("epsilon", self.epsilon),
                ("rho", self.rho),
                ("laplace", self.laplace),
                ("bounded_range", self.bounded_range),
            )
            if value is not None
        ]
        if len(given) != 1:
            raise ParameterError("give one of epsilon, rho, laplace and bounded_range")
        name, value = given[0]
        if isinstance(self.times, bool) or not isinstance(self.times, int) or self.times < 1:
            raise ParameterError(f"times must be a whole number from 1, got {self.times!r}")
        return name, exact(name, value), self.times


def convert(
    *,
    epsilon: Optional[Number] = None,
    rho: Optional[Number] = None,
    laplace: Optional[Number] = None,
    bounded_range: Optional[Number] = None,
) -> Loss:
    """A loss in the other measures: pure ε, zCDP ρ, bounded range η. The more is known of the release, the less it costs.

    >>> import lastbit
    >>> lastbit.convert(epsilon=1)
    Loss(epsilon=1.0, rho=0.4621171572600098, eta=2.0)
    >>> lastbit.convert(bounded_range=1).rho < lastbit.convert(laplace=1).rho < lastbit.convert(epsilon=1).rho
    True
    """
    kind, text, _ = Release(epsilon, rho, laplace, bounded_range)._told()
    return Loss(*_lastbit.convert_loss(kind, text))


def account(releases: Sequence[Release], *, delta: Number = 0) -> dict[str, Optional[float]]:
    """ε at δ of releases that may be chosen one after the other, by every accountant that has something to say about
    them. All are upper bounds, so the smallest counts.

    >>> import lastbit
    >>> charges = lastbit.account([lastbit.Release(epsilon="0.1", times=100)], delta="1e-6")
    >>> min((epsilon, name) for name, epsilon in charges.items() if epsilon is not None)[1]
    'optimal'
    """
    told = [release._told() for release in releases]
    return dict(_lastbit.accountants(told, exact("delta", delta)))
