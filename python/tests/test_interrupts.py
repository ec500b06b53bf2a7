"""While a release runs: progress is told, other threads run, and Ctrl-C stops it."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import lastbit
import pytest
from lastbit import _release

#: A table that takes SQLite a second or more to make up; it finishes a statement before it stops.
SLOW = (
    "create view numbers as with recursive n(x) as "
    "(select 1 union all select x + 1 from n limit 2000000) select x from n"
)


@pytest.fixture
def slow(tmp_path: Path) -> lastbit.Plan:
    """A plan whose source is so slow that much can happen before anything is spent."""
    database = sqlite3.connect(tmp_path / "numbers.db")
    database.execute(SLOW)
    database.close()
    source = {"database": f"sqlite:{tmp_path / 'numbers.db'}", "table": "numbers"}
    return lastbit.Plan("Slow", source=source, epsilon=1).count()


class Enough(Exception):
    pass


def test_what_progress_raises_ends_the_release(slow: lastbit.Plan, ledger: Path) -> None:
    told = []

    def stop(part: float) -> None:
        told.append(part)
        raise Enough

    with pytest.raises(Enough):
        lastbit.release(slow, ledger=ledger, progress=stop)
    # Once is enough, and nothing was spent.
    assert len(told) == 1 and 0 <= told[0] <= 1
    assert not ledger.exists()


def test_other_threads_run_meanwhile(slow: lastbit.Plan, ledger: Path) -> None:
    turns = 0
    done = threading.Event()

    def turn() -> None:
        nonlocal turns
        while not done.is_set():
            turns += 1
            time.sleep(0.001)

    def stop(part: float) -> None:
        if turns > before + 5:
            raise Enough

    other = threading.Thread(target=turn)
    interval = sys.getswitchinterval()
    try:
        # Nobody is made to hand the lock over: the other thread runs only if it is let go.
        sys.setswitchinterval(1000)
        other.start()
        before = turns
        with pytest.raises(Enough):
            lastbit.release(slow, ledger=ledger, progress=stop)
    finally:
        done.set()
        sys.setswitchinterval(interval)
        other.join()
    assert not ledger.exists()


CTRL_C = """
import signal, sys, threading, time, lastbit
# Whoever started the tests may have had it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
told = []
def interrupt():
    while not told:
        time.sleep(0.01)
    # The other thread waits in the native part by now, and signals are looked for only there: what
    # is told of progress runs no Python.
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
plan = lastbit.Plan.read(sys.argv[1])
try:
    lastbit.release(plan, ledger=sys.argv[2], progress=told.append)
except KeyboardInterrupt:
    print("interrupted", bool(told))
"""


def child(code: str, *arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a thread cannot send itself a signal there")
def test_ctrl_c_ends_a_release(slow: lastbit.Plan, tmp_path: Path, ledger: Path) -> None:
    (tmp_path / "plan.toml").write_text(slow.to_toml(), encoding="utf-8")
    told = child(CTRL_C, str(tmp_path / "plan.toml"), str(ledger))
    assert told.split() == ["interrupted", "True"]
    # Without a look for signals, the release would have ended by itself, and have been paid for.
    assert not ledger.exists()


STREAM = """
import itertools, signal, sys, threading, time, lastbit, pyarrow
signal.signal(signal.SIGINT, signal.default_int_handler)
batch = pyarrow.record_batch({"x": [1.0]})
drawn = 0
def batches():
    global drawn
    for drawn in itertools.count(1):
        if drawn == 3:
            signal.raise_signal(signal.SIGINT)
        yield batch
reader = pyarrow.RecordBatchReader.from_batches(batch.schema, batches())
plan = lastbit.Plan(epsilon=1).count()
try:
    lastbit.release(plan, reader, sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", drawn)
"""


def test_ctrl_c_ends_a_stream_of_python(ledger: Path) -> None:
    pytest.importorskip("pyarrow")
    # It is raised in the generator, and pyarrow tells of it in words.
    assert child(STREAM, str(ledger)).split() == ["interrupted", "3"]
    assert not ledger.exists()


ENDLESS = """
import resource, signal, sys, threading, time, lastbit, duckdb
signal.signal(signal.SIGINT, signal.default_int_handler)
# Without a look for signals, it fails before it has all of the machine's memory.
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from lastbit._lastbit import NativeTable
connection = duckdb.connect()
connection.execute("set enable_progress_bar = false")
relation = connection.sql("select x from range(100000000000) t(x)")
reader = relation.to_arrow_reader(1000) if hasattr(relation, "to_arrow_reader") else (
    relation.fetch_arrow_reader(1000)
)
capsule = reader.__arrow_c_stream__()
running = threading.Event()
def interrupt():
    running.wait()
    # This thread gets the lock only because the stream is read without it.
    time.sleep(0.01)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    running.set()
    NativeTable(capsule)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a thread cannot send itself a signal there")
def test_ctrl_c_ends_a_stream_of_another_library() -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    assert child(ENDLESS).split()[-1:] == ["interrupted"]


def test_a_bar_is_shown_to_whoever_looks(
    monkeypatch: pytest.MonkeyPatch, arrow: Any, ledger: Path
) -> None:
    shown, now = io.StringIO(), [100.0]
    monkeypatch.setattr(_release.sys, "stderr", shown)
    monkeypatch.setattr(_release.time, "monotonic", lambda: now[0])
    bar = _release._Bar()
    bar(0.25)
    bar.clear()
    assert shown.getvalue() == ""
    now[0] += 2
    bar(0.25)
    assert shown.getvalue() == "\r" + "█" * 10 + "░" * 30 + "  25 %"
    bar.clear()
    assert shown.getvalue().endswith("\r" + " " * 50 + "\r")
    # A text in memory is not looked at; a terminal and a notebook are.
    assert not _release._is_watched()
    monkeypatch.setattr(shown, "isatty", lambda: True, raising=False)
    assert _release._is_watched()
    monkeypatch.setattr(shown, "isatty", lambda: False, raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", io)
    assert _release._is_watched()


def test_a_release_shows_its_bar(
    monkeypatch: pytest.MonkeyPatch, slow: lastbit.Plan, ledger: Path
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(_release.sys, "stderr", shown)

    class Told(_release._Bar):
        def __call__(self, part: float) -> None:
            self._start = float("-inf")
            super().__call__(part)
            raise Enough

    monkeypatch.setattr(_release, "_Bar", Told)
    with pytest.raises(Enough):
        lastbit.release(slow, ledger=ledger, progress=True)
    assert "░" in shown.getvalue() and shown.getvalue().endswith("\r")
