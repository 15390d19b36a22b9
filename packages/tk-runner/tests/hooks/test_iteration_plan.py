"""What is called around an iteration, and what is left alone until it is due."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from tk_runner import Hook
from tk_runner.hooks import HookPoints
from tk_runner.hooks.iteration_plan import IterationPlan


class Always(Hook):
    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        runner.log.append((batch_idx, type(self).__name__))


class Third(Always):
    """Acts after every third iteration of an epoch."""

    def iters_until_due(self, runner: Any, batch_idx: int) -> float | None:
        runner.asked.append(batch_idx)
        return -(batch_idx + 1) % 3

    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        super().after_train_iter(runner, batch_idx)


class WithOthers(Third):
    def iters_until_due(self, runner: Any, batch_idx: int) -> float | None:
        return math.inf


class Overriding(Third):
    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None:
        super().after_train_iter(runner, batch_idx)


def run_with(*hooks: Hook) -> Any:
    points = HookPoints()
    for hook in hooks:
        points.add(hook)
    return SimpleNamespace(points=points, log=[], asked=[])


def go(run: Any, plan: IterationPlan, batches: range, *, done: int = 0) -> list[tuple[int, str]]:
    """The calls after each of some batches of an epoch."""
    run.log.clear()
    for iteration, batch_idx in enumerate(batches, done):
        for call in plan.calls(run, iteration, batch_idx)[1]:
            call(run, batch_idx=batch_idx)
    return list(run.log)


def test_a_hook_that_says_when_it_acts_is_called_then_and_in_order_of_priority() -> None:
    run = run_with(Third(), Always())

    calls = go(run, IterationPlan(run.points), range(6))

    assert [idx for idx, name in calls if name == "Always"] == [0, 1, 2, 3, 4, 5]
    assert [idx for idx, name in calls if name == "Third"] == [2, 5]
    assert calls[2:4] == [(2, "Third"), (2, "Always")]


def test_a_waiting_hook_is_not_asked_in_each_iteration() -> None:
    run = run_with(Third())
    go(run, IterationPlan(run.points), range(12))

    assert set(run.asked) == {0, 2, 3, 5, 6, 8, 9, 11}


def test_one_that_waits_for_others_acts_with_them_only() -> None:
    run = run_with(WithOthers())
    assert go(run, IterationPlan(run.points), range(6)) == []

    run = run_with(WithOthers(), Third())
    calls = go(run, IterationPlan(run.points), range(6))
    assert [idx for idx, name in calls if name == "WithOthers"] == [2, 5]


def test_a_new_epoch_begins_a_new_count() -> None:
    run = run_with(Third())
    plan = IterationPlan(run.points)
    go(run, plan, range(4))

    assert [idx for idx, _ in go(run, plan, range(4), done=4)] == [2]


def test_a_run_that_goes_on_inside_an_epoch_keeps_its_places() -> None:
    run = run_with(Third())

    assert [idx for idx, _ in go(run, IterationPlan(run.points), range(4, 9), done=4)] == [5, 8]


def test_a_hook_that_is_added_on_the_way_acts_at_once() -> None:
    run = run_with(Third())
    plan = IterationPlan(run.points)
    go(run, plan, range(1))
    run.points.add(Always())

    assert go(run, plan, range(1, 2), done=1) == [(1, "Always")]


@pytest.mark.parametrize("own_method", [False, True], ids=["class", "object"])
def test_what_is_overridden_without_saying_when_acts_in_each_iteration(*, own_method: bool) -> None:
    hook = Third() if own_method else Overriding()
    if own_method:
        hook.after_train_iter = Always.after_train_iter.__get__(hook)  # type: ignore[method-assign]
    run = run_with(hook)

    assert [idx for idx, _ in go(run, IterationPlan(run.points), range(4))] == [0, 1, 2, 3]
