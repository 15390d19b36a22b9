"""``AmpOptimWrapper``: mixed precision through torch's autocast and gradient scaler.

float16 needs the scaler, which reads one number from the device at each update
to learn whether gradients overflowed, unless the optimizer is fused. bfloat16
needs no scaler and reads nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.amp.grad_scaler import GradScaler

from tk_registry import OPTIM_WRAPPERS, value_rules

from ..amp import FULL_PRECISION, autocast, autocast_dtype, device_type_of
from ..errors import InvalidSettingError, InvalidTypeError, refusals
from .wrapper import OptimWrapper

logger = logging.getLogger("tk.optim")


def _precision_problems(
    loss_scale: str | float | Mapping[str, Any], dtype: str | torch.dtype | None
) -> Iterator[tuple[str, str]]:
    yield from refusals("loss_scale", _scaler_arguments, loss_scale)
    if dtype is not None:
        yield from refusals("dtype", autocast_dtype, dtype, "cpu")


@OPTIM_WRAPPERS.register_module()
@value_rules(_precision_problems)
class AmpOptimWrapper(OptimWrapper):
    """``OptimWrapper`` with mixed precision, on every device that has it, the CPU too.

    Args:
        loss_scale: ``dynamic``; a number, which stays; or a dict of arguments
            of torch's ``GradScaler``. bfloat16 uses a scaler only when a number
            or a dict is given.
        dtype: ``float16``, ``bfloat16``, ... or a torch dtype; None is
            torch's choice for the device.
        use_fsdp: use the scaler of the older fully sharded data parallel
            (``FullyShardedDataParallel``); ``fully_shard`` needs none of its own.
        cache_enabled: False when a forward pass runs layers under ``no_grad``
            before it runs them for the loss: kept copies of the weights would
            lose their gradients.
        device_type: kind of device; None is that of the parameters.
        kwargs: for ``OptimWrapper``.
    """

    def __init__(
        self,
        loss_scale: str | float | Mapping[str, Any] = "dynamic",
        dtype: str | torch.dtype | None = None,
        use_fsdp: bool = False,
        *,
        cache_enabled: bool | None = None,
        device_type: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.device_type = device_type or device_type_of(self.optimizer)
        self.cast_dtype = autocast_dtype(dtype, self.device_type)
        self.cache_enabled = cache_enabled
        arguments = _scaler_arguments(loss_scale)
        self._fixed_scale = float(loss_scale) if isinstance(loss_scale, (int, float)) else None
        arguments.setdefault("enabled", self.cast_dtype == torch.float16 or loss_scale != "dynamic")
        self.loss_scaler: GradScaler = _make_scaler(self.device_type, arguments, sharded=use_fsdp)
        self._context_seen = self.cast_dtype in FULL_PRECISION  # nothing to miss then
        self._context_missed = False

    def backward(self, loss: Tensor, **kwargs: Any) -> None:
        """Add the gradients of the scaled loss and count one batch."""
        if not self._context_seen and not self._context_missed:
            self._context_missed = True
            logger.warning(
                "%s computes gradients of a forward pass that did not run in its context, so "
                "there was no mixed precision; run the model in "
                "`with optim_wrapper.optim_context(model):`",
                type(self).__name__,
            )
        super().backward(self.loss_scaler.scale(loss), **kwargs)

    def step(self, **kwargs: Any) -> None:
        """Unscale, clip, and step unless gradients overflowed.

        An update that was skipped does not count in ``update_count``; a fused
        optimizer decides that on the device, so there each one counts.
        """
        if not self.loss_scaler.is_enabled():
            super().step(**kwargs)
            return
        if self._clipping is not None:
            self.loss_scaler.unscale_(self.optimizer)
            self._clip_grad(self._clipping)
        done: list[bool] = []
        watch = self.optimizer.register_step_post_hook(lambda *_: done.append(True))
        try:
            self.loss_scaler.step(self.optimizer, **kwargs)
        finally:
            watch.remove()
        self.loss_scaler.update(self._fixed_scale)
        self.update_count += len(done)
        self._local_gradients = False

    @contextmanager
    def optim_context(self, model: Any) -> Iterator[None]:
        """Run the forward pass in it: mixed precision, and gradient exchange as it is due."""
        self._context_seen = True
        with (
            super().optim_context(model),
            autocast(self.device_type, self.cast_dtype, cache_enabled=self.cache_enabled),
        ):
            yield

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state, and the scaler's under ``loss_scaler``."""
        return {**super().state_dict(), "loss_scaler": self.loss_scaler.state_dict()}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load the state of any wrapper or of a bare optimizer."""
        scaler = state_dict.get("loss_scaler")
        if scaler and self.loss_scaler.is_enabled():
            self.loss_scaler.load_state_dict(dict(scaler))
        super().load_state_dict(state_dict)


def _scaler_arguments(loss_scale: Any) -> dict[str, Any]:
    if loss_scale == "dynamic":
        return {}
    if isinstance(loss_scale, Mapping):
        return dict(loss_scale)
    if isinstance(loss_scale, (int, float)) and not isinstance(loss_scale, bool):
        return {"init_scale": float(loss_scale)}
    raise InvalidTypeError(
        f"loss_scale={loss_scale!r}: give 'dynamic', a number, or a dict of GradScaler arguments"
    )


def _make_scaler(device_type: str, arguments: dict[str, Any], *, sharded: bool) -> GradScaler:
    if sharded:
        from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler  # slow, seldom

        return ShardedGradScaler(device=device_type, **arguments)
    try:
        return GradScaler(device_type, **arguments)
    except TypeError as error:
        raise InvalidSettingError(
            f"loss_scale={arguments} does not suit torch's GradScaler: {error}"
        ) from error
