"""Convolutions with frozen batch norms behind them, computed as one.

In eval mode a batch norm only scales and shifts. Doing that to the small kernel
instead of to the large activation saves memory and time, and gradients still reach
both. In train mode the pair works as before.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.nn import functional as F  # noqa: N812 - torch's own name for it
from torch.nn.modules.batchnorm import _BatchNorm

from tk_registry import did_you_mean

from .errors import ModelSettingsError

_CONVOLUTIONS = (
    nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d,
)  # fmt: skip
_TRANSPOSED = {
    nn.ConvTranspose1d: F.conv_transpose1d,
    nn.ConvTranspose2d: F.conv_transpose2d,
    nn.ConvTranspose3d: F.conv_transpose3d,
}


def turn_on_efficient_conv_bn_eval(model: nn.Module, modules: Sequence[str] | str) -> None:
    """Let the named sub-modules compute such pairs as one.

    Their ``forward`` is traced, so Python conditions in it are fixed as they are now.

    Raises:
        ModelSettingsError: a name that is no sub-module, or one that cannot be
            traced.
    """
    names = [modules] if isinstance(modules, str) else list(modules)
    known = dict(model.named_modules())
    unknown = [f"{name!r}: {did_you_mean(name, known)}" for name in names if name not in known]
    if unknown:
        raise ModelSettingsError(f"these are no modules of the model: {'; '.join(unknown)}")
    for name in names:
        turn_on_efficient_conv_bn_eval_for_single_model(known[name])


def turn_on_efficient_conv_bn_eval_for_single_model(model: nn.Module) -> None:
    """Let one module compute such pairs as one.

    Raises:
        ModelSettingsError: its ``forward`` cannot be traced.
    """
    try:
        traced = fx.symbolic_trace(model)
    except (fx.proxy.TraceError, TypeError, ValueError) as error:
        raise ModelSettingsError(
            f"the forward() of {type(model).__name__} cannot be traced ({error}); name sub-modules "
            "whose forward() has no condition on the data"
        ) from error
    efficient_conv_bn_eval_graph_transform(traced)
    model.forward = types.MethodType(type(traced).forward, model)


def efficient_conv_bn_eval_graph_transform(fx_model: fx.GraphModule) -> None:
    """Replace each batch norm that is the only user of a convolution, in place."""
    parts = dict(fx_model.named_modules())
    for node in list(fx_model.graph.nodes):
        conv_node = _convolution_before(node, parts)
        if conv_node is None:
            continue
        with fx_model.graph.inserting_before(conv_node):
            conv = fx_model.graph.get_attr(conv_node.target)
            bn = fx_model.graph.get_attr(node.target)
            both = fx_model.graph.call_function(
                efficient_conv_bn_eval_control, (bn, conv, conv_node.args[0])
            )
        node.replace_all_uses_with(both)
        fx_model.graph.erase_node(node)
        fx_model.graph.erase_node(conv_node)
    fx_model.graph.lint()
    fx_model.recompile()


def _convolution_before(node: fx.Node, parts: dict[str, nn.Module]) -> Any:
    """The node of the convolution that only this batch norm uses, else ``None``."""
    bn = parts.get(str(node.target)) if node.op == "call_module" else None
    if not isinstance(bn, _BatchNorm) or not bn.track_running_stats or len(node.args) != 1:
        return None
    before = node.args[0]
    if not isinstance(before, fx.Node) or before.op != "call_module":
        return None
    is_plain = type(parts.get(str(before.target))) in _CONVOLUTIONS
    return before if is_plain and len(before.users) == 1 and len(before.args) == 1 else None


def efficient_conv_bn_eval_control(bn: _BatchNorm, conv: Any, x: Tensor) -> Tensor:
    """The pair as one where the statistics are frozen, else one after the other."""
    if bn.training:
        result: Tensor = bn(conv(x))
        return result
    return efficient_conv_bn_eval_forward(bn, conv, x)


def efficient_conv_bn_eval_forward(bn: _BatchNorm, conv: Any, x: Tensor) -> Tensor:
    """The convolution with the scale and the shift of the batch norm in its weights."""
    mean, var = bn.running_mean, bn.running_var
    if mean is None or var is None:
        raise ModelSettingsError(
            "a batch norm without running statistics cannot be folded; leave its module out"
        )
    scale = torch.rsqrt(var + bn.eps)
    if bn.affine:
        scale = scale * bn.weight
    shift = -mean if conv.bias is None else conv.bias - mean
    bias = shift * scale if not bn.affine else bn.bias + shift * scale
    transposed: Any = _TRANSPOSED.get(type(conv))
    if transposed is None:
        weight = conv.weight * scale.view(-1, *[1] * (conv.weight.dim() - 1))
        folded: Tensor = conv._conv_forward(x, weight, bias)
        return folded
    # (in, out per group, ...): the scale of each output belongs to its group of inputs
    by_group = conv.weight.reshape(conv.groups, -1, *conv.weight.shape[1:])
    factor = scale.view(conv.groups, 1, -1, *[1] * (conv.weight.dim() - 2))
    result: Tensor = transposed(
        x, (by_group * factor).flatten(0, 1), bias, conv.stride, conv.padding,
        conv.output_padding, conv.groups, conv.dilation,
    )  # fmt: skip
    return result
