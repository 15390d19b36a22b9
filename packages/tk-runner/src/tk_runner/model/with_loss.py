"""`ModelWithLoss`: a network that knows nothing of losses, and a loss function beside it.

A batch holds the network's inputs and the target of the loss. Predictions carry
scores, label and target under the names that `tk_evaluator.Accuracy` looks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from tk_registry import MODELS

from .adapter import PlainModel
from .errors import ModelTypeError
from .losses import TOTAL

TARGET_NAMES = ("target", "targets", "label", "labels", "gt_label", "y")

Loss = Callable[[Any, Any], Tensor]


@MODELS.register_module()
class ModelWithLoss(PlainModel):
    """Trains any network, such as one of torchvision or timm, by a loss function.

    A batch is a sequence whose last entry is the target, or a mapping with the
    target under its name; the network is called with all the rest. Each sample's
    prediction is a dict: ``pred_score`` and ``pred_label`` where the network
    gives a score for each class, else ``pred``; and ``gt_label`` where the batch
    has a target. The loss of an evaluation is reported as well.

    Args:
        module: the network, or its config. It returns a tensor, or an object or a
            mapping with ``logits``.
        loss: called with what the network returned and the target; or its config.
        target: the target's key in a batch that is a mapping; by default the one
            of ``TARGET_NAMES`` that is there.
        data_preprocessor: as for `BaseModel`.
    """

    def __init__(
        self,
        module: nn.Module | Mapping[str, Any],
        loss: Loss | Mapping[str, Any],
        target: str | None = None,
        data_preprocessor: Any = None,
    ) -> None:
        super().__init__(module, data_preprocessor)
        self.loss: Loss = MODELS.build(loss) if isinstance(loss, Mapping) else loss
        self._target = target

    def forward(self, *args: Any, mode: str = "tensor", **kwargs: Any) -> Any:
        """Call the network; in mode ``loss`` the loss, in mode ``predict`` a dict a sample."""
        arguments, named, target = self._parted(args, kwargs, is_needed=mode == "loss")
        scores = _scores(self.module(*arguments, **named))
        if mode == "loss":
            return {TOTAL: self.loss(scores, target)}
        return _predictions(scores, target, self.loss) if mode == "predict" else scores

    def _parted(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], *, is_needed: bool
    ) -> tuple[tuple[Any, ...], dict[str, Any], Any]:
        """The network's arguments, by position and by name, and the target."""
        if not kwargs:
            if len(args) > 1:
                return args[:-1], {}, args[-1]
            if is_needed:
                raise ModelTypeError(
                    "the batch has one entry, and training needs inputs and a target; let the "
                    "dataset return both"
                )
            return args, {}, None
        names = TARGET_NAMES if self._target is None else (self._target,)
        name = next((name for name in names if name in kwargs), None)
        if name is None and is_needed:
            raise ModelTypeError(
                f"the batch has the keys {', '.join(map(repr, kwargs))} and no target; name its "
                "key with ModelWithLoss(..., target=...)"
            )
        inputs = {key: value for key, value in kwargs.items() if key != name}
        target = None if name is None else kwargs[name]
        if len(inputs) == 1:  # networks call their input as they like
            return (*args, *inputs.values()), {}, target
        return args, inputs, target


def _scores(outputs: Any) -> Any:
    """The tensor in what a network returned, where there is one with ``logits``."""
    if isinstance(outputs, Mapping):
        return outputs.get("logits", outputs)
    return getattr(outputs, "logits", outputs)


def _predictions(scores: Any, target: Any, loss: Loss) -> list[Any]:
    """One dict for each sample, and the loss of the batch behind them where there is a target."""
    if not isinstance(scores, Tensor):
        raise ModelTypeError(
            f"the network returned a {type(scores).__name__}; return a tensor, or a mapping or an "
            "object with 'logits', or derive the model from tk_runner.BaseModel"
        )
    columns: dict[str, Any] = {"pred": scores}
    if scores.dim() == 2 and scores.shape[1] > 1 and _may_be_labels(target):
        columns = {"pred_score": scores, "pred_label": scores.argmax(1)}
    if target is not None:
        columns["gt_label"] = target
    samples: list[Any] = [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
    return samples if target is None else [*samples, {TOTAL: loss(scores, target)}]


def _may_be_labels(target: Any) -> bool:
    """Whether the target holds classes, as far as it is known."""
    return not isinstance(target, Tensor) or not target.is_floating_point()
