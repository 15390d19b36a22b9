"""Walking a model: what each of its parameters is, in the model's order."""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm

from .param_rules import ParamFacts

_NORMS = (_BatchNorm, _InstanceNorm, nn.GroupNorm, nn.LayerNorm, nn.RMSNorm)
# By name: the packages that define them need not be there.
_DEFORMABLE = frozenset({"DeformConv2d", "ModulatedDeformConv2d"})


def walk(
    module: nn.Module, prefix: str = "", *, in_deformable: bool = False
) -> Iterator[tuple[ParamFacts, nn.Parameter]]:
    """Each parameter with what it is; one that is shared comes once, under its first name.

    Args:
        module: the model, or a part of it.
        prefix: dotted name of that part.
        in_deformable: whether the part is a child of a deformable convolution.
    """
    seen: set[int] = set()
    for path, owner, param, inside in _all(module, prefix, in_deformable):
        if id(param) not in seen:
            seen.add(id(param))
            yield _facts(path, owner, param, inside), param


def _all(
    module: nn.Module, prefix: str, in_deformable: bool
) -> Iterator[tuple[str, nn.Module, nn.Parameter, bool]]:
    for name, param in module.named_parameters(recurse=False):
        yield (f"{prefix}.{name}" if prefix else name), module, param, in_deformable
    inside = any(base.__name__ in _DEFORMABLE for base in type(module).__mro__)
    for name, child in module.named_children():
        yield from _all(child, f"{prefix}.{name}" if prefix else name, inside)


def _facts(path: str, owner: nn.Module, param: nn.Parameter, inside: bool) -> ParamFacts:
    where, _, name = path.rpartition(".")
    is_conv = isinstance(owner, nn.Conv2d)
    return ParamFacts(
        path=path,
        ndim=param.ndim,
        is_bias=name == "bias",
        in_norm=isinstance(owner, _NORMS),
        in_depthwise=isinstance(owner, nn.Conv2d) and owner.in_channels == owner.groups,
        in_deformable=inside,
        is_offset=inside and is_conv and "conv_offset" in where,
    )
