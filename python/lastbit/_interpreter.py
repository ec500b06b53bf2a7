"""Which Python asks Spark."""

from __future__ import annotations

import importlib.util
import os
import sys


def name_interpreter() -> None:
    """Lets Spark be asked by this interpreter, where it has pyspark and nobody named another one:
    `python3` is often not that of a wheel's environment."""
    if sys.executable and importlib.util.find_spec("pyspark") is not None:
        os.environ.setdefault("LASTBIT_PYTHON", sys.executable)
