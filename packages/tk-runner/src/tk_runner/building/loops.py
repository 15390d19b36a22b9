"""The loops of a run out of their configs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import LOOPS

from ..interfaces.run import RunLike
from ..loops import BaseLoop, EpochBasedTrainLoop, IterBasedTrainLoop


def build_train_loop(cfg: Any, runner: RunLike, dataloader: Any) -> Any:
    """The train loop: by its ``type``, else by epoch or by iteration as ``by_epoch`` says."""
    if isinstance(cfg, BaseLoop):
        return cfg
    arguments = _mapping(cfg, "train_cfg")
    parts = {"runner": runner, "dataloader": dataloader}
    if "type" in arguments:
        return LOOPS.build(cfg, default_args=parts)
    kind = EpochBasedTrainLoop if arguments.pop("by_epoch", True) else IterBasedTrainLoop
    return kind(**parts, **arguments)


def build_evaluation_loop(
    cfg: Any, runner: RunLike, dataloader: Any, evaluator: Any, default: str
) -> Any:
    """The validation or test loop: by its ``type``, else the default one."""
    if isinstance(cfg, BaseLoop):
        return cfg
    _mapping(cfg or {}, f"{default} config")
    parts = {"type": default, "runner": runner, "dataloader": dataloader, "evaluator": evaluator}
    return LOOPS.build(cfg or {}, default_args=parts)


def _mapping(cfg: Any, name: str) -> dict[str, Any]:
    if not isinstance(cfg, Mapping):
        raise TypeError(f"{name} must be a loop or the config of one, got {type(cfg).__name__}")
    return dict(cfg)
