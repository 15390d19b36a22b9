"""Progress bars over tasks, by rich."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import IO, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class ProgressBar:
    """A bar that is moved by hand.

    Args:
        task_num: how many tasks there are; 0 shows a count alone.
        bar_width: of the bar, in characters.
        start: whether it is shown from now on.
        file: where it is shown.
    """

    def __init__(
        self, task_num: int = 0, bar_width: int = 50, start: bool = True, file: IO[str] = sys.stdout
    ) -> None:
        self.task_num = task_num
        self.bar_width = bar_width
        self.completed = 0
        self.file = file
        self._progress = _progress(bar_width, file)
        self._task = self._progress.add_task("", total=task_num or None, start=False)
        if start:
            self.start()

    @property
    def terminal_width(self) -> int:
        """Columns of the terminal."""
        return self._progress.console.width

    def start(self) -> None:
        """Show the bar."""
        self._progress.start()
        self._progress.start_task(self._task)

    def update(self, num_tasks: int = 1) -> None:
        """Tell that tasks are done."""
        if num_tasks <= 0:
            raise AssertionError(f"num_tasks must be positive, got {num_tasks}")
        self.completed += num_tasks
        self._progress.update(self._task, completed=self.completed)
        if self.task_num and self.completed >= self.task_num:
            self._progress.stop()


def _progress(bar_width: int, file: IO[str], description: str = "") -> Progress:
    columns = (
        TextColumn(description),
        BarColumn(bar_width),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(file=file))


def _tasks(tasks: Any) -> tuple[Iterable[Any], int]:
    """The tasks and their number, from a sequence or from ``(iterable, number)``."""
    if isinstance(tasks, tuple) and len(tasks) == 2 and isinstance(tasks[1], int):
        if isinstance(tasks[0], Iterable):
            return tasks[0], tasks[1]
    elif isinstance(tasks, Sequence):
        return tasks, len(tasks)
    raise TypeError("tasks must be a sequence, or a tuple of an iterable and its length")


def track_progress(
    func: Callable[..., Any],
    tasks: Any,
    bar_width: int = 50,
    file: IO[str] = sys.stdout,
    **kwargs: Any,
) -> list[Any]:
    """The results of ``func`` for every task, with a bar.

    Raises:
        TypeError: ``tasks`` is neither a sequence nor an iterable with its length.
    """
    return [func(task, **kwargs) for task in track_iter_progress(tasks, bar_width, file)]


def track_iter_progress(
    tasks: Any, bar_width: int = 50, file: IO[str] = sys.stdout
) -> Iterator[Any]:
    """The tasks one after the other, with a bar.

    Raises:
        TypeError: ``tasks`` is neither a sequence nor an iterable with its length.
    """
    items, count = _tasks(tasks)
    return _tracked(items, count, bar_width, file)


def _tracked(items: Iterable[Any], count: int, bar_width: int, file: IO[str]) -> Iterator[Any]:
    with _progress(bar_width, file) as progress:
        yield from progress.track(items, total=count)


def track_parallel_progress(
    func: Callable[..., Any],
    tasks: Any,
    nproc: int,
    initializer: Callable[..., Any] | None = None,
    initargs: tuple[Any, ...] | None = None,
    bar_width: int = 50,
    chunksize: int = 1,
    skip_first: bool = False,
    keep_order: bool = True,
    file: IO[str] = sys.stdout,
) -> list[Any]:
    """The results of ``func`` for every task, worked out by several processes, with a bar.

    Args:
        func: can be pickled.
        tasks: a sequence, or an iterable with its length.
        nproc: number of processes.
        initializer: called in each process first.
        initargs: its arguments.
        bar_width: of the bar.
        chunksize: tasks that a process is given at a time.
        skip_first: accepted for compatibility; the first task counts like the others.
        keep_order: accepted for compatibility; results are in the order of the tasks.
        file: where the bar is shown.

    Raises:
        TypeError: ``tasks`` or ``initargs`` of another kind.
    """
    if initargs is not None and not isinstance(initargs, tuple):
        raise TypeError(f"initargs must be a tuple, got {type(initargs).__name__}")
    items, count = _tasks(tasks)
    with (
        ProcessPoolExecutor(nproc, initializer=initializer, initargs=initargs or ()) as pool,
        _progress(bar_width, file) as progress,
    ):
        return list(progress.track(pool.map(func, items, chunksize=chunksize), total=count))


def track_progress_rich(
    func: Callable[..., Any],
    tasks: Iterable[Any] = (),
    task_num: int | None = None,
    nproc: int = 1,
    chunksize: int = 1,
    description: str = "Processing",
    color: str = "blue",
) -> list[Any]:
    """The results of ``func`` in the order of the tasks; lists and tuples are its arguments.

    Args:
        func: can be pickled where there are several processes.
        tasks: arguments of each call; empty calls ``func()`` ``task_num`` times.
        task_num: number of tasks, where it cannot be seen.
        nproc: number of processes.
        chunksize: tasks that a process is given at a time.
        description: in front of the bar.
        color: of the description.

    Raises:
        TypeError: ``func`` cannot be called, or ``tasks`` not gone through.
        ValueError: numbers that do not fit.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got {func!r}")
    if not isinstance(tasks, Iterable):
        raise TypeError(f"tasks must be iterable, got {type(tasks).__name__}")
    if nproc < 1:
        raise ValueError(f"nproc must be at least 1, got {nproc}")
    if isinstance(tasks, Sequence):
        if not tasks and task_num is None:
            raise ValueError("there are no tasks; give task_num to call func without arguments")
        if tasks and task_num not in (None, len(tasks)):
            raise ValueError(f"task_num is {task_num}, and there are {len(tasks)} tasks")
        tasks = tasks or [()] * (task_num or 0)
        task_num = len(tasks)
    call = _Call(func)
    with _progress(40, sys.stdout, f"[{color}]{description}") as progress:
        if nproc == 1:
            return list(progress.track(map(call, tasks), total=task_num))
        with ProcessPoolExecutor(nproc) as pool:
            results = pool.map(call, tasks, chunksize=chunksize)
            return list(progress.track(results, total=task_num))


class _Call:
    """Calls a function with a task's arguments; can be pickled."""

    def __init__(self, func: Callable[..., Any]) -> None:
        self.func = func

    def __call__(self, task: Any) -> Any:
        return self.func(*task) if isinstance(task, (list, tuple)) else self.func(task)
