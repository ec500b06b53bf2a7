"""Oracle vectors for casts between privacy measures, by mpmath at 100 digits.

Writes conversions.txt. Each line is a cast, its arguments, and its exact value cut (toward zero) to
60 digits:

    pure_to_zcdp <epsilon> <rho>              laplace_to_zcdp <epsilon> <rho>
    range_to_zcdp <eta> <rho>
    zcdp_epsilon <rho> <delta> <epsilon>      zcdp_delta <rho> <epsilon> <delta>      zcdp_for
    <epsilon> <delta> <rho> renyi_delta <order> <divergence> <epsilon> <delta> renyi_epsilon <order>
    <divergence> <delta> <epsilon> profile <epsilon0> <delta0> <epsilon> <delta> pure_to_renyi
    <epsilon> <order> <divergence>   (and laplace_to_renyi, range_to_renyi) optimal <k> <epsilon>
    <delta> <epsilon of k releases of randomized response>

Arguments are doubles, written so that they read back as the same ones. Values come from the
definitions, with enough digits that cancellation does not show; the best Rényi order is found by
bisection of the derivative to 35 digits, which enter squared.
"""

import random

from mpmath import binomial, exp, expm1, floor, log, log1p, mp, mpf, tanh, workdps

DIGITS = 60
LINES = []


def cut(value):
    """Toward zero, to 60 significant digits."""
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    exponent = int(floor(log(value, 10))) - DIGITS + 1
    digits = int(floor(value * mpf(10) ** (-exponent)))
    return f"{sign}{digits}e{exponent}"


def emit(name, arguments, value):
    if 0 < value < mpf(10) ** -4000:
        return  # more digits than the tests read
    LINES.append(" ".join([name, *map(repr, arguments), cut(value)]))


def bits_for(x):
    """Digits that survive subtracting numbers of size 1 that agree to about x**4."""
    return 100 + max(0, -4 * int(floor(log(mpf(x), 10))))


def pure_to_zcdp(epsilon):
    epsilon = mpf(epsilon)
    return epsilon * tanh(epsilon / 2)


def laplace_to_zcdp(epsilon):
    epsilon = mpf(epsilon)
    return epsilon + exp(-epsilon) - 1


def range_to_zcdp(eta):
    eta = mpf(eta)
    if eta > 10**5:
        # x = η e^-η up to a factor 1 + e^-η; its logarithm without it.
        return eta * exp(-eta) - 1 - (log(eta) - eta)
    x = eta / expm1(eta)
    return x - 1 - log(x)


def bisect(positive, low, high):
    """The point where the condition starts to hold, to 35 digits, between 10^low and 10^high."""
    low, high = mpf(low), mpf(high)
    while high - low > mpf(10) ** -35:
        middle = (low + high) / 2
        if positive(mpf(10) ** middle):
            high = middle
        else:
            low = middle
    return mpf(10) ** high


def best_order(positive):
    """τ = α − 1 where the derivative changes sign; where that is below 10^-400, which no double is,
    10^-400."""
    return bisect(positive, -400, 400)


def entropy(tau):
    return (1 + tau) * log(1 + tau) - tau * log(tau)


def with_order(evaluate, positive):
    """Evaluates at the best order, with digits for a τ far from 1."""
    with workdps(60):
        tau = best_order(positive)
    with workdps(120 + 2 * abs(int(floor(log(tau, 10))))):
        return evaluate(tau)


def zcdp_epsilon(rho, delta):
    rho, target = mpf(rho), -log(mpf(delta))
    value = with_order(
        lambda tau: (1 + tau) * rho + (-log(mpf(delta)) - entropy(tau)) / tau,
        lambda tau: tau * tau * rho + log1p(tau) >= target,
    )
    return max(value, mpf(0))


def zcdp_delta(rho, epsilon):
    rho, epsilon = mpf(rho), mpf(epsilon)
    return with_order(
        lambda tau: exp(tau * ((1 + tau) * rho - epsilon) - entropy(tau)),
        lambda tau: (2 * tau + 1) * rho >= epsilon + log1p(1 / tau),
    )


