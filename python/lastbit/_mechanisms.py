"""Mechanisms on numbers and arrays: exact noise, selection, thresholds, randomized response."""

from __future__ import annotations

import functools
import importlib
import sys
from fractions import Fraction
from typing import Any, Hashable, Mapping, Optional, Sequence, TypeVar, Union, overload

from . import _lastbit
from ._exact import Number, exact, exponent
from ._lastbit import Noise, ParameterError, Snapping

Category = TypeVar("Category", bound=Hashable)


@functools.lru_cache(maxsize=256)
def _noise(kind: str, size: str, grid: Optional[int]) -> Noise:
    if kind == "laplace":
        return Noise.laplace(size, grid)
    if kind == "gaussian":
        return Noise.gaussian(size, grid)
    return Noise.geometric(size)


# Equal numbers are one key, whatever their types: they are one size.
@functools.lru_cache(maxsize=256)
def _by_scale(kind: str, scale: Number, grid: Optional[Number]) -> Noise:
    return _noise(kind, exact("scale", scale), exponent(grid))


def _scale(
    kind: str,
    scale: Optional[Number],
    epsilon: Optional[Number],
    sensitivity: Number,
    grid: Optional[Number],
) -> Noise:
    if scale is not None and epsilon is None:
        return _by_scale(kind, scale, grid)
    if scale is None and epsilon is not None:
        return _by_epsilon(kind, epsilon, sensitivity, grid)
    raise ParameterError("give one of scale and epsilon")


@functools.lru_cache(maxsize=256)
def _by_epsilon(kind: str, epsilon: Number, sensitivity: Number, grid: Optional[Number]) -> Noise:
    size = _fraction("sensitivity", sensitivity) / _positive("epsilon", epsilon)
    return _noise(kind, exact("scale", size), exponent(grid))


def _fraction(name: str, value: Number) -> Fraction:
    text = exact(name, value)
    try:
        return Fraction(text.replace(" ", ""))
    except (ValueError, ZeroDivisionError):
        raise ParameterError(
            f"{name}: {text!r} is no number; write a decimal such as 0.1"
        ) from None


def _positive(name: str, value: Number) -> Fraction:
    number = _fraction(name, value)
    if number <= 0:
        raise ParameterError(f"{name} must be positive, got {number}")
    return number


def _draw(noise: Union[Noise, Snapping], value: Any) -> Any:
    # Floats and integers first: they are most calls, and the fast ones.
    kind = type(value)
    if kind is float:
        return noise.float(value)
    if kind is int:
        if isinstance(noise, Snapping):
            return noise.float(_as_float(value))
        return noise.integer(value)
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return _draw_array(noise, value, numpy)
    if isinstance(value, (list, tuple)):
        try:
            numpy = importlib.import_module("numpy")
        except ImportError:
            return [_draw(noise, one) for one in value]
        return _draw_array(noise, numpy.asarray(value), numpy)
    if hasattr(value, "__array__"):
        numpy = importlib.import_module("numpy")
        return _draw_array(noise, numpy.asarray(value), numpy)
    raise ParameterError(f"noise is added to numbers and arrays of numbers, got {kind.__name__}")


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ParameterError("an integer is too large; clamp it first") from None


def _draw_array(noise: Union[Noise, Snapping], value: Any, numpy: Any) -> Any:
    kind = value.dtype.kind
    if kind == "f" and value.dtype.itemsize <= 8 or (kind in "iu" and isinstance(noise, Snapping)):
        flat = numpy.ascontiguousarray(value, dtype=numpy.float64).reshape(-1)
        noisy = noise.floats(flat)
    elif kind in "iu" and not isinstance(noise, Snapping):
        if value.dtype == numpy.uint64 and value.size and value.max() > numpy.uint64(2**63 - 1):
            raise ParameterError("an integer is above 2^63 - 1; clamp it first")
        flat = numpy.ascontiguousarray(value, dtype=numpy.int64).reshape(-1)
        noisy = noise.integers(flat)
    else:
        raise ParameterError(
            f"noise is added to arrays of integers or floats of up to 64 bits, got {value.dtype}; "
            f"convert them first"
        )
    if value.ndim == 0:
        return noisy[0].item()
    return noisy.reshape(value.shape)


