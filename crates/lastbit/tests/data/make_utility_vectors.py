"""Oracle vectors for the law of clamp_B(round_Λ(g + Laplace(λ))), by mpmath.

Writes utility_law.txt. Every number is in steps of the grid 2^exponent:

    law <exponent> <scale> <bound or inf> <location>
    pmf <x> <P(X = x)>        cdf <x> <P(X <= x)>        tail <a> <P(|X - location| > a)>
    mean | bias | variance | mse <value>
    accuracy <alpha> <smallest a with P(|X - location| > a) <= alpha>

Probabilities come from the definition: differences of the Laplace cdf at the ends of a cell.
Moments are sums of value times probability over all cells, one by one where there are at most 2000;
else the part beyond 50 cells from the location is the sum of k^j q^k over a range, by the
difference of two infinite sums, at a precision at which its cancellation does not show.
"""

from fractions import Fraction as F

from mpmath import mp, mpf, exp, log, nstr

DIGITS = 40


def real(x):
    return mpf(x.numerator) / x.denominator


class Law:
    def __init__(self, scale, bound, location):
        self.scale, self.bound, self.t = scale, bound, location
        self.n = None if bound is None else -((-bound.numerator) // bound.denominator) - 1

    def edge(self, k):
        """The lower end of cell k, from the location, in units of the scale."""
        return (F(k) - F(1, 2) - self.t) / self.scale

    def upper(self, k):
        """P(K >= k)."""
        z = self.edge(k)
        return exp(-real(z)) / 2 if z >= 0 else 1 - exp(real(z)) / 2

    def lower(self, k):
        """P(K < k)."""
        z = self.edge(k)
        return exp(real(z)) / 2 if z <= 0 else 1 - exp(-real(z)) / 2

    def cell(self, k):
        if self.edge(k) >= 0:
            return self.upper(k) - self.upper(k + 1)
        return self.lower(k + 1) - self.lower(k)

    def support(self, x):
        """The probability of a support point."""
        if self.bound is not None:
            if x == self.bound:
                return self.upper(self.n + 1)
            if x == -self.bound:
                return self.lower(-self.n)
            if abs(x) > self.bound:
                return mpf(0)
        return self.cell(x.numerator) if x.denominator == 1 else mpf(0)

    def above(self, x):
        """P(X > x)."""
        k = x.numerator // x.denominator + 1
        if self.bound is not None:
            if x >= self.bound:
                return mpf(0)
            if x < -self.bound:
                return mpf(1)
            k = min(max(k, -self.n), self.n + 1)
        return self.upper(k)

    def below(self, x):
        """P(X < x)."""
        k = -((-x.numerator) // x.denominator)
        if self.bound is not None:
            if x <= -self.bound:
                return mpf(0)
            if x > self.bound:
                return mpf(1)
            k = min(max(k, -self.n), self.n + 1)
        return self.lower(k)

    def cdf(self, x):
        if self.bound is not None and x >= self.bound:
            return mpf(1)
        upper = self.above(x)
        if upper <= mpf(1) / 2:
            return 1 - upper
        # Below the location: add up from below instead, so that nothing cancels.
        k = x.numerator // x.denominator
        if self.bound is not None:
            if x < -self.bound:
                return mpf(0)
            k = min(max(k, -self.n - 1), self.n)
        return self.lower(k + 1)

    def tail(self, a):
        return self.below(self.t - a) + self.above(self.t + a) if a >= 0 else mpf(1)

    def raw_moments(self):
        """E(X - m), E(X - m)^2 about the nearest integer m, and m."""
        m = (self.t + F(1, 2)).__floor__()
        n = self.n
        if n is not None and n <= 1000:
            first = second = mpf(0)
            points = [(-self.bound, self.lower(-n)), (self.bound, self.upper(n + 1))]
            points += [(F(k), self.cell(k)) for k in range(-n, n + 1)]
            for value, mass in points:
                first += real(value - m) * mass
                second += real((value - m) ** 2) * mass
            return first, second, m
        low, high = m - 50, m + 50
        if n is not None:
            low, high = max(low, -n), min(high, n)
        first = second = mpf(0)
        for k in range(low, high + 1):
            mass = self.cell(k)
            first += (k - m) * mass
            second += (k - m) ** 2 * mass
        for sign in (1, -1):
            # Cells at distance i = start, …, stop from m on this side, mass(i) = c q^i.
            start = (high - m if sign == 1 else m - low) + 1
            q = exp(-1 / real(self.scale))
            c = exp(real(sign * (self.t - m) + F(1, 2)) / real(self.scale)) * (1 - q) / 2
            if n is None:
                one, two = power_sums(q, start)
                first += sign * c * one
                second += c * two
            else:
                stop = n - sign * m
                if stop >= start:
                    one, two = power_sums(q, start)
                    one_out, two_out = power_sums(q, stop + 1)
                    first += sign * c * (one - one_out)
                    second += c * (two - two_out)
                mass = self.upper(n + 1) if sign == 1 else self.lower(-n)
                far = real(sign * self.bound - m)
                first += far * mass
                second += far ** 2 * mass
        return first, second, m

    def moments(self):
        first, second, m = self.raw_moments()
        offset = real(m - self.t)
        if self.t == 0:
            first = mpf(0)
        values = {
            "mean": m + first,
            "bias": offset + first,
            "variance": second - first ** 2,
            "mse": second + 2 * offset * first + offset ** 2,
        }
        # What is left of a difference that is zero.
        floor = real(min(self.scale, self.bound or self.scale)) * mpf(10) ** -150
        for name in ("mean", "bias"):
            if abs(values[name]) < floor:
                values[name] = mpf(0)
        return values

    def accuracy(self, alpha):
        """The smallest support distance with a tail of at most alpha, one distance after the
        other."""
        distances = set()
        m = self.t.__floor__()
        reach = 3 + int(mp.ceil(real(self.scale) * -log(real(alpha))))
        for k in range(m - reach, m + reach + 1):
            value = F(k)
            if self.bound is not None:
                value = min(max(value, -self.bound), self.bound)
            distances.add(abs(value - self.t))
        for a in sorted(distances):
            if self.tail(a) <= real(alpha):
                return a
        raise AssertionError("no distance is enough")


def power_sums(q, start):
    """Sums of i q^i and i^2 q^i for i >= start."""
    r = 1 - q
    head = q ** start
    s0 = 1 / r
    s1 = q / r ** 2
    s2 = q * (1 + q) / r ** 3
    return head * (start * s0 + s1), head * (start ** 2 * s0 + 2 * start * s1 + s2)


def text(x):
    if isinstance(x, F):
        return str(x)
    if x == 0:
        return "0"
    if abs(x) < mpf(10) ** -4000:
        return "1e-4000" if x > 0 else "-1e-4000"
    return nstr(x, DIGITS, strip_zeros=True, min_fixed=0, max_fixed=0)


def settings():
    """(exponent, scale, bound, location), all but the first in steps."""
    scales = [F(3, 4), F(1), F(51, 100), F(1, 3), F(7), F(1000), F(1, 20)]
    bounds = [F(3), F(5, 2), F(27, 10), F(1, 3), F(1), F(100), F(200) + F(1, 7), None]
    exponents = [0, -3, 1000, -1073, 5]
    number = 0
    for scale in scales:
        for bound in bounds:
            top = bound if bound is not None else F(12)
            locations = [
                F(0),
                top,
                -top,
                F(1, 2),
                F(-1, 2),
                F(27, 20),
                top * F(9, 10),
                -top + F(1, 5),
                F(-3, 2),
                top - F(1, 2),
            ]
            locations = [t for t in locations if abs(t) <= top]
            # Three of them, another three each time.
            for i in range(3):
                number += 1
                yield (
                    exponents[number % 5],
                    scale,
                    bound,
                    locations[(3 * number + i) % len(locations)],
                )
    tiny, huge = F(1, 2 ** 40), F(2 ** 40)
    for scale, bound, location in [
        (F(1), huge, F(0)),
        (F(1), huge, huge),
        (F(1), huge, huge - F(10) - F(1, 3)),
        (F(3, 4), huge + F(1, 3), F(12345)),
        (F(3, 4), huge + F(1, 3), -huge),
        (huge, 30 * huge, F(1, 3)),
        (huge, 3 * huge, 3 * huge),
        (huge, 3 * huge + F(1, 3), huge * F(7, 3)),
        (huge, F(5, 2), F(1)),
        (huge, F(1, 3), F(1, 3)),
        (F(10) ** 40, F(2000) + F(1, 2), F(-100)),
        (F(10) ** 70, F(10) ** 5 + F(1, 2), F(-100)),
        (F(10) ** 300, F(2000) + F(1, 2), F(-100)),
        (F(10) ** 300, F(10) ** 301, F(10) ** 300),
        (F(10) ** 600, F(10) ** 600, F(1)),
        (F(10) ** 600, None, F(1, 4)),
        (tiny, F(3), F(3, 8)),
        (tiny, F(5, 2), F(1, 2)),
        (F(1, 1000), None, F(1, 2) - F(1, 1000)),
        (F(1, 10) ** 300, F(3), F(3, 8)),
        (F(1, 10) ** 600, F(3), F(5, 2)),
        (huge, None, F(0)),
        (huge, None, F(1, 2)),
        (F(2 ** 20), None, F(1, 4)),
    ]:
        for exponent in (0, -1074):
            yield exponent, scale, bound, location


def digits_for(scale, bound, location):
    """Enough digits that (1 - q)^3 and numbers of the size of the bound may cancel."""
    size = [abs(x) for x in (scale, 1 / scale, bound or F(1), location) if x]
    top = max(max(x, 1 / x) for x in size)
    return 200 + 6 * len(str(top.__floor__()))


def main():
    out = ["# Made by make_utility_vectors.py, which says what the lines mean."]
    count = 0
    for exponent, scale, bound, location in settings():
        count += 1
        mp.dps = digits_for(scale, bound, location)
        law = Law(scale, bound, location)
        out.append(f"law {exponent} {scale} {'inf' if bound is None else bound} {location}")
        cell = (location + F(1, 2)).__floor__()
        points = [F(cell), F(cell + 1), F(cell - 3), F(cell) + F(1, 2)]
        if bound is not None:
            points += [bound, -bound, F(law.n), bound + 1]
        for x in dict.fromkeys(points):
            out.append(f"pmf {x} {text(law.support(x))}")
        below = [F(cell), F(cell) - F(1, 3), F(cell + 4)] + (
            [bound, -bound, -bound - 1] if bound is not None else []
        )
        for x in dict.fromkeys(below):
            out.append(f"cdf {x} {text(law.cdf(x))}")
        # Distances of support points, where the strict inequality shows, and others.
        for a in dict.fromkeys(
            [
                F(0),
                abs(cell + 1 - location),
                abs(cell - 2 - location),
                F(9, 4),
                F(-1),
                (scale * 3).limit_denominator(64),
            ]
        ):
            out.append(f"tail {a} {text(law.tail(a))}")
        for name, value in law.moments().items():
            out.append(f"{name} {text(value)}")
        if scale <= 1000:
            for alpha in (F(1, 20), F(1, 3), F(1, 10 ** 6)):
                out.append(f"accuracy {alpha} {law.accuracy(alpha)}")
    with open("utility_law.txt", "w") as file:
        file.write("\n".join(out) + "\n")
    print(count, "settings,", len(out), "lines")


main()
