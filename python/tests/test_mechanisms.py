"""Mechanisms: types, shapes, exact parameters, and laws where the noise is gone."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import lastbit
import pytest

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize("size", ["0.1", Decimal("0.1"), Fraction(1, 10), "1/10"])
def test_a_tenth_is_a_tenth(size: Any) -> None:
    assert lastbit.laplace_loss(scale=size) == 10.0
    assert isinstance(lastbit.laplace(5, scale=size), int)


def test_a_float_is_its_value_or_refused() -> None:
    assert lastbit.laplace_loss(scale=0.5) == 2.0
    for call in (
        lambda: lastbit.laplace(1, scale=0.1),
        lambda: lastbit.laplace(1, epsilon=numpy.float64(0.1)),
        lambda: lastbit.exponential([1, 2], epsilon=0.3),
        lambda: lastbit.laplace(1, scale=float("nan")),
        lambda: lastbit.laplace(1, scale=True),
        lambda: lastbit.laplace(1, scale=None),
        lambda: lastbit.laplace(1, scale=1, epsilon=1),
        lambda: lastbit.laplace(1, scale=-1),
        lambda: lastbit.laplace(1, scale="x"),
        lambda: lastbit.laplace(1, scale=1, grid=3),
        lambda: lastbit.laplace(1, scale=1, grid=0.5),
        lambda: lastbit.laplace(float("nan"), scale=1),
        lambda: lastbit.laplace(numpy.array([1.0, numpy.inf]), scale=1),
        lambda: lastbit.laplace("1", scale=1),
        lambda: lastbit.laplace(numpy.array(["a"]), scale=1),
        lambda: lastbit.gaussian(1, sigma=1, rho=1),
        lambda: lastbit.snapping(1, lower=5, upper=2, epsilon=1),
        lambda: lastbit.snapping(1, lower=0, upper=2),
        lambda: lastbit.exponential([], epsilon=1),
        lambda: lastbit.exponential([1.0, float("nan")], epsilon=1),
        lambda: lastbit.quantiles([1.0, float("nan")], [0.5], lower=0, upper=1, epsilon=1),
        lambda: lastbit.randomized_response(1, [1, 1], epsilon=1),
        lambda: lastbit.randomized_response(1, [1], epsilon=1),
        lambda: lastbit.threshold({"a": 1}, delta=0, epsilon=1),
    ):
        with pytest.raises((lastbit.ParameterError, TypeError)):
            call()


# So small a scale that the noise is below half a step with probability 1 - e^-500.
TINY = "0.001"


def test_types_and_shapes_stay() -> None:
    for dtype in (numpy.int8, numpy.int32, numpy.int64, numpy.uint16, numpy.uint64):
        data = numpy.arange(12, dtype=dtype).reshape(3, 4)
        for noisy in (lastbit.laplace(data, scale=TINY), lastbit.geometric(data, scale=TINY)):
            assert noisy.dtype == numpy.int64 and noisy.shape == (3, 4) and (noisy == data).all()
    for dtype in (numpy.float32, numpy.float64):
        data = numpy.arange(12, dtype=dtype)[::2] / 4
        for noisy in (
            lastbit.laplace(data, scale="0.0001", grid=0.25),
            lastbit.gaussian(data, sigma="0.001", grid=0.25),
        ):
            assert noisy.dtype == numpy.float64 and (noisy == data).all()
    assert lastbit.laplace(numpy.int32(7), scale=TINY) == 7
    assert lastbit.laplace([1, 2, 3], scale=TINY).tolist() == [1, 2, 3]
    assert lastbit.laplace(numpy.array([], dtype=float), scale=1).shape == (0,)
    assert lastbit.snapping(7, lower=0, upper=10, epsilon=5000) == pytest.approx(7, abs=0.01)
    pandas = pytest.importorskip("pandas")
    assert lastbit.laplace(pandas.Series([1, 2]), scale=TINY).tolist() == [1, 2]


def test_floats_lie_on_their_grid() -> None:
    noisy = lastbit.laplace(numpy.zeros(1000), scale=3, grid="1/8")
    assert ((noisy * 8) % 1 == 0).all() and len(set(noisy.tolist())) > 20
    fine = lastbit.laplace(numpy.zeros(1000), scale=3)
    assert ((fine * 256) % 1 == 0).all()


def test_selection_without_noise_is_the_best() -> None:
    assert lastbit.exponential([1, 5, 3], epsilon=10_000) == 1
    assert lastbit.permute_and_flip(numpy.array([1.5, 5.25, 3.0]), epsilon=10_000) == 1
    middle = lastbit.quantiles(numpy.arange(1001), [0.5], lower=0, upper=1000, epsilon=10**6)
    assert middle == [pytest.approx(500, abs=1)]
    counts = {"Rome": 10_000, "hamlet": 1}
    assert lastbit.threshold(counts, epsilon=1, delta="1e-9").keys() == {"Rome"}
    assert lastbit.threshold(counts, rho="0.5", delta="1e-9", keys=3).keys() == {"Rome"}
    assert lastbit.randomized_response("b", ["a", "b"], epsilon=500) == "b"
    assert lastbit.randomized_response("x", ["a", "b"], epsilon=500) in ("a", "b")


def test_the_law_of_laplace() -> None:
    # P(0) of noise on whole numbers at scale 1 is 1 - e^-0.5; a count of 10^6 draws is within 6.2
    # standard deviations but with probability below 1e-9.
    draws = 1_000_000
    share = float((lastbit.laplace(numpy.zeros(draws, dtype=int), scale=1) == 0).mean())
    expected = 1 - 2.718281828459045**-0.5
    assert abs(share - expected) < 6.2 * (expected * (1 - expected) / draws) ** 0.5


def test_accounts() -> None:
    assert lastbit.convert(rho=1).epsilon is None
    charges = lastbit.account(
        [lastbit.LossBound(laplace="0.1", times=50), lastbit.LossBound(rho="0.01")], delta="1e-6"
    )
    assert charges["basic"] is None and charges["zcdp"] is not None
    tenths = [lastbit.LossBound(epsilon="0.1", times=10)]
    assert lastbit.account(tenths)["basic"] == pytest.approx(1)
    with pytest.raises(lastbit.ParameterError):
        lastbit.convert(epsilon=1, rho=1)
    with pytest.raises(lastbit.ParameterError):
        lastbit.account([lastbit.LossBound(epsilon=1)], delta=2)


def test_profiles() -> None:
    gaussian = lastbit.Profile([lastbit.LossBound(gaussian="0.5", times=4)], delta="1e-6")
    # Four times μ = 1/2 is μ = 1, of which δ(1) is 0.12693673750664397 (Balle and Wang 2018).
    low, high = gaussian.delta(1)
    assert low <= 0.12693673750664397 <= high and high - low < 1e-3
    assert lastbit.account([lastbit.LossBound(gaussian="0.5")])["zcdp"] is None
    # By the pairs of the ranges alone it is 41.5.
    many = [lastbit.LossBound(bounded_range=1, times=100)]
    low, high = lastbit.Profile(many, delta="1e-6").epsilon("1e-6")
    assert 30 < low <= high < 36.37
    curve = gaussian.curve(9)
    assert len(curve) == 9 and [delta for _, delta in curve] == sorted(
        (d for _, d in curve), reverse=True
    )
    for wrong in (lastbit.LossBound(rho=1), lastbit.LossBound(gaussian=-1), lastbit.LossBound()):
        with pytest.raises(lastbit.ParameterError):
            lastbit.Profile([wrong])

    class Axes:
        def plot(self, x: Any, y: Any, **settings: Any) -> None:
            self.drawn = x, y, settings

        def set(self, **settings: Any) -> None:
            self.labels = settings

    axes = gaussian.plot(Axes(), label="four")
    assert (
        len(axes.drawn[0]) == 65
        and axes.drawn[2] == {"label": "four"}
        and axes.labels["yscale"] == "log"
    )


def test_audits_find_what_is_false() -> None:
    sure = "0.9999999999"
    honest = lastbit.audit(lambda x: lastbit.laplace(x, epsilon=1), epsilon=1, confidence=sure)
    assert not honest.refuted
    false = lastbit.audit(
        lambda x: lastbit.laplace(x, epsilon=4), epsilon=1, draws=20_000, confidence=sure
    )
    assert false.refuted and false.lower_bound > 1
    words = lastbit.audit(lambda x: "yes" if x else "no", epsilon=1, confidence=sure)
    assert words.refuted and "yes" in words.findings[0].event + words.findings[1].event


def test_the_last_bits_of_numpy_tell_and_ours_do_not() -> None:
    generator = numpy.random.default_rng(16)
    naive = lastbit.attack(lambda x: x + generator.laplace(), epsilon=1, confidence="0.9999999999")
    assert naive.succeeded
    ours = lastbit.attack(
        lambda x: lastbit.laplace(x, epsilon=1), epsilon=1, confidence="0.9999999999"
    )
    assert not ours.succeeded


def test_programs_are_proved_or_not() -> None:
    exact = lastbit.verify("snapping", precision=113).loss
    double = lastbit.verify("snapping").loss
    assert exact is not None and double is not None and exact <= double
    # A loss of 1/lambda, and what rounding adds.
    small = lastbit.verify("snapping", **{"lambda": 2}).loss
    assert small is not None and 0.5 <= small < 0.5001
    assert "proof needs" in (lastbit.verify("naive_laplace").gap or "")
    for call in (
        lambda: lastbit.verify("return )"),
        lambda: lastbit.verify("snapping", precision=1),
        lambda: lastbit.verify("snapping", nothing=1),
        lambda: lastbit.verify("snapping", **{"lambda": 0.1}),
    ):
        with pytest.raises(lastbit.ParameterError):
            call()
