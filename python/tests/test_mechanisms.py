"""Mechanisms: types, shapes, exact parameters, and laws where the noise is gone."""

from __future__ import annotations

import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import lastbit
import pytest
from lastbit import framework as fw

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
        lambda: lastbit.threshold({"a": 2**70}, delta="1e-9", epsilon=1),
        lambda: lastbit.threshold({1: 1}, delta="1e-9", epsilon=1),  # type: ignore[dict-item]
        lambda: lastbit.laplace(2**63, scale=1),
        lambda: lastbit.laplace([2**63], scale=1),
        lambda: lastbit.laplace([1, [2, 3]], scale=1),
        lambda: lastbit.laplace([2**63, -1], scale=1),
        lambda: lastbit.laplace(1, epsilon=[1]),  # type: ignore[arg-type]
        lambda: lastbit.laplace(1, epsilon="1 0"),
        lambda: lastbit.laplace(1, epsilon="1_0"),
        lambda: lastbit.laplace(1, epsilon="١"),
        lambda: lastbit.laplace(1, epsilon="1e99999999"),
        lambda: lastbit.laplace(1.0, epsilon=1, grid="1e-99999999"),
        lambda: lastbit.laplace(1, epsilon=Decimal("1e99999999")),
        lambda: lastbit.laplace(numpy.ma.array([1.0, 2.0], mask=[0, 1]), scale=1),
        lambda: lastbit.quantiles(
            [1.0],
            0.5,  # type: ignore[arg-type]
            lower=0,
            upper=1,
            epsilon=1,
        ),
        lambda: lastbit.quantiles([1.0], [0.5], lower=0, upper=1, epsilon=1, grid=2**-60),
        lambda: lastbit.quantiles([1.0], [0.5], lower="0.25", upper="0.5", epsilon=1, grid=1),
        lambda: fw.rows(float) >> fw.clamp(0, 1) >> fw.resize(10**12, constant=0.5),
        lambda: fw.rows(str) >> fw.count_by_key() >> fw.laplace(epsilon=1),
        lambda: lastbit.convert(),
        lambda: lastbit.laplace(numpy.array([2**63], dtype=numpy.uint64), scale=1),
        lambda: lastbit.exponential([1, "a"], epsilon=1),
        lambda: lastbit.exponential([1, 2**70 + 1], epsilon=1),
        lambda: lastbit.permute_and_flip([0.5, 2**53 + 1], epsilon=1),
        lambda: lastbit.quantiles([1.0], [0.5], lower="0.1", upper=1, epsilon=1),
        lambda: lastbit.quantiles([1.0], [0.5], lower="1/3", upper=1, epsilon=1),
        lambda: lastbit.quantiles([1.0], [0.5], lower=0, upper=2**53 + 1, epsilon=1),
        lambda: lastbit.quantiles([1.0], [0.5], lower=0, upper=float("inf"), epsilon=1),
        lambda: lastbit.quantiles([1.0], [0.5], lower="x", upper=1, epsilon=1),
        lambda: lastbit.quantiles(["a"], [0.5], lower=0, upper=1, epsilon=1),
        lambda: lastbit.randomized_response({}, ["a", "b"], epsilon=1),
        lambda: fw.rows(float) >> fw.clamp("a", "b"),
        lambda: fw.rows(float) >> fw.clamp("0.1", 1),
        lambda: fw.rows(int) >> fw.clamp(0.5, 1),
        lambda: fw.rows(int) >> fw.clamp(0, 2**70),
        lambda: fw.rows(float) >> fw.resize(3, constant="x"),
        lambda: fw.rows(int) >> fw.histogram(["a"]),
    ):
        with pytest.raises(lastbit.ParameterError):
            call()


def test_what_was_asked_before_does_not_matter() -> None:
    # The Fraction equals the float, and 1 equals True; only the first of each pair is exact.
    pairs: list[tuple[Any, Any]] = [(Fraction(0.1), 0.1), (Decimal(0.3), 0.3), (1, True)]
    for asked, refused in pairs:
        for call in (
            lambda size: lastbit.laplace(1, scale=size),
            lambda size: lastbit.laplace(1, epsilon=size),
            lambda size: lastbit.laplace(1, epsilon=1, sensitivity=size),
            lambda size: lastbit.geometric(1, epsilon=size),
            lambda size: lastbit.gaussian(1, sigma=size),
            lambda size: lastbit.gaussian(1, rho=size),
            lambda size: lastbit.laplace_loss(scale=size),
        ):
            call(asked)
            with pytest.raises(lastbit.ParameterError):
                call(refused)


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
    # A list for a list, of whole numbers only if all of it are.
    assert lastbit.laplace([1, 2, 3], scale=TINY) == [1, 2, 3]
    assert lastbit.laplace([[1, 2], [3, 4]], scale=TINY) == [[1, 2], [3, 4]]
    mixed = lastbit.laplace([1, 2.5], scale=TINY, grid=0.5)
    assert mixed == [1, 2.5] and all(isinstance(one, float) for one in mixed)
    assert lastbit.laplace(numpy.array([], dtype=float), scale=1).shape == (0,)
    assert lastbit.snapping(7, lower=0, upper=10, epsilon=5000) == pytest.approx(7, abs=0.01)
    pandas = pytest.importorskip("pandas")
    assert lastbit.laplace(pandas.Series([1, 2]), scale=TINY).tolist() == [1, 2]


