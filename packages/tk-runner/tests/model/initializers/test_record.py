from __future__ import annotations

import logging

import pytest
import torch
from torch import nn

from tk_runner.model import InitializationError
from tk_runner.model.initializers.record import UNCHANGED, InitRecord, recording, update_init_info


def two_layers() -> nn.Sequential:
    return nn.Sequential(nn.Linear(1, 2), nn.Linear(2, 1, bias=False))


def test_each_parameter_is_told_with_what_set_it_last() -> None:
    model = two_layers()
    record = InitRecord(model)
    nn.init.zeros_(model[0].weight)
    record.note(model, "zeros")
    model[0].weight.data.fill_(3)  # a write that torch's counter does not see
    record.note(model, "threes")

    assert record.lines() == [
        "0.weight (2, 1): threes",
        f"0.bias (2,): {UNCHANGED}",
        f"1.weight (1, 2): {UNCHANGED}",
    ]


def test_a_write_of_equal_values_counts() -> None:
    model = nn.Linear(2, 1, bias=False)
    nn.init.ones_(model.weight)
    record = InitRecord(model)
    nn.init.ones_(model.weight)
    record.note(model, "ones again")

    assert record.lines() == ["weight (1, 2): ones again"]


def test_a_parameter_that_appears_on_the_way_is_refused() -> None:
    model = two_layers()
    record = InitRecord(model)
    model[0].weight = nn.Parameter(torch.ones(2, 1))

    with pytest.raises(InitializationError, match=r"Sequential got the new parameter '0.weight'"):
        record.note(model, "a constructor")


def test_the_outermost_of_nested_calls_writes_the_record(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tk.runner")
    model = two_layers()
    with recording(model), recording(model[0]):
        nn.init.zeros_(model[0].bias)
        update_init_info(model[0], "the inner one")

    (message,) = caplog.messages
    assert message.startswith("what set each parameter of Sequential:")
    assert "0.bias (2,): the inner one" in message
