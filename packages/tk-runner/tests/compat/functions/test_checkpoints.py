"""Loading a checkpoint in two steps, as libraries do."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from tk_runner.compat.functions.checkpoints import load_checkpoint_content, load_content_into_model


def test_a_content_is_read_and_given_to_a_model(tmp_path: Path) -> None:
    source, target = nn.Linear(2, 1), nn.Linear(2, 1)
    torch.save(
        {"state_dict": {f"module.{k}": v for k, v in source.state_dict().items()}},
        tmp_path / "a.pth",
    )

    content = load_checkpoint_content(str(tmp_path / "a.pth"), map_location="cpu")
    back = load_content_into_model(target, content, strict=True)

    assert back is content
    assert torch.equal(source.weight, target.weight)
