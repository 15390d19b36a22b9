"""The loops of a run out of their configs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tk_registry import LOOPS

from ..errors import InvalidSettingsError
from ..interfaces.loops import EvaluationLoopLike, TrainLoopLike, missing_members
from ..interfaces.run import RunLike
from ..loops import BaseLoop, EpochBasedTrainLoop, IterBasedTrainLoop


def build_train_loop(cfg: Any, runner: RunLike, dataloader: Any) -> TrainLoopLike:
    """The train loop: by its ``type``, else by epoch or by iteration as ``by_epoch`` says.

    Raises:
        InvalidSettingsError: the loop lacks what a run asks of it.
    """
    loop: TrainLoopLike = _train_loop(cfg, runner, dataloader)
    if missing := missing_members(loop, TrainLoopLike):
        raise InvalidSettingsError(
            f"{type(loop).__name__} cannot be the train loop of a run, which asks it for "
            f"{', '.join(missing)}; derive it from EpochBasedTrainLoop or IterBasedTrainLoop, or "
            "define what is missing as tk_runner.interfaces.TrainLoopLike describes it"
        )
    return loop


def _train_loop(cfg: Any, runner: RunLike, dataloader: Any) -> Any:
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
) -> EvaluationLoopLike:
    """The validation or test loop: by its ``type``, else the default one.

    Raises:
        InvalidSettingsError: the loop lacks what a run asks of it.
    """
    loop: EvaluationLoopLike = _evaluation_loop(cfg, runner, dataloader, evaluator, default)
    if missing := missing_members(loop, EvaluationLoopLike):
        raise InvalidSettingsError(
            f"{type(loop).__name__} cannot validate or test in a run, which asks it for "
            f"{', '.join(missing)}; derive it from BaseLoop, or define what is missing as "
            "tk_runner.interfaces.EvaluationLoopLike describes it"
        )
    return loop


def _evaluation_loop(
    cfg: Any, runner: RunLike, dataloader: Any, evaluator: Any, default: str
) -> Any:
    if isinstance(cfg, BaseLoop):
        return cfg
    _mapping(cfg or {}, f"{default} config")
    parts = {"type": default, "runner": runner, "dataloader": dataloader, "evaluator": evaluator}
    return LOOPS.build(cfg or {}, default_args=parts)


def _mapping(cfg: Any, name: str) -> dict[str, Any]:
    if not isinstance(cfg, Mapping):
        raise TypeError(f"{name} must be a loop or the config of one, got {type(cfg).__name__}")
    return dict(cfg)
