"""Losses in other measures, and what many releases cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Optional, Sequence, Union

from . import _lastbit
from ._exact import Number, exact
from ._lastbit import ParameterError


@dataclass(frozen=True)
class Loss:
    """What is known of the loss of a release. Every number is an upper bound; None where there is
    none."""

    epsilon: Optional[float]
    rho: float
    eta: Optional[float]


@dataclass(frozen=True)
class LossBound:
    """A release to be made, once or several times: one of the five losses. `gaussian` is μ, the
    sensitivity divided by σ."""

    epsilon: Optional[Number] = None
    rho: Optional[Number] = None
    laplace: Optional[Number] = None
    bounded_range: Optional[Number] = None
    times: int = 1
    gaussian: Optional[Number] = None

    def _told(self) -> tuple[str, str, int]:
        given = [
            (name, value)
            for name, value in (
                ("epsilon", self.epsilon),
                ("rho", self.rho),
                ("laplace", self.laplace),
                ("bounded_range", self.bounded_range),
                ("gaussian", self.gaussian),
            )
            if value is not None
        ]
        if len(given) != 1:
            raise ParameterError("give one of epsilon, rho, laplace, bounded_range and gaussian")
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
    gaussian: Optional[Number] = None,
) -> Loss:
    """A loss in the other measures: pure ε, zCDP ρ, bounded range η. The more is known of the
    release, the less it costs. `gaussian` is μ, the sensitivity divided by σ.

    >>> import lastbit
    >>> lastbit.convert(epsilon=1)
    Loss(epsilon=1.0, rho=0.4621171572600098, eta=2.0)
    >>> convert = lastbit.convert
    >>> convert(bounded_range=1).rho < convert(laplace=1).rho < convert(epsilon=1).rho
    True
    """
    release = LossBound(
        epsilon=epsilon,
        rho=rho,
        laplace=laplace,
        bounded_range=bounded_range,
        gaussian=gaussian,
    )
    kind, text, _ = release._told()
    return Loss(*_lastbit.convert_loss(kind, text))


def account(
    releases: Union[LossBound, Sequence[LossBound]], *, delta: Number = 0
) -> dict[str, Optional[float]]:
    """ε at δ of releases that may be chosen one after the other, by every accountant that has
    something to say about them. All are upper bounds, so the smallest counts.

    >>> import lastbit
    >>> charges = lastbit.account([lastbit.LossBound(epsilon="0.1", times=100)], delta="1e-6")
    >>> min((epsilon, name) for name, epsilon in charges.items() if epsilon is not None)[1]
    'optimal'
    """
    told = [release._told() for release in _listed(releases)]
    return dict(_lastbit.accountants(told, exact("delta", delta)))


def _listed(releases: Union[LossBound, Sequence[LossBound]]) -> Sequence[LossBound]:
    return [releases] if isinstance(releases, LossBound) else releases


class Profile:
    """What releases cost together: δ at every ε, by the distributions of their losses, with an
    upper and a lower bound. The upper bound holds; no accounting of these losses can claim less
    than the lower one. If a bounded range is among them, the sum of Rényi divergences may be
    smaller, and is taken.

    The losses must be fixed beforehand. `delta` is the smallest δ for which the bounds are tight.

    >>> import lastbit
    >>> profile = lastbit.Profile([lastbit.LossBound(laplace="0.1", times=100)], delta="1e-6")
    >>> low, high = profile.epsilon("1e-6")
    >>> 4.6 < low <= high < 4.7
    True
    >>> others = lastbit.account([lastbit.LossBound(laplace="0.1", times=100)], delta="1e-6")
    >>> min(epsilon for epsilon in others.values() if epsilon) > high
    True
    """

    def __init__(
        self, releases: Union[LossBound, Sequence[LossBound]], *, delta: Number = "1e-9"
    ) -> None:
        self._smallest = exact("delta", delta)
        self._native = _lastbit.NativeProfile(
            [release._told() for release in _listed(releases)], self._smallest
        )

    def delta(self, epsilon: Number) -> tuple[float, float]:
        """A lower and an upper bound of δ at ε."""
        return self._native.delta(exact("epsilon", epsilon))

    def epsilon(self, delta: Number) -> tuple[float, float]:
        """A lower and an upper bound of ε at δ."""
        return self._native.epsilon(exact("delta", delta))

    def curve(self, points: int = 65) -> list[tuple[float, float]]:
        """ε and an upper bound of δ, from ε = 0 to where δ is the smallest."""
        if isinstance(points, bool) or not isinstance(points, int) or points < 2:
            raise ParameterError(f"points must be a whole number from 2, got {points!r}")
        most = Fraction(self.epsilon(self._smallest)[1])
        steps = [most * step / (points - 1) for step in range(points)]
        # A float that is its value, so that δ is that of the ε which is told.
        told = [Fraction(float(step)) for step in steps]
        return [(float(step), self._native.delta(exact("epsilon", step))[1]) for step in told]

    def plot(self, axes: Any = None, **settings: Any) -> Any:
        """Draws δ over ε with matplotlib, and gives the axes."""
        if axes is None:
            try:
                from matplotlib import pyplot
            except ImportError:
                raise ImportError("plots need matplotlib: pip install matplotlib") from None
            axes = pyplot.subplots()[1]
        epsilons, deltas = zip(*self.curve())
        axes.plot(epsilons, deltas, **settings)
        axes.set(xlabel="ε", ylabel="δ at most", yscale="log")
        return axes
