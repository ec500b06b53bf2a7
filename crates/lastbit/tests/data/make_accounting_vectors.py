"""Exact profiles of compositions that have a closed form, at 200 bits, for
tests/accounting/vectors.rs.

Each line: kind, count, parameters, epsilon, delta (30 digits). Random compositions from a fixed
stream: pure (a binomial sum), k-ary response (a trinomial sum), approximate (a binomial sum and a
probability), Gaussian (the normal tail), and two unequal pure losses (a sum over both counts).
"""

import random
from mpmath import mp, mpf, binomial, erfc, exp, findroot, log, sqrt

mp.prec = 200
stream = random.Random(2026)


def number(low, high):
    """Three digits, between low and high, evenly by the logarithm."""
    value = low * (high / low) ** stream.random()
    return f"{value:.3g}"


def hockey(terms, epsilon):
    """E[max(0, 1 - e^(epsilon - Z))] of pairs (probability, loss)."""
    return sum(p * (1 - exp(epsilon - z)) for p, z in terms if z > epsilon)


def response(epsilon, k, count):
    truth = exp(epsilon) / (exp(epsilon) + k - 1)
    lie = 1 / (exp(epsilon) + k - 1)
    if k == 2:
        for i in range(count + 1):
            yield binomial(count, i) * truth**i * lie ** (count - i), epsilon * (2 * i - count)
        return
    rest = (k - 2) * lie
    for i in range(count + 1):
        for j in range(count + 1 - i):
            ways = binomial(count, i) * binomial(count - i, j)
            yield ways * truth**i * lie**j * rest ** (count - i - j), epsilon * (i - j)


def product(first, second):
    second = list(second)
    for p, y in first:
        for q, z in second:
            yield p * q, y + z


def gaussian(mu, epsilon):
    tail = lambda x: erfc(x / sqrt(2)) / 2
    return tail(epsilon / mu - mu / 2) - exp(epsilon) * tail(epsilon / mu + mu / 2)


def level(profile, most, digits):
    """An epsilon of three digits at which the profile is about a random power of ten."""
    target = mpf(10) ** -(digits * stream.random())
    low, high = mpf(0), mpf(most)
    for _ in range(60):
        middle = (low + high) / 2
        if profile(middle) > target:
            low = middle
        else:
            high = middle
    return f"{float(low):.3g}"


def write(kind, count, parameters, epsilon, delta):
    if delta > mpf(10) ** -31:
        print(kind, count, *parameters, epsilon, mp.nstr(delta, 30), file=out)


with open("accounting.txt", "w") as out:
    for _ in range(350):
        count = int(float(number(1, 10000)))
        mu = number(0.003, 3)
        each = mpf(mu) * sqrt(count)
        if each > 12:
            continue
        at = level(lambda z: gaussian(each, z), 200, 30)
        write("gaussian", count, [mu], at, gaussian(each, mpf(at)))
    for _ in range(260):
        count = int(float(number(1, 10000)))
        loss = number(0.003, 2)
        if mpf(loss) * sqrt(count) > 8 and count > 40:
            continue
        terms = list(response(mpf(loss), 2, count))
        at = level(lambda z: hockey(terms, z), mpf(loss) * count, 30)
        write("pure", count, [loss], at, hockey(terms, mpf(at)))
    for _ in range(120):
        count = int(float(number(1, 60)))
        loss, k = number(0.01, 2), stream.choice([3, 4, 7, 20])
        terms = list(response(mpf(loss), k, count))
        at = level(lambda z: hockey(terms, z), mpf(loss) * count, 30)
        write("response", count, [loss, k], at, hockey(terms, mpf(at)))
    for _ in range(150):
        counts = [int(float(number(1, 300))) for _ in range(2)]
        losses = [number(0.003, 0.7) for _ in range(2)]
        if sum(mpf(l) * sqrt(c) for l, c in zip(losses, counts)) > 8:
            continue
        both = list(
            product(response(mpf(losses[0]), 2, counts[0]), response(mpf(losses[1]), 2, counts[1]))
        )
        at = level(lambda z: hockey(both, z), sum(mpf(l) * c for l, c in zip(losses, counts)), 30)
        write("unequal", counts[0], [losses[0], counts[1], losses[1]], at, hockey(both, mpf(at)))
    for _ in range(150):
        count = int(float(number(1, 1000)))
        loss, delta = number(0.003, 1), number(1e-12, 1e-3)
        if mpf(loss) * sqrt(count) > 8:
            continue
        terms = list(response(mpf(loss), 2, count))
        none = (1 - mpf(delta)) ** count
        whole = lambda z: 1 - none + none * hockey(terms, z)
        at = f"{float(mpf(loss) * count * stream.random()):.3g}"
        write("approximate", count, [loss, delta], at, whole(mpf(at)))
    # Laplace noise once and twice: the loss of two is the sum of two independent ones.
    for _ in range(60):
        loss = number(0.003, 5)
        at = f"{float(mpf(loss) * stream.random()):.3g}"
        write("laplace", 1, [loss], at, 1 - exp((mpf(at) - mpf(loss)) / 2))
