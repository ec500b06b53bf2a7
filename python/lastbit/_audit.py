"""Audits and attacks of any callable, and proofs about programs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Callable, Optional

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
    """What the last bits gave away: `revealed` of `trials` outputs can have come from one input
    only, `wrong` of them by mistake."""

    revealed: int
    trials: int
    wrong: int
    lower_bound: float
    succeeded: bool


@dataclass(frozen=True)
class Verified:
    """What was proved: the loss is at most `loss`; or None, and `gap` says where the proof fails.
    If the program does not clamp, the proof is only about queries whose size is at most
    `query_within`."""

    loss: Optional[float]
    gap: Optional[str]
    query_within: Optional[Fraction]


def verify(program: str, *, precision: int = 53, **parameters: Number) -> Verified:
    """A proof about a floating-point mechanism that is written in the language of
    `docs/language.md`, or one that ships with the package by its name, in a format of so many bits.
    The keyword arguments are its parameters.

    A Python callable can be audited and attacked, which may refute a claim; a proof needs a program
    whose every rounding is known.

    >>> import lastbit
    >>> lastbit.verify("snapping").loss is not None
    True
    >>> naive = lastbit.verify("naive_laplace")
    >>> naive.loss is None and naive.gap is not None
    True
    """
    if isinstance(precision, bool) or not isinstance(precision, int) or not 2 <= precision <= 1000:
        raise ParameterError(f"precision must be a whole number from 2 to 1000, got {precision!r}")
    given = {name: exact(name, value) for name, value in parameters.items()}
    loss, gap, within = _lastbit.verify_program(program, precision, given)
    return Verified(loss, gap, None if within is None else Fraction(within))


def _draws(draws: int) -> int:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 4:
        raise ParameterError(f"draws must be a whole number from 4, got {draws!r}")
    return draws


def _output(given: Any) -> Any:
    if isinstance(given, int) and not isinstance(given, bool) and abs(given) > 2**53:
        # As a double it could be the same as another output.
        return repr(given)
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return float(given)
    if hasattr(given, "item"):
        return _output(given.item()) if getattr(given, "size", 1) == 1 else repr(given.tolist())
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

    A claim that is refuted is false, with the confidence asked for; one that is not refuted may
    still be.

    >>> import lastbit, random
    >>> noisy = lambda x: lastbit.laplace(x, epsilon=1)
    >>> lastbit.audit(noisy, epsilon=1, confidence="0.9999999999").refuted
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

    Inputs that are far from a grid of the outputs show most. Half of the draws teach the attack
    which outputs there are.

    >>> import lastbit
    >>> noisy = lambda x: lastbit.laplace(x, epsilon=1)
    >>> lastbit.attack(noisy, epsilon=1, confidence="0.9999999999").succeeded
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
