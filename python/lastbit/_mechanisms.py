"""Mechanisms on numbers and arrays: exact noise, selection, thresholds, randomized response."""

from __future__ import annotations

import functools
import importlib
import sys
from typing import (
    Any,
    Callable,
    Hashable,
    Mapping,
    Optional,
    Sequence,
    TypeVar,
    Union,
    cast,
    overload,
)

from . import _lastbit
from ._exact import Number, bound, exact, exponent, listed_shares, positive
from ._lastbit import Noise, ParameterError, Snapping

Category = TypeVar("Category", bound=Hashable)


@functools.lru_cache(maxsize=256)
def _noise(kind: str, size: str, grid: Optional[int]) -> Noise:
    if kind == "laplace":
        return Noise.laplace(size, grid)
    if kind == "gaussian":
        return Noise.gaussian(size, grid)
    return Noise.geometric(size)


Made = TypeVar("Made", bound=Callable[..., Noise])


def _remembered(make: Made) -> Made:
    """What was made is kept, by type, too: 0.1 equals the Fraction of its value, and True equals 1,
    but they are refused."""
    kept = functools.lru_cache(maxsize=256, typed=True)(make)

    @functools.wraps(make)
    def made(*given: Any) -> Noise:
        try:
            return kept(*given)
        except TypeError:
            # Of a list nothing is kept; it is refused in words.
            return make(*given)

    return cast(Made, made)


@_remembered
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


@_remembered
def _by_epsilon(kind: str, epsilon: Number, sensitivity: Number, grid: Optional[Number]) -> Noise:
    loss = exact("epsilon", positive("epsilon", epsilon))
    moved = exact("sensitivity", positive("sensitivity", sensitivity))
    return _noise(kind, _lastbit.scale_for_epsilon(loss, moved), exponent(grid))


def _draw(noise: Union[Noise, Snapping], value: Any) -> Any:
    # Floats and integers first: they are most calls, and the fast ones.
    kind = type(value)
    if kind is float:
        return noise.float(value)
    if kind is int:
        if isinstance(noise, Snapping):
            return noise.float(_as_float(value))
        try:
            return noise.integer(value)
        except OverflowError:
            raise ParameterError(_TOO_LARGE) from None
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return _draw_array(noise, value, numpy)
    if isinstance(value, (list, tuple)):
        return _draw_list(noise, value)
    if hasattr(value, "__array__"):
        numpy = importlib.import_module("numpy")
        return _draw_array(noise, numpy.asarray(value), numpy)
    raise ParameterError(f"noise is added to numbers and arrays of numbers, got {kind.__name__}")


_TOO_LARGE = "an integer is beyond 64 bits; clamp it first"


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ParameterError("an integer is too large; clamp it first") from None


def _draw_list(noise: Union[Noise, Snapping], value: Sequence[Any]) -> list[Any]:
    """A list for a list, with the numbers that an array of them has: all are integers, or all are
    floats."""
    try:
        numpy = importlib.import_module("numpy")
    except ImportError:
        if not all(type(one) in (int, float) for one in value):
            raise ParameterError("noise is added to lists of numbers; others need numpy") from None
        if all(type(one) is int for one in value):
            return [_draw(noise, one) for one in value]
        return [_draw(noise, _as_float(one)) for one in value]
    try:
        array = numpy.asarray(value)
    except ValueError:
        raise ParameterError("lists in a list must have one length; fill them up first") from None
    if value and array.dtype.kind == "f" and all(isinstance(one, int) for one in value):
        # numpy takes integers of which some are beyond 64 bits for floats.
        raise ParameterError(_TOO_LARGE)
    drawn: list[Any] = _draw_array(noise, array, numpy).tolist()
    return drawn


def _draw_array(noise: Union[Noise, Snapping], value: Any, numpy: Any) -> Any:
    if isinstance(value, numpy.ma.MaskedArray):
        raise ParameterError("noise is added to every cell, also to masked ones; fill them first")
    kind = value.dtype.kind
    if kind == "f" and value.dtype.itemsize <= 8 or (kind in "iu" and isinstance(noise, Snapping)):
        flat = numpy.ascontiguousarray(value, dtype=numpy.float64).reshape(-1)
        noisy = noise.floats(flat)
    elif kind in "iu" and not isinstance(noise, Snapping):
        if value.dtype == numpy.uint64 and value.size and value.max() > numpy.uint64(2**63 - 1):
            raise ParameterError(_TOO_LARGE)
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
    of two; if it is left out, integers get whole numbers, and floats a grid at least 1024 times
    finer than the scale. A finer grid costs no privacy.

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


