"""Noise is never repeated and no budget spent twice: not by forks, threads, copies or pickles."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import lastbit
import pytest

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")


def draws(_: int) -> tuple[float, ...]:
    # Eight draws on a fine grid: two equal lists would be one chance in 2^100 or less.
    return tuple(lastbit.laplace(0.0, scale=1, grid=2**-40) for _ in range(8))


def arrays(_: int) -> tuple[float, ...]:
    return tuple(lastbit.laplace(numpy.zeros(8), scale=1, grid=2**-40).tolist())


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.parametrize("work", [draws, arrays])
def test_processes_draw_different_noise(way: str, work: Any) -> None:
    if way not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {way} here")
    # The parent has drawn, so that there is a buffer of randomness to inherit.
    mine = work(0)
    with multiprocessing.get_context(way).Pool(2) as pool:
        theirs = pool.map_async(work, range(4), chunksize=1).get(timeout=300)
    assert len({mine, work(0), *theirs}) == 6


def test_threads_draw_different_noise() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(draws, range(64)))) == 64


def test_what_holds_randomness_is_not_copied() -> None:
    from lastbit._lastbit import Noise, Snapping

    for held in (
        Noise.laplace("1", None),
        Snapping("0", "1", "1", "1"),
        lastbit.Plan(epsilon=1)._native,
    ):
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                attempt(held)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_forked_during_a_release_is_refused_the_ledger(tmp_path: Path) -> None:
    """SQLite would take the parent's locks, which a child has in memory, for its own."""
    session = lastbit.Session(
        pyarrow.table({"p": numpy.arange(3_000_000)}),
        ledger=tmp_path / "l.ledger",
        budget={"epsilon": "0.03"},
        unit="p",
        most_rows=1,
    )
    session.count(epsilon="0.001", name="before").release(progress=False)
    said = tmp_path / "said"
    children: list[int] = []

    def fork(*_: object) -> None:
        if children:
            return
        children.append(os.fork())
        if children[0] == 0:
            try:
                session.count(epsilon="0.001", name="child").release(progress=False)
                said.write_text("published")
            except lastbit.LastbitError as error:
                said.write_text(str(error))
            finally:
                os._exit(0)
        os.waitpid(children[0], 0)

    session.count(epsilon="0.001", name="parent").release(progress=fork)
    assert "this process was forked while a ledger was open" in said.read_text()
    assert str(session.left) == "ε = 0.028"
