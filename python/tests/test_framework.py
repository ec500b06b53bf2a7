"""Chains by `>>`: exact maps, results that Python can check, and refusals."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction
from typing import Any

import lastbit
import pytest
from lastbit import framework as fw

#: So small a scale that noise rounds to nothing but with probability e^-500.
TINY = "0.001"


def test_maps_are_exact() -> None:
    total = fw.rows(int) >> fw.clamp(-3, 10) >> fw.sum()
    assert total.map(1) == 10 and total.map(4) == 40
    assert (total >> fw.laplace(scale="0.3")).map(3) == pytest.approx(100)
    sized = fw.rows(int, size=8, neighbours="change-one") >> fw.clamp(-3, 10)
    assert (sized >> fw.sum()).map(1) == 13
    assert (sized >> fw.mean()).map(1) == Fraction(13, 8)
    assert (fw.rows(str) >> fw.count()).map(7) == 7


def test_a_loss_is_turned_into_a_scale() -> None:
    total = fw.rows(float) >> fw.clamp(0, 100) >> fw.sum()
    for epsilon in (1, "0.5", Fraction(1, 4), 2):
        release = total >> fw.laplace(epsilon=epsilon)
        assert release.map(1) == float(Fraction(epsilon)) and release.check(1, epsilon)
        assert release.delta(1) == 0
        # Three rows need a scale three times as large for the same loss.
        assert (total >> fw.laplace(epsilon=epsilon, distance=3)).map(3) == float(Fraction(epsilon))
    assert (total >> fw.gaussian(rho="0.125")).map(1) == 0.125
    assert (total >> fw.gaussian(sigma=100)).map(1) == 0.5
    counts = fw.rows(str) >> fw.histogram(["a", "b"], gaussian=True)
    assert (counts >> fw.gaussian(rho=2)).map(1) == pytest.approx(2)


def test_results_are_what_python_computes() -> None:
    data = [2.5, -7.0, 31.25, 8.0]
    clamped = [min(max(x, 0.0), 10.0) for x in data]
    total = fw.rows(float) >> fw.clamp(0, 10) >> fw.sum()
    assert total(data) == sum(map(Fraction, clamped))
    average = fw.rows(float, size=4, neighbours="change-one") >> fw.clamp(0, 10) >> fw.mean()
    assert average(data) == sum(map(Fraction, clamped)) / 4
    assert (average >> fw.laplace(scale=TINY, grid=2**-10))(data) == pytest.approx(
        float(average(data)), abs=0.6
    )
    words = ["a", "b", "a", "z"]
    histogram = fw.rows(str) >> fw.histogram(["a", "b"])
    assert histogram(words) == [2, 1, 1]
    assert (histogram >> fw.geometric(scale=TINY))(words) == [2, 1, 1]
    assert (histogram >> fw.laplace(scale=TINY))(words) == [2, 1, 1]
    assert (fw.rows(str) >> fw.count_by_key())(words) == {"a": 2, "b": 1, "z": 1}
    assert (fw.rows(int) >> fw.count() >> fw.geometric(scale=TINY))([5, 6]) == 2


def test_arrays_are_rows() -> None:
    numpy = pytest.importorskip("numpy")
    total = fw.rows(float) >> fw.clamp(0, 10) >> fw.sum()
    assert total(numpy.array([1.5, 2.5])) == 4
    whole = fw.rows(int) >> fw.clamp(0, 10) >> fw.sum()
    assert whole(numpy.array([3, 4, 50], dtype=numpy.int32)) == 17


def test_quantiles_and_thresholds() -> None:
    space = fw.rows(float, size=1001, neighbours="change-one")
    median = space >> fw.clamp(0, 1000) >> fw.quantiles(["0.5"], epsilon=10**6)
    assert median([float(x) for x in range(1001)]) == [pytest.approx(500, abs=1)]
    keys = fw.rows(str) >> fw.count_by_key()
    for release in (
        keys >> fw.threshold(epsilon=1, delta="1e-9"),
        keys >> fw.threshold(rho="0.5", delta="1e-9", rows=3),
    ):
        assert release(["Rome"] * 100_000 + ["hamlet"]).keys() == {"Rome"}
    one = keys >> fw.threshold(epsilon=1, delta="1e-9")
    assert one.map(1) == 1 and 0 < one.delta(1) <= 1e-9 and one.check(1, 1, "1e-9")


@pytest.mark.parametrize(
    "chain",
    [
        lambda: fw.rows(float) >> fw.sum(),
        lambda: fw.rows(float) >> fw.clamp(0, 1) >> fw.mean(),
        lambda: fw.rows(str) >> fw.clamp(0, 1),
        lambda: fw.rows(str) >> fw.sum(),
        lambda: fw.rows(float) >> fw.laplace(scale=1),
        lambda: fw.rows(str) >> fw.count_by_key() >> fw.laplace(scale=1),
        lambda: fw.rows(str) >> fw.histogram(["a"]) >> fw.gaussian(sigma=1),
        lambda: fw.rows(str) >> fw.histogram(["a", "a"]),
        lambda: fw.rows(float) >> fw.histogram([2.0, 1.0]),
        lambda: fw.rows(float) >> fw.clamp(5, 2),
        lambda: fw.rows(float) >> fw.clamp(0, 1) >> fw.quantiles(["0.5"], epsilon=1),
        lambda: fw.rows(float) >> fw.clamp(0, 1) >> fw.sum() >> fw.geometric(scale=1),
        lambda: fw.rows(int, neighbours="change-one"),
        lambda: fw.rows(int, neighbours="friends"),
        lambda: fw.rows(bytes),
        lambda: fw.laplace(),
        lambda: fw.laplace(scale=1, epsilon=1),
        lambda: fw.laplace(scale=0),
        lambda: fw.laplace(scale=0.1),
        lambda: fw.rows(int) >> fw.laplace(epsilon=1),
        lambda: (fw.rows(int) >> fw.count()).map("1.5"),
        lambda: (fw.rows(int) >> fw.count()).map(-1),
        lambda: (fw.rows(int) >> fw.count() >> fw.laplace(scale=1)).map("x"),
    ],
)
def test_what_does_not_fit_is_refused(chain: Any) -> None:
    with pytest.raises(lastbit.ParameterError):
        chain()


def test_parts_that_were_made_apart_meet_only_if_they_are_equal() -> None:
    clamped = fw.rows(int) >> fw.clamp(0, 10)
    total = clamped.output >> fw.sum()
    assert (clamped >> total).map(1) == 10
    other = fw.rows(int) >> fw.clamp(0, 12)
    with pytest.raises(lastbit.ParameterError, match="cannot chain"):
        other >> total
    with pytest.raises(TypeError):
        clamped >> 3  # type: ignore[operator]
    assert clamped.output == (fw.rows(int) >> fw.clamp(0, 10)).output != other.output


def test_errors_have_no_cell() -> None:
    secret = "Jean Valjean"
    release = fw.rows(float) >> fw.clamp(0, 1) >> fw.sum() >> fw.laplace(scale=1)
    for data in ([1.0, secret], secret, [[1.0]], None, [float("nan")], {"a": 1}):
        with pytest.raises(lastbit.LastbitError) as refused:
            release(data)
        assert secret not in str(refused.value) and "nan" not in str(refused.value).lower()


def test_a_release_is_not_copied() -> None:
    release = fw.rows(int) >> fw.count() >> fw.laplace(scale=1)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            attempt(release)
