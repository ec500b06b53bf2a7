#!/usr/bin/env python3
"""Asks Lastbit and OpenDP what the same measurement costs, in hundreds of settings, and how long
they take to say and to do it.

    python3 benches/opendp_maps.py

Both are given the same numbers: doubles, which Lastbit reads as exact decimals. Each loss of
Lastbit is held against the one that the theorem states, worked out here at 300 bits: it must not be
below, nor above by more than 1e-12. It must not exceed OpenDP's by more than 1e-9 either, except in
the kinds of `LARGER`, each with its reason; otherwise the script fails.

Uses the virtual environment of `peers.py`, and makes it on first use.
"""

import json
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import Callable

from peers import enter_venv, fastest, lastbit

SAME = 1e-9
TIGHT = 1e-12
# OpenDP's own grid for floats, where no other is asked for.
FINEST = -1074

# Below this, doubles have few digits or none, and rounding up is all there is.
TINY = 2.0**-1060

STEPPED = (
    "OpenDP works out δ = 1 − (1 − τ)^Δ0 in doubles near 1: in steps of 2^-53, and never below "
    "1.1e-16."
)
SMALLER = {
    "Laplace, floats on a chosen grid": "OpenDP rounds the input to the grid before the noise, so "
    "that d becomes d + n·2^k for n numbers. "
    "Lastbit rounds the sum of input and noise, which is post-processing and costs nothing.",
    "Gaussian, floats on a chosen grid": "The same: d + √n·2^k.",
    "randomized response": "OpenDP rounds p/(1 − p) up before the logarithm, which shows when p is "
    "close to 1/2. Lastbit takes ln(1 + x) "
    "of x = p/(1 − p) − 1.",
    "thresholded Laplace, integers": STEPPED,
    "thresholded Laplace, floats": STEPPED,
    "thresholded Laplace, floats on a chosen grid": STEPPED,
    "thresholded Gaussian, integers": STEPPED,
    "thresholded Gaussian, floats": STEPPED + " Its bound of the normal tail is looser, too.",
    "pure to zCDP": "OpenDP: ε²/2. Lastbit: ε·tanh(ε/2), the best possible from ε alone.",
    "Laplace to zCDP": "OpenDP: ε²/2, from ε alone. Lastbit: ε + e^-ε − 1, the best possible for "
    "the law of the noise.",
}
AT = (
    "OpenDP publishes keys whose noisy value is *at* the threshold, and leaves them out of its δ "
    "(opendp/opendp#2922): its δ is below "
    "the probability under its own law."
)
LARGER = {
    "thresholded Laplace, integers": AT
    + " Besides, real Laplace noise rounded to integers reaches a threshold cosh(1/(2s)) times as "
    "often "
    "as the discrete Laplace noise of OpenDP.",
    "thresholded Laplace, floats on a chosen grid": AT,
    "thresholded Gaussian, integers": AT,
}


@dataclass
class Setting:
    """One measurement, and the distance at which it is asked for its loss."""

    kind: str
    line: str  # for Lastbit
    theirs: Callable[[], tuple]
    truth: tuple  # the loss that the theorem states, at 300 bits
    law: object = None  # for a δ of OpenDP: what it is under OpenDP's own law


def exact(value):
    return format(Decimal(value), "f")


def line(kind, *values):
    return " ".join([kind, *map(exact, values)])


def number(value):
    """The double at 300 bits."""
    import gmpy2

    return gmpy2.mpfr(value)


