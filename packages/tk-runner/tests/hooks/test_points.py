"""Hooks bound to their points."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from doubling import scripted

from tk_runner import Hook
from tk_runner.hooks import HookPoints


class Named(Hook):
    def __init__(self, name: str, log: list[str]) -> None:
        self.name = name
        self.log = log

    def before_run(self, runner: Any) -> None:
        self.log.append(self.name)


class Failing(Hook):
    priority = "HIGH"

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        raise TypeError("the user's mistake")

    def on_exit(self, runner: Any) -> None:
        raise OSError("cannot clean up")


class Ending(Hook):
    def __init__(self) -> None:
        self.seen: list[str] = []

    def on_exception(self, runner: Any, error: BaseException) -> None:
        self.seen.append(f"{type(error).__name__}: {error}")

    def after_run(self, runner: Any) -> None:
        self.seen.append("after_run")

    def on_exit(self, runner: Any) -> None:
        self.seen.append("exit")


def test_hooks_run_by_priority_and_equal_ones_as_they_were_added() -> None:
    log: list[str] = []
    points = HookPoints()
    for name, priority in (("a", None), ("b", 60), ("c", "VERY_HIGH"), ("d", None), ("e", 60)):
        points.add(Named(name, log), priority)

    for method in points.at("before_run"):
        method(None)

    assert log == ["c", "a", "d", "b", "e"]


def test_only_hooks_that_override_a_point_are_called_there() -> None:
    points = HookPoints()
    points.add(Hook())
    points.add(Ending())
    points.add(Named("a", []))

    bound = {point: len(points.at(point)) for point in Hook.stages if points.at(point)}

    assert bound == {"before_run": 1, "after_run": 1, "on_exception": 1, "on_exit": 1}


def test_a_point_is_looked_up_once_until_a_hook_is_added() -> None:
    log: list[str] = []
    points = HookPoints()
    points.add(Named("a", log))

    assert points.at("before_run") is points.at("before_run")
    points.add(Named("b", log))
    for method in points.at("before_run"):
        method(None)
    assert log == ["a", "b"]


def test_points_of_the_users_own_are_called_where_there_is_a_method() -> None:
    class Warmup(Hook):
        steps = 0

        def before_warmup_iter(self, runner: Any, amount: int) -> None:
            self.steps += amount

    points = HookPoints()
    points.add(Hook())
    points.add(Warmup())
    for method in points.at("before_warmup_iter"):
        method(None, amount=2)

    assert points.hooks[1].steps == 2


def test_a_raising_hook_is_named_and_keeps_its_traceback(
    make_run: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    ending = Ending()
    runner = make_run(hooks=[Failing(), ending])

    with pytest.raises(TypeError, match="the user's mistake") as caught:
        runner.train()

    notes = getattr(caught.value, "__notes__", [caplog.text])  # Python 3.10 has none: logged
    assert "raised by the hook Failing at after_train_iter" in notes[0]
    assert caught.traceback[-1].name == "after_train_iter"
    assert ending.seen == ["TypeError: the user's mistake", "exit"]


def test_a_hook_that_fails_at_the_exit_is_logged_and_the_others_get_theirs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ending = Ending()
    points = HookPoints()
    points.add(Failing())
    points.add(ending)

    points.call_all("on_exit", SimpleNamespace(logger=logging.getLogger("tk.test")))

    assert ending.seen == ["exit"]
    assert "the hook Failing failed at on_exit" in caplog.text
    assert "cannot clean up" in caplog.text


@pytest.mark.parametrize("mode", ["train", "val"])
def test_the_exit_comes_last_in_every_mode(make_run: Callable[..., Any], mode: str) -> None:
    ending = Ending()
    runner = make_run(epochs=1, val=scripted("acc", 1.0), hooks=[ending])

    getattr(runner, mode)()

    assert ending.seen == ["after_run", "exit"]


def test_an_error_in_a_validation_meets_exception_and_exit(make_run: Callable[..., Any]) -> None:
    ending = Ending()
    runner = make_run(epochs=1, val=scripted("acc", 1.0), hooks=[ending])
    runner.model.val_step = None

    with pytest.raises(TypeError, match="not callable"):
        runner.train()

    assert ending.seen == ["TypeError: 'NoneType' object is not callable", "exit"]


def test_the_description_lists_who_acts_where() -> None:
    points = HookPoints()
    points.add(Named("a", []), "VERY_HIGH")

    assert points.describe() == "\n".join(
        ["before_run:", f"({'VERY_HIGH':<12}) {'Named':<35}", "-" * 20]
    )
