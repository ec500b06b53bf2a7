"""Errors before and after tight accounting: the clinic under each accountant, and ten releases that
share a ledger.

    cargo build --release -p lastbit-cli
    python benches/composing.py [path of lastbit]

Reads no data: errors are those of `lastbit plan`. "Before" is what was known before privacy-loss
distributions and filters: sums of ρ within a release, and sums of ε and δ across releases.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

LASTBIT = str(
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/lastbit").resolve()
)
CLINIC = (pathlib.Path(__file__).parent.parent / "examples/clinic/plan.toml").read_text()
COUNTS = """title = "Thirty counts"
[source]
files = "people.csv"
[privacy]
neighbours = "add-remove"
[budget]
epsilon = 2
delta = 1e-7
[columns.part]
categories = ["north", "middle", "south"]
""" + "".join(
    f'[[statistics]]\nname = "count {i}"\nkind = "count"\nby = "part"\nwhere = "part <> \'{i}\'"\n'
    for i in range(30)
)
ONE = COUNTS[: COUNTS.index("[[statistics]]")] + '[[statistics]]\nname = "people"\nkind = "count"\n'


def price(text):
    with tempfile.TemporaryDirectory() as directory:
        plan = pathlib.Path(directory) / "plan.toml"
        plan.write_text(text)
        run = subprocess.run(
            [LASTBIT, "plan", str(plan), "--json"], capture_output=True, text=True, check=True
        )
    return json.loads(run.stdout)


def errors(priced):
    return {statistic["name"]: statistic["error"] for statistic in priced["statistics"]}


def mean(one):
    """The geometric mean of errors."""
    return math.exp(sum(math.log(value) for value in one.values()) / len(one))


def spending(text, *lines):
    """The plan with what it spends."""
    return text.replace("[budget]", "[spend]\n" + "\n".join(lines) + "\n[budget]", 1)


before, after = price('accountant = "zcdp"\n' + CLINIC), price(CLINIC)
print(
    f"| clinic, ε = 2, δ = 1e-7 | error by {before['accountant']} | by {after['accountant']} | "
    f"ratio |"
)
print("|---|---|---|---|")
for name, error in errors(before).items():
    now = errors(after)[name]
    print(f"| {name} | {error:.4g} | {now:.4g} | {now / error:.3f} |")

print()
print(
    "| ten releases from one ledger of ε = 2, δ = 1e-7 | plain sums | `part = \"1/10\"` | the "
    "same, currency gaussian | times smaller |"
)
print("|---|---|---|---|---|")
for title, text, gaussian in [
    ("thirty counts", COUNTS, True),
    ("the clinic", CLINIC, False),
    ("one count", ONE, True),
]:
    # A tenth is too little for a fixed error of 150 visits.
    text = text.replace("error = 150", "#")
    plain = errors(price(spending(text, "epsilon = 0.2", "delta = 1e-8")))
    part = errors(price(spending(text, 'part = "1/10"')))
    normal = "has quantiles"
    if gaussian:
        budget = text.replace("delta = 1e-7", 'delta = 1e-7\ncurrency = "gaussian"', 1)
        normal = f"{mean(errors(price(spending(budget, 'part = 0.1')))):.4g}"
    print(
        f"| {title}: geometric mean of the errors | {mean(plain):.4g} | {mean(part):.4g} | "
        f"{normal} | {mean(plain) / mean(part):.2f} |"
    )