@_remembered
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
        size = exact("variance", positive("sigma", sigma) ** 2)
    elif rho is not None:
        loss = exact("rho", positive("rho", rho))
        moved = exact("sensitivity", positive("sensitivity", sensitivity))
        size = _lastbit.variance_for_rho(loss, moved)
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
    values: Any,
    at: Sequence[Number],
    *,
    lower: Number,
    upper: Number,
    epsilon: Number,
    grid: Optional[Number] = None,
) -> list[float]:
    """Quantiles of values clamped to public bounds, for one loss of ε together.

    Values are rounded to a grid, a power of two, and answers are points of it, all equally likely
    before any data; by default it is so fine that rounding does not show.

    Bounds are doubles: a float is its exact value, and a number that no double is, such as `"0.1"`,
    is refused.

    The number of values is public: neighbours are data in which one value is another.

    >>> import lastbit
    >>> at = ["0.25", 0.5, "0.75"]
    >>> values = list(range(10_000))
    >>> low, middle, high = lastbit.quantiles(values, at, lower=0, upper=10_000, epsilon=1)
    >>> low <= middle <= high and 4000 < middle < 6000
    True
    """
    texts = listed_shares(at)
    loss = exact("epsilon", epsilon)
    return _lastbit.quantiles(
        _scores(values), texts, bound("lower", lower), bound("upper", upper), loss, exponent(grid)
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
    largest = positive("each", each)
    if (epsilon is None) == (rho is None):
        raise ParameterError("give one of epsilon and rho")
    if isinstance(keys, bool) or not isinstance(keys, int) or keys < 1:
        raise ParameterError(f"keys must be a whole number from 1, got {keys!r}")
    return _lastbit.threshold_counts(
        dict(counts),
        exact("delta", delta),
        keys,
        exact("each", largest),
        epsilon=None if epsilon is None else exact("epsilon", positive("epsilon", epsilon)),
        rho=None if rho is None else exact("rho", positive("rho", rho)),
    )


@overload
def randomized_response(value: bool, *, epsilon: Number) -> bool: ...


@overload
def randomized_response(
    value: list[Category], categories: Sequence[Category], *, epsilon: Number
) -> list[Category]: ...


@overload
def randomized_response(
    value: Category, categories: Sequence[Category], *, epsilon: Number
) -> Category: ...


def randomized_response(
    value: Any, categories: Optional[Sequence[Any]] = None, *, epsilon: Number
) -> Any:
    """One of the categories: the true one with the largest probability that the loss ε allows, else
    any other. Of an array or a list, each value by itself; ε is the loss of each.

    A value that is none of them is answered by any of them, with equal probabilities: no error
    tells it apart.

    >>> import lastbit
    >>> colours = ["red", "green", "blue"]
    >>> lastbit.randomized_response("blue", colours, epsilon=1) in colours
    True
    >>> lastbit.randomized_response(True, epsilon=1) in [True, False]
    True
    >>> len(lastbit.randomized_response(["blue", "red"], colours, epsilon=1))
    2
    """
    known = [False, True] if categories is None else list(categories)
    if len(set(known)) != len(known):
        raise ParameterError("a category is there twice; leave one out")
    loss = exact("epsilon", epsilon)
    places = {category: place for place, category in enumerate(known)}
    if isinstance(value, list):
        return [_respond(one, known, places, loss) for one in value]
    if hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0:
        return _respond_each(value, known, places, loss)
    return _respond(value, known, places, loss)


def _respond(value: Any, known: list[Any], places: Mapping[Any, int], loss: str) -> Any:
    try:
        place = places.get(value, len(known))
    except TypeError:
        raise ParameterError(
            f"a value is one of the categories, got {type(value).__name__}; give a list or an array"
        ) from None
    return known[_lastbit.randomized_response(place, len(known), loss)]


def _respond_each(value: Any, known: list[Any], places: Mapping[Any, int], loss: str) -> Any:
    """An array by the numbers of its categories."""
    numpy: Any = importlib.import_module("numpy")
    array = numpy.asarray(value)
    codes = [places.get(one, len(known)) for one in array.reshape(-1).tolist()]
    answers = _lastbit.randomized_responses(
        numpy.array(codes, dtype=numpy.uint64), len(known), loss
    )
    names = numpy.asarray(known)
    if names.tolist() != known:
        # Of several types, of which numpy would make one.
        names = numpy.empty(len(known), dtype=object)
        for place, category in enumerate(known):
            names[place] = category
    return names[answers].reshape(array.shape)
