"""ε at equal δ, seconds, and the smallest δ that can be stated: `lastbit convert` beside
dp-accounting and prv-accountant, in one run.

    cargo build --release -p lastbit-cli
    pip install dp-accounting prv-accountant
    python benches/accounting.py [path of lastbit]

Seconds are of the processor, so that what else runs does not count. Those of lastbit include the
start of its process and its lower bound; those of the others, in Python, do not include imports.
prv-accountant's ε is its upper bound, with an allowed error of 0.01.
"""

import json
import math
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

from dp_accounting.pld import privacy_loss_distribution as pld
from prv_accountant import (
    GaussianMechanism,
    LaplaceMechanism,
    PoissonSubsampledGaussianMechanism,
    PRVAccountant,
)

warnings.filterwarnings("ignore")
LASTBIT = sys.argv[1] if len(sys.argv) > 1 else "target/release/lastbit"
STEP = 1e-4

# A line of a list for lastbit; the same for dp-accounting; the same for prv-accountant, if it has
# it.
gaussian = lambda mu: (
    f"gaussian:{mu}",
    lambda: pld.from_gaussian_mechanism(1 / mu, value_discretization_interval=STEP),
    lambda: GaussianMechanism(1 / mu),
)
laplace = lambda e: (
    f"laplace:{e}",
    lambda: pld.from_laplace_mechanism(1 / e, value_discretization_interval=STEP),
    lambda: LaplaceMechanism(e),
)
geometric = lambda e: (
    f"geometric:{e}",
    lambda: pld.from_discrete_laplace_mechanism(e, value_discretization_interval=STEP),
    None,
)
approx = lambda e, d: (
    f"approx:{e},{d}",
    lambda: pld.from_privacy_parameters(
        pld.common.DifferentialPrivacyParameters(e, d), value_discretization_interval=STEP
    ),
    None,
)
response = lambda k, e: (
    f"response:{k},{e}",
    lambda: pld.from_randomized_response(
        k / (math.exp(e) + k - 1), k, value_discretization_interval=STEP
    ),
    None,
)
sampled = lambda mu, q: (
    f"gaussian:{mu} sampled {q}",
    lambda: pld.from_gaussian_mechanism(
        1 / mu, sampling_prob=q, value_discretization_interval=STEP
    ),
    lambda: PoissonSubsampledGaussianMechanism(noise_multiplier=1 / mu, sampling_probability=q),
)

WORKLOADS = [
    ("10^4 Gaussians", 1e-6, [(10000, gaussian(0.01))]),
    ("100 Gaussians", 1e-6, [(100, gaussian(0.1))]),
    ("100 Gaussians, small δ", 1e-20, [(100, gaussian(0.1))]),
    ("100 Laplace", 1e-6, [(100, laplace(0.1))]),
    ("100 Laplace, small δ", 1e-12, [(100, laplace(0.1))]),
    ("1000 Laplace", 1e-9, [(1000, laplace(0.05))]),
    ("50 geometric", 1e-6, [(50, geometric(0.2))]),
    ("100 answers of 4", 1e-6, [(100, response(4, 0.3))]),
    ("20 of (0.1, 1e-8)", 1e-6, [(20, approx(0.1, 1e-8))]),
    ("1000 steps on 1/100", 1e-6, [(1000, sampled(1, 0.01))]),
    ("10^4 steps on 1/1000", 1e-6, [(10000, sampled(1, 0.001))]),
    ("mixture of noises", 1e-6, [(10, laplace(0.3)), (10, gaussian(0.2)), (7, geometric(0.17))]),
    ("mixture with steps", 1e-6, [(10, laplace(0.1)), (100, sampled(1, 0.01)), (5, gaussian(0.2))]),
    ("a plan of four", 1e-6, [(1, laplace(0.1175)), (3, laplace(0.2942)), (2, laplace(0.0368))]),
]


def spent_by_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def ours(work, delta):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        for count, (line, _, _) in work:
            print(count, line, file=file)
        file.flush()
        begin = spent_by_children()
        run = subprocess.run(
            [LASTBIT, "convert", "--list", file.name, "--delta", repr(delta), "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        seconds = spent_by_children() - begin
    answer = json.loads(run.stdout)
    by = {entry["accountant"]: entry for entry in answer["accountants"]}
    return min(entry["epsilon"] for entry in by.values()), by["pld"]["lower"], seconds


def google(work, delta):
    begin = time.process_time()
    total = None
    for count, (_, make, _) in work:
        part = make().self_compose(count)
        total = part if total is None else total.compose(part)
    epsilon = total.get_epsilon_for_delta(delta)
    seconds = time.process_time() - begin
    return epsilon, seconds, total


def too_long(*_):
    raise TimeoutError("no answer in 90 s")


def microsoft(work, delta):
    if any(make is None for _, (_, _, make) in work):
        return math.nan, math.nan
    begin = time.process_time()
    # It may take minutes, or give up in several ways.
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(90)
    try:
        accountant = PRVAccountant(
            prvs=[make() for _, (_, _, make) in work],
            max_self_compositions=[count for count, _ in work],
            eps_error=0.01,
            delta_error=delta / 1000,
        )
        _, _, upper = accountant.compute_epsilon(
            delta=delta, num_self_compositions=[count for count, _ in work]
        )
    except Exception as error:
        print("   prv-accountant:", type(error).__name__, str(error)[:90], file=sys.stderr)
        return math.inf, time.process_time() - begin
    finally:
        signal.alarm(0)
    return upper, time.process_time() - begin


print(
    "| workload | δ | ε lastbit (lower bound) | ε dp-accounting | ε prv-accountant | seconds "
    "lastbit | dp-accounting | prv-accountant | smallest δ lastbit | dp-accounting |"
)
print("|---|---|---|---|---|---|---|---|---|---|")
for name, delta, work in WORKLOADS:
    epsilon, lower, seconds = ours(work, delta)
    theirs, their_seconds, total = google(work, delta)
    prv, prv_seconds = microsoft(work, delta)
    own = sum(
        count * float(line.split(",")[1])
        for count, (line, _, _) in work
        if line.startswith("approx")
    )
    smallest = [10.0**-i for i in range(2, 46) if 10.0**-i > own]
    stated = [d for d in smallest if math.isfinite(total.get_epsilon_for_delta(d))]
    tiny = smallest[-1]
    least, _, _ = ours(work, max(tiny, 1e-40))
    print(
        f"| {name} | {delta:g} | {epsilon:.5f} ({lower:.5f}) | {theirs:.5f} | {prv:.5f} | "
        f"{seconds:.3f} | {their_seconds:.3f} | {prv_seconds:.3f} "
        f"| {max(tiny, 1e-40):.0e} (ε = {least:.2f}) | {min(stated, default=math.nan):.0e} |",
        flush=True,
    )
