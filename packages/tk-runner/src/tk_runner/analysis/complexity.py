"""Parameters, operations and activations of a model in one table."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .analyzers import ActivationAnalyzer, FlopAnalyzer
from .parameters import parameter_count
from .text_table import as_table, short

Shape = tuple[int, ...]


def get_model_complexity_info(
    model: nn.Module,
    input_shape: Shape | tuple[Shape, ...] | None = None,
    inputs: Any = None,
    show_table: bool = True,
    show_arch: bool = True,
) -> dict[str, Any]:
    """What the model costs for one input.

    Args:
        model: the model; it runs once, without gradients. On the meta device nothing
            is computed.
        input_shape: shape of one input without the batch, such as ``(3, 224, 224)``, or
            a tuple of them; random numbers of batch 1 are made on the model's device.
        inputs: the input itself, a tensor or the tuple of arguments, in place of a shape.
        show_table: whether ``out_table`` is made.
        show_arch: whether ``out_arch`` is made.

    Returns:
        ``flops``, ``activations`` and ``params`` as numbers; the same with ``_str`` as
        text; ``out_table``, a line for each module; ``out_arch``, the modules with their
        numbers; ``unsupported_ops``, the operators that were called and not counted.

    Raises:
        ValueError: both or none of ``input_shape`` and ``inputs``, or no shape.
    """
    given = _given(model, input_shape, inputs)
    flops, activations = FlopAnalyzer(model, given), ActivationAnalyzer(model, given)
    parameters = parameter_count(model)
    numbers = {
        "flops": flops.total(),
        "activations": activations.total(),
        "params": parameters[""],
    }
    flops_of, activations_of = flops.by_module(), activations.by_module()
    costs = {
        name: (parameters[name], flops_of[name], activations_of[name])
        for name, _ in model.named_modules()
    }
    return {
        **numbers,
        **{f"{name}_str": short(number) for name, number in numbers.items()},
        "out_table": _table(costs) if show_table else "",
        "out_arch": _architecture(model, costs) if show_arch else "",
        "unsupported_ops": dict(flops.unsupported_ops()),
    }


def _given(model: nn.Module, shape: Any, inputs: Any) -> tuple[Any, ...]:
    if (shape is None) == (inputs is None):
        raise ValueError(
            "give either input_shape, such as (3, 224, 224), or inputs, and not both of them"
        )
    if inputs is not None:
        return inputs if isinstance(inputs, tuple) else (inputs,)
    if _is_shape(shape):
        shapes = (shape,)
    elif isinstance(shape, tuple) and shape and all(map(_is_shape, shape)):
        shapes = shape
    else:
        raise ValueError(
            "input_shape must be a tuple of whole numbers, such as (3, 224, 224), or a tuple of "
            f"such tuples, got {shape!r}"
        )
    known = next(model.parameters(), next(model.buffers(), torch.empty(0)))
    dtype = known.dtype if known.is_floating_point() else torch.get_default_dtype()
    return tuple(torch.rand(1, *one, device=known.device, dtype=dtype) for one in shapes)


def _is_shape(value: Any) -> bool:
    return isinstance(value, tuple) and bool(value) and all(type(one) is int for one in value)


def _table(costs: dict[str, tuple[int, int, int]]) -> str:
    rows = [
        ("  " * (name.count(".") + bool(name)) + (name or "model"), *map(short, numbers))
        for name, numbers in costs.items()
    ]
    return as_table(("module", "parameters", "flops", "activations"), rows)


def _architecture(model: nn.Module, costs: dict[str, tuple[int, int, int]]) -> str:
    """The modules as torch prints them, with what each one costs."""
    lines = []
    for name, module in model.named_modules():
        numbers = ", ".join(
            f"{label}: {short(number)}"
            for label, number in zip(("params", "flops", "activations"), costs[name], strict=True)
        )
        indent = "  " * (name.count(".") + bool(name))
        label = f"({name.rpartition('.')[2]}): " if name else ""
        details = module.extra_repr()
        lines.append(f"{indent}{label}{type(module).__name__}({details})  # {numbers}")
    return "\n".join(lines)
