"""Rows that stay where they are: sessions with databases, and data frames of Spark."""

from __future__ import annotations

import contextlib
import uuid
from typing import Any, Callable, Iterable, Iterator, List, Optional, Protocol, Sequence

from ._lastbit import DataError, ParameterError

Rows = Iterable[Sequence[Optional[str]]]


class DatabaseSession(Protocol):
    """What may be given as `data` for rows that stay in a database: an object that runs statements
    there. The database bounds what each unit contributes and computes sums; noise is added here.

    It has a `dialect` (`"postgresql"`, `"duckdb"` or `"spark"`) and `rows`, which runs one
    statement that only reads and gives its rows, each with texts or None; it is called on the
    thread that releases. It also has a `table`, a name or its parts such as
    `["schema", "visits"]`, letter by letter, unless the plan's own source is in such a database.
    `is_snapshot = True` says that all statements see the same rows, whatever others write.

    >>> import lastbit, tempfile, os
    >>> class Busy:
    ...     dialect, table = "duckdb", "visits"
    ...     def rows(self, sql):
    ...         raise TimeoutError("a message could quote a cell")
    >>> ledger = os.path.join(tempfile.mkdtemp(), "visits.ledger")
    >>> lastbit.release(lastbit.Plan(epsilon=1).count(), Busy(), ledger)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    lastbit.DataError: the database failed; ...; the session raised TimeoutError, ...
    """

    @property
    def dialect(self) -> str:
        """How statements are written."""

    def rows(self, sql: str, /) -> Rows:
        """The rows of one statement."""


class Asked:
    """A session as the native part asks it."""

    __slots__ = ("rows", "dialect", "table", "is_snapshot")

    def __init__(
        self, rows: Callable[[str], Rows], dialect: str, table: Any, is_snapshot: bool
    ) -> None:
        self.rows = rows
        self.dialect = dialect
        #: The parts of its name; None for the table of the plan.
        self.table: Optional[List[str]] = _parts(table)
        self.is_snapshot = is_snapshot


def _parts(table: Any) -> Optional[List[str]]:
    if table is None:
        return None
    parts = [table] if isinstance(table, str) else table
    if isinstance(parts, (list, tuple)) and all(isinstance(part, str) for part in parts):
        return list(parts)
    raise ParameterError('table is a name or its parts, such as ["schema", "visits"]')


def _is_session(data: Any) -> bool:
    return callable(getattr(data, "rows", None)) and isinstance(getattr(data, "dialect", None), str)


def _is_spark_frame(data: Any) -> bool:
    """Whether it is a frame of Spark, and not of Spark Connect, whose sessions share no views."""
    kinds = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(data).__mro__]
    of_spark = any(kind.startswith("pyspark.sql.") for kind in kinds)
    connect = any(kind.startswith("pyspark.sql.connect.") for kind in kinds)
    return of_spark and not connect and hasattr(data, "createGlobalTempView")


def stays(data: Any) -> bool:
    """Whether the rows of these data are read by statements, where they are."""
    return _is_session(data) or _is_spark_frame(data)


@contextlib.contextmanager
def opened(data: Any) -> Iterator[Optional[Asked]]:
    """A session with data that stay where they are; None for others."""
    if _is_session(data):
        table, is_snapshot = getattr(data, "table", None), getattr(data, "is_snapshot", False)
        yield Asked(data.rows, data.dialect, table, bool(is_snapshot))
    elif _is_spark_frame(data):
        with _spark_frame(data) as session:
            yield session
    else:
        yield None


#: The same meaning whatever the settings of the cluster are, as the command has it for tables.
SPARK_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.maxPlanStringLength": "0",
}

#: What texts must be to Spark.
_TEXTS = "SELECT 'a' <> 'A', typeof('a') = 'string', 'a' <> 'a ', length('\\\\') = 1"


@contextlib.contextmanager
def _spark_frame(frame: Any) -> Iterator[Asked]:
    """A frame as a view of all sessions, and a session of its own, whose settings are ours."""
    failed, view = "", f"lastbit_{uuid.uuid4().hex}"
    if frame.isStreaming:
        raise DataError("a stream of Spark has no end; release from a table that it is written to")
    try:
        session = frame.sparkSession.newSession()
        for name, value in SPARK_SETTINGS.items():
            session.conf.set(name, value)
        same_texts = all(session.sql(_TEXTS).collect()[0])
        shared = session.conf.get("spark.sql.globalTempDatabase", "global_temp")
        frame.createGlobalTempView(view)
    except Exception as error:
        failed = type(error).__name__
    if failed:
        # Not inside of `except`: the other error could quote a cell, and must not come along.
        raise DataError(f"the data frame could not be read: {failed} in Spark; collect() it to see")

    def rows(sql: str) -> Rows:
        # A command, which could write, is no part of a query.
        found = session.sql(f"SELECT * FROM (\n{sql}\n) AS answer").collect()
        return [list(row) for row in found]

    try:
        if not same_texts:
            raise DataError(
                "Spark compares texts by a collation here, or reads backslashes in another way; "
                "take such settings out of spark-defaults.conf"
            )
        yield Asked(rows, "spark", [shared, view], False)
    finally:
        # The session may be gone by now, and the view with it.
        with contextlib.suppress(Exception):
            frame.sparkSession.catalog.dropGlobalTempView(view)
