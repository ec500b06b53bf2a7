"""Rows that stay where they are: sessions with databases."""

from __future__ import annotations

from typing import Any, Callable, Iterable, List, Optional, Protocol, Sequence

from ._lastbit import ParameterError

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


def stays(data: Any) -> bool:
    """Whether the rows of these data are read by statements, where they are."""
    return callable(getattr(data, "rows", None)) and isinstance(getattr(data, "dialect", None), str)


def asked(data: Any) -> Optional[Asked]:
    """The session of data that stay where they are; None for others."""
    if not stays(data):
        return None
    table, is_snapshot = getattr(data, "table", None), getattr(data, "is_snapshot", False)
    return Asked(data.rows, data.dialect, table, bool(is_snapshot))