def test_floats_lie_on_their_grid() -> None:
    noisy = lastbit.laplace(numpy.zeros(1000), scale=3, grid="1/8")
    assert ((noisy * 8) % 1 == 0).all() and len(set(noisy.tolist())) > 20
    fine = lastbit.laplace(numpy.zeros(1000), scale=3)
    # At least 2^10 times finer than the scale, as in chains and in releases.
    assert ((fine * 512) % 1 == 0).all() and not ((fine * 256) % 1 == 0).all()
    wide = lastbit.gaussian(numpy.zeros(1000), sigma=3)
    assert ((wide * 512) % 1 == 0).all() and not ((wide * 256) % 1 == 0).all()


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


def test_bounds_are_their_value() -> None:
    for lower, upper in ((0.1, 5), (Fraction(1, 4), Decimal("2.5")), ("0.25", "5e0"), (-1, 2**53)):
        low, high = lastbit.quantiles([1.0], [0.25, 0.75], lower=lower, upper=upper, epsilon=1)
        assert Fraction(lower) <= low <= high <= Fraction(upper)
    assert (fw.rows(float) >> fw.clamp(0.1, "0.5") >> fw.sum()).map(1) == Fraction(1, 2)
    assert (fw.rows(int) >> fw.clamp("-3", Decimal(7)) >> fw.sum()).map(1) == 7


def test_quantiles_of_few_rows_are_between_them() -> None:
    # Among all doubles, 91 of 100 answers would be below 0.001, as most doubles are. On even steps,
    # those below 0.01 have 0.01 of the candidates, and all others at least e^-2 of the weight of
    # the best, so that one answer is there with probability below 0.001, and 11 of 40 below 1e-20.
    values = [12.5 + row / 100 for row in range(20)]
    drawn = [
        lastbit.quantiles(values, [0.5], lower=0, upper=100, epsilon="0.2")[0] for _ in range(40)
    ]
    assert sum(value > 0.01 for value in drawn) >= 30 and len(set(drawn)) > 1
    whole = lastbit.quantiles(values, [0.5], lower=0, upper=100, epsilon=1, grid=1)
    assert whole[0].is_integer() and lastbit.laplace([], scale=1) == []
    ends = [
        lastbit.quantiles([5], [0.5], lower=lower, upper=upper, epsilon=1)[0]
        for lower, upper in ((-(2.0**1000), 2**1000), (0, 2**-1000), (7, 7))
    ]
    assert abs(ends[0]) <= 2.0**1000 and 0 <= ends[1] <= 2**-1000 and ends[2] == 7


def test_randomized_response_of_arrays() -> None:
    sure: dict[str, Any] = {"epsilon": 500}
    colours = ["red", "ultramarine", "blue"]
    values = numpy.array([["red", "blue"], ["blue", "red"]])
    answers = lastbit.randomized_response(values, colours, **sure)
    assert answers.shape == (2, 2) and (answers == values).all()
    assert lastbit.randomized_response(["red", "blue"], colours, **sure) == ["red", "blue"]
    flags = numpy.array([True, False, True])
    answers = lastbit.randomized_response(flags, **sure)
    assert answers.dtype == bool and (answers == flags).all()
    mixed = lastbit.randomized_response(numpy.array([1, 2]), [1, "two", 2], **sure)
    assert mixed.tolist() == [1, 2]
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["blue", "red"])
    assert lastbit.randomized_response(series, colours, **sure).tolist() == ["blue", "red"]
    # What is none of them is answered by any, each by itself: all alike with probability 3^-59.
    unknown = lastbit.randomized_response(numpy.array(["pink"] * 60), colours, **sure)
    assert set(unknown.tolist()) <= set(colours) and len(set(unknown.tolist())) > 1
    assert lastbit.randomized_response(numpy.array([], dtype=bool), epsilon=1).shape == (0,)
    # The truth has probability 3/4 at ε = ln 3, and less than 2^-50 below it at the nearest double;
    # 6.2 standard deviations are exceeded with probability below 1e-9.
    draws = 20_000
    truth = numpy.ones(draws, dtype=bool)
    told = lastbit.randomized_response(truth, epsilon="1.0986122886681098")
    assert abs(told.mean() - 0.75) < 6.2 * (0.75 * 0.25 / draws) ** 0.5


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


def test_a_profile_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    from matplotlib import pyplot

    profile = lastbit.Profile([lastbit.LossBound(laplace="0.1", times=100)], delta="1e-6")
    axes = profile.plot(color="#ff0000", label="a hundred")
    (line,) = axes.get_lines()
    assert list(zip(*line.get_data())) == profile.curve()
    assert axes.get_yscale() == "log" and axes.get_xlabel() == "ε"
    canvas = axes.figure.canvas
    canvas.draw()
    red, green, blue = numpy.moveaxis(numpy.asarray(canvas.buffer_rgba()), 2, 0)[:3].astype(int)
    drawn = numpy.argwhere((red > 200) & (green < 60) & (blue < 60))
    # From the upper left to the lower right: δ falls as ε grows.
    assert len(drawn) > 200
    left, right = drawn[drawn[:, 1].argmin()], drawn[drawn[:, 1].argmax()]
    assert left[0] < right[0] - 100 and left[1] < right[1] - 200
    second = profile.plot(axes)
    assert second is axes and len(axes.get_lines()) == 2
    pyplot.close("all")


def test_plots_say_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        lastbit.Profile([lastbit.LossBound(laplace="0.1")]).plot()


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


def test_audits_tell_large_integers_and_arrays_apart() -> None:
    # As doubles, these two are one number.
    for mechanism in (
        lambda x: 2**60 + x,
        lambda x: 10**400 + x,
        lambda x: numpy.array([x, 2**60 + x]),
    ):
        assert lastbit.audit(mechanism, epsilon=1, draws=200).refuted


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
