"""Reports: what a release published."""

from __future__ import annotations

import html as _html
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Iterator, Optional, Union

from ._lastbit import NativeReport

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


def _number(text: Optional[str]) -> Optional[float]:
    """The double nearest to a decimal; None for a date or a time."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _up(text: Optional[str]) -> Optional[float]:
    """The least double that is not below a decimal: a bound stays one."""
    number = _number(text)
    if number is None or text is None:
        return None
    if math.isfinite(number) and Decimal(number) < Decimal(text):
        return math.nextafter(number, math.inf)
    return number


def _down(text: Optional[str]) -> Optional[float]:
    bound = _up(None if text is None or _number(text) is None else str(-Decimal(text)))
    return None if bound is None else -bound


class Statistic:
    """One statistic of a report, in all its groups."""

    def __init__(self, details: dict[str, Any]) -> None:
        #: Everything, as the JSON of the report has it.
        self.details = details

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
        other value. Bounds are rounded outward to doubles; their exact decimals are in
        `details`."""
        return [self._row(cell) for cell in self.details["cells"]]

    def _row(self, cell: dict[str, Any]) -> dict[str, Any]:
        row: dict[str, Any] = dict(zip(self.details["by"], cell["group"]))
        if cell["label"]:
            row["label"] = cell["label"]
        row["value"], row["text"] = _number(cell["value"]), cell["value"]
        row["error"] = _up(cell["error"])
        row["lower"], row["upper"] = _down(cell["lower"]), _up(cell["upper"])
        row["unit"] = self.details["unit"]
        row["error_unit"] = cell["error_unit"] or self.details["unit"]
        return row

    def value(self, *group: str, label: str = "") -> Union[float, str, None]:
        """The published number of a group; the text of a date or a time; None if the mechanism
        declined to give one."""
        for cell in self.details["cells"]:
            if tuple(cell["group"]) == group and label in ("", cell["label"]):
                number = _number(cell["value"])
                return cell["value"] if number is None else number
        raise KeyError(group)

    def __repr__(self) -> str:
        return f"<lastbit.Statistic {self.name!r}: {len(self.details['cells'])} numbers>"


#: The columns of a report as a table, and the keys of its statistics before them.
_COLUMNS = (
    *("statistic", "kind", "of", "label", "value", "text", "error", "lower", "upper"),
    *("unit", "error_unit", "confidence"),
)


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

    @property
    def loss(self) -> str:
        """The loss of the whole release, in words."""
        return str(self.details["loss"])

    @property
    def receipt(self) -> dict[str, Any]:
        """What the release rests on."""
        return dict(self.details["receipt"])

    def __iter__(self) -> Iterator[Statistic]:
        return (Statistic(one) for one in self.details["statistics"])

    def __len__(self) -> int:
        return len(self.details["statistics"])

    def __getitem__(self, name: str) -> Statistic:
        for one in self:
            if one.name == name:
                return one
        known = ", ".join(repr(one.name) for one in self)
        raise KeyError(f"no statistic {name!r}; there are {known}")

    def _table(self) -> dict[str, list[Any]]:
        keys = list(dict.fromkeys(key for one in self for key in one.details["by"]))
        # A key could have the name of another column.
        names = {key: key if key not in _COLUMNS else f"by.{key}" for key in keys}
        table: dict[str, list[Any]] = {
            name: [] for name in (*_COLUMNS[:3], *names.values(), *_COLUMNS[3:])
        }
        for one in self:
            for cell, row in zip(one.details["cells"], one.rows()):
                group = dict(zip(one.details["by"], cell["group"]))
                told = {
                    "statistic": one.name,
                    "kind": one.details["kind"],
                    "of": ", ".join(one.details["of"]),
                    "label": cell["label"],
                    "confidence": self.details["confidence"],
                    **{
                        key: row[key]
                        for key in (
                            "value",
                            "text",
                            "error",
                            "lower",
                            "upper",
                            "unit",
                            "error_unit",
                        )
                    },
                    **{names[key]: group.get(key) for key in keys},
                }
                for name, column in table.items():
                    column.append(told[name])
        return table

    def to_arrow(self) -> "pyarrow.Table":
        """One row for each published number."""
        import pyarrow

        numbers = ("value", "error", "lower", "upper")
        columns = self._table()
        fields = [
            pyarrow.field(name, pyarrow.float64() if name in numbers else pyarrow.string())
            for name in columns
        ]
        return pyarrow.table(columns, schema=pyarrow.schema(fields))

    def to_pandas(self) -> "pandas.DataFrame":
        """One row for each published number."""
        import pandas

        frame = pandas.DataFrame(self._table())
        numbers = ["value", "error", "lower", "upper"]
        return frame.astype({name: "float64" for name in numbers})

    def to_polars(self) -> "polars.DataFrame":
        """One row for each published number."""
        import polars

        numbers = ("value", "error", "lower", "upper")
        columns = self._table()
        schema = {
            name: polars.Float64() if name in numbers else polars.String() for name in columns
        }
        return polars.DataFrame(columns, schema=schema)

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
        text = _html.escape(self.to_html(), quote=True)
        return (
            f'<iframe srcdoc="{text}" sandbox="" style="width:100%;height:640px;border:0"></iframe>'
        )

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<lastbit.Report {self.details['title']!r}: {self.loss}, {len(self)} statistics>"