def spaces():
    import opendp.prelude as dp

    def float_():
        return dp.atom_domain(T=float, nan=False)

    def int_():
        return dp.atom_domain(T=int)

    return dp, {
        "float": lambda: (float_(), dp.absolute_distance(T=float)),
        "floats": lambda: (dp.vector_domain(float_()), dp.l1_distance(T=float)),
        "ten floats": lambda: (dp.vector_domain(float_(), size=10), dp.l1_distance(T=float)),
        "int": lambda: (int_(), dp.absolute_distance(T=int)),
        "ints": lambda: (dp.vector_domain(int_()), dp.l1_distance(T=int)),
        "floats, L2": lambda: (dp.vector_domain(float_()), dp.l2_distance(T=float)),
        "ten floats, L2": lambda: (dp.vector_domain(float_(), size=10), dp.l2_distance(T=float)),
        "ints, L2": lambda: (dp.vector_domain(int_()), dp.l2_distance(T=float)),
        "keys, float": lambda: (
            dp.map_domain(int_(), float_()),
            dp.l01inf_distance(dp.absolute_distance(T=float)),
        ),
        "keys, int": lambda: (
            dp.map_domain(int_(), int_()),
            dp.l01inf_distance(dp.absolute_distance(T=int)),
        ),
        "keys, float, L2": lambda: (
            dp.map_domain(int_(), float_()),
            dp.l02inf_distance(dp.absolute_distance(T=float)),
        ),
        "keys, int, L2": lambda: (
            dp.map_domain(int_(), int_()),
            dp.l02inf_distance(dp.absolute_distance(T=int)),
        ),
    }


SCALES = [0.001, 0.1, 0.7, 1.0, 3.3, 100.0, 12345.678]
DISTANCES = [1e-9, 0.3, 1.0, 2.5, 1000.0]
STEPS = [1, 2, 7, 1000]


def of_laplace(scale, distance):
    return number(distance) / number(scale)


def of_gaussian(sigma, distance):
    return (number(distance) / number(sigma)) ** 2 / 2


def noise():
    """Laplace, geometric and Gaussian noise."""
    dp, space = spaces()

    def one(kind, ours, make, where, values, distance, truth, **options):
        def theirs():
            return (make(*space[where](), scale=values[0], **options).map(distance),)

        return Setting(kind, line(ours, *values, distance), theirs, (truth(values[0], distance),))

    laplace, gaussian = dp.m.make_laplace, dp.m.make_gaussian
    for s in SCALES:
        for d in DISTANCES:
            yield one(
                "Laplace, floats", "laplace-float", laplace, "float", (s, FINEST), d, of_laplace
            )
            yield one(
                "Gaussian, floats", "gaussian-float", gaussian, "float", (s, FINEST), d, of_gaussian
            )
        for d in DISTANCES[1:4]:
            yield one(
                "Laplace, floats", "laplace-floats", laplace, "floats", (s, FINEST), d, of_laplace
            )
            yield one(
                "Gaussian, floats",
                "gaussian-floats",
                gaussian,
                "floats, L2",
                (s, FINEST),
                d,
                of_gaussian,
            )
        for d in STEPS:
            yield one("Laplace, integers", "laplace-int", laplace, "int", (s,), d, of_laplace)
            yield one("Laplace, integers", "laplace-ints", laplace, "ints", (s,), d, of_laplace)
            yield one("geometric", "geometric-int", dp.m.make_geometric, "int", (s,), d, of_laplace)
            yield one(
                "geometric", "geometric-ints", dp.m.make_geometric, "ints", (s,), d, of_laplace
            )
            yield one("Gaussian, integers", "gaussian-int", gaussian, "int", (s,), d, of_gaussian)
            yield one(
                "Gaussian, integers",
                "gaussian-ints",
                gaussian,
                "ints, L2",
                (s,),
                float(d),
                of_gaussian,
            )
    for s in SCALES[2:6]:
        for k in (-30, -10, 0):
            for d in DISTANCES[1:4]:
                for name, make, truth, l2 in (
                    ("Laplace", laplace, of_laplace, ""),
                    ("Gaussian", gaussian, of_gaussian, ", L2"),
                ):
                    kind, ours = f"{name}, floats on a chosen grid", name.lower()
                    yield one(kind, f"{ours}-float", make, "float", (s, k), d, truth, k=k)
                    yield one(
                        kind, f"{ours}-floats", make, f"ten floats{l2}", (s, k), d, truth, k=k
                    )


