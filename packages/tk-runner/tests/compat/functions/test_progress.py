"""Progress bars over tasks."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tk_runner.compat.functions import progress


@pytest.fixture(autouse=True)
def wait_for_bars() -> Iterator[None]:
    """The thread that draws a bar ends a moment after the bar."""
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=5)


def double(x: int) -> int:
    return 2 * x


def add(x: int, y: int) -> int:
    return x + y


def test_results_come_in_the_order_of_the_tasks() -> None:
    file = io.StringIO()

    assert progress.track_progress(double, [1, 2, 3], file=file) == [2, 4, 6]
    assert "3/3" in file.getvalue()


def test_an_iterable_comes_with_its_length() -> None:
    tasks = (iter([1, 2]), 2)

    assert list(progress.track_iter_progress(tasks, file=io.StringIO())) == [1, 2]
    with pytest.raises(TypeError, match="a sequence, or a tuple of an iterable and its length"):
        progress.track_iter_progress(iter([1]))


def test_processes_keep_the_order() -> None:
    tasks = list(range(20))

    done = progress.track_parallel_progress(double, tasks, 2, chunksize=3, file=io.StringIO())

    assert done == [2 * task for task in tasks]
    with pytest.raises(TypeError, match="initargs must be a tuple"):
        progress.track_parallel_progress(double, tasks, 2, initargs=[1])  # type: ignore[arg-type]


def test_tuples_are_the_arguments_of_a_call() -> None:
    assert progress.track_progress_rich(add, [(1, 2), (3, 4)]) == [3, 7]
    assert progress.track_progress_rich(double, [1, 2], nproc=2) == [2, 4]
    assert progress.track_progress_rich(lambda: 7, task_num=2) == [7, 7]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"func": 1, "tasks": [1]}, TypeError),
        ({"func": double, "tasks": 1}, TypeError),
        ({"func": double, "tasks": []}, ValueError),
        ({"func": double, "tasks": [1], "task_num": 2}, ValueError),
        ({"func": double, "tasks": [1], "nproc": 0}, ValueError),
    ],
)
def test_calls_that_do_not_fit_are_an_error(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        progress.track_progress_rich(**arguments)


def test_a_bar_is_moved_by_hand() -> None:
    file = io.StringIO()
    bar = progress.ProgressBar(3, file=file)
    bar.update()
    bar.update(2)

    assert bar.completed == 3
    assert bar.terminal_width > 0
    assert "3/3" in file.getvalue()
    with pytest.raises(AssertionError, match="num_tasks must be positive"):
        bar.update(0)
