"""Names of weights without the wrappers that stand somewhere inside of a model.

``DistributedDataParallel`` and ``DataParallel`` put ``module.`` into the names of
what they wrap, ``torch.compile`` puts ``_orig_mod.``; in checkpoints neither stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn.parallel import DataParallel, DistributedDataParallel


def get_state_dict(
    module: nn.Module,
    destination: dict[str, Any] | None = None,
    prefix: str = "",
    keep_vars: bool = False,
) -> dict[str, Any]:
    """The state of a module under clean names, wrapped or not, at whatever depth.

    Args:
        module: the module.
        destination: a dict to fill; by default a new one.
        prefix: stands before every name.
        keep_vars: leave parameters attached to the graph.
    """
    state = module.state_dict(keep_vars=keep_vars)
    clean = clean_names(module, state)
    found = type(state)() if destination is None else destination
    for name, value in state.items():
        found[prefix + clean[name]] = value
    metadata = getattr(state, "_metadata", None)
    if metadata is not None and destination is None:
        names = clean_names(module, metadata)
        found._metadata = {  # type: ignore[attr-defined]
            (prefix + names[name]).rstrip("."): one for name, one in metadata.items()
        }
    return found


def weights_to_cpu(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """The same with every tensor on the CPU; the versions of modules stay."""
    moved: dict[str, Any] = like(state_dict)
    for name, value in state_dict.items():
        if isinstance(value, Mapping):
            moved[name] = weights_to_cpu(value)
        else:
            moved[name] = value.cpu() if isinstance(value, Tensor) else value
    return moved


def like(state_dict: Mapping[str, Any]) -> dict[str, Any]:
    """An empty dict that carries the module versions of ``state_dict``."""
    empty = type(state_dict)() if isinstance(state_dict, dict) else {}
    if hasattr(state_dict, "_metadata"):
        empty._metadata = state_dict._metadata  # type: ignore[attr-defined]
    return empty


def clean_names(module: nn.Module, names: Mapping[str, Any]) -> dict[str, str]:
    """Each name of the module's state with what it is without wrappers."""
    inner = {
        f"{place}.{part}".lstrip(".")
        for place, one in module.named_modules(remove_duplicate=False)
        if (part := _wrapped_part(one)) is not None
    }
    if not inner:
        return {name: name for name in names}
    return {name: _without(name, inner) for name in names}


def _without(name: str, inner: set[str]) -> str:
    parts = name.split(".")
    return ".".join(
        part for place, part in enumerate(parts) if ".".join(parts[: place + 1]) not in inner
    )


def _wrapped_part(module: nn.Module) -> str | None:
    if isinstance(module, (DataParallel, DistributedDataParallel)):
        return "module"
    return "_orig_mod" if type(module).__name__ == "OptimizedModule" else None
