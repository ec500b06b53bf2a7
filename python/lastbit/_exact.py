"""Exact numbers as text, which is how the native part takes them."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Sequence, Union

from ._lastbit import ParameterError

#: An exact number: an integer, a `Fraction`, a `Decimal`, a text such as `"0.1"` or `"1/3"`, or a
#: float whose digits are its value, such as `0.5`.
Number = Union[int, str, Fraction, Decimal, float]


def exact(name: str, value: Number) -> str:
    """The text of an exact number.

    A float is taken as its exact value where its digits say that value, and refused where they do
    not:

    >>> exact("epsilon", 0.5), exact("epsilon", "0.1"), exact("epsilon", Fraction(1, 3))
    ('0.5', '0.1', '1/3')
    >>> exact("epsilon", 0.1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lastbit.ParameterError: epsilon: the float 0.1 is not exactly 0.1; write "0.1", ...
    """
    if isinstance(value, bool):
        raise ParameterError(f"{name} must be a number, got a truth value; write a number")
    if isinstance(value, str):
        return value
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ParameterError(f"{name} must be finite; give a finite number")
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ParameterError(f"{name} must be finite; give a finite number")
        digits = repr(float(value))
        if Decimal(value) != Decimal(digits):
            raise ParameterError(
                f'{name}: the float {digits} is not exactly {digits}; write "{digits}", or '
                f'Decimal("{digits}")'
            )
        return digits
    index = getattr(type(value), "__index__", None)
    if index is None:
        raise ParameterError(
            f"{name} must be a number, got {type(value).__name__}; write an int, a text such as "
            f"\"0.1\", "
            "a Fraction or a Decimal"
        )
    return str(int(index(value)))


#: A decimal or a fraction, with exponents of which a Fraction is small enough to compute with.
_NUMBER = re.compile(
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?( */ *[0-9]+)?", re.ASCII
)


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")


def fraction(name: str, value: Number) -> Fraction:
    """The exact number itself."""
    text = exact(name, value)
    if _NUMBER.fullmatch(text) is not None:
        try:
            return Fraction(text.replace(" ", ""))
        except ZeroDivisionError:
            pass
    raise ParameterError(
        f"{name}: {_short(text)} is no number that is taken here; write a decimal such as 0.1, or "
        f"1/3"
    )


def positive(name: str, value: Number) -> Fraction:
    """An exact number above zero."""
    number = fraction(name, value)
    if number <= 0:
        raise ParameterError(f"{name} must be positive, got {number}")
    return number


def listed_shares(at: Sequence[Number]) -> list[str]:
    """Which quantiles, as texts."""
    if isinstance(at, (str, int, float, Fraction, Decimal)):
        raise ParameterError(f"at is a list of shares, such as [0.5]; got {at!r}")
    return [exact("at", one) for one in at]


def bound(name: str, value: Number) -> Union[int, float, Fraction]:
    """A bound of rows, as its value: a float is its own, however many digits it has."""
    if isinstance(value, float) and math.isfinite(value):
        return value
    number = fraction(name, value)
    return number.numerator if number.denominator == 1 else number


def exponent(grid: Union[Number, None]) -> Union[int, None]:
    """The exponent of a grid, which is a power of two.

    >>> exponent(1), exponent(0.25), exponent("1/1024"), exponent(2**-40), exponent(None)
    (0, -2, -10, -40, None)
    """
    if grid is None:
        return None
    # A power of two is a float's exact value, however many digits it has.
    whole = isinstance(grid, float) and math.isfinite(grid)
    value = Fraction(grid) if whole else fraction("grid", grid)
    up, down = value.numerator, value.denominator
    if up <= 0 or up & (up - 1) or down & (down - 1):
        told = _short(str(value))
        raise ParameterError(f"grid must be a power of two such as 1, 0.25 or 2**-10, got {told}")
    return up.bit_length() - down.bit_length()
