"""Exact numbers as text, which is how the native part takes them."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Union

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


def exponent(grid: Union[Number, None]) -> Union[int, None]:
    """The exponent of a grid, which is a power of two.

    >>> exponent(1), exponent(0.25), exponent("1/1024"), exponent(2**-40), exponent(None)
    (0, -2, -10, -40, None)
    """
    if grid is None:
        return None
    # A power of two is a float's exact value, however many digits it has.
    text = (
        str(Fraction(grid))
        if isinstance(grid, float) and math.isfinite(grid)
        else exact("grid", grid)
    )
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ParameterError(
            f"grid must be a power of two such as 1, 0.25 or 2**-10, got {text}"
        ) from None
    up, down = value.numerator, value.denominator
    if up <= 0 or up & (up - 1) or down & (down - 1):
        raise ParameterError(f"grid must be a power of two such as 1, 0.25 or 2**-10, got {text}")
    return up.bit_length() - down.bit_length()
