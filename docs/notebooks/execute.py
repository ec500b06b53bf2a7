"""Runs the notebooks beside this file and keeps what their cells print: `python
docs/notebooks/execute.py`.

Needs the package lastbit and what the notebooks import, and no Jupyter. Noise is new in each run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def run(notebook: dict[str, Any], directory: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, run in order in a directory."""
    names: dict[str, Any] = {"__name__": "__main__"}
    before = os.getcwd()
    os.chdir(directory)
    try:
        cells = [_cell(cell, index, names) for index, cell in enumerate(notebook["cells"])]
    finally:
        os.chdir(before)
    return {**notebook, "cells": cells}


def _cell(cell: dict[str, Any], index: int, names: dict[str, Any]) -> dict[str, Any]:
    if cell["cell_type"] != "code":
        return cell
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {index}", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {index}", "eval"), names)
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
        )
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        outputs.append(
            {"output_type": "execute_result", "execution_count": None, "data": data, "metadata": {}}
        )
    return {**cell, "outputs": outputs}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    for path in sorted(HERE.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as directory:
            done = run(notebook, Path(directory))
        path.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(path.name, file=sys.stderr)


if __name__ == "__main__":
    main()
