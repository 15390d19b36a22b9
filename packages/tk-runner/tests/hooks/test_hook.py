"""The base class and its table of points."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tk_runner import Hook
from tk_runner.hooks.hook import STAGES


class AllModes(Hook):
    def _after_iter(
        self,
        runner: Any,
        batch_idx: int,
        data_batch: Any = None,
        outputs: Any = None,
        mode: str = "",
    ) -> None: ...


class TrainOnly(Hook):
    def after_train_iter(
        self, runner: Any, batch_idx: int, data_batch: Any = None, outputs: Any = None
    ) -> None: ...

    def on_exit(self, runner: Any) -> None: ...


def at(epoch: int = 0, iteration: int = 0) -> Any:
    return SimpleNamespace(epoch=epoch, iter=iteration, max_epochs=3, max_iters=12)


def test_a_hook_without_methods_acts_nowhere() -> None:
    assert Hook().get_triggered_stages() == []


def test_a_shared_point_acts_in_all_three_modes_in_the_order_of_a_run() -> None:
    assert AllModes().get_triggered_stages() == [
        "after_train_iter",
        "after_val_iter",
        "after_test_iter",
    ]


def test_an_overridden_point_acts_alone() -> None:
    assert TrainOnly().get_triggered_stages() == ["after_train_iter", "on_exit"]


def test_a_method_set_on_the_object_acts_too() -> None:
    hook = Hook()
    hook.after_run = lambda runner: None  # type: ignore[method-assign]

    assert hook.get_triggered_stages() == ["after_run"]


@pytest.mark.parametrize("point", [point for point in STAGES if "iter" in point])
def test_the_points_of_a_mode_call_the_shared_one_with_the_mode(point: str) -> None:
    seen = []

    class Shared(Hook):
        def _before_iter(
            self, runner: Any, batch_idx: int, data_batch: Any = None, mode: str = ""
        ) -> None:
            seen.append((batch_idx, mode))

        def _after_iter(
            self,
            runner: Any,
            batch_idx: int,
            data_batch: Any = None,
            outputs: Any = None,
            mode: str = "",
        ) -> None:
            seen.append((batch_idx, mode))

    getattr(Shared(), point)(None, batch_idx=3)

    assert seen == [(3, point.split("_")[1])]


@pytest.mark.parametrize("point", [point for point in STAGES if "epoch" in point])
def test_the_epoch_points_of_a_mode_call_the_shared_one_with_the_mode(point: str) -> None:
    seen = []

    class Shared(Hook):
        def _before_epoch(self, runner: Any, mode: str = "") -> None:
            seen.append(mode)

        def _after_epoch(self, runner: Any, mode: str = "") -> None:
            seen.append(mode)

    getattr(Shared(), point)(None)

    assert seen == [point.split("_")[1]]


def test_every_n_epochs_counts_from_the_start() -> None:
    hook = Hook()

    assert [epoch + 1 for epoch in range(9) if hook.every_n_epochs(at(epoch), 3)] == [3, 6, 9]
    due = [epoch + 1 for epoch in range(9) if hook.every_n_epochs(at(epoch), 3, start=2)]
    assert due == [2, 5, 8]
    assert not hook.every_n_epochs(at(2), 0)


def test_every_n_iterations_counts_within_an_epoch_and_over_all() -> None:
    hook = Hook()

    assert [i for i in range(6) if hook.every_n_inner_iters(i, 2)] == [1, 3, 5]
    assert [i for i in range(6) if hook.every_n_train_iters(at(iteration=i), 4, start=1)] == [0, 4]


def test_the_ends_are_known() -> None:
    hook = Hook()

    assert hook.end_of_epoch([0, 0, 0], 2)
    assert not hook.end_of_epoch([0, 0, 0], 1)
    assert hook.is_last_train_epoch(at(epoch=2))
    assert hook.is_last_train_iter(at(iteration=11))
    assert not hook.is_last_train_iter(at(iteration=10))


def test_a_hook_has_no_state_unless_it_says_so() -> None:
    hook = Hook()
    hook.load_state_dict({"of": "an older version"})

    assert hook.state_dict() == {}
