"""How many parameters every module of a model has."""

from __future__ import annotations

from collections import defaultdict

from torch import nn

from .text_table import as_table, short


def parameter_count(model: nn.Module) -> defaultdict[str, int]:
    """The number of parameters below every module and of every parameter, by name.

    ``""`` is the whole model. A parameter that is shared counts once, under the
    first of its names; names that do not exist have 0.
    """
    counts: defaultdict[str, int] = defaultdict(int)
    for name, parameter in model.named_parameters():
        counts[name] += parameter.numel()
        for prefix in prefixes(name.rpartition(".")[0]):
            counts[prefix] += parameter.numel()
    return counts


def parameter_count_table(model: nn.Module, max_depth: int = 3) -> str:
    """A text table of the parameters: number for modules, shape for parameters.

    Args:
        model: the model.
        max_depth: how many levels of modules are shown; 1 is the model's own children.
    """
    counts = parameter_count(model)
    shapes = {name: tuple(value.shape) for name, value in model.named_parameters()}
    rows: list[tuple[str, ...]] = [("model", short(counts[""]))]
    for name, count in counts.items():
        depth = name.count(".") + 1
        if name and depth <= max_depth:
            indent = "  " * depth
            rows.append((indent + name, indent + str(shapes.get(name, short(count)))))
    return as_table(("name", "parameters or shape"), _modules_first(rows))


def prefixes(name: str) -> list[str]:
    """The name of a module and of all modules around it, the innermost first, ``""`` last."""
    found = []
    while name:
        found.append(name)
        name = name.rpartition(".")[0]
    return [*found, ""]


def _modules_first(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """In the order of the names' parts, so that what belongs to a module stands below it."""
    place: dict[str, int] = {}
    for name, *_ in rows[1:]:
        for prefix in reversed(prefixes(name.strip())):
            place.setdefault(prefix, len(place))

    def key(row: tuple[str, ...]) -> list[int]:
        return [place[prefix] for prefix in reversed(prefixes(row[0].strip()))]

    return [rows[0], *sorted(rows[1:], key=key)]
