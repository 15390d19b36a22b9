from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
import torch

from tk_logging import NotPlainError
from tk_runner.checkpoint.background import BackgroundWriter, Staging


def test_what_is_written_is_the_state_at_the_call() -> None:
    weight, gate, written = torch.zeros(3), threading.Event(), []
    writer = BackgroundWriter()

    def write(content: Mapping[str, Any]) -> None:
        assert gate.wait(60)
        written.append(content["w"].tolist())

    writer.start({"w": weight}, write)
    weight += 1  # the training goes on before anything is written
    gate.set()
    writer.finish()

    assert written == [[0.0, 0.0, 0.0]]


def test_one_write_waits_for_the_one_before() -> None:
    running: list[int] = []
    most: list[int] = []

    def write(content: Mapping[str, Any]) -> None:
        running.append(1)
        most.append(len(running))
        running.pop()

    writer = BackgroundWriter()
    for _ in range(20):
        writer.start({}, write)
    writer.finish()

    assert most == [1] * 20


def test_an_error_comes_up_at_the_next_call_once() -> None:
    def fail(content: Mapping[str, Any]) -> None:
        raise OSError("the disk is full")

    writer = BackgroundWriter()
    writer.start({}, fail)
    with pytest.raises(OSError, match="the disk is full"):
        writer.start({}, fail)
    writer.finish()


def test_what_cannot_be_saved_is_told_at_once() -> None:
    with pytest.raises(NotPlainError, match="owner is a object"):
        BackgroundWriter().start({"owner": object()}, lambda content: None)


def test_a_copy_shares_nothing_and_uses_its_memory_again() -> None:
    state = {"model": torch.nn.Linear(2, 2).state_dict(), "list": [torch.ones(2), (1, "a")]}
    staging = Staging()
    first = staging.copy_of(state)
    address = first["model"]["weight"].data_ptr()

    second = staging.copy_of(state)

    assert second["model"]["weight"].data_ptr() == address
    assert address != state["model"]["weight"].data_ptr()
    assert torch.equal(second["model"]["weight"], state["model"]["weight"])
    assert second["model"]._metadata == state["model"]._metadata
    assert second["list"][1] == (1, "a")
