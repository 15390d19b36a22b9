"""Small checkpoints of a run, told apart by their iteration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from tk_runner.checkpoint import FORMAT_VERSION, save_checkpoint


def state_after(iteration: int, time: str | None = None) -> dict[str, Any]:
    """What a run of that many iterations would save."""
    weight = torch.arange(12.0).reshape(3, 4) + iteration
    return {
        "format_version": FORMAT_VERSION,
        "meta": {"iter": iteration, "epoch": 0, "time": time or f"20250101_{iteration:06d}"},
        "state_dict": {"weight": weight, "bias": weight[0].clone()},
        "optimizer": {"state": {0: {"momentum_buffer": weight * 2}}, "param_groups": []},
        "loop": {"iter": iteration, "epoch": 0},
    }


def write_state(folder: Path, iteration: int, name: str | None = None, **kwargs: Any) -> Path:
    """Save such a state as ``iter_<n>.pth``."""
    path = folder / (name or f"iter_{iteration}.pth")
    save_checkpoint(state_after(iteration, **kwargs), path)
    return path


def same(one: Any, other: Any) -> bool:
    """Whether two contents are equal, tensors bit for bit."""
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and torch.equal(one, other)
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and list(one) == list(other)
            and all(same(value, other[key]) for key, value in one.items())
        )
    if isinstance(one, (list, tuple)):
        return (
            type(one) is type(other)
            and len(one) == len(other)
            and all(same(*pair) for pair in zip(one, other, strict=True))
        )
    return bool(one == other)
