"""Chains of transformations and releases: rows `>>` stages `>>` noise, each with its own proof.

A chain begins with a space, which is a domain and a metric. Each stage says how far apart
neighbours can be after it, and a release what they cost. All of it is exact or rounded to the safe
side, and a chain whose parts do not fit is refused:

>>> from lastbit import framework as fw
>>> total = fw.rows(float) >> fw.clamp(0, 100) >> fw.sum()
>>> total.map(1)                            # one row more or less moves the sum by at most 100
Fraction(100, 1)
>>> release = total >> fw.laplace(epsilon="0.5")
>>> release.map(1), release.measure
(0.5, 'epsilon')
>>> isinstance(release([20.5, 30.0, 1000.0]), float)
True
>>> fw.rows(float) >> fw.sum()
Traceback (most recent call last):
    ...
lastbit.ParameterError: a sum needs bounds, and these are vectors of f64; clamp them first

A release does not use a ledger: keep count of what you spend yourself, or use a plan.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable, NoReturn, Optional, Sequence, Union, overload

from . import _lastbit
from ._exact import Number, bound, exact, exponent, fraction, listed_shares, positive
from ._lastbit import NativeMeasurement, NativeSpace, NativeTransformation, ParameterError

#: How far apart two inputs are: a number of rows, an exact number, or, for counts by key, how many
#: keys differ and by how much each.
Distance = Union[int, Number, tuple[int, Number]]


def _distance(value: Distance) -> str:
    if isinstance(value, tuple):
        keys, each = value
        return f"{exact('keys', keys)} {exact('each', each)}"
    return exact("distance", value)


class Space:
    """A domain and a metric: what a chain begins with."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeSpace) -> None:
        self._native = native

    @property
    def domain(self) -> str:
        """What the data can be."""
        return self._native.domain

    @property
    def metric(self) -> str:
        """How the distance of two data sets is measured."""
        return self._native.metric

    @overload
    def __rshift__(self, stage: "Stage") -> "Transformation": ...

    @overload
    def __rshift__(self, stage: "Mechanism") -> "Measurement": ...

    def __rshift__(self, stage: Any) -> Any:
        if isinstance(stage, Stage):
            return Transformation(stage._make(self._native))
        if isinstance(stage, Mechanism):
            return Measurement(stage._make(self._native, None))
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self._native == other._native

    def __hash__(self) -> int:
        return hash((self.domain, self.metric))

    def __repr__(self) -> str:
        return f"<lastbit.framework.Space: {self.domain}, {self.metric}>"


class Stage:
    """A transformation that waits for what comes before it."""

    __slots__ = ("_make", "_name")

    def __init__(self, name: str, make: Callable[[NativeSpace], NativeTransformation]) -> None:
        self._name, self._make = name, make

    def __repr__(self) -> str:
        return f"<lastbit.framework.Stage {self._name}>"


class Mechanism:
    """A release that waits for what comes before it."""

    __slots__ = ("_make", "_name")

    def __init__(
        self,
        name: str,
        make: Callable[[NativeSpace, Optional["Transformation"]], NativeMeasurement],
    ) -> None:
        self._name, self._make = name, make

    def __repr__(self) -> str:
        return f"<lastbit.framework.Mechanism {self._name}>"


