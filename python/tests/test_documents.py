"""The blocks of docs/python.md run as they stand."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"^```python ?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_guide_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for needed in ("numpy", "pandas", "pyarrow", "duckdb"):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    ours = [code for package, code in blocks if not package]
    assert len(ours) > 10
    names: dict[str, Any] = {}
    for code in ours:
        exec(compile(code, str(GUIDE), "exec"), names)


@pytest.mark.parametrize("package", ["opendp", "diffprivlib", "snsql", "tmlt"])
def test_what_others_do_runs_where_they_are(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    # Spark takes whatever is called python3, unless it is told, and asks the network for a name.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    for of, code in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        if of == package:
            names: dict[str, Any] = {}
            exec(compile(code, str(GUIDE), "exec"), names)
            noisy = names["noisy"]
            # A number, two wards, or these and a header.
            assert isinstance(noisy, (int, float)) or len(noisy) in (2, 3)
