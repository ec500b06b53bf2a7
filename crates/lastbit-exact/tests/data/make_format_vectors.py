"""Writes format_{add,sub,mul,div,ln,exp}.txt beside this file, from MPFR.

Each line: p x [y] down up nearest. Numbers are hexadecimal mantissas and decimal binary exponents
(`-1ap-3` is -26/8); `nearest` is `d` or `u` for the neighbour that round-to-nearest-even takes, `=`
when the result is exact. Toward zero is whichever of down and up is nearer to zero; the script
checks that MPFR agrees.
"""

import pathlib
import random
import sys

try:
    import gmpy2
except ImportError:
    sys.exit(
        "needs gmpy2: python3 -m venv venv && venv/bin/pip install gmpy2 && venv/bin/python "
        + sys.argv[0]
    )

PRECISIONS = [2, 3, 5, 8, 24, 53, 64, 113, 118, 237, 500, 1000]
# gmpy2 leaves MPFR at its default exponent range, about ±2^30.
FAR = 10**8
EMAX = gmpy2.get_emax_max()
EMIN = gmpy2.get_emin_min()
random.seed(20240601)


def context(precision, rounding):
    return gmpy2.context(precision=precision, round=rounding, emax=EMAX, emin=EMIN)


def number(mantissa, exponent):
    """The exact number mantissa * 2^exponent."""
    exact = context(max(2, abs(mantissa).bit_length()), gmpy2.RoundToNearest)
    value = exact.mul_2exp if exponent >= 0 else exact.div_2exp
    result = value(gmpy2.mpfr(mantissa, exact.precision, context=exact), abs(exponent))
    assert gmpy2.is_finite(result) and result != 0
    return result


def parts(value):
    if value == 0:
        return 0, 0
    mantissa, exponent = value.as_mantissa_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    while mantissa % 2 == 0:
        mantissa //= 2
        exponent += 1
    return mantissa, exponent


def text(value):
    mantissa, exponent = parts(value)
    return f"{mantissa:x}p{exponent}"


def line(name, p, *operands):
    results = {}
    for mode in "NUDZ":
        rounding = {
            "N": gmpy2.RoundToNearest,
            "U": gmpy2.RoundUp,
            "D": gmpy2.RoundDown,
            "Z": gmpy2.RoundToZero,
        }[mode]
        ctx = context(p, rounding)
        function = {
            "add": ctx.add,
            "sub": ctx.sub,
            "mul": ctx.mul,
            "div": ctx.div,
            "ln": ctx.log,
            "exp": ctx.exp,
        }[name]
        results[mode] = function(*operands)
        assert gmpy2.is_finite(results[mode]) and results[mode].precision == p, (
            name,
            p,
            operands,
            results,
        )
    down, up = results["D"], results["U"]
    assert results["Z"] == (down if down >= 0 else up)
    assert results["N"] in (down, up)
    nearest = "=" if down == up else "d" if results["N"] == down else "u"
    return " ".join([str(p), *map(text, operands), text(down), text(up), nearest])


def mantissa(bits):
    """Random, or with a long run of equal bits, of at most this many bits."""
    value = random.getrandbits(bits) | 1 << (bits - 1)
    kind = random.randrange(4)
    if kind == 0 and bits > 3:
        low = random.randrange(1, bits - 1)
        value = value >> low << low | random.choice([0, 1, (1 << low) - 1])
    if kind == 1:
        value = random.choice([1, 3, (1 << bits) - 1, (1 << bits) - 2 or 1])
    return value