def responses():
    import gmpy2

    dp, _ = spaces()
    for p in [0.5 + 1e-9, 0.5001, 0.55, 0.6, 0.75, 0.9, 0.99, 0.999999]:
        yield Setting(
            "randomized response",
            line("response-bool", p),
            lambda p=p: (dp.m.make_randomized_response_bool(p).map(1),),
            (gmpy2.log(number(p) / (1 - number(p))),),
        )
        for k in (3, 10, 100):
            yield Setting(
                "randomized response",
                line("response", k, p),
                lambda p=p, k=k: (dp.m.make_randomized_response(list(range(k)), p).map(1),),
                (gmpy2.log(number(p) * (k - 1) / (1 - number(p))),),
            )


def thresholds():
    """At most `keys` keys differ, by at most `each`."""
    import gmpy2

    dp, space = spaces()

    def of_keys(tau, keys):
        return -gmpy2.expm1(keys * gmpy2.log1p(-tau))

    def one(name, s, k, t, keys, each):
        # Laplace or Gaussian noise, rounded to the grid, reaches t − each if the noise is at most
        # half a step below. No grid that is wider than the numbers here: the threshold and `each`
        # are multiples of it.
        gap = (
            number(t) - number(each) - gmpy2.mul_2exp(number(1), k) / 2
            if k > FINEST
            else number(t) - number(each)
        )
        if name == "Laplace":
            truth = keys * of_laplace(s, each), of_keys(gmpy2.exp(-gap / number(s)) / 2, keys)
            make, total, l2 = dp.m.make_laplace_threshold, keys * each, ""
        else:
            truth = (
                keys * of_gaussian(s, each),
                of_keys(gmpy2.erfc(gap / number(s) / gmpy2.sqrt(number(2))) / 2, keys),
            )
            # √keys is an integer.
            make, total, l2 = dp.m.make_gaussian_threshold, round(keys**0.5) * each, ", L2"
        law = None
        if isinstance(each, int):
            law = of_keys(discrete_tail(name, number(s), t - each), keys)
            kind, ours, where, options = (
                f"thresholded {name}, integers",
                "int",
                f"keys, int{l2}",
                {},
            )
            values = (s, t, keys, each)
        else:
            kind, ours, where = f"thresholded {name}, floats", "float", f"keys, float{l2}"
            kind, options = (kind, {}) if k == FINEST else (f"{kind} on a chosen grid", {"k": k})
            if k != FINEST:
                law = of_keys(
                    discrete_tail(name, gmpy2.mul_2exp(number(s), -k), round((t - each) * 2**-k)),
                    keys,
                )
            values = (s, k, t, keys, each)

        def theirs():
            return make(*space[where](), scale=s, threshold=t, **options).map((keys, total, each))

        return Setting(kind, line(f"threshold-{name.lower()}-{ours}", *values), theirs, truth, law)

    for s in (0.7, 2.0, 10.0):
        for keys in (1, 4):
            for each, t in ((1, 5), (2, 20), (3, 50)):
                for name in ("Laplace", "Gaussian"):
                    yield one(name, s, 0, t, keys, each)
                    yield one(name, s, FINEST, float(t), keys, float(each))
                yield one("Laplace", s, -10, float(t), keys, float(each))


def discrete_tail(name, scale, least):
    """The probability that discrete Laplace or Gaussian noise is `least` or more, `least > 0`."""
    import gmpy2

    if name == "Laplace":
        q = gmpy2.exp(-1 / scale)
        return q**least / (1 + q)
    # Beyond 40σ the weights are below e^-800, and at `least` they are above e^-3000 here.
    weights = [
        gmpy2.exp(-((number(j) / scale) ** 2) / 2) for j in range(least + round(80 * scale) + 2)
    ]
    return sum(weights[least:]) / (2 * sum(weights) - weights[0])