def zcdp_for(epsilon, delta):
    epsilon, target = mpf(epsilon), -log(mpf(delta))

    def late(tau):
        rho = (target - log1p(tau)) / tau**2
        return (1 + 2 * tau) * rho <= epsilon + log1p(1 / tau)

    return with_order(
        lambda tau: (epsilon - (-log(mpf(delta)) - entropy(tau)) / tau) / (1 + tau), late
    )


def renyi_delta(order, divergence, epsilon):
    tau = mpf(order) - 1
    return min(exp(tau * (mpf(divergence) - mpf(epsilon)) - entropy(tau)), mpf(1))


def renyi_epsilon(order, divergence, delta):
    tau = mpf(order) - 1
    return max(mpf(divergence) + (-log(mpf(delta)) - entropy(tau)) / tau, mpf(0))


def profile(epsilon0, delta0, epsilon):
    epsilon0, delta0, epsilon = mpf(epsilon0), mpf(delta0), mpf(epsilon)
    if epsilon >= epsilon0:
        return delta0
    return delta0 + (1 - delta0) * (1 - exp(epsilon - epsilon0)) / (1 + exp(-epsilon0))


def pure_to_renyi(epsilon, order):
    """Randomized response."""
    epsilon, order = mpf(epsilon), mpf(order)
    lie = 1 / (1 + exp(epsilon))
    truth = 1 - lie
    return log(truth**order * lie ** (1 - order) + lie**order * truth ** (1 - order)) / (order - 1)


def laplace_to_renyi(epsilon, order):
    epsilon, order = mpf(epsilon), mpf(order)
    outer = order * exp((order - 1) * epsilon) + (order - 1) * exp(-order * epsilon)
    return log(outer / (2 * order - 1)) / (order - 1)


def range_to_renyi(eta, order):
    """The largest over all laws with two values of P/Q, of ratio e^eta: golden section over their
    mass under Q."""
    eta, order = mpf(eta), mpf(order)
    c, big = -expm1(-eta), -expm1(-order * eta)

    def divergence(v):
        return (log1p(-v * big) - order * log1p(-v * c)) / (order - 1)

    low, high, ratio = mpf(0), mpf(1) - mpf(10) ** -90, (mpf(5) ** 0.5 - 1) / 2
    for _ in range(220):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if divergence(left) < divergence(right):
            low = left
        else:
            high = right
    return divergence((low + high) / 2)


def optimal(k, epsilon, delta):
    """The largest of ln((P(L < i) − δ)/Q(L < i)), L binomial: the number of false answers of k."""
    epsilon, delta = mpf(epsilon), mpf(delta)
    lie = 1 / (1 + exp(epsilon))
    truth = 1 - lie
    p = q = best = mpf(0)
    terms = [binomial(k, i) * truth ** (k - i) * lie**i for i in range(k + 1)]
    for i in range(k + 1):
        p += terms[i]
        q += terms[k - i]
        if p > delta:
            best = max(best, log((p - delta) / q))
    return best