class Transformation:
    """A function of data, and how far apart it can move neighbours. Its result is exact, and not
    private."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeTransformation) -> None:
        self._native = native

    @property
    def input(self) -> Space:
        """What it is applied to."""
        return Space(self._native.input)

    @property
    def output(self) -> Space:
        """What it gives."""
        return Space(self._native.output)

    def __call__(self, data: Any) -> Any:
        """The exact result, which is not private."""
        return self._native.invoke(data)

    def map(self, distance: Distance) -> Any:
        """How far apart results can be if the data are at most this far apart: exact, or rounded
        up."""
        text = self._native.map(_distance(distance))
        if " " in text:
            keys, each = text.split(" ")
            return int(keys), Fraction(each)
        return Fraction(text)

    @overload
    def __rshift__(self, right: Union[Stage, "Transformation"]) -> "Transformation": ...

    @overload
    def __rshift__(self, right: Union[Mechanism, "Measurement"]) -> "Measurement": ...

    def __rshift__(self, right: Any) -> Any:
        if isinstance(right, Stage):
            right = Transformation(right._make(self._native.output))
        elif isinstance(right, Mechanism):
            right = Measurement(right._make(self._native.output, self))
        if isinstance(right, Transformation):
            return Transformation(self._native.then(right._native))
        if isinstance(right, Measurement):
            return Measurement(self._native.then_release(right._native))
        return NotImplemented

    def __repr__(self) -> str:
        return f"<lastbit.framework.Transformation: {self.input.domain} to {self.output.domain}>"


class Measurement:
    """A release of data, and what it costs."""

    __slots__ = ("_native",)

    def __init__(self, native: NativeMeasurement) -> None:
        self._native = native

    @property
    def input(self) -> Space:
        """What it is applied to."""
        return Space(self._native.input)

    @property
    def measure(self) -> str:
        """What its loss is measured in: `epsilon`, or `rho` for zCDP."""
        return self._native.measure

    def __call__(self, data: Any) -> Any:
        """One release. Each costs the loss again."""
        return self._native.invoke(data)

    def map(self, distance: Distance) -> float:
        """The loss for data at most this far apart, rounded up."""
        return self._native.map(_distance(distance))[0]

    def delta(self, distance: Distance) -> float:
        """δ for data at most this far apart, rounded up; 0 for most releases."""
        return self._native.map(_distance(distance))[1]

    def check(self, distance: Distance, loss: Number, delta: Number = 0) -> bool:
        """Whether data at most this far apart cost at most this loss and δ: as `map` states them,
        rounded up to a double, so that a loss such as 0.1, which no double is, needs a little
        more."""
        stated = self._native.map(_distance(distance))
        allowed = fraction("loss", loss), fraction("delta", delta)
        return all(Fraction(one) <= most for one, most in zip(stated, allowed))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a release is not copied or pickled; build the chain again")

    def __repr__(self) -> str:
        return f"<lastbit.framework.Measurement of {self.input.domain}: loss in {self.measure}>"


def rows(of: type, *, size: Optional[int] = None, neighbours: str = "add-remove") -> Space:
    """Rows of `float`, `int` or `str`. Neighbours are data sets with one row more or less; or, with
    `neighbours="change-one"` and a public `size`, with one row changed.

    >>> from lastbit import framework as fw
    >>> fw.rows(int, size=100, neighbours="change-one")
    <lastbit.framework.Space: vectors of 100 i64, change-one distance>
    """
    if of not in (float, int, str):
        raise ParameterError("rows are of float, int or str; for example rows(float)")
    if neighbours not in ("add-remove", "change-one"):
        raise ParameterError('neighbours are "add-remove" or "change-one"')
    return Space(NativeSpace.rows(of.__name__, size, neighbours == "change-one"))


def clamp(lower: Any, upper: Any) -> Stage:
    """Rows moved to public bounds, which are numbers of the type of the rows: bounds of floats are
    doubles, and a number that no double is, such as `"0.1"`, is refused."""
    low, high = bound("lower", lower), bound("upper", upper)
    return Stage("clamp", lambda space: _lastbit.chain_clamp(space, low, high))


def resize(size: int, constant: Any) -> Stage:
    """Exactly `size` rows: too many are cut, in an order that does not depend on theirs; too few
    are filled up with a public constant.

    >>> from lastbit import framework as fw
    >>> mean = fw.rows(float) >> fw.clamp(0, 10) >> fw.resize(4, constant=5.0) >> fw.mean()
    >>> mean([1.0, 2.0, 3.0]), mean.map(1)
    (Fraction(11, 4), Fraction(5, 2))
    """
    return Stage("resize", lambda space: _lastbit.chain_resize(space, size, constant))


def count() -> Stage:
    """The number of rows."""
    return Stage("count", _lastbit.chain_count)


def sum() -> Stage:
    """The exact sum of rows between bounds. Floats are first rounded to a grid of 2^51 steps from
    zero to the farther bound."""
    return Stage("sum", _lastbit.chain_sum)


def mean() -> Stage:
    """The exact mean of a public number of rows between bounds."""
    return Stage("mean", _lastbit.chain_mean)


def variance() -> Stage:
    """The exact variance of a public number of rows between bounds."""
    return Stage("variance", _lastbit.chain_variance)


def histogram(bins: Sequence[Any], *, gaussian: bool = False) -> Stage:
    """Counts of public categories, and last of all other texts; or of numbers between edges, with
    those below them first and those above them last. `gaussian` measures it for Gaussian noise.

    >>> from lastbit import framework as fw
    >>> (fw.rows(str) >> fw.histogram(["red", "blue"]))(["red", "red", "pink"])
    [2, 0, 1]
    >>> (fw.rows(float) >> fw.histogram([0.0, 1.0, 2.0]))([-5.0, 0.5, 1.0, 7.0])
    [1, 1, 1, 1]
    """
    return Stage(
        "histogram", lambda space: _lastbit.chain_histogram(space, list(bins), 2 if gaussian else 1)
    )


def count_by_key() -> Stage:
    """Counts by keys that are not public: for `threshold`."""
    return Stage("count_by_key", _lastbit.chain_count_by_key)


def _moved(before: Optional[Transformation], distance: Distance) -> Fraction:
    if before is None:
        raise ParameterError("a loss is turned into a scale after a transformation; give the scale")
    moved = before.map(distance)
    if isinstance(moved, tuple):
        raise ParameterError("counts by keys that are not public are released by threshold")
    if not isinstance(moved, Fraction) or moved <= 0:
        raise ParameterError(
            "what comes before does not depend on the data at that distance; give the scale"
        )
    return moved


def _scale(
    name: str, size: Fraction, before: Optional[Transformation], distance: Distance
) -> str:
    """The scale that is given, or the one for the loss ε."""
    if name == "scale":
        return exact("scale", size)
    moved = exact("distance", _moved(before, distance))
    return _lastbit.scale_for_epsilon(exact("epsilon", size), moved)


def _chosen(**given: Optional[Number]) -> tuple[str, Number]:
    named = [(name, value) for name, value in given.items() if value is not None]
    if len(named) != 1:
        raise ParameterError(f"give one of {' and '.join(given)}")
    return named[0]


def laplace(
    *,
    scale: Optional[Number] = None,
    epsilon: Optional[Number] = None,
    distance: Distance = 1,
    grid: Optional[Number] = None,
) -> Mechanism:
    """Laplace noise. Give its scale; or the loss for data at most `distance` apart: the scale is
    then how far the chain before it moves, divided by ε."""
    name, size = _chosen(scale=scale, epsilon=epsilon)
    size = positive(name, size)

    def make(space: NativeSpace, before: Optional[Transformation]) -> NativeMeasurement:
        return _lastbit.chain_laplace(space, _scale(name, size, before, distance), exponent(grid))

    return Mechanism("laplace", make)


def geometric(
    *, scale: Optional[Number] = None, epsilon: Optional[Number] = None, distance: Distance = 1
) -> Mechanism:
    """Two-sided geometric noise, on whole numbers; as `laplace`."""
    name, size = _chosen(scale=scale, epsilon=epsilon)
    size = positive(name, size)

    def make(space: NativeSpace, before: Optional[Transformation]) -> NativeMeasurement:
        return _lastbit.chain_geometric(space, _scale(name, size, before, distance))

    return Mechanism("geometric", make)


def gaussian(
    *,
    sigma: Optional[Number] = None,
    rho: Optional[Number] = None,
    distance: Distance = 1,
    grid: Optional[Number] = None,
) -> Mechanism:
    """Gaussian noise. Give its standard deviation, or the loss under zCDP for data at most
    `distance` apart.

    >>> from lastbit import framework as fw
    >>> counts = fw.rows(str) >> fw.histogram(["red", "blue"], gaussian=True)
    >>> release = counts >> fw.gaussian(rho="0.125")
    >>> release.check(1, "0.125"), len(release(["red"] * 90))
    (True, 3)
    """
    name, size = _chosen(sigma=sigma, rho=rho)
    size = positive(name, size)

    def make(space: NativeSpace, before: Optional[Transformation]) -> NativeMeasurement:
        if name == "sigma":
            variance = exact("variance", size * size)
        else:
            moved = exact("distance", _moved(before, distance))
            variance = _lastbit.variance_for_rho(exact("rho", size), moved)
        return _lastbit.chain_gaussian(space, variance, exponent(grid))

    return Mechanism("gaussian", make)


def quantiles(at: Sequence[Number], *, epsilon: Number) -> Mechanism:
    """Quantiles of a public number of rows, for ε together if one row is changed.

    Candidates are all members of the domain between the bounds. Of floats, most of them are close
    to zero, and so are answers about few rows: take whole numbers of a unit, or
    `lastbit.quantiles`, which has a grid.

    >>> from lastbit import framework as fw
    >>> space = fw.rows(int, size=1001, neighbours="change-one")
    >>> median = space >> fw.clamp(0, 1000) >> fw.quantiles(["0.5"], epsilon=1)
    >>> median.map(1), 0 <= median(list(range(1001)))[0] <= 1000
    (1.0, True)
    """
    texts = listed_shares(at)
    loss = exact("epsilon", epsilon)
    return Mechanism("quantiles", lambda space, _: _lastbit.chain_quantiles(space, texts, loss))


def threshold(
    *, delta: Number, epsilon: Optional[Number] = None, rho: Optional[Number] = None, rows: int = 1
) -> Mechanism:
    """The keys whose noisy count reaches a threshold, with these counts: for keys that are not
    public, if one person has at most `rows` rows.

    >>> from lastbit import framework as fw
    >>> towns = fw.rows(str) >> fw.count_by_key() >> fw.threshold(epsilon=1, delta="1e-9")
    >>> towns.check(1, 1, "1e-9"), towns(["Rome"] * 10_000 + ["a hamlet"]).keys()
    (True, dict_keys(['Rome']))
    """
    name, size = _chosen(epsilon=epsilon, rho=rho)
    size = positive(name, size)
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ParameterError(f"rows must be a whole number from 1, got {rows!r}")

    def make(space: NativeSpace, before: Optional[Transformation]) -> NativeMeasurement:
        if before is None:
            raise ParameterError("a threshold comes after count_by_key")
        moved = before.map(rows)
        if not isinstance(moved, tuple):
            raise ParameterError("a threshold comes after count_by_key")
        keys, each = moved
        loss = exact(name, size)
        return _lastbit.chain_threshold(
            space,
            exact("delta", delta),
            keys,
            exact("each", each),
            epsilon=loss if name == "epsilon" else None,
            rho=loss if name == "rho" else None,
        )

    return Mechanism("threshold", make)


__all__ = [
    "Measurement",
    "Mechanism",
    "Space",
    "Stage",
    "Transformation",
    "clamp",
    "count",
    "count_by_key",
    "gaussian",
    "geometric",
    "histogram",
    "laplace",
    "mean",
    "quantiles",
    "resize",
    "rows",
    "sum",
    "threshold",
    "variance",
]
