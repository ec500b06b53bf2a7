"""Releases: from a plan and data to published numbers, through a ledger."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Optional, Union

from . import _lastbit
from ._databases import asked
from ._interpreter import name_interpreter
from ._lastbit import DataError, NativeTable, ParameterError, PlanError
from ._plan import NO_FILES, Plan
from ._report import Report

Progress = Union[None, bool, Callable[[float], object]]


def _table(data: Any) -> NativeTable:
    """A data frame, by Arrow's C stream interface."""
    if isinstance(data, NativeTable):
        return data
    kind = f"{type(data).__module__}.{type(data).__qualname__}"
    failed = ""
    try:
        if not hasattr(data, "__arrow_c_stream__"):
            # A lazy frame of polars, a relation of older DuckDB, a data frame of Spark or of older
            # pandas.
            for method in ("toArrow", "to_arrow_table", "fetch_arrow_table"):
                if hasattr(data, method):
                    data = getattr(data, method)()
                    break
            else:
                if hasattr(data, "collect") and kind.startswith("polars."):
                    data = data.collect()
                elif kind.startswith("pandas."):
                    import pyarrow

                    data = pyarrow.Table.from_pandas(data)
        if not hasattr(data, "__arrow_c_stream__"):
            raise DataError(
                f"data of type {kind} cannot be read; give a path, or a data frame with "
                f"`__arrow_c_stream__` (pandas, polars, pyarrow, DuckDB), or a session with "
                f"a database: an object with `rows`, `dialect` and `table`"
            )
        if kind.startswith("polars."):
            data = _without_nulls(data)
        capsule = data.__arrow_c_stream__()
    except (DataError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        failed = type(error).__name__
    if failed:
        # Not inside of `except`: the other error could quote a cell, and must not come along.
        raise DataError(
            f"the data frame could not be handed over: {failed} in its own library; convert its "
            f"columns to plain types first"
        )
    return NativeTable(capsule)


def _without_nulls(frame: Any) -> Any:
    """Columns of polars that have nothing but nulls have no type that Arrow's readers agree on."""
    import polars

    empty = [name for name, kind in frame.schema.items() if kind == polars.Null]
    return frame.with_columns(polars.col(empty).cast(polars.Boolean)) if empty else frame


class _Bar:
    """Progress on a terminal or in a notebook, once a release takes longer than a moment."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._shown = False

    def __call__(self, part: float) -> None:
        if time.monotonic() - self._start > 1:
            self._shown = True
            full = round(40 * part)
            sys.stderr.write(f"\r{'█' * full}{'░' * (40 - full)} {round(100 * part):3} %")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r" + " " * 50 + "\r")
            sys.stderr.flush()


def _is_watched() -> bool:
    """Whether somebody looks at what is written: a terminal, or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def release(
    plan: Union[Plan, str, "os.PathLike[str]"],
    data: Any = None,
    ledger: Union[str, "os.PathLike[str]", None] = None,
    *,
    progress: Progress = None,
) -> Report:
    """Publishes what a plan says about data, through a ledger that cannot be overspent.

    `data` is a path, a data frame (pandas, polars, lazy too, pyarrow, DuckDB, anything with
    `__arrow_c_stream__`; one of pyspark is collected first), a `DatabaseSession`, whose rows stay
    where they are, or nothing: then the plan's own source is read. The memory of a frame is not
    copied: do not write into it meanwhile. A data frame is known again by its cells: the same plan
    on the same cells returns what was published before, at no cost. Without `ledger` it is the one
    beside the plan's file.

    `progress` is a function that is told which part was read, True or False; by default a bar is
    shown where somebody looks. Other threads of Python run meanwhile. Ctrl-C stops the reading, and
    then nothing was spent; what is already paid for is finished first, and stays in the ledger.
    """
    if not isinstance(plan, Plan):
        plan = Plan.read(plan)
    native = plan._ready()
    if ledger is not None:
        place, in_directory = os.fspath(ledger), False
    elif plan._path is not None:
        place, in_directory = _home(plan._path), True
    else:
        raise ParameterError(
            'a plan that is not read from a file needs a ledger: say which, ledger="visits.ledger"'
        )
    session = asked(data)
    files: Optional[str] = None
    table: Optional[NativeTable] = None
    if isinstance(data, (str, os.PathLike)):
        files = os.fspath(data)
    elif data is not None and session is None:
        table = _table(data)
    elif data is None and f'files = "{NO_FILES}"' in plan.to_toml():
        raise DataError(
            "the plan names no files; give it data, for example release(plan, data=frame)"
        )
    name_interpreter()
    bar = _Bar()
    tell: Optional[Callable[[float], object]] = None
    if callable(progress):
        tell = progress
    elif progress or (progress is None and _is_watched()):
        tell = bar
    try:
        report, stored = _lastbit.release(
            native, place, in_directory, table, session, files, tell
        )
    finally:
        bar.clear()
    return Report(report, stored)


def _home(path: str) -> str:
    """The directory of a plan. A link from another one is refused: nobody can know which ledger it
    stands for."""
    directory = os.path.dirname(path) or "."
    real = os.path.dirname(os.path.realpath(path))
    if os.path.realpath(directory) != real:
        raise PlanError(
            f"{path}: this is a link into another directory, and each could have the ledger; say "
            f"which ledger with ledger="
        )
    return directory
