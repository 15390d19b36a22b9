"""What one call of an operator costs.

A multiplication with an addition counts as one operation (FLOP), as in the
tables of most papers on vision and in MMEngine. torch's own counter counts two;
its formulas for matrix products, convolutions and attention are used here and halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils.flop_counter import flop_registry

Formula = Callable[[tuple[Any, ...], Any], int]
"""From the arguments of a call and what it returned to the number of operations."""


def numel(value: Any) -> int:
    """Elements of a tensor, or of the first tensor of a tuple."""
    first = value[0] if isinstance(value, (tuple, list)) else value
    return first.numel() if isinstance(first, torch.Tensor) else 0


def _of_torch(formula: Callable[..., int]) -> Formula:
    return lambda arguments, output: int(formula(*arguments, out_val=output)) // 2


def _attention(arguments: tuple[Any, ...], output: Any) -> int:
    """Query ``(b, h, s, d)`` times key ``(b, h, t, d)``, then times value ``(b, h, t, e)``."""
    query, key, value = (tensor.shape for tensor in arguments[:3])
    return int(math.prod(query[:-1]) * key[-2] * (query[-1] + value[-1]))


def _normalisation(arguments: tuple[Any, ...], output: Any) -> int:
    """Mean, difference, square, division; and the scale where there is one."""
    has_scale = any(isinstance(argument, torch.Tensor) for argument in arguments[1:3])
    return numel(arguments) * (5 if has_scale else 4)


def _batch_norm_of_inference(arguments: tuple[Any, ...], output: Any) -> int:
    return numel(arguments) * (2 if arguments[1] is not None else 1)


def _batch_norm(arguments: tuple[Any, ...], output: Any) -> int:
    is_training = next((one for one in arguments if isinstance(one, bool)), False)
    return (_normalisation if is_training else _batch_norm_of_inference)(arguments, output)


def _each_output(times: int) -> Formula:
    return lambda arguments, output: times * numel(output)


def _each_input(arguments: tuple[Any, ...], output: Any) -> int:
    return numel(arguments)


FLOPS: Mapping[str, Formula] = {
    **{str(packet): _of_torch(formula) for packet, formula in flop_registry.items()},
    "aten._scaled_dot_product_flash_attention_for_cpu": _attention,
    "aten._scaled_dot_product_fused_attention_overrideable": _attention,
    "aten.native_batch_norm": _batch_norm,
    "aten._native_batch_norm_legit": _batch_norm,
    "aten._native_batch_norm_legit_no_training": _batch_norm_of_inference,
    "aten.cudnn_batch_norm": _batch_norm,
    "aten.native_layer_norm": _normalisation,
    "aten.native_group_norm": _normalisation,
    "aten.upsample_nearest2d": _each_output(1),
    "aten.upsample_bilinear2d": _each_output(4),
    "aten.grid_sampler_2d": _each_output(4),
    "aten._adaptive_avg_pool2d": _each_input,
    "aten.mean": _each_input,  # what averaging over a whole image becomes
}
"""Operators that are counted, by name."""

ACTIVATIONS: Mapping[str, Formula] = {
    name: _each_output(1)
    for name in FLOPS
    if any(part in name for part in ("mm", "convolution", "conv2d", "attention"))
    and "backward" not in name
}
"""Operators whose outputs a training step must keep: products, convolutions, attention."""

FREE = {
    *("aten._to_copy", "aten._unsafe_view", "aten.arange", "aten.cat", "aten.clone", "aten.copy_"),
    *("aten.detach", "aten.empty", "aten.embedding", "aten.fill_", "aten.full", "aten.gather"),
    *("aten.index", "aten.index_select", "aten.lift_fresh", "aten.masked_fill", "aten.new_empty"),
    *("aten.new_full", "aten.new_ones", "aten.new_zeros", "aten.ones", "aten.scalar_tensor"),
    *("aten.stack", "aten.zeros", "aten.zeros_like", "aten.ones_like", "aten.empty_like"),
}
"""Operators that only make, move or pick values; views cost nothing either."""