def main():
    random.seed(20260815)
    mantissa = lambda: random.uniform(1, 10)
    one_argument = [float(f"1e{e}") for e in range(-8, 9)]
    one_argument += [mantissa() * 10.0**e for e in range(-8, 8) for _ in range(24)]
    one_argument += [random.uniform(0.5, 8) for _ in range(150)]
    seams = [1.0, 2.0, 4.0]
    one_argument += [s * (1 + d * 2.0**-52) for s in seams for d in (-1, 0, 1)]
    one_argument += [
        5e-324,
        1e-310,
        3e-200,
        1e-162,
        1e-100,
        1e-30,
        700.0,
        745.5,
        800.0,
        1e15,
        1e100,
        1e300,
    ]
    for name, function in [
        ("pure_to_zcdp", pure_to_zcdp),
        ("laplace_to_zcdp", laplace_to_zcdp),
        ("range_to_zcdp", range_to_zcdp),
    ]:
        for x in one_argument:
            mp.dps = bits_for(x)
            emit(name, [x], function(x))
    mp.dps = 100

    deltas = [1e-300, 1e-30, 1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.05, 0.3, 0.9, 1 - 2.0**-30]
    rhos = [mantissa() * 10.0**e for e in range(-8, 5) for _ in range(3)] + [
        1.0,
        0.5,
        1e-100,
        1e100,
    ]
    for rho in rhos:
        for delta in random.sample(deltas, 6):
            emit("zcdp_epsilon", [rho, delta], zcdp_epsilon(rho, delta))
        for _ in range(4):
            # About the size at which δ is neither 0 nor 1, and elsewhere.
            epsilon = (
                rho + (rho**0.5) * random.choice([0.0, 0.1, 1.0, 3.0, 10.0, 40.0]) * random.random()
            )
            emit("zcdp_delta", [rho, epsilon], zcdp_delta(rho, epsilon))
        emit("zcdp_delta", [rho, 0.0], zcdp_delta(rho, 0.0))
    for epsilon in [0.0, 1.0] + [mantissa() * 10.0**e for e in range(-8, 5) for _ in range(2)]:
        for delta in random.sample(deltas, 5):
            emit("zcdp_for", [epsilon, delta], zcdp_for(epsilon, delta))

    for _ in range(200):
        order = 1 + mantissa() * 10.0 ** random.randint(-6, 6)
        divergence = mantissa() * 10.0 ** random.randint(-6, 3)
        epsilon = divergence * random.choice([0.0, 0.5, 1.0, 2.0]) + random.random() * 100 / order
        emit("renyi_delta", [order, divergence, epsilon], renyi_delta(order, divergence, epsilon))
        delta = random.choice(deltas)
        emit("renyi_epsilon", [order, divergence, delta], renyi_epsilon(order, divergence, delta))

    # Orders far out and next to 1, at an ε so near the divergence that δ is neither 0 nor 1.
    for exponent in [*range(-15, -8), *range(10, 18)]:
        order = 1 + mantissa() * 10.0**exponent
        if order > 1:
            epsilon = 1 + 2.0**-45 * random.randint(0, 99)
            emit("renyi_delta", [order, 1.0, epsilon], renyi_delta(order, 1.0, epsilon))
            emit("renyi_epsilon", [order, 0.0, 1e-6], renyi_epsilon(order, 0.0, 1e-6))

    for _ in range(200):
        epsilon0 = mantissa() * 10.0 ** random.randint(-6, 5)
        delta0 = random.choice([0.0] + deltas)
        epsilon = epsilon0 * random.choice([0.0, 1e-9, 0.5, random.random(), 0.999999, 1.0, 2.0])
        emit("profile", [epsilon0, delta0, epsilon], profile(epsilon0, delta0, epsilon))
    mp.dps = 200

    for _ in range(60):
        epsilon = mantissa() * 10.0 ** random.randint(-6, 2)
        order = 1 + mantissa() * 10.0 ** random.randint(-4, 3)
        for name, function in [
            ("pure_to_renyi", pure_to_renyi),
            ("laplace_to_renyi", laplace_to_renyi),
        ]:
            emit(name, [epsilon, order], function(epsilon, order))
    for _ in range(60):
        eta = mantissa() * 10.0 ** random.randint(-6, 1)
        order = 1 + mantissa() * 10.0 ** random.randint(-4, 3)
        emit("range_to_renyi", [eta, order], range_to_renyi(eta, order))

    for k in [1, 2, 3, 10, 100, 400]:
        for epsilon in [1e-6, 1e-3, 0.03, 0.1, 1.0, 5.0, 20.0, 300.0]:
            for delta in [1e-300, 1e-12, 1e-6, 0.01, 0.4]:
                emit("optimal", [k, epsilon, delta], optimal(k, epsilon, delta))

    with open("conversions.txt", "w", encoding="utf-8") as file:
        file.write("# Made by make_conversion_vectors.py, which says what the lines mean.\n")
        file.write("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