def operand(p, exponents=None):
    bits = random.choice([p, p, p, max(1, p // 2), 2 * p])
    scale = random.choice(exponents or [0, 1, 4, 60, 1100, 100_000])
    return random.choice([1, -1]) * mantissa(bits), random.randint(-scale, scale) - bits


def rounded(function, p, *operands):
    return getattr(context(p, gmpy2.RoundToNearest), function)(*operands)


def sums(p, count):
    for index in range(count):
        m, e = operand(p)
        kind = index % 6
        if kind == 0:
            yield number(m, e), number(*operand(p))
            continue
        # The second number sits around the first one's last place, with gaps that make ties and
        # near ties.
        top = e + abs(m).bit_length()
        gap = random.choice([p - 1, p, p + 1, p + 2, p + 3, p + 4, 2 * p, random.randint(0, p)])
        if kind == 1:
            n = 1
        elif kind == 2:
            n = mantissa(p)
        elif kind == 3:
            n = (1 << p) + 1
        elif kind == 4:
            m, n = random.choice([1, -1]), mantissa(random.randint(1, p))
            top = e + 1
        else:
            gap, n = random.choice([10**5, FAR]), mantissa(p)
        y = number(random.choice([1, -1]) * n, top - gap - n.bit_length())
        pair = [number(m, e), y]
        random.shuffle(pair)
        yield tuple(pair)
    # Cancellation.
    for _ in range(4):
        m, e = operand(p)
        near = m + random.choice([-2, -1, 1, 2])
        yield number(m, e), number(-near or 1, e)


def products(p, count):
    for index in range(count):
        if index % 3:
            yield number(*operand(p)), number(*operand(p))
        else:
            # Short factors, whose product is often a tie or exact.
            bits = random.randint(1, max(1, p // 2 + 1))
            m = random.getrandbits(bits) | 1
            yield number(m, random.randint(-50, 50)), number(*operand(p, [0, FAR]))


def quotients(p, count):
    for index in range(count):
        y, e = operand(p)
        if index % 3:
            yield number(*operand(p)), number(y, e)
        else:
            # The quotient is exact, a tie, or beside one.
            bits = random.choice([p, p + 1])
            q = random.getrandbits(bits) | 1 << (bits - 1) | 1
            x = q * y + random.choice([0, 0, 1, -1])
            yield number(x, random.choice([-FAR, -7, 0, 9])), number(y, e)


def logarithms(p, count):
    for index in range(count):
        kind = index % 6
        if kind == 0:
            m, e = operand(p)
            yield (number(abs(m), e),)
        elif kind == 1:
            # Beside 1: off by a power of two, or by p - q random bits at the end.
            q = random.randint(1, p)
            k = random.choice([1 << (p - q), 1 << (p - q), random.getrandbits(p - q) | 1])
            yield (number((1 << (p + 1)) + random.choice([1, -1]) * k, -p - 1),)
        elif kind == 2:
            yield (number(1, random.choice([-1, 1, FAR, -FAR, random.randint(-5000, 5000)])),)
        elif kind == 3:
            # Logarithm close to a short number or to a midpoint of the format.
            bits = random.choice([2, 5, p, p + 1])
            target = number(
                (random.getrandbits(bits) | 1) * random.choice([1, -1]),
                random.randint(-4, 3) - bits,
            )
            yield (rounded("exp", p, target),)
        elif kind == 4:
            m, e = operand(p, [FAR])
            yield (number(abs(m), e),)
        else:
            yield (number(mantissa(p), -p),)


def exponentials(p, count):
    for index in range(count):
        kind = index % 6
        m, e = operand(p, [0])
        if kind == 0:
            yield (number(m, e + random.randint(-3, 4)),)
        elif kind == 1:
            yield (number(m, e - p + random.randint(-5, 3)),)
        elif kind == 2:
            yield (number(m, e + random.randint(5, 27)),)
        elif kind == 3:
            # Exponential close to a short number or to a midpoint.
            bits = random.choice([2, 5, p, p + 1])
            target = number(random.getrandbits(bits) | 1 << bits | 1, random.randint(-6, 6) - bits)
            x = rounded("log", p, target)
            yield (x if x != 0 else number(1, -p),)
        elif kind == 4:
            yield (
                number(
                    random.choice([1, -1]),
                    random.choice([0, 1, 27, -p, -p - 1, -p - 2, -100_000, -FAR]),
                ),
            )
        else:
            yield (number(random.randint(-1000, 1000) or 1, 0),)


OPERATIONS = {
    "add": (sums, 38),
    "sub": (sums, 26),
    "mul": (products, 30),
    "div": (quotients, 30),
    "ln": (logarithms, 72),
    "exp": (exponentials, 72),
}

for name, (cases, count) in OPERATIONS.items():
    lines = []
    for p in PRECISIONS:
        for operands in cases(p, count if p <= 300 else count * 2 // 3):
            lines.append(line(name, p, *operands))
    path = pathlib.Path(__file__).with_name(f"format_{name}.txt")
    path.write_text("\n".join(lines) + "\n")
    print(path.name, len(lines), path.stat().st_size)