def casts():
    import gmpy2

    dp, space = spaces()

    def casted(make, where, s):
        return dp.c.make_pureDP_to_zCDP(make(*space[where](), scale=s))

    def tau(rho, delta):
        """The best order, less 1, for ε at δ: τ²ρ + ln(1 + τ) = ln(1/δ)."""
        low, high = number(0), number(1e12)
        for _ in range(400):
            middle = (low + high) / 2
            if middle * middle * rho + gmpy2.log1p(middle) < -gmpy2.log(delta):
                low = middle
            else:
                high = middle
        return high

    def epsilon_of(rho, delta):
        t = tau(rho, delta)
        # δ = e^(τ((1+τ)ρ − ε))/τ · (1 − 1/(1+τ))^(1+τ), solved for ε.
        return (1 + t) * rho + (
            -gmpy2.log(delta) - gmpy2.log(t) + (1 + t) * gmpy2.log(t / (1 + t))
        ) / t

    def delta_of(rho, epsilon):
        low, high = number(0), number(1e12)
        for _ in range(400):
            middle = (low + high) / 2
            if (2 * middle + 1) * rho < epsilon + gmpy2.log1p(1 / middle):
                low = middle
            else:
                high = middle
        t = high
        return gmpy2.exp(
            t * ((1 + t) * rho - epsilon) - gmpy2.log(t) + (1 + t) * gmpy2.log(t / (1 + t))
        )

    def approximate(sigma):
        return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space["float"](), scale=sigma))

    for s in (0.1, 0.7, 1.0, 10.0, 1000.0):
        for d in (1, 3, 20):
            e = of_laplace(s, d)
            yield Setting(
                "pure to zCDP",
                line("pure-to-zcdp", s, d),
                lambda s=s, d=d: (casted(dp.m.make_geometric, "int", s).map(d),),
                (e * gmpy2.tanh(e / 2),),
            )
            yield Setting(
                "Laplace to zCDP",
                line("laplace-zcdp", s, FINEST, d),
                lambda s=s, d=d: (casted(dp.m.make_laplace, "float", s).map(float(d)),),
                (e + gmpy2.expm1(-e),),
            )
    for s in (0.5, 1.0, 5.0, 50.0, 1000.0):
        rho = of_gaussian(s, 1)
        for delta in (1e-15, 1e-9, 1e-6, 1e-2):
            yield Setting(
                "zCDP to ε at δ",
                line("zcdp-to-epsilon", s, 1, delta),
                lambda s=s, delta=delta: (approximate(s).map(1.0).epsilon(delta),),
                (max(number(0), epsilon_of(rho, number(delta))),),
            )
        for epsilon in (0.1, 1.0, 4.0):
            yield Setting(
                "zCDP to δ at ε",
                line("zcdp-to-delta", s, 1, epsilon),
                lambda s=s, epsilon=epsilon: (approximate(s).map(1.0).delta(epsilon),),
                (delta_of(rho, number(epsilon)),),
            )
    for count in (2, 3, 10, 50):
        for d in (0.3, 1.0):
            scales = [0.7 + 0.1 * i for i in range(count)]
            for name, make, truth in (
                ("laplace", dp.m.make_laplace, of_laplace),
                ("gaussian", dp.m.make_gaussian, of_gaussian),
            ):
                yield Setting(
                    "composition",
                    line(f"compose-{name}", d, *scales),
                    lambda d=d, scales=scales, make=make: (
                        dp.c.make_composition(
                            [make(*space["float"](), scale=s) for s in scales]
                        ).map(d),
                    ),
                    (sum(truth(s, d) for s in scales),),
                )
            if count <= 10:
                yield Setting(
                    "composition of (ε, δ)",
                    line("compose-approximate", d, 1e-7, *scales),
                    lambda d=d, scales=scales: dp.c.make_composition(
                        [dp.c.make_fix_delta(approximate(s), 1e-7) for s in scales]
                    ).map(d),
                    (
                        sum(epsilon_of(of_gaussian(s, d), number(1e-7)) for s in scales),
                        count * number(1e-7),
                    ),
                )


