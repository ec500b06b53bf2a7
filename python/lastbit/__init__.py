"""Differential privacy that is right to the last bit.

- `Plan`, `release`: from a table to published numbers, through a ledger that cannot be overspent.
- `Session`: one question after the other, also in SQL, each priced first.
- `laplace`, `gaussian`, `geometric`, `snapping`, `exponential`, `permute_and_flip`, `quantiles`,
  `threshold`, `randomized_response`: mechanisms whose noise is drawn exactly, on numbers and numpy
  arrays.
- `convert`, `account`, `Profile`: losses in other measures, and what many releases cost.
- `framework`: chains of transformations and releases by `>>`, for builders of mechanisms.
- `audit`, `attack`, `verify`: lower bounds on the loss of any callable, and proofs about programs.

Parameters are exact: integers, `Fraction`, `Decimal`, texts such as `"0.1"`, and floats whose
digits are their value.
"""

from . import framework
from ._audit import Audit, Finding, LeastBits, Verified, attack, audit, verify
from ._databases import DatabaseSession
from ._exact import Number
from ._lastbit import (
    BudgetError,
    DataError,
    LastbitError,
    LedgerError,
    ParameterError,
    PlanError,
    SpentError,
)
from ._losses import Loss, LossBound, Profile, account, convert
from ._mechanisms import (
    exponential,
    gaussian,
    gaussian_loss,
    geometric,
    laplace,
    laplace_loss,
    permute_and_flip,
    quantiles,
    randomized_response,
    snapping,
    threshold,
)
from ._plan import Plan, Price
from ._release import release
from ._report import Report, Statistic
from ._session import Question, Session

__all__ = [
    "Audit",
    "BudgetError",
    "DataError",
    "DatabaseSession",
    "Finding",
    "LastbitError",
    "LeastBits",
    "LedgerError",
    "Loss",
    "LossBound",
    "Number",
    "ParameterError",
    "Plan",
    "PlanError",
    "Price",
    "Profile",
    "Question",
    "Report",
    "Session",
    "SpentError",
    "Statistic",
    "Verified",
    "account",
    "attack",
    "audit",
    "convert",
    "exponential",
    "framework",
    "gaussian",
    "gaussian_loss",
    "geometric",
    "laplace",
    "laplace_loss",
    "permute_and_flip",
    "quantiles",
    "randomized_response",
    "release",
    "snapping",
    "threshold",
    "verify",
]
