from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from tk_runner.model import InitializationError, PretrainedInit


@pytest.fixture
def saved(tmp_path: Path) -> str:
    source = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    nn.init.constant_(source[0].weight, 4)
    path = tmp_path / "weights.pth"
    torch.save({"state_dict": {f"backbone.{k}": v for k, v in source.state_dict().items()}}, path)
    return str(path)


def test_the_part_below_a_prefix_is_loaded(saved: str) -> None:
    layer = nn.Linear(2, 2)

    PretrainedInit(saved, prefix="backbone.0.")(layer)

    assert torch.equal(layer.weight.detach(), torch.full((2, 2), 4.0))


def test_a_whole_file_is_loaded_as_far_as_it_fits(saved: str) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = nn.Sequential(nn.Linear(2, 2))
            self.head = nn.Linear(2, 1)

    net = Net()
    head = net.head.weight.clone()

    PretrainedInit(saved)(net)

    assert torch.equal(net.backbone[0].weight.detach(), torch.full((2, 2), 4.0))
    assert torch.equal(net.head.weight, head)


def test_a_prefix_without_weights_is_refused_with_the_nearest(saved: str) -> None:
    with pytest.raises(InitializationError, match=r"'backbon\.0'; did you mean 'backbone\.0'"):
        PretrainedInit(saved, prefix="backbon.0")(nn.Linear(2, 2))


def test_nothing_is_read_for_a_model_on_the_meta_device() -> None:
    PretrainedInit("there_is_no_such_file.pth")(nn.Linear(2, 2, device="meta"))
