"""A whole training in a process of its own, and what it leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch._dynamo  # optimizers import it: once here, and not in each forked process
import toy_training
from dying import forked


def train(work_dir: Path, *, resume: bool = False, **changes: Any) -> None:
    """Three epochs; the first weights are always the same."""
    torch.manual_seed(1)
    try:
        with toy_training.runner(work_dir, resume=resume, **changes) as run:
            run.train()
    except KeyboardInterrupt:  # as the command does
        raise SystemExit(130) from None


def trained(work_dir: Path, *, resume: bool = False, **changes: Any) -> int:
    """The exit status of a process that trains."""
    return forked(lambda: train(work_dir, resume=resume, **changes))


def last_checkpoint(work_dir: Path) -> dict[str, Any]:
    """What the run saved after its third epoch."""
    loaded: dict[str, Any] = torch.load(work_dir / "epoch_3.pth", weights_only=True)
    return loaded
