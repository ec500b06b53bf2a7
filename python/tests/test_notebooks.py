"""The notebooks run from their first cell to their last, and are kept with what their cells
gave."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).parents[2] / "docs" / "notebooks"


def execute() -> Any:
    spec = importlib.util.spec_from_file_location("execute", HOME / "execute.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shape(notebook: dict[str, Any]) -> list[list[str]]:
    """Which kinds of outputs each cell has; noise decides the rest."""
    return [[one["output_type"] for one in cell.get("outputs", [])] for cell in notebook["cells"]]


@pytest.mark.parametrize("name", ["steward", "analyst", "engineer", "auditor"])
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    for needed in ("numpy", "pandas", "pyarrow"):
        pytest.importorskip(needed)
    kept = json.loads((HOME / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert kept["nbformat"] == 4 and sum(cell["cell_type"] == "code" for cell in kept["cells"]) >= 4
    done = execute().run(kept, tmp_path)
    assert shape(done) == shape(kept)


def test_every_notebook_is_tested() -> None:
    assert {path.stem for path in HOME.glob("*.ipynb")} == {
        "steward",
        "analyst",
        "engineer",
        "auditor",
    }
