"""Which parameter got which options, read from the optimizer itself."""

from __future__ import annotations

from typing import Any

from torch import nn


def param_table(model: nn.Module, optimizer: Any) -> str:
    """A table of the model's parameters, one a line: group, rate, decay, whether it trains.

    Args:
        model: whose names are shown.
        optimizer: a torch optimizer or a wrapper of one.
    """
    group_of = {
        id(param): index
        for index, group in enumerate(optimizer.param_groups)
        for param in group["params"]
    }
    rows = [("parameter", "shape", "group", "lr", "weight_decay", "trains")]
    for path, param in getattr(model, "module", model).named_parameters():
        shape = "x".join(map(str, param.shape)) or "scalar"
        index = group_of.get(id(param))
        if index is None:
            rows.append((path, shape, "-", "-", "-", "left out"))
            continue
        group = optimizer.param_groups[index]
        trains = "yes" if param.requires_grad else "frozen"
        rows.append((path, shape, str(index), _short(group.get("lr")),
                     _short(group.get("weight_decay")), trains))  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
             for row in rows]  # fmt: skip
    return "\n".join(lines)


def _short(value: Any) -> str:
    return "-" if value is None else f"{float(value):.4g}"
