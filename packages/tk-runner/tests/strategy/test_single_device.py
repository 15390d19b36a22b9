from __future__ import annotations

import pytest
import torch
from torch import nn

from tk_runner.strategy import SingleDeviceStrategy


@pytest.mark.parametrize(("device", "current"), [("cuda:1", ["cuda:1"]), ("cuda", []), ("cpu", [])])
def test_a_device_with_an_index_becomes_the_current_one(
    device: str, current: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen: list[str] = []
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: chosen.append(str(device)))
    monkeypatch.setattr(nn.Module, "to", lambda self, device: self)  # there may be no such device

    SingleDeviceStrategy(device).place_model(nn.Linear(1, 1))

    assert chosen == current