def laplace(
    value: Any,
    *,
    scale: Optional[Number] = None,
    epsilon: Optional[Number] = None,
    sensitivity: Number = 1,
    grid: Optional[Number] = None,
) -> Any:
    """Real Laplace noise around a number, or each number of an array, rounded to a public grid.

    The loss is ε = sensitivity / scale, for numbers or arrays that one person moves by at most
    `sensitivity` in the sum of absolute differences. Give the scale, or the loss. `grid` is a power
    of two; integers get whole numbers and floats a grid 1024 times finer than the scale if it is
    left out. A finer grid costs no privacy.

    >>> import lastbit
    >>> type(lastbit.laplace(417, epsilon="0.1"))
    <class 'int'>
    >>> (lastbit.laplace(1.5, scale=2, grid=0.25) * 4).is_integer()
    True
    >>> lastbit.laplace_loss(scale=10)
    0.1
    """
    return _draw(_scale("laplace", scale, epsilon, sensitivity, grid), value)


def laplace_loss(*, scale: Number, sensitivity: Number = 1) -> float:
    """ε of Laplace or geometric noise, rounded up."""
    return _by_scale("laplace", scale, None).loss(exact("sensitivity", sensitivity))


def geometric(
    value: Any,
    *,
    scale: Optional[Number] = None,
    epsilon: Optional[Number] = None,
    sensitivity: Number = 1,
) -> Any:
    """Two-sided geometric noise, also called discrete Laplace, added to an integer or each of an
    array.

    >>> import lastbit
    >>> type(lastbit.geometric(417, epsilon=1))
    <class 'int'>
    >>> lastbit.geometric(1.5, epsilon=1)
    Traceback (most recent call last):
        ...
    lastbit.ParameterError: geometric noise is for integers; use laplace for floats
    """
    return _draw(_scale("geometric", scale, epsilon, sensitivity, None), value)


def gaussian(
    value: Any,
    *,
    sigma: Optional[Number] = None,
    variance: Optional[Number] = None,
    rho: Optional[Number] = None,
    sensitivity: Number = 1,
    grid: Optional[Number] = None,
) -> Any:
    """Real Gaussian noise around a number, or each number of an array, rounded to a public grid.

    The loss is ρ = sensitivity² / (2·variance) in zCDP, for numbers or arrays that one person moves
    by at most `sensitivity` in Euclidean distance. Give one of sigma, variance and rho. Grids are
    as for `laplace`.

    >>> import lastbit
    >>> type(lastbit.gaussian(417, rho="0.01"))
    <class 'int'>
    >>> lastbit.gaussian_loss(sigma=5)
    0.02
    """
    return _draw(_gaussian(sigma, variance, rho, sensitivity, grid), value)


def gaussian_loss(
    *, sigma: Optional[Number] = None, variance: Optional[Number] = None, sensitivity: Number = 1
) -> float:
    """ρ of Gaussian noise, rounded up."""
    return _gaussian(sigma, variance, None, 1, None).loss(exact("sensitivity", sensitivity))


@functools.lru_cache(maxsize=256)
def _gaussian(
    sigma: Optional[Number],
    variance: Optional[Number],
    rho: Optional[Number],
    sensitivity: Number,
    grid: Optional[Number],
) -> Noise:
    if sum(x is not None for x in (sigma, variance, rho)) != 1:
        raise ParameterError("give one of sigma, variance and rho")
    if sigma is not None:
        size = exact("variance", _positive("sigma", sigma) ** 2)
    elif rho is not None:
        size = exact(
            "variance", _fraction("sensitivity", sensitivity) ** 2 / (2 * _positive("rho", rho))
        )
    else:
        assert variance is not None
        size = exact("variance", variance)
    return _noise("gaussian", size, exponent(grid))


@functools.lru_cache(maxsize=256)
def _snapping(*texts: Any) -> Snapping:
    return Snapping(*texts)


def snapping(
    value: Any,
    *,
    lower: Number,
    upper: Number,
    sensitivity: Number = 1,
    epsilon: Optional[Number] = None,
    accuracy: Optional[Number] = None,
    confidence: Number = "0.95",
    grid: Optional[Number] = None,
) -> Any:
    """The snapping mechanism in exact arithmetic: the value is clamped to public bounds, gets
    Laplace noise, and is rounded to a public grid. Give the loss, or the error to stay within.

    >>> import lastbit
    >>> lastbit.snapping(41.7, lower=0, upper=100, epsilon=1).is_integer()
    True
    """
    optional = [
        None if x is None else exact(name, x)
        for name, x in (("epsilon", epsilon), ("accuracy", accuracy))
    ]
    mechanism = _snapping(
        exact("lower", lower),
        exact("upper", upper),
        exact("sensitivity", sensitivity),
        *optional,
        exact("confidence", confidence),
        exponent(grid),
    )
    return _draw(mechanism, value)