def change(mine, peer):
    """Ours over theirs, less 1; two losses of zero are the same."""
    if peer == 0:
        return 0.0 if mine == 0 else float("inf")
    return mine / peer - 1


def compare(settings):
    """Prints a row per kind and the reasons for differences; gives the complaints."""
    written = lastbit(
        "maps", text="".join(setting.line + "\n" for setting in settings)
    ).splitlines()
    kinds, complaints, below, over = {}, [], {}, {}
    for setting, text in zip(settings, written, strict=True):
        ours, theirs = tuple(map(float, text.split())), setting.theirs()
        rows = list(zip(ours, theirs, setting.truth, strict=True))
        for mine, _, truth in rows:
            if not truth <= mine <= truth * (1 + TIGHT) + TINY:
                complaints.append(
                    f"{setting.line}: Lastbit says {mine!r}, and the theorem {truth:.20e}"
                )
        changes = [change(mine, peer) for mine, peer, _ in rows]
        kinds.setdefault(setting.kind, []).append(changes)
        if max(changes) > SAME and setting.kind not in LARGER:
            complaints.append(
                f"{setting.line}: Lastbit says {ours}, and OpenDP {theirs}, which is less"
            )
        if setting.law is not None:
            below[setting.kind] = below.get(setting.kind, 0) + (theirs[1] < setting.law)
            if max(changes) > SAME:
                over[setting.kind] = max(
                    over.get(setting.kind, 0), change(ours[1], float(setting.law))
                )
                if changes[0] > SAME or theirs[1] >= setting.law:
                    complaints.append(
                        f"{setting.line}: OpenDP's δ of {theirs[1]} is not below that of its law, "
                        f"so ours is too large"
                    )
    print(
        "| measurement | settings | the same | ours smaller | ours larger | least, most of "
        "ours/theirs − 1 |"
    )
    print("|---|---|---|---|---|---|")
    totals = [0, 0, 0, 0]
    for kind, changes in kinds.items():
        larger = sum(max(each) > SAME for each in changes)
        smaller = sum(min(each) < -SAME and max(each) <= SAME for each in changes)
        counts = [len(changes), len(changes) - smaller - larger, smaller, larger]
        totals = [a + b for a, b in zip(totals, counts)]
        least, most = min(map(min, changes)), max(map(max, changes))
        print(f"| {kind} | {' | '.join(map(str, counts))} | {least:.2g}, {most:.2g} |")
        for count, reasons in ((smaller, SMALLER), (larger, LARGER)):
            if count and kind not in reasons:
                complaints.append(f"{kind}: {count} settings differ, and no reason is given")
    print(f"| all | {' | '.join(map(str, totals))} | |\n")
    for title, reasons in (("Smaller", SMALLER), ("Larger", LARGER)):
        for kind, reason in reasons.items():
            print(f"- {title}: {kind}. {reason}")
    print()
    for kind, count in below.items():
        print(
            f"{kind}: OpenDP's δ is below the δ of its own law in {count} of {len(kinds[kind])} "
            f"settings; "
            f"where ours is larger, it exceeds that one by {over[kind]:.2g} of it at most."
        )
    print()
    return complaints


def evidence():
    """How often OpenDP publishes a key that only one data set has, beside the δ that it states for
    that."""
    dp, space = spaces()
    release = dp.m.make_laplace_threshold(*space["keys, int"](), scale=1.0, threshold=5)
    keys = 100_000
    published = len(release({key: 1 for key in range(keys)}))
    print(
        f"OpenDP, scale 1, threshold 5, keys of value 1: δ stated {release.map((1, 1, 1))[1]:.5f}, "
        f"published {published / keys:.5f}.\n"
    )


