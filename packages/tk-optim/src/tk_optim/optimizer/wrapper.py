"""``OptimWrapper``: from a loss to new parameters.

Counting is in ``accumulation.py``, clipping in ``clipping.py``; here they meet
the optimizer. A step without clipping reads nothing from the device and adds
no kernel to the optimizer's own; with clipping the norms go to the hub unread.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.optim import Optimizer

from tk_dist import all_reduce
from tk_registry import OPTIM_WRAPPERS, Rule, count, value_rules

from ..errors import refusals
from .accumulation import Accumulation
from .base import BaseOptimWrapper
from .clipping import Clipping

logger = logging.getLogger("tk.optim")

_NOTHING = nullcontext()
_CLIPPING = Rule(
    "None or a dict with the arguments of torch's clipping function",
    lambda value: value is None or isinstance(value, Mapping),
)


def _clipping_problems(clip_grad: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    if clip_grad is not None:
        yield from refusals("clip_grad", Clipping.from_settings, clip_grad)


@OPTIM_WRAPPERS.register_module()
@value_rules(_clipping_problems, accumulative_counts=count(1), clip_grad=_CLIPPING)
class OptimWrapper(BaseOptimWrapper):
    """Accumulation, clipping and the update, for a torch optimizer.

    Args:
        optimizer: the optimizer that is wrapped.
        accumulative_counts: batches whose mean gradient makes one update.
        clip_grad: None, or a dict with ``type`` (``norm``, the default, or
            ``value``) and the arguments of torch's clipping function.

    Attributes:
        update_count: updates done since this object was built.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        accumulative_counts: int = 1,
        clip_grad: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(optimizer)
        self._accumulation = Accumulation(accumulative_counts)
        self._clipping = None if clip_grad is None else Clipping.from_settings(clip_grad)
        self._local_gradients = False
        self._group: Any = None
        self.update_count = 0

    @property
    def clip_grad_kwargs(self) -> dict[str, Any]:
        """The arguments of the clipping; empty without it."""
        return {} if self._clipping is None else dict(self._clipping.options)

    @property
    def accumulative_counts(self) -> int:
        """Batches of one update."""
        return self._accumulation.every

    @property
    def inner_count(self) -> int:
        """Batches whose gradients were computed."""
        return self._accumulation.count

    @property
    def has_pending_gradients(self) -> bool:
        """Whether a group of batches is incomplete, so that its gradients are worth saving."""
        return self._accumulation.pending > 0

    def update_params(
        self,
        loss: Tensor,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Compute the gradients of a batch; update when the group is full.

        Args:
            loss: mean loss of the batch, with its graph; 0-dimensional.
            step_kwargs: for ``step``.
            zero_kwargs: for ``zero_grad``.
        """
        self.backward(self.scale_loss(loss))
        if self.should_update():
            self.step(**(step_kwargs or {}))
            self.zero_grad(**(zero_kwargs or {}))

    def backward(self, loss: Tensor, **kwargs: Any) -> None:
        """Add the gradients of ``loss`` and count one batch."""
        loss.backward(**kwargs)  # type: ignore[no-untyped-call]  # torch's own
        self._accumulation.advance()

    def zero_grad(self, **kwargs: Any) -> None:
        """Forget the gradients, as the optimizer does."""
        optimizer = self.optimizer
        is_torchs = type(optimizer).zero_grad is Optimizer.zero_grad
        if kwargs or not is_torchs or "zero_grad" in vars(optimizer):
            optimizer.zero_grad(**kwargs)
            return
        # What torch does by default, without the record that its profiler opens each time:
        # measured, a tenth of the step of a small model.
        for group in optimizer.param_groups:
            for param in group["params"]:
                param.grad = None

    def step(self, **kwargs: Any) -> None:
        """Clip, when asked to, then let the optimizer step."""
        if self._clipping is not None:
            self._clip_grad(self._clipping)
        self.optimizer.step(**kwargs)
        self.update_count += 1
        self._local_gradients = False

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Divide by the number of batches in the group; with one batch, ``loss`` itself."""
        if self._accumulation.every == 1:
            return loss
        size = self._accumulation.group_size
        return loss if size == 1 else loss / size

    def should_update(self) -> bool:
        """Whether the group is full."""
        return self._accumulation.is_full

    def should_sync(self) -> bool:
        """Whether the next batch fills the group, so that ranks must exchange gradients."""
        return self._accumulation.next_fills

    def finish_group(
        self,
        step_kwargs: Mapping[str, Any] | None = None,
        zero_kwargs: Mapping[str, Any] | None = None,
    ) -> bool:
        """Update with an incomplete group, whose gradient is made a mean; whether there was one.

        For the end of an epoch in a loop of your own, or of a run that is
        stopped early; loops that announce their length with
        ``initialize_count_status`` need it only for the latter. Under DDP every
        rank calls it, and gradients are exchanged here; the gradients that
        ``fully_shard`` holds back for a group cannot be reached.
        """
        pending = self._accumulation.pending
        if not pending:
            return False
        grads = [param.grad for param in self._params_with_grad() if param.grad is not None]
        if self._local_gradients:  # DDP has not exchanged those of this group
            for grad in grads:
                all_reduce(grad, op="mean", group=self._group)
        if grads:
            torch._foreach_mul_(grads, self._accumulation.group_size / pending)
        self._accumulation.close_here()
        self.step(**(step_kwargs or {}))
        self.zero_grad(**(zero_kwargs or {}))
        return True

    def optim_context(self, model: Any) -> AbstractContextManager[None]:
        """Run the forward pass in it: ranks exchange gradients only when an update is due.

        Uses ``no_sync`` of DDP and FSDP, ``set_requires_gradient_sync`` of
        ``fully_shard``; a model with neither is left alone.
        """
        if self._accumulation.every == 1:
            return _NOTHING
        kind = type(model)  # asking a module itself for what it has not is slow
        if hasattr(kind, "set_requires_gradient_sync"):
            # The backward pass looks at it, which runs after this context: it stays set.
            model.set_requires_gradient_sync(self.should_sync())
        if self.should_sync():
            return _NOTHING
        if hasattr(kind, "no_sync"):
            self._local_gradients = True
            self._group = getattr(model, "process_group", None)
            return model.no_sync()  # type: ignore[no-any-return]  # by duck typing
        return _NOTHING

    def initialize_count_status(self, model: nn.Module, init_counts: int, max_counts: int) -> None:
        """Say where the run stands, so that its last group is scaled by what is in it.

        Args:
            model: looked at for layers that accumulation does not suit.
            init_counts: batches done before, 0 or where a resumed run goes on; inside
                a group, its gradients must have been brought back before.
            max_counts: batches of the whole run; -1 when unknown.
        """
        every = self._accumulation.every
        has_gradients = bool(init_counts % every and self._params_with_grad())
        self._accumulation.begin_at(init_counts, max_counts, with_gradients=has_gradients)
        if init_counts % every and not has_gradients:
            logger.warning(
                "the run goes on at batch %d, inside a group of %d: the gradients of the batches "
                "before it are lost, and the group is the mean of the rest; save at a multiple "
                "of %d to avoid it",
                init_counts, every, every,
            )  # fmt: skip
        if every > 1 and any(isinstance(module, _BatchNorm) for module in model.modules()):
            logger.warning(
                "gradients of %d batches are accumulated, but batch norm sees each batch alone: "
                "the result differs from one of a batch that is %d times as large",
                every, every,
            )  # fmt: skip

    def _clip_grad(self, clipping: Clipping) -> None:
        params = self._params_with_grad()
        if not params:
            return
        before, after = clipping.apply(params)
        norms = {"train/grad_norm": before, "train/grad_norm_clipped": after}
        self.message_hub.update_scalars(norms)

    def _params_with_grad(self) -> list[nn.Parameter]:
        return [
            param
            for group in self.optimizer.param_groups
            for param in group["params"]
            if param.requires_grad and param.grad is not None
        ]

    def __repr__(self) -> str:
        inside = "\n".join("    " + line for line in repr(self.optimizer).splitlines())
        return (
            f"{type(self).__name__}(\n"
            f"    accumulative_counts: {self._accumulation.every}\n{inside}\n)"
        )