def _scores(scores: Any) -> list[Any]:
    return scores.tolist() if hasattr(scores, "tolist") else list(scores)


def exponential(
    scores: Any, *, epsilon: Number, sensitivity: Number = 1, monotone: bool = False
) -> int:
    """The index of one candidate, with probability exactly proportional to exp(ε·score /
    (2·sensitivity)).

    `monotone` is for scores that one person moves all up or all down, such as counts: then without
    the 2.

    >>> import lastbit
    >>> lastbit.exponential([310, 12, 298], epsilon=1) in range(3)
    True
    """
    epsilon_text, sensitivity_text = exact("epsilon", epsilon), exact("sensitivity", sensitivity)
    return _lastbit.select(_scores(scores), epsilon_text, sensitivity_text, monotone, False)


def permute_and_flip(
    scores: Any, *, epsilon: Number, sensitivity: Number = 1, monotone: bool = False
) -> int:
    """As `exponential`, by permute-and-flip: never a lower expected score at the same ε.

    >>> import lastbit
    >>> lastbit.permute_and_flip([310.5, 12.0, 298.25], epsilon=1) in range(3)
    True
    """
    epsilon_text, sensitivity_text = exact("epsilon", epsilon), exact("sensitivity", sensitivity)
    return _lastbit.select(_scores(scores), epsilon_text, sensitivity_text, monotone, True)


def quantiles(
    values: Any, at: Sequence[Number], *, lower: float, upper: float, epsilon: Number
) -> list[float]:
    """Quantiles of values clamped to public bounds, for one loss of ε together.

    The number of values is public: neighbours are data in which one value is another.

    >>> import lastbit
    >>> at = ["0.25", 0.5, "0.75"]
    >>> values = list(range(10_000))
    >>> low, middle, high = lastbit.quantiles(values, at, lower=0, upper=10_000, epsilon=1)
    >>> low <= middle <= high and 4000 < middle < 6000
    True
    """
    texts = [exact("at", one) for one in at]
    return _lastbit.quantiles(
        _scores(values), texts, float(lower), float(upper), exact("epsilon", epsilon)
    )


def threshold(
    counts: Mapping[str, int],
    *,
    delta: Number,
    epsilon: Optional[Number] = None,
    rho: Optional[Number] = None,
    keys: int = 1,
    each: Number = 1,
) -> dict[str, int]:
    """The keys whose noisy count reaches a threshold, with these counts: for keys that are not
    public.

    One person is in at most `keys` counts and moves each by at most `each`. The loss is (ε, δ) with
    Laplace noise, or (ρ, δ) with Gaussian noise.

    >>> import lastbit
    >>> lastbit.threshold({"Rome": 100_000, "a hamlet": 1}, epsilon=1, delta="1e-9").keys()
    dict_keys(['Rome'])
    """
    largest = _positive("each", each)
    if (epsilon is None) == (rho is None):
        raise ParameterError("give one of epsilon and rho")
    if isinstance(keys, bool) or not isinstance(keys, int) or keys < 1:
        raise ParameterError(f"keys must be a whole number from 1, got {keys!r}")
    if epsilon is not None:
        noise, size = "laplace", keys * largest / _positive("epsilon", epsilon)
    else:
        assert rho is not None
        noise, size = "gaussian", keys * largest**2 / (2 * _positive("rho", rho))
    published, _ = _lastbit.threshold_counts(
        dict(counts),
        noise,
        exact("scale", size),
        exact("delta", delta),
        keys,
        exact("each", largest),
    )
    return published


@overload
def randomized_response(value: bool, *, epsilon: Number) -> bool: ...


@overload
def randomized_response(
    value: Category, categories: Sequence[Category], *, epsilon: Number
) -> Category: ...


def randomized_response(
    value: Any, categories: Optional[Sequence[Any]] = None, *, epsilon: Number
) -> Any:
    """One of the categories: the true one with the largest probability that the loss ε allows, else
    any other.

    A value that is none of them is answered by any of them, with equal probabilities: no error
    tells it apart.

    >>> import lastbit
    >>> colours = ["red", "green", "blue"]
    >>> lastbit.randomized_response("blue", colours, epsilon=1) in colours
    True
    >>> lastbit.randomized_response(True, epsilon=1) in [True, False]
    True
    """
    known = [False, True] if categories is None else list(categories)
    if len(set(known)) != len(known):
        raise ParameterError("a category is there twice; leave one out")
    place = known.index(value) if value in known else len(known)
    return known[_lastbit.randomized_response(place, len(known), exact("epsilon", epsilon))]
