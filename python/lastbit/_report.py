"""Reports: what a release published."""

from __future__ import annotations

import html as _html
import json
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union

from ._lastbit import NativeReport

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def framed(page: str, height: int = 640) -> str:
    """A whole page inside of a notebook, with its own styles."""
    text = _html.escape(page, quote=True)
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe srcdoc="{text}" sandbox="" style="{style}"></iframe>'


class Statistic:
    """One statistic of a report, in all its groups."""

    def __init__(self, details: dict[str, Any], table: Mapping[str, Sequence[Any]]) -> None:
        #: Everything, as the JSON of the report has it.
        self.details = details
        self._table = table

    @property
    def name(self) -> str:
        """Its name in the plan."""
        return str(self.details["name"])

    @property
    def about(self) -> list[str]:
        """Which rows it is about. Errors do not cover rows that are left out."""
        return list(self.details["about"])

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each published number: its group, the value, and the error that holds
        with the report's confidence. `text` is exactly what was published; dates and times have no
        other value. As in `Report.to_pandas`, `error` covers how far the double `value` is from
        `text`, and bounds are rounded outward; their exact decimals are in `details`. `withheld` is
        true where the mechanism declined to give a number, `too_noisy` where the error leaves
        little of it, and `invented` if it is a rehearsal."""
        return [self._row(place, cell) for place, cell in enumerate(self.details["cells"])]

    def _row(self, place: int, cell: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(self.details["by"], cell["group"]))
        if cell["label"]:
            row["label"] = cell["label"]
        row.update((name, self._table[name][place]) for name in _TOLD)
        return row

    def value(self, *group: str, label: str = "") -> Union[float, str, None]:
        """The published number of a group; the text of a date or a time; None if the mechanism
        declined to give one."""
        places = [
            place
            for place, cell in enumerate(self.details["cells"])
            if tuple(cell["group"]) == group and label in ("", cell["label"])
        ]
        if len(places) == 1:
            value: Union[float, str, None] = self._table["value"][places[0]]
            return self.details["cells"][places[0]]["value"] if value is None else value
        asked = (*group, label) if label else group
        labels = [[cell["label"]] if cell["label"] else [] for cell in self.details["cells"]]
        known = [(*cell["group"], *own) for cell, own in zip(self.details["cells"], labels)]
        shown = ", ".join(repr(one) for one in known[:_SHOWN])
        more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
        which = "say which label=" if places else f"no number of {asked!r}"
        raise KeyError(f"{which}; there are {shown}{more}")

    def __repr__(self) -> str:
        return f"<lastbit.Statistic {self.name!r}: {len(self.details['cells'])} numbers>"


#: How many groups a message names.
_SHOWN = 10

#: What a row of a statistic tells, by the names of columns.
_TOLD = (
    *("value", "text", "error", "lower", "upper", "unit", "error_unit"),
    *("withheld", "too_noisy", "invented"),
)


#: The columns of numbers, which pandas would take for objects if one is missing.
_NUMBERS = ("value", "error", "lower", "upper", "confidence", "rank_error")


class Report:
    """What a release published: every number with its error, the rows that it is about, and a
    receipt."""

    def __init__(self, native: NativeReport, stored: Optional[tuple[int, str]]) -> None:
        self._native = native
        #: Everything, by the schema of `docs/report.md`.
        self.details: dict[str, Any] = json.loads(native.json())
        #: The row of the ledger and the time of the earlier release that these numbers are of; None
        #: if they are new.
        self.stored = stored
        self._columns = native.columns()

    @property
    def loss(self) -> str:
        """The loss of the whole release, in words."""
        return str(self.details["loss"])

    @property
    def receipt(self) -> dict[str, Any]:
        """What the release rests on."""
        return dict(self.details["receipt"])

    def __iter__(self) -> Iterator[Statistic]:
        start = 0
        for one in self.details["statistics"]:
            end = start + len(one["cells"])
            table = {name: cells[start:end] for name, cells in self._columns.items()}
            yield Statistic(one, table)
            start = end

    def __len__(self) -> int:
        return len(self.details["statistics"])

    def __getitem__(self, name: str) -> Statistic:
        for one in self:
            if one.name == name:
                return one
        known = ", ".join(repr(one.name) for one in self)
        raise KeyError(f"no statistic {name!r}; there are {known}")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The table of `to_arrow`, for whatever takes Arrow's streams."""
        return self._native.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> "pyarrow.Table":
        """One row for each published number, with the columns that docs/report.md has for Parquet.
        The columns of groups have the names of their keys, or `by.NAME` where another column has
        that name; `text` is what was published, exactly, as `published` is."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> "pandas.DataFrame":
        """As `to_arrow`."""
        import pandas

        frame = pandas.DataFrame(self._columns)
        return frame.astype({name: "float64" for name in _NUMBERS})

    def to_polars(self) -> "polars.DataFrame":
        """As `to_arrow`."""
        import polars

        return polars.DataFrame(self)

    def to_json(self) -> str:
        """The report as `lastbit release --json` has it; numbers are exact decimals in quotes."""
        return self._native.json()

    def to_csv(self) -> str:
        """The report as `lastbit release --csv` has it."""
        return self._native.csv()

    def to_html(self) -> str:
        """One page with pictures that needs nothing else."""
        return self._native.html()

    def to_text(self) -> str:
        """The report as `lastbit release` prints it."""
        return self._native.text()

    def _repr_html_(self) -> str:
        return framed(self.to_html())

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<lastbit.Report {self.details['title']!r}: {self.loss}, {len(self)} statistics>"
