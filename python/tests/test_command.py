"""The command in the wheel, the documented examples, and the documents."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import lastbit
import pytest


def run(*arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "lastbit", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
    )


def test_the_command_is_there() -> None:
    version = run("--version")
    assert version.returncode == 0 and version.stdout.startswith("lastbit ")
    bad = run("releese")
    assert bad.returncode == 2 and "release" in bad.stderr


def test_the_command_and_the_package_share_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("x\n1\n2\n")
    plan = lastbit.Plan("Rows", source="table.csv", epsilon=1).count()
    (tmp_path / "plan.toml").write_text(plan.to_toml(), encoding="utf-8")
    report = lastbit.release(tmp_path / "plan.toml")
    again = run("release", "plan.toml", "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (
        "before" in again.stderr
        and f'"{report["count"].details["cells"][0]["value"]}"' in again.stdout
    )


@pytest.mark.parametrize(
    "name",
    [
        "_exact", "_mechanisms", "_losses", "_plan", "_session", "_audit", "_databases",
        "framework",
    ],
)
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"lastbit.{name}"))
    assert failed == 0 and tried > 0


# Stands where pyspark would, and says which Python came.
FAKE = """import os, sys
open(os.environ["FOUND"], "w").write(sys.executable)
raise ImportError
"""


@pytest.mark.parametrize("way", ["command", "function"])
@pytest.mark.parametrize("named", [True, False])
def test_spark_is_asked_by_this_interpreter_unless_another_is_named(
    tmp_path: Path, way: str, named: bool
) -> None:
    fake, found, other = tmp_path / "fake", tmp_path / "found", tmp_path / "other" / "python3"
    (fake / "pyspark").mkdir(parents=True)
    (fake / "pyspark" / "__init__.py").write_text(FAKE)
    # What the search path would find.
    other.parent.mkdir()
    other.write_text('#!/bin/sh\nprintf another > "$FOUND"\n')
    other.chmod(0o755)
    (tmp_path / "plan.toml").write_text(
        '[source]\ndatabase = "spark:local[1]"\ntable = "t"\n[privacy]\n'
        'neighbours = "add-remove"\n[budget]\nepsilon = 1\n[[statistics]]\nname = "rows"\n'
        'kind = "count"\n'
    )
    environment = {name: text for name, text in os.environ.items() if name != "LASTBIT_PYTHON"}
    # Before whatever the tests import lastbit from.
    places = [str(fake), *filter(None, [environment.get("PYTHONPATH")])]
    environment.update(FOUND=str(found), PYTHONPATH=os.pathsep.join(places))
    environment["PATH"] = f"{other.parent}{os.pathsep}{environment['PATH']}"
    if named:
        environment["LASTBIT_PYTHON"] = str(other)
    ways = {
        "command": ["-m", "lastbit", "release", "plan.toml", "--yes"],
        "function": ["-c", "import lastbit; lastbit.release('plan.toml')"],
    }
    done = subprocess.run(
        [sys.executable, *ways[way]],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode != 0 and "pyspark" in done.stderr
    assert found.read_text() == ("another" if named else sys.executable)
