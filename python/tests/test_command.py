"""The command in the wheel, the documented examples, and the documents."""

from __future__ import annotations

import doctest
import importlib
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
    "name", ["_exact", "_mechanisms", "_losses", "_plan", "_session", "_audit", "framework"]
)
def test_examples_in_docstrings(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(f"lastbit.{name}"))
    assert failed == 0 and tried > 0
