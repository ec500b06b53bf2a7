"""Audits and attacks of any callable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable

from . import _lastbit
from ._exact import Number, exact
from ._lastbit import ParameterError


@dataclass(frozen=True)
class Finding:
    """An event that is likelier from one input than from the other."""

    likelier: str
    event: str
    counts: tuple[int, int]
    trials: int
    lower_bound: float


@dataclass(frozen=True)
class Audit:
    """What an audit found: with the confidence asked for, ε is at least `lower_bound`."""

    lower_bound: float
    refuted: bool
    findings: list[Finding]


@dataclass(frozen=True)
class LeastBits:
    """What the last bits gave away: `revealed` of `trials` outputs can have come from one input only, `wrong` of them by
    mistake."""

    revealed: int
    trials: int
    wrong: int
    lower_bound: float
    succeeded: bool


def _draws(draws: int) -> int:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 4:
        raise ParameterError(f"draws must be a whole number from 4, got {draws!r}")
    return draws


def _output(given: Any) -> Any:
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given)
    if hasattr(given, "item"):
        return _output(given.item())
    return given if isinstance(given, str) else repr(given)


def audit(
    mechanism: Callable[[Any], Any],
    *,
    epsilon: Number,
    delta: Number = 0,
    inputs: tuple[Any, Any] = (0, 1),
    draws: int = 10_000,
    confidence: Number = "0.99",
) -> Audit:
    """A lower bound on the loss of any callable between two neighbouring inputs, by calling it.

    A claim that is refuted is false, with the confidence asked for; one that is not refuted may still be.

    >>> import lastbit, random
    >>> lastbit.audit(lambda x: lastbit.laplace(x, epsilon=1), epsilon=1, confidence="0.9999999999").refuted
    False
    >>> lastbit.audit(lambda x: x + round(random.uniform(-2, 2)), epsilon=1).refuted
    True
    """
    outputs: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(_draws(draws)):
        for given, side in zip(inputs, outputs):
            side.append(_output(mechanism(given)))
    findings, best, refuted = _lastbit.audit_outputs(
        *outputs, exact("epsilon", epsilon), exact("delta", delta), exact("confidence", confidence)
    )
    return Audit(best, refuted, [Finding(*one) for one in findings])


def attack(
    mechanism: Callable[[Any], float],
    *,
    epsilon: Number,
    delta: Number = 0,
    inputs: tuple[Any, Any] = (0.0, 1.0),
    draws: int = 20_000,
    confidence: Number = "0.99",
) -> LeastBits:
    """Mironov's attack on any callable: which outputs give their input away by their last bits.

    Inputs that are far from a grid of the outputs show most. Half of the draws teach the attack which outputs there are.

    >>> import lastbit
    >>> lastbit.attack(lambda x: lastbit.laplace(x, epsilon=1), epsilon=1, confidence="0.9999999999").succeeded
    False
    """
    sides: tuple[list[float], list[float]] = ([], [])
    for _ in range(_draws(draws)):
        for given, side in zip(inputs, sides):
            side.append(float(mechanism(given)))
    found = _lastbit.least_bits(
        *sides, exact("epsilon", epsilon), exact("delta", delta), exact("confidence", confidence)
    )
    return LeastBits(*found)
