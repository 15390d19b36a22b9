"""Profiles of training steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubling import log_lines

from tk_runner import InvalidSettingsError
from tk_runner.hooks import ProfilerHook

Make = Callable[..., Any]


def test_a_table_is_logged_after_the_first_epoch(make_run: Make) -> None:
    hook = ProfilerHook(on_trace_ready={"type": "log_trace", "row_limit": 5})
    runner = make_run(epochs=2, hooks=[hook])
    runner.train()

    assert len(log_lines(runner, "Self CPU time total")) == 1


def test_chosen_iterations_are_traced_into_a_file(make_run: Make, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    hook = ProfilerHook(by_epoch=False, profile_times=2, json_trace_path=str(path))
    make_run(epochs=1, hooks=[hook]).train()

    assert json.loads(path.read_text())["traceEvents"]


def test_traces_for_tensorboard_lie_in_the_log_folder(make_run: Make) -> None:
    hook = ProfilerHook(
        by_epoch=False, profile_times=3, on_trace_ready={"type": "tb_trace"},
        schedule={"wait": 0, "warmup": 1, "active": 1, "repeat": 1},
    )  # fmt: skip
    runner = make_run(epochs=1, hooks=[hook])
    runner.train()

    assert list((Path(runner.log_dir) / "tf_tracing_logs").glob("*.json"))


def test_a_callable_gets_the_profile_though_the_epoch_ends_before(make_run: Make) -> None:
    seen: list[Any] = []
    hook = ProfilerHook(by_epoch=False, profile_times=6, on_trace_ready=seen.append)
    make_run(epochs=2, hooks=[hook]).train()

    assert len(seen) == 1


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"profile_times": 0}, "profile_times must be a whole number of 1 or more, got 0"),
        ({"profile_times": 2}, "with by_epoch=True it must be 1"),
        ({"on_trace_ready": {"type": "log_trac"}}, "did you mean 'log_trace'"),
        ({"on_trace_ready": 3}, "a callable or a dict"),
    ],
)
def test_what_cannot_work_is_refused_at_once(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidSettingsError, match=text):
        ProfilerHook(**settings)


def test_more_iterations_than_there_are_is_refused(make_run: Make) -> None:
    with pytest.raises(InvalidSettingsError, match="profile_times=9 is more than the 8"):
        make_run(epochs=2, hooks=[ProfilerHook(by_epoch=False, profile_times=9)]).train()
