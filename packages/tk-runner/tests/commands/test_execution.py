from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tk_runner.commands.execution import _leave
from tk_runner.process.stop_requests import STOPPED_BY_PLAN


@pytest.fixture(autouse=True)
def own_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("max_restarts", "code", "left_with"),
    [
        (None, STOPPED_BY_PLAN, STOPPED_BY_PLAN),
        ("0", STOPPED_BY_PLAN, STOPPED_BY_PLAN),
        ("3", STOPPED_BY_PLAN, 0),
        ("3", 143, 143),
    ],
    ids=["alone", "torchrun", "torchrun that restarts", "a signal"],
)
def test_a_planned_stop_is_no_failure_to_a_launcher_that_restarts(
    max_restarts: str | None, code: int, left_with: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.delenv("TORCHELASTIC_MAX_RESTARTS", raising=False)
    if max_restarts is not None:
        monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
        monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", max_restarts)

    assert _leave(code) == left_with