def speed(rounds=60):
    """The fastest of many short runs, turn by turn through the rows, so that a busy moment does not
    fall on one of them."""
    dp, space = spaces()
    runs = [json.loads(lastbit("maps", "--time")) for _ in range(5)]
    ours = {key: min(run[key] for run in runs) for key in runs[0]}
    d = 0.3

    def make(maker, where, **options):
        return maker(*space[where](), scale=0.7, **options)

    def of_map(measurement, distance, n=10):
        return n, lambda: [measurement.map(distance) for _ in range(n)]

    def of_release(measurement, value, n=10):
        return n, lambda: [measurement(value) for _ in range(n)]

    laplace, gaussian = (
        make(dp.m.make_laplace, "float", k=-10),
        make(dp.m.make_gaussian, "float", k=-10),
    )
    default = make(dp.m.make_laplace, "float")
    keys = make(dp.m.make_laplace_threshold, "keys, float", threshold=20.0, k=-10)
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), 1e-6)
    counts = {key: 417.3 for key in range(1000)}
    rows = [
        ("map: Laplace on a grid", "map_laplace", of_map(laplace, d)),
        ("map: Laplace, default grid of OpenDP", "map_laplace", of_map(default, d)),
        ("map: Gaussian on a grid", "map_gaussian", of_map(gaussian, d)),
        (
            "map: ten Laplace releases composed",
            "map_compose",
            of_map(dp.c.make_composition([laplace] * 10), d),
        ),
        ("map: thresholded Laplace", "map_threshold", of_map(keys, (3, 3 * d, d))),
        ("map: Gaussian, ε at δ = 10^-6", "map_zcdp_to_epsilon", of_map(fixed, d, n=1)),
        (
            "release: Laplace on integers",
            "release_integer_laplace",
            of_release(make(dp.m.make_laplace, "int"), 417),
        ),
        (
            "release: geometric",
            "release_geometric",
            of_release(make(dp.m.make_geometric, "int"), 417),
        ),
        (
            "release: Gaussian on integers",
            "release_integer_gaussian",
            of_release(make(dp.m.make_gaussian, "int"), 417),
        ),
        ("release: Laplace on a grid", "release_grid_laplace", of_release(laplace, 417.3)),
        (
            "release: Laplace, default grid of OpenDP",
            "release_grid_laplace",
            of_release(default, 417.3),
        ),
        ("release: Gaussian on a grid", "release_grid_gaussian", of_release(gaussian, 417.3)),
        (
            "release: thresholded Laplace, 1000 keys, a key",
            "release_threshold",
            (1000, lambda: keys(counts)),
        ),
        ("call", None, of_map(dp.m.make_randomized_response_bool(0.75), 1)),
    ]
    best = dict.fromkeys((name for name, _, _ in rows), float("inf"))
    for _ in range(rounds):
        for name, _, (n, run) in rows:
            best[name] = min(best[name], fastest(n, run, times=1))
    call = best["call"]
    print(
        f"Nanoseconds. OpenDP is called from Python; its map of randomized response, which is "
        f"little but the call, takes {call:,.0f}.\n"
    )
    print("| | Lastbit | OpenDP | ratio | less that call | ratio |")
    print("|---|---|---|---|---|---|")
    for name, key, (n, _) in rows[:-1]:
        ns = best[name]
        bare = ns - (call / n if "a key" in name else call)
        # Calls differ by a few parts in a hundred.
        told = (
            f"{bare:,.0f} | {bare / ours[key]:,.0f}×"
            if bare > call / 1000 and bare > ns / 20
            else "— | "
        )
        print(f"| {name} | {ours[key]:,.0f} | {ns:,.0f} | {ns / ours[key]:,.0f}× | {told} |")
    print(f"\n`Up` add {ours['up_add']:.1f}, `Interval` exp {ours['interval_exp']:.0f}.")


def main():
    enter_venv()
    import gmpy2
    import opendp.prelude as dp

    dp.enable_features("contrib")
    gmpy2.get_context().precision = 300
    complaints = compare([*noise(), *responses(), *thresholds(), *casts()])
    evidence()
    speed()
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
